/* Side tables. */
#include "sparks.h"

static void visit(void *value, mp_handle handle, void *user) {
    *MP_CAST_(uint64_t *, user) += MP_CAST_(uint64_t, *MP_CAST_(int *, value)) + (handle.bits >> 32);
}

static void tables(void) {
    mp_options options = MP_OPTIONS(spark, 8);
    mp_pool *pool = MP_NULL_;
    mp_table *cargo = MP_NULL_, *none = MP_NULL_;
    mp_handle a, b, wild;
    bool is_new = false;
    int *value;
    uint64_t sum = 0;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_table_create(8, sizeof(int), sizeof(int), 0, &cargo) == MP_OK);
    CHECK(mp_insert(pool, &a) != MP_NULL_ && mp_table_get(cargo, a) == MP_NULL_);
    value = MP_CAST_(int *, mp_table_put(cargo, a, &is_new));
    CHECK(value != MP_NULL_ && is_new);
    *value = 40;
    CHECK(mp_table_put(cargo, a, &is_new) == value && !is_new && mp_table_count(cargo) == 1);
    CHECK(mp_remove(pool, a) && mp_insert(pool, &b) != MP_NULL_ && mp_table_get(cargo, b) == MP_NULL_);
    CHECK(mp_table_put(cargo, b, &is_new) == value && is_new && mp_table_put(cargo, a, &is_new) == MP_NULL_);
    wild.bits = UINT64_C(8) << 32 | 1;
    CHECK(mp_table_put(cargo, wild, MP_NULL_) == MP_NULL_);
    CHECK(mp_insert(pool, &a) != MP_NULL_);
    *MP_CAST_(int *, mp_table_put(cargo, a, MP_NULL_)) = 2;
    mp_table_each(cargo, visit, &sum);
    CHECK(sum == 40 + 2 + 1);
    CHECK(mp_table_remove(cargo, a) && !mp_table_remove(cargo, a));
    mp_table_clear(cargo);
    CHECK(mp_table_count(cargo) == 0);
    CHECK(mp_table_create(8, 4, 3, 0, &none) == MP_BAD_OPTIONS && none == MP_NULL_);
    mp_table_destroy(cargo);
    mp_pool_destroy(pool);
    /* Generations of eight bits go on at 1 after 255: what comes half a cycle later is the past. */
    CHECK(mp_table_create(70000, 4, 4, 16, &none) == MP_TOO_MANY_SLOTS && none == MP_NULL_);
    CHECK(mp_table_create(4, sizeof(int), sizeof(int), 24, &cargo) == MP_OK);
    CHECK(mp_table_put(cargo, handle_of(3, 256), MP_NULL_) == MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 200), MP_NULL_) != MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 199), MP_NULL_) == MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 73), MP_NULL_) == MP_NULL_);
    CHECK(mp_table_put(cargo, handle_of(3, 72), MP_NULL_) != MP_NULL_);
    CHECK(mp_table_get(cargo, handle_of(3, 72)) != MP_NULL_ && mp_table_get(cargo, handle_of(3, 200)) == MP_NULL_);
    *MP_CAST_(int *, mp_table_get(cargo, handle_of(3, 72))) = 1;
    sum = 0;
    mp_table_each(cargo, visit, &sum);
    CHECK(sum == 1 + 3);
    CHECK(mp_table_remove(cargo, handle_of(3, 72)) && mp_table_count(cargo) == 0);
    mp_table_destroy(cargo);
}
