/* Checksums, snapshots, and states as bytes. */
#include "sparks.h"

static void add_spark(const void *value, mp_sum *sum, void *user) {
    const spark *one = MP_CAST_(const spark *, value);
    (void)user;
    mp_sum_f32(sum, one->x);
    mp_sum_u64(sum, MP_CAST_(uint64_t, one->frames_left));
}

static void the_past(void) {
    uint32_t order;
    for (order = MP_LIFO; order <= MP_ROSTER; order++) {
        mp_options options = MP_OPTIONS(spark, 300);
        mp_pool *pool = MP_NULL_, *other = MP_NULL_;
        mp_snapshot *past = MP_NULL_;
        mp_handle id, first, after;
        uint64_t sum;
        size_t bytes, i;
        unsigned char *state;
        options.order = order;
        CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_pool_create(&options, &other) == MP_OK);
        CHECK(mp_snapshot_create(&options, &past) == MP_OK && mp_pool_restore(pool, past) == MP_BAD_STATE);
        for (i = 0; i < 200; i++) {
            spark *made = MP_CAST_(spark *, mp_insert(pool, &id));
            memset(made, 0, sizeof *made);
            made->x = 0.5f;
            made->frames_left = MP_CAST_(int, i);
            if (i % 7 == 3) {
                CHECK(mp_remove(pool, id));
            }
        }
        first = mp_pool_handle_at(pool, 2);
        sum = mp_pool_checksum(pool, add_spark, MP_NULL_);
        CHECK(mp_pool_save(pool, past) == MP_OK);
        bytes = mp_pool_state_bytes(pool);
        state = MP_CAST_(unsigned char *, malloc(bytes));
        CHECK(state != MP_NULL_ && mp_pool_write_state(pool, state, bytes - 1) == MP_SMALL_MEMORY);
        CHECK(mp_pool_write_state(pool, state, bytes) == MP_OK);
        after = mp_pool_next_handle(pool);
        CHECK(mp_remove(pool, first));
        memset(mp_insert(pool, &id), 0, sizeof(spark));
        CHECK(mp_pool_checksum(pool, add_spark, MP_NULL_) != sum);
        CHECK(mp_pool_restore(pool, past) == MP_OK && mp_pool_checksum(pool, add_spark, MP_NULL_) == sum);
        CHECK(mp_get(pool, first) != MP_NULL_ && mp_pool_next_handle(pool).bits == after.bits);
        CHECK(mp_pool_read_state(other, state, bytes) == MP_OK);
        CHECK(mp_pool_checksum(other, add_spark, MP_NULL_) == sum);
        CHECK(mp_pool_next_handle(other).bits == after.bits);
        CHECK(mp_pool_validate(other, MP_NULL_, 0) == MP_OK);
        /* Whatever a byte becomes: it is refused, or a sound state. Fields of values may differ. */
        for (i = 0; i < bytes; i += 1 + i / 64) {
            unsigned char was = state[i];
            mp_status status;
            state[i] = MP_CAST_(unsigned char, was ^ (1u << (i % 8)));
            status = mp_pool_read_state(other, state, bytes);
            CHECK(status == MP_OK || status == MP_BAD_STATE || status == MP_OTHER_SHAPE);
            CHECK(mp_pool_validate(other, MP_NULL_, 0) == MP_OK);
            CHECK(mp_insert(other, &id) != MP_NULL_ || mp_live(other) == 300);
            state[i] = was;
        }
        for (i = 0; i < bytes; i += 1 + i / 16) {
            CHECK(mp_pool_read_state(other, state, i) == MP_BAD_STATE);
        }
        free(state);
        mp_pool_destroy(other);
        options.salt = 9;
        CHECK(mp_pool_create(&options, &other) == MP_OK && mp_pool_restore(other, past) == MP_OTHER_SHAPE);
        mp_pool_destroy(other);
        mp_snapshot_destroy(past);
        mp_pool_destroy(pool);
    }
}

static void states_of_handles_alone(void) {
    mp_options options = MP_OPTIONS(spark, 9);
    mp_pool *pool = MP_NULL_;
    mp_handle id;
    unsigned char state[512];
    size_t bytes;
    options.value_bytes = options.value_align = 0;
    CHECK(mp_pool_create(&options, &pool) == MP_OK && mp_acquire(pool, &id) && mp_acquire(pool, &id));
    memset(state, 0, sizeof state);
    bytes = mp_pool_state_bytes(pool);
    CHECK(bytes < sizeof state && mp_pool_write_state(pool, state, bytes) == MP_OK);
    CHECK(mp_release(pool, id));
    /* Bytes that are nobody's. */
    CHECK(mp_pool_read_state(pool, state, bytes + 5) == MP_BAD_STATE && mp_live(pool) == 1);
    CHECK(mp_pool_read_state(pool, state, bytes) == MP_OK && mp_live(pool) == 2 && mp_contains(pool, id));
    mp_pool_destroy(pool);
}

/* Of four slots that were used, three live. Written before slots that were never used were left out: it lists all seven. */
static void states_that_list_all_slots(void) {
    static const unsigned char state[86] =
        "millpnd1\4\0\0\0\0\0\0\0\62\0\0\0\0\0\0\0\17HandleAllocator\4Lifo\1\377\377\377\377\7\0\7\1\2\2\1\1\1\1\2"
        "\1\1\4\3\5\0\0\4\2\0\1\2\2\1\0\0\0c\0\0\0\64\0\0";
    mp_options options = mp_options_(7, sizeof(uint32_t), sizeof(uint32_t));
    mp_pool *pool = MP_NULL_;
    mp_handle id;
    CHECK(mp_pool_create(&options, &pool) == MP_OK);
    CHECK(mp_pool_read_state(pool, state, sizeof state) == MP_OK && mp_live(pool) == 3);
    CHECK(mp_pool_checksum(pool, MP_NULL_, MP_NULL_) == 0xb7d0881e7960da1cull);
    CHECK(memcmp(mp_get(pool, mp_pool_handle_at(pool, 3)), "\64\0\0", 4) == 0);
    id = mp_pool_next_handle(pool);
    CHECK(mp_insert(pool, &id) != MP_NULL_ && mp_index(id) == 1 && mp_pool_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_pool_destroy(pool);
}
