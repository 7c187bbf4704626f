/* Plays the waves of a baked level: how full each pool gets if nothing dies. */
#include <stdio.h>

#include "levels/fireworks.h"

int main(void) {
    unsigned live[fireworks_pools] = { 0 }, refused = 0;
    const unsigned slots[fireworks_pools] = {
        [fireworks_rockets] = fireworks_rockets_slots,
        [fireworks_sparks] = fireworks_sparks_slots,
        [fireworks_smoke] = fireworks_smoke_slots,
    };
    for (size_t i = 0; i < sizeof fireworks_waves / sizeof *fireworks_waves; i++) {
        const unsigned pool = fireworks_waves[i][1], wanted = fireworks_waves[i][2];
        const unsigned taken = wanted < slots[pool] - live[pool] ? wanted : slots[pool] - live[pool];
        live[pool] += taken;
        refused += wanted - taken;
    }
    for (unsigned pool = 0; pool < fireworks_pools; pool++) printf("pool %u: %u of %u slots\n", pool, live[pool], slots[pool]);
    printf("refused: %u\n", refused);
    return 0;
}
