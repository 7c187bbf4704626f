/* Handles that a game script can hold as a number and that a saved game names again: four bytes, 24 bits of index and 8
 * of generation. A cursor goes round the slots, and the generations of a slot start again when they are used up. (The
 * byte-map pool has 7 bits for that and a free bit beside them: examples/small/byte_map.c.) */
#include <millpond.h>

#include <stdio.h>

typedef struct vehicle {
    int model;
} vehicle;

MP_POOL32(vehicles, vehicle, 24)

int main(void) {
    mp_options options = MP_OPTIONS(vehicle, 4);
    mp_pool *pool, *loaded;
    vehicles all;
    vehicles_id ids[4], id;
    mp_handle saved;
    void *place;
    int i, round;
    options.index_bits = 24;
    options.flags = MP_WRAP;
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = vehicles_of(pool);
    for (i = 0; i < 4; i++) {
        vehicles_insert(&all, &ids[i])->model = 400 + i;
    }
    printf("insertions: handles %u %u %u %u\n", ids[0].bits, ids[1].bits, ids[2].bits, ids[3].bits);
    printf("a full pool gives %s\n", vehicles_insert(&all, &id) == NULL ? "null" : "a vehicle");
    vehicles_remove(&all, ids[2]);
    vehicles_insert(&all, &id)->model = 500;
    printf("removal and insertion: handle %u, the old one is %s\n", id.bits,
           vehicles_get(&all, ids[2]) == NULL ? "refused" : "good");

    /* Loading a saved game: exactly that handle. */
    saved = vehicles_handle(id);
    if (mp_pool_create(&options, &loaded) != MP_OK || mp_pool_insert_at(loaded, saved, &place) != MP_OK) {
        return 2;
    }
    ((vehicle *)place)->model = 500;
    all = vehicles_of(loaded);
    printf("insertion at the handle: model %d\n", vehicles_get(&all, id)->model);

    /* 255 uses of a slot later the same number comes again. With four bytes that is a choice: without MP_WRAP the slot
     * would retire, and with eight bytes it takes 2,147,483,647 uses. */
    for (round = 0; round < 254; round++) {
        vehicles_id before = vehicles_id_at(&all, 2);
        vehicles_id next = {before.bits % 256 == 255 ? 2 << 8 | 1 : before.bits + 1};
        vehicles_remove(&all, before);
        if (mp_pool_insert_at(loaded, vehicles_handle(next), &place) != MP_OK || vehicles_get(&all, id) != NULL) {
            return 3;
        }
    }
    printf("refused in each of 254 later uses of its slot\n");
    mp_pool_destroy(loaded);
    mp_pool_destroy(pool);
    return 0;
}
