/* The first design: a swap-delete pool. Everything is allocated at the start and nothing moves; a list of all slots, the
 * roster, is split by a partition into live and free ones. The game updates the entire array, live and dead alike, so
 * that no branch stands in its loop: a dead slot always holds a valid object. */
#include <millpond.h>

#include <stdio.h>

typedef struct component {
    float position, speed;
} component;

MP_POOL(components, component)

#define SLOTS 6

static void show(const char *what, const components *all, size_t next) {
    size_t slot;
    printf("%-22s live:", what);
    for (slot = 0; slot < SLOTS; slot++) {
        printf(" %c", components_id_at(all, slot).bits != 0 ? (char)('0' + slot) : '.');
    }
    printf("  next: slot %zu\n", next);
}

/* Which slot the next insertion takes. */
static size_t next_slot(mp_pool *pool) {
    return (size_t)(mp_pool_next_handle(pool).bits >> 32);
}

int main(void) {
    mp_options options = MP_OPTIONS(component, SLOTS);
    mp_pool *pool;
    components all;
    components_id stale, again;
    component *every;
    size_t slot;
    options.order = MP_ROSTER;
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = components_of(pool);
    every = mp_values(pool);
    for (slot = 0; slot < SLOTS; slot++) {
        every[slot] = (component){0, 0}; /* dead, and valid */
    }
    /* The worked example: six slots, of which the roster 5 4 3 2 1 0 hands out the first five. */
    for (slot = SLOTS - 1; slot >= 1; slot--) {
        mp_handle first_life = {(uint64_t)slot << 32 | 1};
        void *made;
        if (mp_pool_insert_at(pool, first_life, &made) != MP_OK) {
            return 2;
        }
        *(component *)made = (component){(float)slot, 0.5f};
    }
    show("five are allocated", &all, next_slot(pool));
    stale = components_id_at(&all, 4);
    every[4] = (component){0, 0};
    if (!components_remove(&all, stale)) {
        return 3;
    }
    show("slot 4 is freed", &all, next_slot(pool));
    for (slot = 0; slot < SLOTS; slot++) {
        every[slot].position += every[slot].speed; /* the entire array, without a branch */
    }
    *components_insert(&all, &again) = (component){40, 0};
    show("one more is allocated", &all, next_slot(pool));
    printf("the stale handle is %s, slot 5 has moved to %.1f\n",
           components_get(&all, stale) == NULL ? "refused" : "good", (double)every[5].position);
    mp_pool_destroy(pool);
    return 0;
}
