/* The byte-map pool of one file: handles are `index << 8 | byte`, numbers that a game script holds and that a saved
 * game names again. */
#define MILLPOND_SMALL_IMPLEMENTATION
#include "millpond_small.h"

#include <stdio.h>

#define SLOTS 4

typedef struct vehicle {
    int model;
} vehicle;

static vehicle vehicles[SLOTS], loaded_vehicles[SLOTS];
static unsigned char bytes[SLOTS], loaded_bytes[SLOTS];

int main(void) {
    mps_bytemap pool, loaded;
    vehicle *one;
    int32_t handle, old;
    int use;
    mps_bytemap_init(&pool, vehicles, sizeof *vehicles, bytes, SLOTS);
    mps_bytemap_init(&loaded, loaded_vehicles, sizeof *loaded_vehicles, loaded_bytes, SLOTS);

    printf("New:");
    while ((one = mps_bytemap_new(&pool)) != NULL) {
        one->model = 400 + (int)mps_bytemap_just_index(&pool, one);
        printf(" %d", (int)mps_bytemap_index(&pool, one));
    }
    printf(", then null\n");

    old = 2 << 8 | 1;
    mps_bytemap_delete(&pool, mps_bytemap_get(&pool, old));
    printf("Delete: slot 2 has byte 0x%02x, its handle is %s\n", bytes[2],
           mps_bytemap_get(&pool, old) == NULL ? "refused" : "good");
    one = mps_bytemap_new(&pool);
    handle = mps_bytemap_index(&pool, one);
    one->model = 500;
    printf("New: handle %d\n", (int)handle);

    /* A saved game: exactly that handle. */
    ((vehicle *)mps_bytemap_new_at(&loaded, handle))->model = one->model;
    printf("New(%d): model %d\n", (int)handle, ((vehicle *)mps_bytemap_get(&loaded, handle))->model);

    /* Seven bits are 128 seeds: 128 uses later the handle is the same again, and none in between has the free bit. */
    for (use = 1; use <= 128; use++) {
        mps_bytemap_delete(&pool, one);
        one = mps_bytemap_new(&pool); /* the only free slot */
        if (mps_bytemap_get(&pool, handle) != NULL) {
            printf("the handle is good again after %d uses\n", use);
        }
    }
    return 0;
}
