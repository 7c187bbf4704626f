#pragma once
#include "root.unity.h" // IWYU pragma: keep

static bool is_seen(const Bytes &sprite, std::size_t pixel) { return sprite[4 + 4 * pixel + 3] != 0; }

SHARED void check_sprites() {
    const Bytes rocket = read_baked("sprites/rocket.rgba");
    const unsigned width = u16_at(rocket, 0), height = u16_at(rocket, 2);
    check(width == 5 && height == 6, "the rocket has five columns and six rows");
    check(rocket.size() == 4 + 4 * width * height, "each pixel of the rocket has four bytes");
    check(!is_seen(rocket, 0) && is_seen(rocket, 2), "the rocket's tip is in the middle");
}
