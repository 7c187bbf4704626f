/* The first design: a swap-delete pool. Everything is allocated at the start and nothing moves; a list of all slots, the
 * roster, is split by a partition into live and free ones. The game updates the entire array, live and dead alike, so
 * that no branch stands in its loop: a dead slot always holds a valid object. examples/small/roster.c shows the roster
 * and the partition themselves. */
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
    for (slot = 0; slot < SLOTS - 1; slot++) {
        components_id id;
        *components_insert(&all, &id) = (component){(float)slot, 0.5f};
    }
    show("five are allocated", &all, next_slot(pool));
    stale = components_id_at(&all, 1);
    every[1] = (component){0, 0};
    if (!components_remove(&all, stale)) {
        return 3;
    }
    show("slot 1 is freed", &all, next_slot(pool));
    for (slot = 0; slot < SLOTS; slot++) {
        every[slot].position += every[slot].speed; /* the entire array, without a branch */
    }
    *components_insert(&all, &again) = (component){40, 0};
    show("one more is allocated", &all, next_slot(pool));
    printf("the stale handle is %s, slot 4 has moved to %.1f\n",
           components_get(&all, stale) == NULL ? "refused" : "good", (double)every[4].position);
    mp_pool_destroy(pool);
    return 0;
}
