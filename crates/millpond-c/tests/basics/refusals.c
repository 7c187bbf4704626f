/* Handles and options that are refused. */
#include "sparks.h"

static void refusals(void) {
    mp_options options = MP_OPTIONS(spark, 4);
    mp_pool *pool = MP_NULL_, *other = MP_NULL_;
    mp_handle id, far, from_other;
    char text[200];
    void *value = MP_NULL_;
    options.name = "a";
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    options.name = "b";
    CHECK(mp_pool_create(&options, &other) == MP_OK);
    CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_insert(other, &from_other) != MP_NULL_);
    CHECK(mp_get(pool, from_other) == MP_NULL_ && mp_pool_check(pool, from_other) == MP_OTHER_POOL);
    far.bits = UINT64_C(77) << 32 | 1;
    CHECK(mp_pool_check(pool, far) == MP_OUT_OF_RANGE);
    CHECK(mp_pool_explain(pool, far, text, sizeof text) == strlen(text));
    CHECK(strcmp(text, "pool \"a\" refuses the handle 77v1: out of range: there is no such slot; the pool has 4 slots") == 0);
    CHECK(mp_pool_explain(pool, far, text, 4) > 4 && strcmp(text, "poo") == 0);
    far.bits = 0;
    CHECK(mp_pool_explain(pool, far, text, sizeof text) > 4);
    CHECK(strcmp(text, "pool \"a\" refuses the handle 0, which names nothing") == 0);
    CHECK(mp_pool_insert_at(pool, id, &value) == MP_OCCUPIED && value == MP_NULL_);
    CHECK(mp_remove(pool, id) && mp_pool_insert_at(pool, id, &value) == MP_STALE);
    id.bits += 5;
    CHECK(mp_pool_insert_at(pool, id, &value) == MP_OK && value == mp_get(pool, id));
    CHECK(strcmp(mp_status_text(MP_OK), "all is well") == 0 && mp_status_text(-9) != MP_NULL_);
    CHECK(mp_pool_check(MP_NULL_, id) == MP_NULL_POINTER && mp_last_words[0] == 0);
    mp_pool_destroy(pool);
    mp_pool_destroy(other);
}

/* Of a pool without a name and with few generations: each case to the letter. */
static void explanations(void) {
    mp_options options = MP_OPTIONS(spark, 2);
    mp_pool *pool = MP_NULL_;
    mp_handle id, next;
    char text[200];
    options.lifetimes = 2;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_insert(pool, &id) != MP_NULL_);
    CHECK(mp_pool_explain(pool, id, text, sizeof text) > 0 && strcmp(text, "the pool: the handle 0v1 is live") == 0);
    CHECK(mp_remove(pool, id) && mp_pool_explain(pool, id, text, sizeof text) > 0);
    CHECK(strcmp(text, "the pool refuses the handle 0v1: stale: its object was removed; slot 0 is free, and next in "
                       "generation 2") == 0);
    CHECK(mp_insert(pool, &next) != MP_NULL_ && mp_pool_explain(pool, id, text, sizeof text) > 0);
    CHECK(strcmp(text, "the pool refuses the handle 0v1: stale: its object was removed; slot 0 is now in generation 2") == 0);
    CHECK(mp_remove(pool, next) && mp_pool_explain(pool, id, text, sizeof text) > 0);
    CHECK(strcmp(text, "the pool refuses the handle 0v1: stale: its object was removed; slot 0 is out of use") == 0);
    mp_pool_destroy(pool);
}

static void hostile_options(void) {
    mp_options good = MP_OPTIONS(spark, 10), bad;
    mp_pool *pool = MP_NULL_;
    struct {
        mp_options options;
        uint32_t later[4];
    } large;
    char name[200];
    CHECK(mp_pool_create(MP_NULL_, &pool) == MP_NULL_POINTER && mp_pool_create(&good, MP_NULL_) == MP_NULL_POINTER);
    CHECK(mp_pool_create_(&good, &pool, MP_LAYOUT_ + 1, sizeof(mp_pool)) == MP_OTHER_VERSION);
    CHECK(mp_pool_create_(&good, &pool, MP_LAYOUT_, sizeof(mp_pool) - 8) == MP_OTHER_VERSION);
#define REFUSED(change, status)                                                                    \
    bad = good;                                                                                    \
    change;                                                                                        \
    CHECK(mp_pool_create(&bad, &pool) == (status) && pool == MP_NULL_ && mp_pool_bytes(&bad) == 0)
    REFUSED(bad.size = 0, MP_BAD_OPTIONS);
    REFUSED(bad.size = 8, MP_BAD_OPTIONS);
    REFUSED(bad.size = 100000, MP_BAD_OPTIONS);
    REFUSED(bad.value_align = 3, MP_BAD_OPTIONS);
    REFUSED(bad.value_align = 32, MP_BAD_OPTIONS);
    REFUSED(bad.order = 6, MP_BAD_OPTIONS);
    REFUSED(bad.index_bits = 17, MP_BAD_OPTIONS);
    REFUSED(bad.full = 2, MP_BAD_OPTIONS);
    REFUSED(bad.flags = 16, MP_BAD_OPTIONS);
    REFUSED(bad.slots_max = 1, MP_BAD_OPTIONS);
    REFUSED(bad.take = count_take, MP_BAD_OPTIONS);
    REFUSED(bad.memory_bytes = 1, MP_BAD_OPTIONS);
    REFUSED(bad.name = "\xff", MP_BAD_OPTIONS);
    REFUSED((bad.index_bits = 16, bad.slots = 70000), MP_TOO_MANY_SLOTS);
    REFUSED((bad.slots = UINT32_MAX - 1, bad.value_bytes = 1u << 31, bad.value_align = 1u << 30), MP_OUT_OF_MEMORY);
    memset(name, 'x', sizeof name);
    name[199] = 0;
    REFUSED(bad.name = name, MP_BAD_OPTIONS);
    memset(&large, 0, sizeof large);
    large.options = good;
    large.options.size = sizeof large;
    CHECK(mp_pool_create(&large.options, &pool) == MP_OK);
    mp_pool_destroy(pool);
    large.later[3] = 1;
    CHECK(mp_pool_create(&large.options, &pool) == MP_UNKNOWN_OPTIONS);
    /* A smaller struct, of an earlier version. */
    good.size = MP_CAST_(uint32_t, offsetof(mp_options, salt));
    CHECK(mp_pool_create(&good, &pool) == MP_OK);
    mp_pool_destroy(pool);
    good = MP_OPTIONS(spark, 0);
    CHECK(mp_pool_create(&good, &pool) == MP_OK);
    {
        mp_handle id;
        mp_run run = MP_RUN;
        CHECK(mp_insert(pool, &id) == MP_NULL_ && !mp_next_run(pool, &run));
    }
    mp_pool_destroy(pool);
}
