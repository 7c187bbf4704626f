#pragma once
#include "root.unity.h" // IWYU pragma: keep

#include "levels/fireworks.h"
#include "levels/storm.h"

SHARED void check_levels() {
    const unsigned in_storm = storm_sparks_slots;
    check(fireworks_sparks_slots == in_storm, "both levels include the same pools");
    unsigned born = 0;
    for (const auto &wave : fireworks_waves) born += wave[1] == fireworks_sparks ? wave[2] : 0;
    check(born == 3200, "fireworks asks for 3,200 sparks");
}
