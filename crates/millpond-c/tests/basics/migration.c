/* Saved states that go into pools with other options. */
#include "sparks.h"

/* A later version's spark. */
typedef struct ember {
    double x, heat;
    uint64_t handle;
} ember;

static void ember_of(void *value, const void *old, size_t bytes, mp_handle handle, void *user) {
    ember *made = MP_CAST_(ember *, value);
    spark from;
    CHECK(bytes == sizeof from);
    memcpy(&from, old, bytes);
    made->x = MP_CAST_(double, from.x);
    made->handle = handle.bits;
    ++*MP_CAST_(size_t *, user);
}

/* Ten sparks, of which every third is gone; the handles of all. */
static mp_pool *old_sparks(uint32_t order, uint32_t index_bits, mp_handle *ids) {
    mp_options options = MP_OPTIONS(spark, 12);
    mp_pool *pool = MP_NULL_;
    size_t at;
    options.order = order;
    options.index_bits = index_bits;
    options.name = "old";
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    for (at = 0; at < 10; at++) {
        spark *made = MP_CAST_(spark *, mp_insert(pool, &ids[at]));
        memset(made, 0, sizeof *made);
        made->x = MP_CAST_(float, at);
        CHECK(at % 3 != 0 || mp_remove(pool, ids[at]));
    }
    return pool;
}

static void each_old_handle_finds_its_own(const mp_pool *pool, const mp_handle *ids) {
    size_t at;
    for (at = 0; at < 10; at++) {
        const ember *found = MP_CAST_(const ember *, mp_get(pool, ids[at]));
        CHECK((found != MP_NULL_) == (at % 3 != 0));
        CHECK(found == MP_NULL_ || (found->x == MP_CAST_(double, at) && found->handle == ids[at].bits));
    }
}

static void states_go_into_pools_with_other_options(void) {
    static const uint32_t index_bits[3] = {0, 16, 24};
    uint32_t from, to, grows;
    for (from = 0; from < 12; from++) {
        mp_handle ids[10], id;
        mp_pool *old = old_sparks(from % 4, index_bits[from / 4], ids);
        unsigned char state[1024];
        size_t bytes = mp_pool_state_bytes(old), at, made, converted;
        CHECK(bytes <= sizeof state && mp_pool_write_state(old, state, bytes) == MP_OK);
        mp_pool_destroy(old);
        for (to = 0; to < 8; to++) {
            mp_options options = MP_OPTIONS(ember, 40);
            mp_pool *pool = MP_NULL_;
            mp_snapshot *past = MP_NULL_;
            grows = to / 4;
            options.order = to % 4;
            options.name = "new";
            options.slots = grows != 0 ? 0 : 40;
            options.slots_max = grows != 0 ? 40 : 0;
            CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_snapshot_create(&options, &past) == MP_OK);
            memset(mp_insert(pool, &id), 0, sizeof(ember));
            /* Its own object goes; nothing does, if the state is refused. */
            CHECK(mp_pool_migrate(pool, state, bytes, MP_NULL_, MP_NULL_) == MP_OTHER_VALUES && mp_contains(pool, id));
            CHECK(mp_pool_migrate(pool, state, bytes - 1, ember_of, &converted) == MP_BAD_STATE && mp_contains(pool, id));
            converted = 0;
            CHECK(mp_pool_migrate(pool, state, bytes, ember_of, &converted) == MP_OK && converted == 6);
            CHECK(mp_live(pool) == 6 && !mp_contains(pool, id) && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
            each_old_handle_finds_its_own(pool, ids);
            /* Snapshots that were made before follow. */
            CHECK(mp_pool_save(pool, past) == MP_OK);
            for (made = 0; mp_insert(pool, &id) != MP_NULL_; made++) {
                for (at = 0; at < 10; at++) {
                    CHECK(id.bits != ids[at].bits);
                }
            }
            CHECK(made == 34 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
            CHECK(mp_pool_restore(pool, past) == MP_OK && mp_live(pool) == 6);
            each_old_handle_finds_its_own(pool, ids);
            mp_snapshot_destroy(past);
            mp_pool_destroy(pool);
        }
    }
}

static void states_that_a_pool_cannot_keep_are_refused(void) {
    mp_handle ids[10], id;
    mp_pool *old = old_sparks(MP_LIFO, 0, ids), *pool = MP_NULL_;
    mp_options options = MP_OPTIONS(spark, 6);
    unsigned char state[1024];
    size_t bytes = mp_pool_state_bytes(old), at;
    CHECK(bytes <= sizeof state && mp_pool_write_state(old, state, bytes) == MP_OK);
    mp_pool_destroy(old);
    CHECK(mp_pool_migrate(MP_NULL_, state, bytes, MP_NULL_, MP_NULL_) == MP_NULL_POINTER);
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_insert(pool, &id) != MP_NULL_);
    CHECK(mp_pool_migrate(pool, MP_NULL_, bytes, MP_NULL_, MP_NULL_) == MP_NULL_POINTER);
    /* Seven slots were used, though six are live. */
    CHECK(mp_pool_migrate(pool, state, bytes, MP_NULL_, MP_NULL_) == MP_TOO_FEW_SLOTS && mp_contains(pool, id));
    mp_pool_destroy(pool);
    options.slots = 0;
    options.slots_max = 6;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_pool_migrate(pool, state, bytes, MP_NULL_, MP_NULL_) == MP_TOO_FEW_SLOTS && mp_capacity(pool) == 0);
    mp_pool_destroy(pool);
    options.slots = 20;
    options.slots_max = 0;
    options.flags = MP_WRAP;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_pool_migrate(pool, state, bytes, MP_NULL_, MP_NULL_) == MP_OTHER_SHAPE);
    mp_pool_destroy(pool);
    options.flags = 0;
    options.index_bits = 24;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_pool_migrate(pool, state, bytes, MP_NULL_, MP_NULL_) == MP_BEYOND_LIFETIMES);
    mp_pool_destroy(pool);
    /* Whatever a byte becomes: it is refused, or a sound state. */
    options.index_bits = 0;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_insert(pool, &id) != MP_NULL_);
    for (at = 0; at < bytes * 8; at++) {
        uint64_t sum = mp_pool_checksum(pool, MP_NULL_, MP_NULL_);
        state[at / 8] ^= MP_CAST_(unsigned char, 1u << at % 8);
        if (mp_pool_migrate(pool, state, bytes, MP_NULL_, MP_NULL_) != MP_OK) {
            CHECK(mp_pool_checksum(pool, MP_NULL_, MP_NULL_) == sum);
        }
        CHECK(mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
        state[at / 8] ^= MP_CAST_(unsigned char, 1u << at % 8);
    }
    for (at = 0; at < bytes; at++) {
        CHECK(mp_pool_migrate(pool, state, at, MP_NULL_, MP_NULL_) == MP_BAD_STATE);
    }
    mp_pool_destroy(pool);
}

/* Either kind takes over the objects of the other. */
static void packed_states_migrate_both_ways(void) {
    mp_options options = MP_OPTIONS(spark, 12);
    mp_packed *packed = MP_NULL_, *larger = MP_NULL_;
    mp_pool *pool = MP_NULL_;
    mp_handle ids[10];
    unsigned char state[2048];
    size_t bytes, at;
    CHECK(mp_packed_create(&options, &packed) == MP_OK);
    for (at = 0; at < 10; at++) {
        spark *made = MP_CAST_(spark *, mp_packed_insert(packed, &ids[at]));
        memset(made, 0, sizeof *made);
        made->x = MP_CAST_(float, at);
    }
    CHECK(mp_packed_remove(packed, ids[2]) && mp_packed_remove(packed, ids[5]));
    bytes = mp_packed_state_bytes(packed);
    CHECK(bytes <= sizeof state && mp_packed_write_state(packed, state, bytes) == MP_OK);
    options.slots = 30;
    options.order = MP_ROSTER;
    CHECK(mp_packed_create(&options, &larger) == MP_OK && mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_packed_migrate(larger, state, bytes - 1, MP_NULL_, MP_NULL_) == MP_BAD_STATE && mp_packed_count(larger) == 0);
    CHECK(mp_packed_migrate(larger, state, bytes, MP_NULL_, MP_NULL_) == MP_OK && mp_packed_count(larger) == 8);
    CHECK(memcmp(mp_packed_values(larger), mp_packed_values(packed), 8 * sizeof(spark)) == 0);
    CHECK(mp_pool_migrate(pool, state, bytes, MP_NULL_, MP_NULL_) == MP_OK && mp_live(pool) == 8);
    CHECK(mp_packed_validate(larger, MP_NULL_, 0) == MP_OK && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    for (at = 0; at < 10; at++) {
        const spark *in_packed = MP_CAST_(const spark *, mp_packed_get(larger, ids[at]));
        const spark *in_pool = MP_CAST_(const spark *, mp_get(pool, ids[at]));
        CHECK((in_packed != MP_NULL_) == (at != 2 && at != 5) && (in_pool != MP_NULL_) == (at != 2 && at != 5));
        CHECK(in_packed == MP_NULL_ || (in_packed->x == MP_CAST_(float, at) && in_pool->x == MP_CAST_(float, at)));
    }
    bytes = mp_pool_state_bytes(pool);
    CHECK(bytes <= sizeof state && mp_pool_write_state(pool, state, bytes) == MP_OK);
    CHECK(mp_packed_migrate(packed, state, bytes, MP_NULL_, MP_NULL_) == MP_OK && mp_packed_count(packed) == 8);
    CHECK(mp_packed_validate(packed, MP_NULL_, 0) == MP_OK);
    for (at = 0; at < 10; at++) {
        const spark *found = MP_CAST_(const spark *, mp_packed_get(packed, ids[at]));
        CHECK((found != MP_NULL_) == (at != 2 && at != 5) && (found == MP_NULL_ || found->x == MP_CAST_(float, at)));
    }
    CHECK(mp_packed_migrate(MP_NULL_, state, bytes, MP_NULL_, MP_NULL_) == MP_NULL_POINTER);
    mp_pool_destroy(pool);
    mp_packed_destroy(larger);
    mp_packed_destroy(packed);
}
