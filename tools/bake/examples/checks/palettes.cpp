#pragma once
#include "root.unity.h" // IWYU pragma: keep

SHARED void check_palettes() {
    const Bytes night = read_baked("palettes/night.rgba");
    check(night.size() == 6 * 4, "night has six colours");
    check(Bytes(night.begin(), night.begin() + 8) == Bytes({ 0, 0, 0, 0, 255, 255, 255, 255 }),
        "night begins with nothing and white");
}
