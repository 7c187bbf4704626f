/* A target for libFuzzer, as `fuzz.c`, for packed pools: a model in plain arrays says what each call must give, and in
 * what order the values lie.
 *
 *     clang -g -O1 -fsanitize=fuzzer -Iinclude tests/fuzz_packed.c libmillpond.a -o fuzz && ./fuzz -max_len=600
 */
#include "fuzz.h"

#define SLOTS_MAX 70

/* The handles and the numbers of the values, in their order. */
typedef struct pool_model {
    uint64_t bits[SLOTS_MAX], number[SLOTS_MAX];
    uint64_t spent[SLOTS_MAX]; /* by slot: the handle of its lifetime that ended last */
    uint64_t out[SLOTS_MAX];   /* by slot: the handle of the value that is out; 0: none */
    size_t count;
} pool_model;

typedef struct run_of {
    input from;
    mp_packed *pool, *past;
    mp_options options;
    pool_model now, then;
} run_of;

/* Where the handle's value is, or the count if there is none. */
static size_t place_of(const pool_model *model, mp_handle handle) {
    size_t place = 0;
    while (place < model->count && model->bits[place] != handle.bits) {
        place++;
    }
    return place;
}

/* The value at this place is gone, and the last one moves there. */
static void ended(run_of *run, size_t place) {
    size_t last = --run->now.count;
    run->now.spent[run->now.bits[place] >> 32] = run->now.bits[place];
    run->now.bits[place] = run->now.bits[last];
    run->now.number[place] = run->now.number[last];
}

/* The handle is not that of the lifetime before, unless the same bits may come again. */
static bool is_new(const run_of *run, mp_handle handle) {
    uint64_t slot = handle.bits >> 32;
    return (run->options.flags & MP_WRAP) != 0 || slot >= run->options.slots || run->now.spent[slot] != handle.bits;
}

static void began(run_of *run, mp_handle handle, value *made, uint64_t number) {
    size_t place = run->now.count++;
    CHECK(handle.bits != 0 && place < run->options.slots);
    CHECK(made == (value *)mp_packed_values(run->pool) + place);
    CHECK((run->options.flags & MP_ZEROED) == 0 || (made->number == 0 && made->more == 0));
    made->number = number;
    made->more = 0;
    run->now.bits[place] = handle.bits;
    run->now.number[place] = number;
    know(&run->from, handle.bits);
}

static void insert(run_of *run) {
    mp_handle handle, expected = mp_packed_next_handle(run->pool);
    uint64_t number = next(&run->from);
    bool is_full = run->now.count + mp_pool_stats(mp_packed_slots(run->pool)).retired == run->options.slots;
    value *made = mp_packed_insert(run->pool, &handle);
    CHECK(handle.bits == expected.bits && (made == NULL) == is_full && (handle.bits == 0) == is_full);
    if (made != NULL) {
        CHECK(is_new(run, handle));
        began(run, handle, made, number);
    }
}

/* A value leaves, comes back or is given up: whichever its handle is good for. */
static void detach_or_back(run_of *run, bool gives_up) {
    mp_handle handle = some_handle(&run->from);
    size_t place = place_of(&run->now, handle), slot = (size_t)(handle.bits >> 32);
    bool was_out = handle.bits != 0 && slot < run->options.slots && run->now.out[slot] == handle.bits;
    value left = {0, 0};
    void *made = NULL;
    if (was_out && gives_up) {
        CHECK(mp_packed_free_detached(run->pool, handle));
        run->now.out[slot] = 0;
        run->now.spent[slot] = handle.bits;
    } else if (was_out) {
        CHECK(mp_packed_reattach(run->pool, handle, &made) == MP_OK);
        run->now.out[slot] = 0;
        began(run, handle, (value *)made, next(&run->from));
    } else {
        uint64_t spent = slot < run->options.slots ? run->now.spent[slot] : 0;
        CHECK(!mp_packed_free_detached(run->pool, handle) && mp_packed_reattach(run->pool, handle, &made) != MP_OK);
        CHECK((mp_packed_detach(run->pool, handle, &left) == MP_OK) == (place < run->now.count));
        if (place < run->now.count) {
            CHECK(left.number == run->now.number[place]);
            ended(run, place);
            run->now.spent[slot] = spent;
            run->now.out[slot] = handle.bits;
        }
    }
}

static void remove_one(run_of *run, mp_handle handle) {
    size_t place = place_of(&run->now, handle);
    bool is_live = place < run->now.count;
    CHECK(mp_packed_remove(run->pool, handle) == is_live);
    if (is_live) {
        ended(run, place);
    }
}

static int64_t by_number(const void *of, mp_handle handle, void *user) {
    (void)handle;
    (*(size_t *)user)++;
    return (int64_t)((const value *)of)->number;
}

static void insert_or_evict(run_of *run) {
    mp_handle handle, gone;
    value last = {0, 0};
    uint64_t number = next(&run->from);
    size_t asked = 0, place, victim = run->now.count;
    bool is_full = run->now.count + mp_pool_stats(mp_packed_slots(run->pool)).retired == run->options.slots;
    value *made;
    for (place = 0; is_full && place < run->now.count; place++) {
        int64_t key = (int64_t)run->now.number[place];
        if (!mp_is_last_(mp_packed_slots(run->pool), run->now.bits[place]) &&
            (victim == run->now.count || key < (int64_t)run->now.number[victim])) {
            victim = place;
        }
    }
    made = mp_packed_insert_or_evict(run->pool, by_number, &asked, &handle, &gone, &last);
    CHECK(is_full || asked == 0);
    CHECK(gone.bits == (victim < run->now.count ? run->now.bits[victim] : 0));
    if (victim < run->now.count) {
        CHECK(last.number == run->now.number[victim]);
        ended(run, victim);
    }
    CHECK((made == NULL) == (handle.bits == 0) && (made == NULL) == (is_full && gone.bits == 0));
    if (made != NULL) {
        CHECK(is_new(run, handle));
        began(run, handle, made, number);
    }
}

/* A packed pool of more slots, and a pool, take the state over. */
static void migrate(run_of *run, const unsigned char *state, size_t bytes) {
    mp_options other = run->options;
    mp_packed *packed = NULL;
    mp_pool *pool = NULL;
    size_t place;
    other.slots = SLOTS_MAX + 9;
    other.order = (uint32_t)bytes % 4;
    other.index_bits = 0;
    other.lifetimes = 0;
    CHECK(mp_packed_create(&other, &packed) == MP_OK && mp_pool_create(&other, &pool) == MP_OK);
    CHECK(mp_packed_migrate(packed, state, bytes, NULL, NULL) == MP_OK);
    CHECK(mp_pool_migrate(pool, state, bytes, NULL, NULL) == MP_OK && mp_live(pool) == run->now.count);
    CHECK(mp_packed_validate(packed, NULL, 0) == MP_OK && mp_pool_validate(pool, NULL, 0) == MP_OK);
    for (place = 0; place < run->now.count; place++) {
        mp_handle handle;
        handle.bits = run->now.bits[place];
        CHECK(mp_packed_handle_at(packed, place).bits == handle.bits);
        CHECK(((value *)mp_packed_values(packed))[place].number == run->now.number[place]);
        CHECK(mp_contains(pool, handle) && ((value *)mp_get(pool, handle))->number == run->now.number[place]);
    }
    mp_pool_destroy(pool);
    mp_packed_destroy(packed);
}

static void through_bytes(run_of *run) {
    size_t bytes = mp_packed_state_bytes(run->pool), at = next(&run->from), flipped = next(&run->from), place;
    uint64_t before = mp_packed_checksum(run->pool, NULL, NULL);
    unsigned char *state, small[1];
    const value *values = mp_packed_values(run->pool);
    for (place = 0; place < SLOTS_MAX; place++) {
        if (run->now.out[place] != 0) {
            CHECK(bytes == 0 && mp_packed_write_state(run->pool, small, 1) == MP_DETACHED);
            return;
        }
    }
    state = malloc(bytes);
    CHECK(state != NULL && mp_packed_write_state(run->pool, state, bytes) == MP_OK);
    CHECK(mp_packed_write_state(run->pool, state, bytes - 1) == MP_SMALL_MEMORY);
    migrate(run, state, bytes);
    CHECK(mp_packed_read_state(run->pool, state, bytes) == MP_OK);
    CHECK(mp_packed_checksum(run->pool, NULL, NULL) == before);
    CHECK(mp_packed_read_state(run->pool, state, bytes - 1) != MP_OK);
    state[at * 7 % bytes] ^= (unsigned char)flipped;
    if (mp_packed_read_state(run->pool, state, bytes) != MP_OK) {
        CHECK(mp_packed_checksum(run->pool, NULL, NULL) == before);
    } else {
        /* The model takes on what the pool says. */
        run->now.count = mp_packed_count(run->pool);
        CHECK(run->now.count <= run->options.slots);
        memset(run->now.spent, 0, sizeof run->now.spent);
        for (place = 0; place < run->now.count; place++) {
            run->now.bits[place] = mp_packed_handle_at(run->pool, place).bits;
            run->now.number[place] = values[place].number;
        }
    }
    free(state);
}

static void step(run_of *run) {
    mp_handle handle;
    value *values = mp_packed_values(run->pool);
    unsigned operation = next(&run->from);
    size_t place;
    void *made = NULL;
    switch (operation % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        insert(run);
        break;
    case 5:
    case 6:
    case 7:
        remove_one(run, some_handle(&run->from));
        break;
    case 8:
        handle = some_handle(&run->from);
        place = place_of(&run->now, handle);
        CHECK(mp_packed_get(run->pool, handle) == (place < run->now.count ? values + place : NULL));
        CHECK(mp_contains(mp_packed_slots(run->pool), handle) == (place < run->now.count));
        break;
    case 9:
        handle = some_handle(&run->from);
        place = next(&run->from);
        if (mp_packed_insert_at(run->pool, handle, &made) == MP_OK) {
            began(run, handle, (value *)made, place);
        }
        break;
    case 10:
        /* Backwards, some of those that are met go. */
        for (place = run->now.count; place-- > 0;) {
            if (values[place].number % 4 == operation / 64) {
                remove_one(run, mp_packed_handle_at(run->pool, place));
            }
        }
        break;
    case 11:
        if (operation >= 128) {
            CHECK(mp_packed_copy(run->past, run->pool) == MP_OK);
            run->then = run->now;
        } else {
            CHECK(mp_packed_copy(run->pool, run->past) == MP_OK);
            run->now = run->then;
        }
        break;
    case 12:
        if (operation >= 192) {
            mp_packed_clear(run->pool);
            while (run->now.count > 0) {
                ended(run, run->now.count - 1);
            }
        }
        break;
    case 14:
        detach_or_back(run, operation >= 192);
        break;
    case 13:
        insert_or_evict(run);
        break;
    default:
        through_bytes(run);
    }
    CHECK(mp_packed_count(run->pool) == run->now.count);
    for (place = 0; place < run->now.count; place++) {
        handle = mp_packed_handle_at(run->pool, place);
        CHECK(handle.bits == run->now.bits[place] && values[place].number == run->now.number[place]);
        CHECK(mp_packed_get(run->pool, handle) == values + place);
    }
    CHECK(mp_packed_handle_at(run->pool, place).bits == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const uint32_t index_bits[4] = {0, 16, 20, 24};
    static run_of run;
    char text[200];
    unsigned kind;
    memset(&run, 0, sizeof run);
    run.from.bytes = bytes;
    run.from.left = count;
    kind = next(&run.from);
    run.options = MP_OPTIONS(value, next(&run.from) % (SLOTS_MAX + 1));
    run.options.order = kind % 4;
    run.options.index_bits = index_bits[kind / 4 % 4];
    run.options.name = kind / 16 % 2 != 0 ? "sparks" : NULL;
    kind = next(&run.from);
    run.options.flags = kind % 8;
    run.options.lifetimes = kind / 8 % 4 != 0 ? 0 : kind / 32 + 1;
    CHECK(mp_packed_create(&run.options, &run.pool) == MP_OK && mp_packed_create(&run.options, &run.past) == MP_OK);
    while (run.from.left > 0) {
        step(&run);
    }
    if (mp_packed_validate(run.pool, text, sizeof text) != MP_OK) {
        fprintf(stderr, "broken: %s\n", text);
        abort();
    }
    mp_packed_destroy(run.past);
    mp_packed_destroy(run.pool);
    return 0;
}
