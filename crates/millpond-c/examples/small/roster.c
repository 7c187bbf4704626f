/* The swap-delete pool of one file: the published example, step by step. Six slots whose roster is 5 4 3 2 1 0, five of
 * them allocated; freeing slot 4 swaps the roster's entries 1 and 4, and the next allocation gives slot 4 again.
 *
 *     cc roster.c -I../../include -o roster && ./roster
 */
#define MILLPOND_SMALL_IMPLEMENTATION
#include "millpond_small.h"

#include <stdio.h>

#define SLOTS 6

typedef struct component {
    float position, speed;
} component;

static component components[SLOTS]; /* live and dead alike: the game updates all of them without a branch */
static uint32_t words[MPS_ROSTER_WORDS(SLOTS)];

static void show(const char *what, const mps_roster *pool) {
    uint32_t at;
    printf("%-22s roster", what);
    for (at = 0; at < pool->slots; at++) {
        printf("%s%u", at == pool->partition ? " | " : " ", (unsigned)pool->roster[at]);
    }
    printf("%s  partition %u\n", pool->partition == pool->slots ? " |" : "", (unsigned)pool->partition);
}

int main(void) {
    mps_roster pool;
    mps_id ids[SLOTS - 1], again;
    uint32_t slot;
    size_t i;
    if (!mps_roster_init(&pool, words, SLOTS)) {
        return 1;
    }
    show("a new pool", &pool);
    for (i = 0; i < SLOTS - 1; i++) {
        ids[i] = mps_roster_allocate(&pool);
        components[mps_roster_find(&pool, ids[i])].speed = 0.5f;
    }
    show("five are allocated", &pool);

    slot = mps_roster_find(&pool, ids[1]);
    components[slot].speed = 0; /* a dead object stays a valid one */
    mps_roster_free(&pool, ids[1]);
    show("slot 4 is freed", &pool);

    again = mps_roster_allocate(&pool);
    show("one more is allocated", &pool);
    printf("it is slot %u\n", (unsigned)mps_roster_find(&pool, again));

    for (slot = 0; slot < SLOTS; slot++) {
        components[slot].position += components[slot].speed; /* the entire array */
    }
    for (slot = 0; slot < pool.partition; slot++) {
        printf("slot %u is at %.1f\n", (unsigned)pool.roster[slot], (double)components[pool.roster[slot]].position);
    }
    printf("the old handle of slot 4 is %s; freeing it again does %s\n",
           mps_roster_find(&pool, ids[1]) == MPS_NONE ? "refused" : "good",
           mps_roster_free(&pool, ids[1]) ? "harm" : "nothing");
    return 0;
}
