/* The object pool of games in one file: 100 particles whose dead ones hold the free list; `animate` moves each, and one
 * whose time is up goes back to the pool in the same pass. */
#define MILLPOND_SMALL_IMPLEMENTATION
#include "millpond_small.h"

#include <stdio.h>

#define SLOTS 100

typedef struct particle {
    uint32_t frames_left; /* not 0 while it is in use: the pool's first field */
    double x, y, x_velocity, y_velocity;
} particle;

static particle particles[SLOTS];

/* A missing particle is no problem: on a screen full of them, nobody notices. */
static void create(mps_list *pool, double x, double y, double x_velocity, double y_velocity, uint32_t lifetime) {
    particle *made = lifetime == 0 ? NULL : mps_list_create(pool);
    if (made != NULL) {
        const particle fresh = {lifetime, x, y, x_velocity, y_velocity};
        *made = fresh;
    }
}

static void animate(mps_list *pool) {
    uint32_t slot;
    for (slot = 0; slot < SLOTS; slot++) {
        particle *one = &particles[slot];
        if (one->frames_left == 1) {
            mps_list_release(pool, one);
        } else if (one->frames_left > 1) {
            one->frames_left--;
            one->x += one->x_velocity;
            one->y += one->y_velocity;
        }
    }
}

int main(void) {
    mps_list pool;
    uint32_t i;
    mps_list_init(&pool, particles, sizeof *particles, SLOTS);
    for (i = 0; i < 120; i++) {
        create(&pool, 0, 0, 0.5, 1, i % 3 + 1);
    }
    printf("120 created: %u in use\n", (unsigned)pool.live);
    for (i = 1; i <= 3; i++) {
        animate(&pool);
        printf("frame %u: %u in use\n", (unsigned)i, (unsigned)pool.live);
    }
    create(&pool, 5, 5, 0, 0, 10);
    printf("the slot freed last is used first: %s\n", mps_list_at(&pool, SLOTS - 2) != NULL ? "slot 98" : "another");
    return 0;
}
