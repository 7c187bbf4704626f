/* What no program should pass to a packed pool, and what it must bear: `hostile.c` for `mp_packed`. Ends with 0, or says
 * which line is wrong. */
#ifndef _ISOC11_SOURCE
#define _ISOC11_SOURCE 1 /* aligned_alloc, also in C99 */
#endif
#include "millpond.h"
#include "check.h"

#include <string.h>

typedef struct spark {
    float x, y;
    int frames_left, more;
} spark;

MP_PACKED32(small_sparks, spark, 24)

typedef struct block {
    char *start;
    size_t skip, asked;
    int given;
} block;

static void *take_off_by(size_t bytes, size_t align, void *user) {
    block *of = (block *)user;
    of->asked = bytes;
    of->start = (char *)aligned_alloc(align, (bytes / align + 2) * align);
    return of->start + of->skip;
}
static void *take_none(size_t bytes, size_t align, void *user) {
    (void)bytes;
    (void)align;
    (void)user;
    return NULL;
}
static void give_back(void *memory, size_t bytes, size_t align, void *user) {
    block *of = (block *)user;
    (void)align;
    CHECK(memory == of->start + of->skip && bytes == of->asked);
    of->given++;
    free_aligned(of->start);
}

static mp_status created(const mp_options *options) {
    mp_packed *pool = (mp_packed *)(void *)&pool;
    mp_status status = mp_packed_create(options, &pool);
    CHECK((status == MP_OK) == (pool != NULL));
    CHECK(status == MP_OK || status == MP_SMALL_MEMORY || mp_packed_bytes(options) == 0 || options->take != NULL);
    mp_packed_destroy(pool);
    return status;
}

static void options_that_no_pool_has(void) {
    mp_options options = MP_OPTIONS(spark, 5);
    uint32_t size;
    options.full = MP_EVICT_OLDEST;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.full = 2;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.full = 0;
    options.order = 6;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.order = 0;
    options.value_align = 3;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.value_align = 32;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.value_align = 4;
    options.flags = 16;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.flags = 0;
    options.index_bits = 7;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.index_bits = 16;
    options.slots = 65537;
    CHECK(created(&options) == MP_TOO_MANY_SLOTS);
    options = MP_OPTIONS(spark, 5);
    options.take = take_none;
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options.give = give_back;
    CHECK(created(&options) == MP_OUT_OF_MEMORY);
    options = MP_OPTIONS(spark, (size_t)1 << 32);
    CHECK(created(&options) == MP_BAD_OPTIONS);
    options = MP_OPTIONS(spark, 5);
    options.name = "\xff";
    CHECK(created(&options) == MP_BAD_OPTIONS);
    /* Products that do not fit in 64 bits, let alone in 32. */
    options = mp_options_(UINT32_MAX, UINT32_MAX, 1);
    CHECK(created(&options) == MP_OUT_OF_MEMORY);
    options = mp_options_(UINT32_MAX, 1u << 31, 1u << 31);
    CHECK(created(&options) == MP_OUT_OF_MEMORY);
    options = mp_options_(UINT32_MAX, 0, 1);
    options.index_bits = 24;
    CHECK(created(&options) == MP_TOO_MANY_SLOTS);
    for (size = 0; size < sizeof(mp_options); size++) {
        options = MP_OPTIONS(spark, 5);
        options.size = size;
        CHECK(created(&options) == MP_OK || mp_packed_bytes(&options) == 0);
    }
}

static void sizes_and_alignments(void) {
    static const uint32_t aligns[6] = {1, 2, 16, 64, 4096, 1u << 20};
    mp_options options = MP_OPTIONS(spark, 5);
    mp_packed *pool = NULL;
    mp_handle id;
    unsigned char *memory = malloc(1u << 15);
    size_t i, offset;
    CHECK(memory != NULL);
    for (i = 0; i < 6; i++) {
        block off = {NULL, 1, 0, 0};
        options = mp_options_(5, 0, aligns[i]);
        CHECK(mp_packed_create(&options, &pool) == MP_OK && mp_packed_insert(pool, &id) == mp_packed_values(pool));
        CHECK((uintptr_t)mp_packed_values(pool) % aligns[i] == 0 && mp_packed_insert(pool, &id) != NULL);
        CHECK(mp_packed_remove(pool, mp_packed_handle_at(pool, 0)) && mp_packed_get(pool, id) != NULL);
        CHECK(mp_packed_validate(pool, NULL, 0) == MP_OK);
        mp_packed_destroy(pool);
        options = mp_options_(5, aligns[i], aligns[i]);
        CHECK(mp_packed_create(&options, &pool) == MP_OK);
        for (offset = 0; offset < 5; offset++) {
            CHECK((uintptr_t)mp_packed_insert(pool, &id) % aligns[i] == 0);
        }
        mp_packed_destroy(pool);
        /* A block that is not aligned as was asked for goes back, and so does one that is. */
        options.take = take_off_by;
        options.give = give_back;
        options.user = &off;
        CHECK(created(&options) == MP_BAD_OPTIONS && off.given == 1);
        off.skip = 0;
        CHECK(created(&options) == MP_OK && off.given == 2);
    }
    options = MP_OPTIONS(spark, 5);
    options.memory_bytes = mp_packed_bytes(&options);
    for (offset = 0; offset < 130; offset++) {
        unsigned char *behind;
        options.memory = memory + offset;
        CHECK(mp_packed_create(&options, &pool) == MP_OK && (unsigned char *)pool >= memory + offset);
        behind = (unsigned char *)mp_packed_values(pool) + 5 * sizeof(spark);
        CHECK(behind <= memory + offset + options.memory_bytes);
        mp_packed_destroy(pool);
    }
    options.memory_bytes--;
    CHECK(created(&options) == MP_OK || created(&options) == MP_SMALL_MEMORY);
    options.memory_bytes = 10;
    CHECK(created(&options) == MP_SMALL_MEMORY);
    options.memory = (void *)UINTPTR_MAX;
    CHECK(created(&options) == MP_SMALL_MEMORY);
    free(memory);
}

static void nulls(void) {
    mp_options options = MP_OPTIONS(spark, 2);
    mp_packed *pool = NULL;
    mp_handle handle = {5};
    char text[8] = "x";
    void *value = text;
    CHECK(mp_packed_create(NULL, &pool) == MP_NULL_POINTER && mp_packed_bytes(NULL) == 0);
    CHECK(mp_packed_create_(&options, NULL, MP_LAYOUT_, sizeof(mp_packed)) == MP_NULL_POINTER);
    CHECK(mp_packed_create_(&options, &pool, MP_LAYOUT_ + 1, sizeof(mp_packed)) == MP_OTHER_VERSION);
    CHECK(mp_packed_create_(&options, &pool, MP_LAYOUT_, sizeof(mp_pool)) == MP_OTHER_VERSION && pool == NULL);
    mp_packed_destroy(NULL);
    mp_packed_clear(NULL);
    mp_packed_watch_(NULL, NULL, NULL);
    mp_packed_note_(NULL, 3, true);
    CHECK(mp_packed_slots(NULL) == NULL && mp_pool_check(mp_packed_slots(NULL), handle) == MP_NULL_POINTER);
    CHECK(mp_packed_insert_at(NULL, handle, &value) == MP_NULL_POINTER && value == text);
    CHECK(mp_packed_next_handle(NULL).bits == 0 && mp_packed_record(NULL, NULL) == MP_NULL_POINTER);
    CHECK(mp_packed_validate(NULL, text, sizeof text) == MP_NULL_POINTER && mp_packed_checksum(NULL, NULL, NULL) == 0);
    CHECK(mp_packed_insert_or_evict(NULL, NULL, NULL, &handle, NULL, text) == NULL && handle.bits == 0);
    CHECK(mp_packed_least_(NULL, NULL, NULL) == 0);
    CHECK(mp_packed_copy(NULL, NULL) == MP_NULL_POINTER && mp_packed_state_bytes(NULL) == 0);
    CHECK(mp_packed_write_state(NULL, text, 8) == MP_NULL_POINTER);
    CHECK(mp_packed_read_state(NULL, text, 8) == MP_NULL_POINTER);
    CHECK(mp_packed_fits(NULL, 1, 1, 0) == MP_NULL_POINTER);
    CHECK(mp_packed_create(&options, &pool) == MP_OK && mp_packed_insert(pool, &handle) != NULL);
    mp_packed_watch_(pool, NULL, NULL);
    CHECK(mp_packed_copy(pool, NULL) == MP_NULL_POINTER && mp_packed_copy(NULL, pool) == MP_NULL_POINTER);
    CHECK(mp_packed_write_state(pool, NULL, 99) == MP_NULL_POINTER);
    CHECK(mp_packed_read_state(pool, NULL, 99) == MP_NULL_POINTER && mp_packed_record(pool, NULL) == MP_NULL_POINTER);
    CHECK(mp_packed_insert_at(pool, handle, NULL) == MP_OCCUPIED && mp_packed_count(pool) == 1);
    mp_packed_destroy(pool);
}

/* Any bits are a handle. */
static void handles_of_other_pools(void) {
    mp_options options = MP_OPTIONS(spark, 600);
    mp_packed *pool = NULL;
    small_sparks all;
    small_sparks_id id;
    mp_handle handle;
    uint64_t random = 1;
    int i;
    options.index_bits = 24;
    CHECK(mp_packed_create(&options, &pool) == MP_OK);
    all = small_sparks_of(pool);
    for (i = 0; i < 600; i++) {
        CHECK(small_sparks_insert(&all, &id) != NULL && small_sparks_contains(&all, id));
    }
    for (handle.bits = 256; handle.bits < 3000; handle.bits++) {
        CHECK(small_sparks_id_of(handle).bits == 0 && mp_packed_get(pool, handle) == NULL);
        CHECK(!mp_packed_remove(pool, handle) && !small_sparks_remove(&all, small_sparks_id_of(handle)));
        CHECK(mp_packed_insert_at(pool, handle, NULL) == MP_BEYOND_LIFETIMES);
    }
    for (i = 0; i < 100000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        handle.bits = random ^ random >> 31;
        CHECK(mp_packed_get(pool, handle) == NULL && !mp_packed_remove(pool, handle));
        CHECK(mp_packed_handle_at(pool, (size_t)handle.bits | 600).bits == 0);
    }
    CHECK(mp_packed_count(pool) == 600 && mp_packed_validate(pool, NULL, 0) == MP_OK);
    mp_packed_destroy(pool);
}

static void states_of_other_pools(void) {
    static const struct {
        uint32_t slots, order, index_bits, lifetimes, flags, value_bytes;
        const char *name;
    } others[] = {
        {20, 0, 0, 0, 0, 16, "a"}, {8, 0, 0, 0, 0, 16, "a"},  {10, 1, 0, 0, 0, 16, "a"},
        {10, 0, 24, 0, 0, 16, "a"}, {10, 0, 0, 5, 0, 16, "a"}, {10, 0, 0, 0, 0, 16, "b"},
        {10, 0, 0, 5, MP_WRAP, 16, "a"}, {10, 0, 0, 0, 0, 16, NULL}, {10, 0, 0, 0, 0, 8, "a"},
        {10, 0, 0, 0, 0, 0, "a"},
    };
    mp_options options = MP_OPTIONS(spark, 10);
    mp_packed *pool = NULL, *other = NULL;
    mp_pool *plain = NULL;
    mp_handle id;
    unsigned char state[2048], hostile[2048];
    size_t bytes, at, length;
    uint64_t sum;
    options.name = "a";
    CHECK(mp_packed_create(&options, &pool) == MP_OK && mp_pool_create(&options, &plain) == MP_OK);
    memset(mp_packed_insert(pool, &id), 1, sizeof(spark));
    memset(mp_packed_insert(pool, &id), 2, sizeof(spark));
    bytes = mp_packed_state_bytes(pool);
    CHECK(bytes < sizeof state && mp_packed_write_state(pool, state, bytes) == MP_OK);
    for (at = 0; at < sizeof others / sizeof *others; at++) {
        options.slots = others[at].slots;
        options.order = others[at].order;
        options.index_bits = others[at].index_bits;
        options.lifetimes = others[at].lifetimes;
        options.flags = others[at].flags;
        options.name = others[at].name;
        options.value_bytes = others[at].value_bytes;
        CHECK(mp_packed_create(&options, &other) == MP_OK && mp_packed_insert(other, &id) != NULL);
        sum = mp_packed_checksum(other, NULL, NULL);
        CHECK(mp_packed_copy(other, pool) == MP_OTHER_SHAPE && mp_packed_copy(pool, other) == MP_OTHER_SHAPE);
        CHECK(mp_packed_read_state(other, state, bytes) != MP_OK);
        CHECK(mp_packed_checksum(other, NULL, NULL) == sum && mp_packed_count(other) == 1);
        CHECK(mp_packed_validate(other, NULL, 0) == MP_OK);
        mp_packed_destroy(other);
    }
    /* Lengths that lie: of the slots, of lists in them, of the values. */
    for (at = 8; at + 8 < bytes; at++) {
        for (length = 1; length <= 8; length++) {
            memcpy(hostile, state, bytes);
            memset(hostile + at, 0xff, length);
            (void)mp_packed_read_state(pool, hostile, bytes);
            CHECK(mp_packed_count(pool) == 2 && mp_packed_validate(pool, NULL, 0) == MP_OK);
        }
    }
    for (at = 0; at < 40; at++) {
        memcpy(hostile, state, bytes);
        CHECK(mp_packed_read_state(pool, hostile, bytes + at) == (at == 0 ? MP_OK : MP_BAD_STATE));
    }
    memset(hostile, 0xff, sizeof hostile);
    CHECK(mp_packed_read_state(pool, hostile, sizeof hostile) == MP_BAD_STATE);
    /* The state of the other kind of pool. */
    CHECK(mp_pool_read_state(plain, state, bytes) == MP_BAD_STATE);
    bytes = mp_pool_state_bytes(plain);
    CHECK(mp_pool_write_state(plain, hostile, bytes) == MP_OK);
    CHECK(mp_packed_read_state(pool, hostile, bytes) == MP_BAD_STATE && mp_packed_count(pool) == 2);
    mp_pool_destroy(plain);
    mp_packed_destroy(pool);
}

int main(void) {
    options_that_no_pool_has();
    sizes_and_alignments();
    nulls();
    handles_of_other_pools();
    states_of_other_pools();
    puts("all is well");
    return 0;
}
