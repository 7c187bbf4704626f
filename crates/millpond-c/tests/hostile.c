/* What no program should pass, and what a library must bear: sizes, alignments, nulls, handles and states of other pools.
 * Ends with 0, or says which line is wrong. */
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

MP_POOL(sparks, spark)
MP_POOL32(small_sparks, spark, 24)

typedef struct block {
    char *start;
    size_t skip;
    int given;
} block;

/* Where a struct ends in front of `user`. */
static block nobodys;

static void *take_off_by(size_t bytes, size_t align, void *user) {
    block *of = user != NULL ? (block *)user : &nobodys;
    of->start = (char *)aligned_alloc(align, (bytes / align + 2) * align);
    return of->start + of->skip;
}
static void give_back(void *memory, size_t bytes, size_t align, void *user) {
    block *of = user != NULL ? (block *)user : &nobodys;
    (void)bytes;
    (void)align;
    CHECK(memory == of->start + of->skip);
    of->given++;
    free_aligned(of->start);
}

static void a_struct_that_ends_within_a_field(void) {
    union {
        mp_options options;
        unsigned char bytes[5000];
    } of;
    uint32_t size, good = 0;
    for (size = 0; size < sizeof of.bytes; size++) {
        mp_pool *pool = NULL;
        mp_status status;
        block memory = {NULL, 0, 0};
        memset(&of, 0, sizeof of);
        of.options = MP_OPTIONS(spark, 3);
        of.options.size = size;
        of.options.name = "sparks";
        of.options.take = take_off_by;
        of.options.give = give_back;
        of.options.user = &memory;
        status = mp_pool_create(&of.options, &pool);
        CHECK(status == MP_OK || (status == MP_BAD_OPTIONS && pool == NULL));
        /* Half a field would be half of a pointer. */
        CHECK(status != MP_OK || size % 4 == 0 || size > sizeof(mp_options));
        CHECK(status != MP_OK || size <= offsetof(mp_options, name) || size >= offsetof(mp_options, memory));
        CHECK(size != sizeof(mp_options) || (status == MP_OK && memory.start != NULL));
        good += status == MP_OK;
        mp_pool_destroy(pool);
    }
    CHECK(good > 4000);
}

static void sizes_and_alignments(void) {
    static const uint32_t aligns[6] = {1, 2, 16, 64, 4096, 1u << 20};
    mp_options options = MP_OPTIONS(spark, 5);
    mp_pool *pool = NULL;
    mp_handle id;
    unsigned char *memory = malloc(1u << 15);
    size_t i, offset;
    CHECK(memory != NULL);
    for (i = 0; i < 6; i++) {
        block off = {NULL, 1, 0};
        /* Values of no bytes have an alignment all the same. */
        options = mp_options_(5, 0, aligns[i]);
        CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_insert(pool, &id) == mp_values(pool));
        CHECK((uintptr_t)mp_values(pool) % aligns[i] == 0 && mp_get(pool, id) == mp_values(pool));
        CHECK(mp_pool_index_of(pool, mp_values(pool)) == SIZE_MAX && mp_remove(pool, id));
        mp_pool_destroy(pool);
        options = mp_options_(5, aligns[i], aligns[i]);
        CHECK(mp_pool_create(&options, &pool) == MP_OK);
        for (offset = 0; offset < 5; offset++) {
            CHECK((uintptr_t)mp_insert(pool, &id) % aligns[i] == 0);
        }
        mp_pool_destroy(pool);
        /* A block that is not aligned as was asked for goes back. */
        options.take = take_off_by;
        options.give = give_back;
        options.user = &off;
        CHECK(mp_pool_create(&options, &pool) == MP_BAD_OPTIONS && pool == NULL && off.given == 1);
        options = mp_options_(5, aligns[i] + 1, aligns[i]);
        CHECK(aligns[i] == 1 || mp_pool_create(&options, &pool) == MP_BAD_OPTIONS);
    }
    options = MP_OPTIONS(spark, 5);
    options.memory_bytes = mp_pool_bytes(&options);
    for (offset = 0; offset < 130; offset++) {
        options.memory = memory + offset;
        CHECK(mp_pool_create(&options, &pool) == MP_OK && (unsigned char *)pool >= memory + offset);
        CHECK((unsigned char *)mp_values(pool) + 5 * sizeof(spark) <= memory + offset + options.memory_bytes);
        mp_pool_destroy(pool);
    }
    options.memory = (void *)UINTPTR_MAX;
    CHECK(mp_pool_create(&options, &pool) == MP_SMALL_MEMORY);
    free(memory);
    /* Products that do not fit in 64 bits, let alone in 32. */
    options = mp_options_(UINT32_MAX, UINT32_MAX, 1);
    CHECK(mp_pool_create(&options, &pool) == MP_OUT_OF_MEMORY && mp_pool_bytes(&options) == 0);
    options = mp_options_(UINT32_MAX, 1u << 31, 1u << 31);
    CHECK(mp_pool_create(&options, &pool) == MP_OUT_OF_MEMORY && mp_pool_bytes(&options) == 0);
    options = MP_OPTIONS(spark, 5);
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_pool_fits(pool, sizeof(spark), 0, 0) == MP_OTHER_VALUES);
    CHECK(mp_pool_fits(pool, sizeof(spark), 2, 0) == MP_OK && mp_pool_fits(pool, 0, 4, 0) == MP_OTHER_VALUES);
    mp_pool_destroy(pool);
}

static bool never(const char *text, size_t bytes, void *user) {
    (void)text;
    (void)bytes;
    (void)user;
    return false;
}

static void nulls(void) {
    mp_options options = MP_OPTIONS(spark, 2);
    mp_handle handle = {5}, none;
    mp_pool *pool = NULL;
    mp_snapshot *past = NULL;
    mp_table *table = NULL;
    mp_classes *classes = NULL;
    mp_recorder *recorder = NULL;
    char text[8] = "x";
    uint64_t bits = 5;
    CHECK(mp_pool_bytes(NULL) == 0 && mp_insert_slow_(NULL, &bits) == NULL && bits == 0 && !mp_remove_slow_(NULL, 5));
    CHECK(mp_insert_slow_(NULL, NULL) == NULL && !mp_is_last_(NULL, 5) && mp_gather_(NULL, 0) == 0);
    mp_evict_(NULL, 5);
    mp_pool_watch_(NULL, NULL, NULL);
    CHECK(mp_pool_insert_at(NULL, handle, NULL) == MP_NULL_POINTER);
    CHECK(mp_pool_insert_or_evict(NULL, NULL, NULL, NULL, NULL, NULL) == NULL);
    CHECK(mp_pool_note_use(NULL, handle) == MP_NULL_POINTER && mp_pool_check(NULL, handle) == MP_NULL_POINTER);
    mp_pool_clear(NULL);
    mp_pool_refresh(NULL);
    CHECK(mp_pool_explain(NULL, handle, text, sizeof text) == 7 && mp_pool_explain(NULL, handle, NULL, 9) == 7);
    CHECK(mp_pool_index_of(NULL, text) == SIZE_MAX && mp_pool_handle_at(NULL, 0).bits == 0);
    CHECK(mp_pool_next_handle(NULL).bits == 0 && mp_pool_stats(NULL).capacity == 0);
    CHECK(mp_pool_validate(NULL, text, sizeof text) == MP_NULL_POINTER && mp_pool_checksum(NULL, NULL, NULL) == 0);
    CHECK(mp_snapshot_create(NULL, &past) == MP_NULL_POINTER && mp_snapshot_create(&options, NULL) == MP_NULL_POINTER);
    CHECK(mp_pool_save(NULL, NULL) == MP_NULL_POINTER && mp_pool_restore(NULL, NULL) == MP_NULL_POINTER);
    CHECK(mp_pool_state_bytes(NULL) == 0 && mp_pool_write_state(NULL, text, 8) == MP_NULL_POINTER);
    CHECK(mp_pool_read_state(NULL, text, 8) == MP_NULL_POINTER);
    mp_snapshot_destroy(NULL);
    CHECK(mp_table_create(1, 4, 4, 0, NULL) == MP_NULL_POINTER && mp_table_put(NULL, handle, NULL) == NULL);
    CHECK(mp_table_get(NULL, handle) == NULL && !mp_table_remove(NULL, handle) && mp_table_count(NULL) == 0);
    mp_table_each(NULL, NULL, NULL);
    mp_table_clear(NULL);
    mp_table_destroy(NULL);
    CHECK(mp_classes_create(NULL, 0, MP_CLASSES_GROW, NULL) == MP_NULL_POINTER);
    CHECK(mp_classes_create(NULL, 0, 3, &classes) == MP_BAD_OPTIONS && mp_classes_take(NULL, 8, 8) == NULL);
    mp_classes_give(NULL, text, 8, 8);
    CHECK(mp_classes_shrink(NULL) == 0 && mp_classes_stats_of(NULL).blocks == 0);
    mp_classes_destroy(NULL);
    CHECK(mp_recorder_create(NULL, NULL, &recorder) == MP_NULL_POINTER && recorder == NULL);
    CHECK(mp_recorder_create(never, NULL, NULL) == MP_NULL_POINTER && mp_pool_record(NULL, NULL) == MP_NULL_POINTER);
    mp_recorder_tick(NULL, 1);
    CHECK(mp_recorder_destroy(NULL) == MP_NULL_POINTER);

    /* A pool without the other argument. */
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_insert(pool, &handle) != NULL);
    CHECK(mp_pool_save(pool, NULL) == MP_NULL_POINTER && mp_pool_restore(pool, NULL) == MP_NULL_POINTER);
    CHECK(mp_pool_write_state(pool, NULL, 99) == MP_NULL_POINTER && mp_pool_read_state(pool, NULL, 99) == MP_NULL_POINTER);
    CHECK(mp_pool_record(pool, NULL) == MP_NULL_POINTER && mp_pool_index_of(pool, NULL) == SIZE_MAX);
    CHECK(mp_pool_explain(pool, handle, NULL, 5) == 32 && mp_pool_explain(pool, handle, text, 0) == 32);
    CHECK(mp_pool_insert_or_evict(pool, NULL, NULL, NULL, NULL, NULL) != NULL && mp_live(pool) == 2);
    CHECK(mp_pool_insert_or_evict(pool, NULL, NULL, NULL, NULL, NULL) == NULL);
    CHECK(mp_gather_(pool, 1) == 0 && mp_gather_(pool, SIZE_MAX) == 0 && mp_gather_(pool, 0) == 3);
    mp_pool_destroy(pool);
    none.bits = 0;
    CHECK(mp_table_create(2, 4, 4, 0, &table) == MP_OK && mp_table_put(table, none, NULL) == NULL);
    mp_table_each(table, NULL, NULL);
    mp_table_destroy(table);
}

/* A handle of one pool says nothing in another, in whatever form it comes. */
static void handles_of_other_pools(void) {
    mp_options wide = MP_OPTIONS(spark, 600), narrow = MP_OPTIONS(spark, 600);
    mp_pool *pool = NULL, *small = NULL;
    small_sparks all;
    small_sparks_id id;
    mp_handle handle;
    uint64_t index, generation;
    int i;
    narrow.index_bits = 24;
    CHECK(mp_pool_create(&wide, &pool) == MP_OK && mp_pool_create(&narrow, &small) == MP_OK);
    all = small_sparks_of(small);
    for (i = 0; i < 600; i++) {
        CHECK(small_sparks_insert(&all, &id) != NULL && small_sparks_contains(&all, id));
        CHECK(small_sparks_id_of(small_sparks_handle(id)).bits == id.bits);
    }
    /* Generation 256 and more of slot 0 would be low generations of slots 1 and more. */
    for (generation = 256; generation < 3000; generation++) {
        handle.bits = generation;
        CHECK(small_sparks_id_of(handle).bits == 0 && !mp_contains(small, handle) && !mp_remove(small, handle));
        CHECK(!small_sparks_contains(&all, small_sparks_id_of(handle)));
    }
    for (index = UINT64_C(1) << 24; index < UINT64_C(1) << 32; index += 0xfffff) {
        handle.bits = index << 32 | 1;
        CHECK(small_sparks_id_of(handle).bits == 0 && !mp_contains(small, handle));
    }
    CHECK(mp_live(small) == 600);
    mp_pool_destroy(pool);
    mp_pool_destroy(small);
}

static void states_of_other_pools(void) {
    static const struct {
        uint32_t slots, order, index_bits, lifetimes, flags;
        const char *name;
    } others[] = {
        {20, 0, 0, 0, 0, "a"}, {8, 0, 0, 0, 0, "a"},  {10, 1, 0, 0, 0, "a"},      {10, 0, 24, 0, 0, "a"},
        {10, 0, 0, 5, 0, "a"}, {10, 0, 0, 0, 0, "b"}, {10, 0, 0, 5, MP_WRAP, "a"}, {10, 0, 0, 0, 0, NULL},
    };
    mp_options options = MP_OPTIONS(spark, 10);
    mp_pool *pool = NULL, *other = NULL;
    mp_snapshot *past = NULL;
    mp_handle id;
    unsigned char state[2048], hostile[2048];
    size_t bytes, at;
    uint64_t sum;
    options.name = "a";
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_snapshot_create(&options, &past) == MP_OK);
    memset(mp_insert(pool, &id), 1, sizeof(spark));
    memset(mp_insert(pool, &id), 2, sizeof(spark));
    CHECK(mp_pool_save(pool, past) == MP_OK);
    bytes = mp_pool_state_bytes(pool);
    CHECK(bytes < sizeof state && mp_pool_write_state(pool, state, bytes) == MP_OK);
    for (at = 0; at < sizeof others / sizeof *others; at++) {
        options.slots = others[at].slots;
        options.order = others[at].order;
        options.index_bits = others[at].index_bits;
        options.lifetimes = others[at].lifetimes;
        options.flags = others[at].flags;
        options.name = others[at].name;
        CHECK(mp_pool_create(&options, &other) == MP_OK && mp_insert(other, &id) != NULL);
        sum = mp_pool_checksum(other, NULL, NULL);
        CHECK(mp_pool_restore(other, past) == MP_OTHER_SHAPE && mp_pool_save(other, past) == MP_OTHER_SHAPE);
        CHECK(mp_pool_read_state(other, state, bytes) != MP_OK);
        CHECK(mp_pool_checksum(other, NULL, NULL) == sum && mp_contains(other, id) && mp_live(other) == 1);
        CHECK(mp_pool_validate(other, NULL, 0) == MP_OK);
        mp_pool_destroy(other);
    }
    /* What was saved is still there. */
    mp_pool_clear(pool);
    CHECK(mp_pool_restore(pool, past) == MP_OK && mp_live(pool) == 2);
    /* Lengths that lie: of the slots, and of lists in them. */
    for (at = 16; at < 40 && at + 8 < bytes; at++) {
        memcpy(hostile, state, bytes);
        memset(hostile + at, 0xff, 8);
        CHECK(mp_pool_read_state(pool, hostile, bytes) != MP_OK && mp_live(pool) == 2);
    }
    memset(hostile, 0xff, sizeof hostile);
    CHECK(mp_pool_read_state(pool, hostile, sizeof hostile) == MP_BAD_STATE);
    CHECK(mp_pool_validate(pool, NULL, 0) == MP_OK);
    mp_snapshot_destroy(past);
    mp_pool_destroy(pool);
}

static void classes(void) {
    static const mp_class hostile[] = {{SIZE_MAX, 1}, {SIZE_MAX / 2, 1}, {16, SIZE_MAX}, {16, SIZE_MAX / 16}};
    static const mp_class twice[2] = {{16, 3}, {16, 5}};
    mp_classes *all = NULL;
    void *memory;
    size_t at;
    for (at = 0; at < sizeof hostile / sizeof *hostile; at++) {
        mp_status status = mp_classes_create(&hostile[at], 1, MP_CLASSES_REFUSE, &all);
        CHECK((status == MP_BAD_OPTIONS || status == MP_OUT_OF_MEMORY) && all == NULL);
    }
    CHECK((mp_classes_create(twice, 2, MP_CLASSES_REFUSE, &all) == MP_OK) == (all != NULL));
    mp_classes_destroy(all);
    CHECK(mp_classes_create(NULL, 0, MP_CLASSES_GROW, &all) == MP_OK);
    CHECK(mp_classes_take(all, SIZE_MAX, 8) == NULL && mp_classes_take(all, SIZE_MAX / 2, 8) == NULL);
    CHECK(mp_classes_take(all, 8, 0) == NULL && mp_classes_take(all, 8, SIZE_MAX / 2 + 1) == NULL);
    for (at = 0; at < 13; at++) {
        memory = mp_classes_take(all, 0, (size_t)1 << at);
        CHECK(memory == NULL || (uintptr_t)memory % ((size_t)1 << at) == 0);
        mp_classes_give(all, memory, 0, (size_t)1 << at);
        memory = mp_classes_take(all, 24, (size_t)1 << at);
        CHECK(memory != NULL && (uintptr_t)memory % ((size_t)1 << at) == 0);
        memset(memory, 7, 24);
        mp_classes_give(all, memory, 24, (size_t)1 << at);
    }
    mp_classes_give(all, NULL, 8, 8);
    CHECK(mp_classes_stats_of(all).fallen_back == 0);
    mp_classes_destroy(all);
}

static void tables(void) {
    mp_table *table = NULL;
    mp_handle handle = {1};
    void *value;
    CHECK(mp_table_create(UINT32_MAX, UINT32_MAX, 1, 0, &table) != MP_OK && table == NULL);
    CHECK(mp_table_create(4, UINT32_MAX, 2, 0, &table) == MP_BAD_OPTIONS && table == NULL);
    CHECK(mp_table_create(4, 4, 4, 33, &table) == MP_BAD_OPTIONS && table == NULL);
    CHECK(mp_table_create(0, 4, 4, 0, &table) == MP_OK && mp_table_put(table, handle, NULL) == NULL);
    mp_table_destroy(table);
    /* Values of no bytes are aligned as well. */
    CHECK(mp_table_create(4, 0, 4096, 0, &table) == MP_OK);
    value = mp_table_put(table, handle, NULL);
    CHECK(value != NULL && (uintptr_t)value % 4096 == 0 && mp_table_get(table, handle) == value);
    CHECK(mp_table_remove(table, handle) && mp_table_count(table) == 0);
    mp_table_destroy(table);
}

int main(void) {
    a_struct_that_ends_within_a_field();
    sizes_and_alignments();
    nulls();
    handles_of_other_pools();
    states_of_other_pools();
    classes();
    tables();
    puts("all is well");
    return 0;
}
