/* Pools whose memory is not touched when they are created. */
#include "sparks.h"

#define UNTOUCHED_SLOTS 1048576u

typedef struct chunk {
    unsigned char bytes[64];
} chunk;

/* How many bytes an address is beyond a multiple of so many. */
static size_t beyond(const void *address, size_t multiple) {
    uintptr_t number;
    memcpy(&number, &address, sizeof number);
    return MP_CAST_(size_t, number % multiple);
}

#if defined(__linux__)
#include <unistd.h>

#ifdef __cplusplus
extern "C" int mincore(void *start, size_t bytes, unsigned char *pages);
#else
extern int mincore(void *start, size_t bytes, unsigned char *pages);
#endif

/* For how much of a block there is memory: 0 to 64 sixty-fourths. */
static size_t sixty_fourths(void *start, size_t bytes) {
    static unsigned char pages[UNTOUCHED_SLOTS * sizeof(chunk) / 4096];
    const size_t page = MP_CAST_(size_t, sysconf(_SC_PAGESIZE)), all = bytes / page - 1;
    size_t resident = 0, i;
    CHECK(mincore(MP_CAST_(unsigned char *, start) + (page - beyond(start, page)), all * page, pages) == 0);
    for (i = 0; i < all; i++) {
        resident += pages[i] & 1;
    }
    return resident * 64 / (all + 1);
}

static size_t of_values(const mp_pool *pool) {
    return sixty_fourths(mp_values(pool), UNTOUCHED_SLOTS * sizeof(chunk));
}

/* Whether the C library leaves what it zeroes to the system; under valgrind, it does not. */
static bool zeroed_memory_is_untouched(void) {
    void *block = calloc(UNTOUCHED_SLOTS, sizeof(chunk));
    const bool is_untouched = block != MP_NULL_ && sixty_fourths(block, UNTOUCHED_SLOTS * sizeof(chunk)) <= 2;
    free(block);
    return is_untouched;
}

static mp_pool *untouched_pool(uint32_t order) {
    mp_options options = MP_OPTIONS(chunk, UNTOUCHED_SLOTS);
    mp_pool *pool = MP_NULL_;
    options.flags = MP_UNTOUCHED;
    options.order = order;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    return pool;
}
#endif

static void untouched_pools_take_memory_as_they_fill(void) {
#if defined(__linux__)
    uint32_t order;
    for (order = MP_LIFO; order <= MP_INTRUSIVE && zeroed_memory_is_untouched(); order++) {
        mp_pool *pool = untouched_pool(order);
        mp_handle id = {0};
        uint32_t i;
        CHECK(of_values(pool) <= 2);
        for (i = 0; i < UNTOUCHED_SLOTS / 4; i++) {
            memset(mp_insert(pool, &id), 1, sizeof(chunk));
        }
        CHECK(of_values(pool) <= 16 + 2);
        /* Neither walks nor lookups need more. */
        CHECK(mp_contains(pool, id) && mp_live(pool) == UNTOUCHED_SLOTS / 4);
        mp_pool_clear(pool);
        CHECK(of_values(pool) <= 16 + 2 && mp_insert(pool, &id) != MP_NULL_);
        mp_pool_destroy(pool);
    }
#endif
}

static void untouched_pools_do_what_others_do(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_INTRUSIVE; order++) {
        mp_options options = MP_OPTIONS(chunk, 500);
        mp_pool *pools[2];
        mp_snapshot *past = MP_NULL_;
        mp_handle ids[2], first;
        uint32_t i, which;
        options.order = order;
        options.value_align = order == MP_FIFO ? 64 : 1;
        options.name = "chunks";
        for (which = 0; which < 2; which++) {
            options.flags = which == 0 ? 0u : MP_UNTOUCHED | MP_ZEROED;
            CHECK(mp_pool_create(&options, &pools[which]) == MP_OK);
            CHECK(beyond(mp_values(pools[which]), 64) == 0);
        }
        CHECK(mp_snapshot_create(&options, &past) == MP_OK);
        first = mp_pool_next_handle(pools[0]);
        for (i = 0; i < 2000; i++) {
            if (i % 3 < 2 && mp_live(pools[0]) < 500) {
                unsigned char *value = MP_CAST_(unsigned char *, mp_insert(pools[1], &ids[1]));
                CHECK(mp_insert(pools[0], &ids[0]) != MP_NULL_ && value[0] == 0 && value[63] == 0);
                CHECK(ids[0].bits == ids[1].bits);
                value[0] = value[63] = 9;
            } else {
                ids[0] = mp_pool_handle_at(pools[0], i % 400);
                CHECK(mp_remove(pools[0], ids[0]) == mp_remove(pools[1], ids[0]));
            }
            if (i == 300) {
                CHECK(mp_pool_save(pools[1], past) == MP_OK);
            }
        }
        CHECK(mp_pool_validate(pools[1], MP_NULL_, 0) == MP_OK);
        CHECK(mp_pool_restore(pools[1], past) == MP_OK && mp_pool_validate(pools[1], MP_NULL_, 0) == MP_OK);
        CHECK(mp_live(pools[1]) < mp_live(pools[0]) && mp_pool_check(pools[1], first) != MP_OTHER_POOL);
        mp_snapshot_destroy(past);
        mp_pool_destroy(pools[0]);
        mp_pool_destroy(pools[1]);
    }
}

static void *no_memory(size_t bytes, size_t align, void *user) {
    (void)bytes, (void)align, (void)user;
    return MP_NULL_;
}

static void give_none(void *block, size_t bytes, size_t align, void *user) {
    (void)block, (void)bytes, (void)align, (void)user;
}

static void what_would_be_touched_is_refused(void) {
    mp_options good = MP_OPTIONS(chunk, 9), bad;
    static unsigned char memory[4096];
    mp_pool *pool = MP_NULL_;
    mp_packed *packed = MP_NULL_;
    good.flags = MP_UNTOUCHED;
    CHECK(mp_pool_bytes(&good) > 9 * sizeof(chunk) && mp_pool_bytes(&good) < sizeof memory);
    bad = good;
    bad.memory = memory;
    bad.memory_bytes = sizeof memory;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    bad = good;
    bad.take = no_memory;
    bad.give = give_none;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    bad = good;
    bad.flags |= MP_FILLED;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    bad = good;
    bad.slots_max = 20;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
    CHECK(mp_packed_create(&good, &packed) == MP_BAD_OPTIONS && packed == MP_NULL_);
    bad = good;
    bad.flags |= 16u;
    CHECK(mp_pool_create(&bad, &pool) == MP_BAD_OPTIONS && pool == MP_NULL_);
}
