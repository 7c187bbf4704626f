#pragma once
#include "root.unity.h" // IWYU pragma: keep

SHARED Bytes read_baked(const std::string &name) {
    std::ifstream file(baked_path(name), std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

SHARED unsigned u16_at(const Bytes &bytes, std::size_t at) {
    return at + 1 < bytes.size() ? bytes[at] + 256u * bytes[at + 1] : 0;
}
