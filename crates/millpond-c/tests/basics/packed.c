/* Packed pools: values without holes, beside a model in a plain array. */
#include "sparks.h"

MP_PACKED(packed_sparks, spark)
MP_PACKED32(small_packed_sparks, spark, 20)

static void packed_pools(void) {
    mp_options options = MP_OPTIONS(spark, 4);
    mp_packed *pool = MP_NULL_;
    packed_sparks all;
    packed_sparks_id ids[4], none, stale;
    spark *values;
    size_t at, met = 0;
    int i;
    CHECK(mp_packed_create(&options, &pool) == MP_OK);
    all = packed_sparks_of(pool);
    CHECK(all.pool == pool && packed_sparks_fits(pool) == MP_OK && packed_sparks_fits(MP_NULL_) == MP_NULL_POINTER);
    CHECK(small_packed_sparks_of(pool).pool == MP_NULL_ && small_packed_sparks_fits(pool) == MP_OTHER_HANDLES);
    CHECK(mp_packed_fits(pool, sizeof(spark) + 4, 4, 0) == MP_OTHER_VALUES);
    CHECK(mp_packed_fits(pool, sizeof(spark), 0, 0) == MP_OTHER_VALUES);
    CHECK(mp_packed_fits(pool, sizeof(spark), 4096, 0) == MP_OTHER_VALUES);
    none.bits = 0;
    CHECK(packed_sparks_get(&all, none) == MP_NULL_ && !packed_sparks_remove(&all, none));
    CHECK(packed_sparks_count(&all) == 0 && packed_sparks_id_at(&all, 0).bits == 0);
    values = packed_sparks_values(&all);
    for (i = 0; i < 4; i++) {
        spark *made = packed_sparks_insert(&all, &ids[i]);
        CHECK(made == values + i && ids[i].bits == handle_of(MP_CAST_(uint32_t, i), 1).bits);
        made->frames_left = i;
        CHECK(packed_sparks_id_at(&all, MP_CAST_(size_t, i)).bits == ids[i].bits);
        CHECK(packed_sparks_contains(&all, ids[i]));
    }
    CHECK(packed_sparks_insert(&all, &none) == MP_NULL_ && none.bits == 0 && packed_sparks_count(&all) == 4);
    CHECK(mp_pool_stats(mp_packed_slots(pool)).refused == 1 && mp_packed_next_handle(pool).bits == 0);
    /* The last moves into the gap; its handle finds it there. */
    stale = ids[1];
    CHECK(packed_sparks_remove(&all, stale) && !packed_sparks_remove(&all, stale) && packed_sparks_count(&all) == 3);
    CHECK(values[1].frames_left == 3 && packed_sparks_get(&all, ids[3]) == values + 1);
    CHECK(packed_sparks_id_at(&all, 1).bits == ids[3].bits && packed_sparks_id_at(&all, 3).bits == 0);
    CHECK(packed_sparks_get(&all, stale) == MP_NULL_ && !packed_sparks_contains(&all, stale));
    CHECK(mp_pool_check(mp_packed_slots(pool), packed_sparks_handle(stale)) == MP_STALE);
    CHECK(mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
    /* The last of all moves nothing. */
    CHECK(packed_sparks_remove(&all, ids[2]) && values[1].frames_left == 3 && packed_sparks_count(&all) == 2);
    CHECK(mp_packed_next_handle(pool).bits == handle_of(2, 2).bits);
    CHECK(packed_sparks_insert(&all, &ids[2]) == values + 2 && ids[2].bits == handle_of(2, 2).bits);
    values[2].frames_left = 2;
    /* Backwards, each value is met once, whatever is removed. */
    for (at = packed_sparks_count(&all); at-- > 0; met++) {
        CHECK(values[at].frames_left < 10);
        values[at].frames_left += 10;
        CHECK(values[at].frames_left % 2 == 0 || packed_sparks_remove(&all, packed_sparks_id_at(&all, at)));
    }
    CHECK(met == 3 && packed_sparks_count(&all) == 2 && packed_sparks_get(&all, ids[2])->frames_left == 12);
    mp_packed_clear(pool);
    CHECK(packed_sparks_count(&all) == 0 && packed_sparks_get(&all, ids[0]) == MP_NULL_);
    CHECK(mp_packed_next_handle(pool).bits == handle_of(0, 2).bits && mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_packed_destroy(pool);
    mp_packed_destroy(MP_NULL_);
}

/* What a packed pool must be: the handles and the numbers of its values, in their order. */
typedef struct packed_model {
    uint64_t bits[80];
    int numbers[80];
    size_t count;
} packed_model;

static void is_as_the_model(mp_packed *pool, const packed_model *model) {
    const spark *values = MP_CAST_(const spark *, mp_packed_values(pool));
    size_t at;
    CHECK(mp_packed_count(pool) == model->count && mp_live(mp_packed_slots(pool)) == model->count);
    for (at = 0; at < model->count; at++) {
        mp_handle handle = mp_packed_handle_at(pool, at);
        CHECK(handle.bits == model->bits[at] && values[at].frames_left == model->numbers[at]);
        CHECK(mp_packed_get(pool, handle) == values + at && mp_contains(mp_packed_slots(pool), handle));
    }
    CHECK(mp_packed_handle_at(pool, at).bits == 0);
}

static void model_removes(packed_model *model, size_t at) {
    model->count--;
    model->bits[at] = model->bits[model->count];
    model->numbers[at] = model->numbers[model->count];
}

/* A slot that is claimed, as in loading a saved game. */
static void model_claims(mp_packed *pool, packed_model *model, mp_handle handle, int number) {
    void *made = MP_NULL_;
    mp_status status = mp_packed_insert_at(pool, handle, &made);
    CHECK((status == MP_OK) == (made != MP_NULL_));
    if (status == MP_OK) {
        MP_CAST_(spark *, made)->frames_left = number;
        model->bits[model->count] = handle.bits;
        model->numbers[model->count++] = number;
    }
}

static void packed_pools_are_as_their_model(void) {
    static const uint32_t bits[4] = {0, 16, 20, 24};
    uint32_t kind;
    for (kind = 0; kind < 48; kind++) {
        mp_options options = MP_OPTIONS(spark, 70);
        mp_packed *pool = MP_NULL_;
        packed_model model;
        mp_handle handle, gone;
        uint64_t random = kind + 1;
        int step;
        model.count = 0;
        gone.bits = 0;
        options.order = kind % 4;
        options.index_bits = bits[kind / 4 % 4];
        options.lifetimes = kind < 24 ? 0 : 9;
        CHECK(mp_packed_create(&options, &pool) == MP_OK);
        for (step = 0; step < 1500; step++) {
            size_t at;
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            at = model.count == 0 ? 0 : MP_CAST_(size_t, (random >> 33) % model.count);
            if (random >> 58 == 0) {
                handle.bits = gone.bits + 2;
                model_claims(pool, &model, handle, step);
            } else if (model.count == 0 || (random >> 60) % 2 == MP_CAST_(uint64_t, step / 200 % 2)) {
                spark *made = MP_CAST_(spark *, mp_packed_insert(pool, &handle));
                CHECK((made == MP_NULL_) == (handle.bits == 0));
                CHECK(made != MP_NULL_ || model.count + mp_pool_stats(mp_packed_slots(pool)).retired == 70);
                if (made != MP_NULL_) {
                    made->frames_left = step;
                    model.bits[model.count] = handle.bits;
                    model.numbers[model.count++] = step;
                }
            } else {
                gone.bits = model.bits[at];
                CHECK(mp_packed_remove(pool, gone) && !mp_packed_remove(pool, gone));
                CHECK(mp_packed_get(pool, gone) == MP_NULL_);
                model_removes(&model, at);
            }
            is_as_the_model(pool, &model);
            CHECK(step % 50 != 0 || mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
        }
        CHECK(mp_pool_stats(mp_packed_slots(pool)).peak > 15);
        mp_packed_destroy(pool);
    }
}

static void packed_handles_of_four_bytes(void) {
    mp_options options = MP_OPTIONS(spark, 3);
    mp_packed *pool = MP_NULL_;
    small_packed_sparks all;
    small_packed_sparks_id first, second;
    options.index_bits = 20;
    CHECK(mp_packed_create(&options, &pool) == MP_OK);
    all = small_packed_sparks_of(pool);
    CHECK(all.pool == pool && small_packed_sparks_insert(&all, &first) != MP_NULL_ && sizeof first == 4);
    CHECK(small_packed_sparks_insert(&all, &second) != MP_NULL_ && second.bits == (1u << 12 | 1));
    CHECK(small_packed_sparks_remove(&all, first) && !small_packed_sparks_contains(&all, first));
    CHECK(small_packed_sparks_get(&all, second) == small_packed_sparks_values(&all));
    CHECK(small_packed_sparks_id_at(&all, 0).bits == second.bits && small_packed_sparks_count(&all) == 1);
    CHECK(mp_packed_insert_at(pool, handle_of(2, 4096), MP_NULL_) == MP_BEYOND_LIFETIMES);
    CHECK(mp_packed_insert_at(pool, small_packed_sparks_handle(second), MP_NULL_) == MP_OCCUPIED);
    CHECK(mp_packed_count(pool) == 1 && mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_packed_destroy(pool);
}

static void packed_flags_and_memory(void) {
    static const unsigned char magic[4] = {0x0b, 0xdb, 0xea, 0x1d};
    mp_options options = MP_OPTIONS(spark, 3);
    counted all = {0, 0, 0, 1};
    mp_packed *pool = MP_NULL_, *past = MP_NULL_;
    mp_handle first, id;
    unsigned char *value, *buffer, state[512];
    size_t needed;
    options.flags = MP_FILLED;
    CHECK(mp_packed_create(&options, &pool) == MP_OK);
    value = MP_CAST_(unsigned char *, mp_packed_insert(pool, &first));
    CHECK(memcmp(value, magic, 4) == 0 && memcmp(value + 12, magic, 4) == 0);
    memset(value, 7, sizeof(spark));
    memset(mp_packed_insert(pool, &id), 8, sizeof(spark));
    /* The bytes behind the values are dead, those of the gap are not. */
    CHECK(mp_packed_remove(pool, first) && value[0] == 8 && value[15] == 8);
    value = MP_CAST_(unsigned char *, mp_packed_insert(pool, &id));
    CHECK(memcmp(value, magic, 4) == 0 && memcmp(value + 12, magic, 4) == 0);
    memset(value, 9, sizeof(spark));
    mp_packed_clear(pool);
    CHECK(mp_packed_insert(pool, &id) != MP_NULL_);
    value = MP_CAST_(unsigned char *, mp_packed_insert(pool, &id));
    CHECK(memcmp(value, magic, 4) == 0 && memcmp(value + 12, magic, 4) == 0);
    /* So are those behind what a copy or a state has. */
    CHECK(mp_packed_create(&options, &past) == MP_OK);
    for (needed = 0; needed < 2; needed++) {
        mp_packed_clear(pool);
        CHECK(mp_packed_insert(pool, &id) != MP_NULL_ && mp_packed_state_bytes(pool) <= sizeof state);
        CHECK(mp_packed_copy(past, pool) == MP_OK && mp_packed_write_state(pool, state, sizeof state) == MP_OK);
        memset(mp_packed_insert(pool, &id), 9, sizeof(spark));
        CHECK(needed == 1 ? mp_packed_copy(pool, past) == MP_OK
                          : mp_packed_read_state(pool, state, mp_packed_state_bytes(past)) == MP_OK);
        value = MP_CAST_(unsigned char *, mp_packed_insert(pool, &id));
        CHECK(memcmp(value, magic, 4) == 0 && memcmp(value + 12, magic, 4) == 0);
    }
    mp_packed_destroy(past);
    mp_packed_destroy(pool);
    options.flags = MP_ZEROED;
    CHECK(mp_packed_create(&options, &pool) == MP_OK);
    for (needed = 0; needed < 2; needed++) {
        value = MP_CAST_(unsigned char *, mp_packed_insert(pool, &id));
        CHECK(value[0] == 0 && memcmp(value, value + 1, sizeof(spark) - 1) == 0);
        memset(value, 7, sizeof(spark));
        CHECK(mp_packed_remove(pool, id));
    }
    mp_packed_destroy(pool);

    options = MP_OPTIONS(spark, 1000);
    options.take = count_take;
    options.give = count_give;
    options.user = &all;
    CHECK(mp_packed_create(&options, &pool) == MP_OK && all.calls == 1);
    for (needed = 0; needed < 5000; needed++) {
        CHECK(mp_packed_insert(pool, &id) != MP_NULL_ && (needed % 1000 == 999 ? (mp_packed_clear(pool), true) : true));
    }
    mp_packed_destroy(pool);
    CHECK(all.calls == 1 && all.given == all.taken && all.taken > 36000 && all.taken < 38000);
    CHECK(mp_packed_create(&options, &pool) == MP_OUT_OF_MEMORY && pool == MP_NULL_);

    options = MP_OPTIONS(spark, 1000);
    needed = mp_packed_bytes(&options);
    buffer = MP_CAST_(unsigned char *, malloc(needed + 1));
    CHECK(buffer != MP_NULL_);
    options.memory = buffer + 1;
    options.memory_bytes = needed;
    CHECK(mp_packed_create(&options, &pool) == MP_OK && MP_CAST_(void *, pool) > MP_CAST_(void *, buffer));
    CHECK(MP_CAST_(unsigned char *, mp_packed_values(pool)) + 1000 * sizeof(spark) <= buffer + needed + 1);
    while (mp_packed_insert(pool, &id) != MP_NULL_) {
    }
    memset(mp_packed_values(pool), 0xff, 1000 * sizeof(spark));
    CHECK(mp_packed_count(pool) == 1000 && mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_packed_clear(pool);
    mp_packed_destroy(pool);
    /* To a sanitizer, too, all of the memory is the caller's again. */
    memset(buffer, 1, needed + 1);
    options.memory_bytes = needed - 200;
    CHECK(mp_packed_create(&options, &pool) == MP_SMALL_MEMORY && pool == MP_NULL_);
    free(buffer);
}

/* Whether there was room for one more, with a number in it. */
static bool adds(mp_packed *pool, int number) {
    mp_handle id;
    void *made = mp_packed_insert(pool, &id);
    if (made != MP_NULL_) {
        memset(made, 0, sizeof(spark));
        MP_CAST_(spark *, made)->frames_left = number;
    }
    return made != MP_NULL_;
}

static void packed_states(void) {
    mp_options options = MP_OPTIONS(spark, 60);
    mp_packed *pool = MP_NULL_, *past = MP_NULL_, *other = MP_NULL_;
    unsigned char *state;
    mp_handle first, after;
    uint64_t sum;
    size_t bytes, i;
    spark *values;
    CHECK(mp_packed_create(&options, &pool) == MP_OK && mp_packed_create(&options, &past) == MP_OK);
    CHECK(mp_packed_create(&options, &other) == MP_OK);
    for (i = 0; i < 50; i++) {
        CHECK(adds(pool, MP_CAST_(int, i)));
        CHECK(i % 7 != 3 || mp_packed_remove(pool, mp_packed_handle_at(pool, i / 2)));
    }
    values = MP_CAST_(spark *, mp_packed_values(pool));
    first = mp_packed_handle_at(pool, 0);
    sum = mp_packed_checksum(pool, add_spark, MP_NULL_);
    CHECK(sum != mp_packed_checksum(pool, MP_NULL_, MP_NULL_));
    CHECK(mp_packed_copy(past, pool) == MP_OK && mp_packed_copy(pool, pool) == MP_OK);
    CHECK(mp_packed_checksum(past, add_spark, MP_NULL_) == sum);
    bytes = mp_packed_state_bytes(pool);
    state = MP_CAST_(unsigned char *, malloc(bytes));
    CHECK(state != MP_NULL_ && mp_packed_write_state(pool, state, bytes - 1) == MP_SMALL_MEMORY);
    CHECK(mp_packed_write_state(pool, state, bytes) == MP_OK);
    after = mp_packed_next_handle(pool);
    values[0].frames_left++;
    CHECK(mp_packed_checksum(pool, add_spark, MP_NULL_) != sum);
    values[0].frames_left--;
    CHECK(mp_packed_remove(pool, first) && adds(pool, 0));
    CHECK(mp_packed_checksum(pool, add_spark, MP_NULL_) != sum);
    CHECK(mp_packed_copy(pool, past) == MP_OK && mp_packed_checksum(pool, add_spark, MP_NULL_) == sum);
    CHECK(mp_packed_get(pool, first) == values && mp_packed_next_handle(pool).bits == after.bits);
    CHECK(mp_packed_read_state(other, state, bytes) == MP_OK && mp_packed_next_handle(other).bits == after.bits);
    CHECK(mp_packed_checksum(other, add_spark, MP_NULL_) == sum && mp_packed_validate(other, MP_NULL_, 0) == MP_OK);
    CHECK(memcmp(mp_packed_values(other), values, mp_packed_count(pool) * sizeof(spark)) == 0);
    /* Each byte wrong in turn: refused, or a sound state. Fields of values may differ. */
    for (i = 0; i < bytes; i++) {
        unsigned char was = state[i];
        mp_status status;
        uint64_t before = mp_packed_checksum(other, add_spark, MP_NULL_);
        state[i] = MP_CAST_(unsigned char, was ^ (1u << (i % 8)));
        status = mp_packed_read_state(other, state, bytes);
        CHECK(status == MP_OK || status == MP_BAD_STATE || status == MP_OTHER_SHAPE);
        CHECK(status == MP_OK || mp_packed_checksum(other, add_spark, MP_NULL_) == before);
        CHECK(mp_packed_validate(other, MP_NULL_, 0) == MP_OK);
        CHECK(adds(other, 0) || mp_packed_count(other) == 60);
        state[i] = was;
    }
    for (i = 0; i < bytes; i++) {
        CHECK(mp_packed_read_state(other, state, i) == MP_BAD_STATE);
    }
    free(state);
    mp_packed_destroy(other);
    options.salt = 9;
    CHECK(mp_packed_create(&options, &other) == MP_OK && adds(other, 0));
    CHECK(mp_packed_copy(other, past) == MP_OTHER_SHAPE && mp_packed_count(other) == 1);
    mp_packed_destroy(other);
    options = MP_OPTIONS(mp_handle, 60);
    CHECK(mp_packed_create(&options, &other) == MP_OK && mp_packed_copy(other, past) == MP_OTHER_SHAPE);
    mp_packed_destroy(other);
    mp_packed_destroy(past);
    mp_packed_destroy(pool);
}

static int64_t by_packed_frames(const void *value, mp_handle handle, void *user) {
    ++*MP_CAST_(int *, user);
    CHECK(handle.bits != 0);
    return MP_CAST_(const spark *, value)->frames_left;
}

static void packed_eviction(void) {
    mp_options options = MP_OPTIONS(spark, 4);
    mp_packed *pool = MP_NULL_;
    mp_handle first, id, gone;
    spark last, *values;
    int asked = 0, i;
    options.lifetimes = 2;
    CHECK(mp_packed_create(&options, &pool) == MP_OK);
    values = MP_CAST_(spark *, mp_packed_values(pool));
    for (i = 0; i < 4; i++) {
        spark *made = MP_CAST_(spark *, mp_packed_insert_or_evict(pool, by_packed_frames, &asked, &id, &gone, &last));
        CHECK(made == values + i && gone.bits == 0 && asked == 0);
        made->frames_left = i % 3 + 1;
    }
    /* 1 2 3 1: the first of the smallest goes, and the last value moves into its gap. */
    first = mp_packed_handle_at(pool, 0);
    CHECK(mp_packed_insert_or_evict(pool, by_packed_frames, &asked, &id, &gone, &last) == values + 3);
    CHECK(asked == 4 && gone.bits == first.bits && last.frames_left == 1 && !mp_contains(mp_packed_slots(pool), gone));
    CHECK(id.bits == handle_of(0, 2).bits && values[0].frames_left == 1 && mp_packed_count(pool) == 4);
    values[3].frames_left = 0;
    /* What would retire is skipped: the smallest of the others goes. */
    first = mp_packed_handle_at(pool, 0);
    CHECK(mp_packed_insert_or_evict(pool, by_packed_frames, &asked, &id, &gone, MP_NULL_) == values + 3);
    CHECK(asked == 7 && gone.bits == first.bits && values[0].frames_left == 0);
    values[3].frames_left = 9;
    CHECK(mp_packed_insert_or_evict(pool, MP_NULL_, MP_NULL_, MP_NULL_, &gone, MP_NULL_) == MP_NULL_ && gone.bits == 0);
    CHECK(mp_pool_stats(mp_packed_slots(pool)).evicted == 2 && mp_pool_stats(mp_packed_slots(pool)).refused == 1);
    for (i = 0; i < 2; i++) {
        CHECK(mp_packed_insert_or_evict(pool, by_packed_frames, &asked, MP_NULL_, MP_NULL_, MP_NULL_) != MP_NULL_);
    }
    CHECK(mp_packed_insert_or_evict(pool, by_packed_frames, &asked, &id, &gone, &last) == MP_NULL_ && id.bits == 0);
    CHECK(gone.bits == 0 && mp_packed_count(pool) == 4 && mp_packed_validate(pool, MP_NULL_, 0) == MP_OK);
    mp_packed_destroy(pool);
}

/* The same objects in another order of their values have another sum. */
static void the_order_of_packed_values_counts(void) {
    mp_options options = MP_OPTIONS(spark, 2);
    mp_packed *pool = MP_NULL_, *other = MP_NULL_;
    uint32_t slot;
    CHECK(mp_packed_create(&options, &pool) == MP_OK && mp_packed_create(&options, &other) == MP_OK);
    for (slot = 0; slot < 2; slot++) {
        CHECK(mp_packed_insert_at(pool, handle_of(slot, 1), MP_NULL_) == MP_OK);
        CHECK(mp_packed_insert_at(other, handle_of(1 - slot, 1), MP_NULL_) == MP_OK);
    }
    CHECK(mp_pool_checksum(mp_packed_slots(pool), MP_NULL_, MP_NULL_) ==
          mp_pool_checksum(mp_packed_slots(other), MP_NULL_, MP_NULL_));
    CHECK(mp_packed_checksum(pool, MP_NULL_, MP_NULL_) != mp_packed_checksum(other, MP_NULL_, MP_NULL_));
    CHECK(mp_packed_handle_at(other, 0).bits == handle_of(1, 1).bits);
    mp_packed_destroy(other);
    mp_packed_destroy(pool);
}

/* What has written over a pool is found. */
static void packed_pools_that_are_broken(void) {
    mp_options options = MP_OPTIONS(spark, 9);
    mp_packed *pool = MP_NULL_;
    mp_handle id, handle;
    char text[100];
    uint32_t *places;
    int i;
    CHECK(mp_packed_create(&options, &pool) == MP_OK);
    for (i = 0; i < 5; i++) {
        CHECK(mp_packed_insert(pool, &id) != MP_NULL_);
    }
    places = MP_CAST_(uint32_t *, MP_CAST_(void *, pool->slots_.values_));
    pool->count_ = 4;
    CHECK(mp_packed_validate(pool, text, sizeof text) == MP_BROKEN && strstr(text, "inverse") != MP_NULL_);
    pool->count_ = SIZE_MAX;
    CHECK(mp_packed_validate(pool, text, sizeof text) == MP_BROKEN);
    pool->count_ = 5;
    handle = pool->handles_[2];
    pool->handles_[2] = pool->handles_[3];
    CHECK(mp_packed_validate(pool, text, sizeof text) == MP_BROKEN);
    pool->handles_[2].bits = UINT64_MAX;
    CHECK(mp_packed_validate(pool, text, sizeof text) == MP_BROKEN);
    pool->handles_[2].bits = handle.bits + 1; /* another lifetime of the slot */
    CHECK(mp_packed_validate(pool, text, sizeof text) == MP_BROKEN);
    pool->handles_[2] = handle;
    places[2] = 3;
    CHECK(mp_packed_validate(pool, text, sizeof text) == MP_BROKEN);
    places[2] = 2;
    CHECK(mp_packed_validate(pool, text, sizeof text) == MP_OK && text[0] == 0);
    CHECK(mp_remove(&pool->slots_, id) && mp_packed_validate(pool, MP_NULL_, 0) == MP_BROKEN);
    mp_packed_destroy(pool);
}

static void packed_pools_are_recorded(void) {
    mp_options options = MP_OPTIONS(spark, 8);
    static tape all;
    mp_packed *pool = MP_NULL_;
    mp_recorder *recorder = MP_NULL_;
    mp_handle a, b;
    options.name = "sparks";
    CHECK(mp_packed_create(&options, &pool) == MP_OK && mp_recorder_create(append, &all, &recorder) == MP_OK);
    CHECK(mp_packed_insert(pool, &a) != MP_NULL_ && mp_packed_record(pool, recorder) == MP_OK);
    CHECK(mp_packed_record(MP_NULL_, recorder) == MP_NULL_POINTER);
    MP_CAST_(spark *, mp_packed_insert(pool, &b))->frames_left = 4;
    CHECK(mp_packed_remove(pool, a) && mp_packed_get(pool, b) == mp_packed_values(pool));
    CHECK(MP_CAST_(spark *, mp_packed_values(pool))->frames_left == 4);
    CHECK(mp_recorder_destroy(recorder) == MP_OK);
    mp_packed_destroy(pool);
    CHECK(strstr(all.text, "0,alloc,0,sparks,0\n0,alloc,1,sparks,1\n0,free,0,sparks,0\n") != MP_NULL_);
}
