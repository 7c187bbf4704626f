/* A target for libFuzzer: the bytes are the options of a pool and what happens in it, and a model in plain arrays says
 * what each call must give. Built twice, with and without the address sanitizer: with it, insertions and removals are
 * called, without it they are the header's inline ones. `tests/programs.rs` runs both, with the inputs of `fuzz_same.c`,
 * or with libFuzzer if MILLPOND_FUZZ_RUNS says how often.
 *
 *     clang -g -O1 -fsanitize=fuzzer -Iinclude tests/fuzz.c libmillpond.a -o fuzz && ./fuzz -max_len=600
 */
#include "fuzz.h"

#define SLOTS_MAX 90

/* What lives where. */
typedef struct pool_model {
    uint64_t bits[SLOTS_MAX]; /* 0: dead */
    uint64_t spent[SLOTS_MAX]; /* the handle of the slot's lifetime that ended last */
    uint64_t number[SLOTS_MAX];
    uint64_t born[SLOTS_MAX]; /* ascends with each birth and use */
    uint64_t out[SLOTS_MAX];  /* the handle of the object that is out of its slot; 0: none */
    uint64_t clock;
    size_t live;
} pool_model;

typedef struct run_of {
    input from;
    mp_pool *pool;
    mp_options options;
    mp_snapshot *past;
    pool_model now, then;
    bool is_saved;
} run_of;

static bool lives(const pool_model *model, size_t slots, mp_handle handle) {
    uint64_t index = handle.bits >> 32;
    return handle.bits != 0 && index < slots && model->bits[index] == handle.bits;
}

static void ended(run_of *run, size_t slot) {
    run->now.spent[slot] = run->now.bits[slot];
    run->now.bits[slot] = 0;
    run->now.live--;
}

/* The same bits may come again. */
static bool wraps(const run_of *run) {
    return (run->options.flags & MP_WRAP) != 0;
}

/* The handle is not that of the lifetime before. */
static bool is_new(const run_of *run, mp_handle handle) {
    uint64_t slot = handle.bits >> 32;
    return wraps(run) || slot >= run->options.slots || run->now.spent[slot] != handle.bits;
}

/* The object of a lifetime that begins now is there. */
static void began(run_of *run, mp_handle handle, value *made, uint64_t number) {
    size_t slot = (size_t)(handle.bits >> 32);
    CHECK(handle.bits != 0 && slot < run->options.slots && run->now.bits[slot] == 0 && run->now.out[slot] == 0);
    CHECK((void *)made == (char *)mp_values(run->pool) + slot * sizeof(value));
    CHECK(mp_pool_index_of(run->pool, made) == slot && mp_pool_handle_at(run->pool, slot).bits == handle.bits);
    CHECK((run->options.flags & MP_ZEROED) == 0 || (made->number == 0 && made->more == 0));
    made->number = number;
    made->more = 0;
    run->now.bits[slot] = handle.bits;
    run->now.number[slot] = number;
    run->now.born[slot] = ++run->now.clock;
    run->now.live++;
    know(&run->from, handle.bits);
}

static bool is_full(run_of *run) {
    return run->now.live == run->options.slots - mp_pool_stats(run->pool).retired;
}

/* The slot that has lived longest. */
static size_t oldest(const run_of *run) {
    size_t slot, best = SIZE_MAX;
    for (slot = 0; slot < run->options.slots; slot++) {
        if (run->now.bits[slot] != 0 && (best == SIZE_MAX || run->now.born[slot] < run->now.born[best])) {
            best = slot;
        }
    }
    return best;
}

/* Whether the live slot retires after this lifetime, so that evicting it would make no room: its lifetimes are limited, or
 * a claimed handle was of its last one. */
static bool retires(const run_of *run, uint64_t bits) {
    bool is_last = mp_is_last_(run->pool, bits);
    CHECK(!is_last || !wraps(run));
    return is_last;
}

static void insert(run_of *run) {
    mp_handle handle, expected = mp_pool_next_handle(run->pool);
    uint64_t number = next(&run->from);
    bool was_full = is_full(run), evicts = run->options.full == MP_EVICT_OLDEST;
    size_t victim = was_full && evicts ? oldest(run) : SIZE_MAX;
    uint64_t victim_bits = victim == SIZE_MAX ? 0 : run->now.bits[victim];
    bool victim_retires = victim_bits != 0 && retires(run, victim_bits);
    value *made = mp_insert(run->pool, &handle);
    CHECK((expected.bits == 0) == was_full);
    if (victim_bits != 0 && !victim_retires) {
        mp_handle gone;
        gone.bits = victim_bits;
        CHECK(made != NULL && (gone.bits == handle.bits ? wraps(run) : !mp_contains(run->pool, gone)));
        ended(run, victim);
    } else if (victim_bits != 0 && made != NULL) {
        /* The oldest whose slot does not retire has gone. */
        ended(run, (size_t)(handle.bits >> 32));
    }
    if (made == NULL) {
        CHECK(was_full && handle.bits == 0);
        return;
    }
    CHECK((was_full || handle.bits == expected.bits) && is_new(run, handle));
    began(run, handle, made, number);
}

static int64_t by_number(const void *of, mp_handle handle, void *user) {
    (void)handle;
    (*(size_t *)user)++;
    return (int64_t)((const value *)of)->number;
}

static void insert_or_evict(run_of *run) {
    mp_handle handle, gone;
    value last = {0, 0};
    size_t asked = 0, slot;
    uint64_t number = next(&run->from);
    bool was_full = is_full(run);
    value *made = mp_pool_insert_or_evict(run->pool, by_number, &asked, &handle, &gone, &last);
    CHECK(was_full || (gone.bits == 0 && asked == 0));
    if (gone.bits != 0) {
        CHECK(lives(&run->now, run->options.slots, gone));
        CHECK(gone.bits == handle.bits ? wraps(run) : !mp_contains(run->pool, gone));
        CHECK(last.number == run->now.number[gone.bits >> 32]);
        for (slot = 0; slot < run->options.slots; slot++) {
            uint64_t bits = run->now.bits[slot];
            bool is_larger = bits == 0 || (int64_t)run->now.number[slot] >= (int64_t)last.number;
            CHECK(is_larger || retires(run, bits));
        }
        ended(run, (size_t)(gone.bits >> 32));
    }
    CHECK((made == NULL) == (handle.bits == 0));
    if (made != NULL) {
        CHECK(is_new(run, handle));
        began(run, handle, made, number);
    }
}

static void insert_at(run_of *run) {
    mp_handle handle = some_handle(&run->from);
    uint64_t index = handle.bits >> 32, number = next(&run->from);
    uint32_t generation = (uint32_t)handle.bits, index_bits = run->options.index_bits;
    /* The dead bit takes one of 16 bits of generation, as of 32; shorter ones have it beside them. */
    uint32_t generation_max = index_bits == 0 ? INT32_MAX : index_bits == 16 ? INT16_MAX : UINT32_MAX >> index_bits;
    void *made = NULL;
    mp_status status = mp_pool_insert_at(run->pool, handle, &made);
    CHECK((status == MP_OK) == (made != NULL));
    if (status == MP_OK) {
        began(run, handle, (value *)made, number);
    } else if (generation == 0 || generation > generation_max) {
        CHECK(status == MP_BEYOND_LIFETIMES && mp_pool_check(run->pool, handle) == MP_NEVER_ISSUED);
    } else {
        CHECK((index >= run->options.slots) == (status == MP_OUT_OF_RANGE));
        CHECK(index >= run->options.slots ||
              (run->now.bits[index] != 0 || run->now.out[index] != 0) == (status == MP_OCCUPIED));
    }
}

static bool is_out(const run_of *run, mp_handle handle) {
    uint64_t index = handle.bits >> 32;
    return handle.bits != 0 && index < run->options.slots && run->now.out[index] == handle.bits;
}

static size_t count_out(const run_of *run) {
    size_t slot, count = 0;
    for (slot = 0; slot < SLOTS_MAX; slot++) {
        count += run->now.out[slot] != 0;
    }
    return count;
}

/* An object leaves, comes back or is given up: whichever its handle is good for, and the other two are refused. */
static void detach_or_back(run_of *run, bool gives_up) {
    mp_handle handle = some_handle(&run->from);
    size_t slot = (size_t)(handle.bits >> 32);
    bool is_live = lives(&run->now, run->options.slots, handle), was_out = is_out(run, handle);
    value left = {0, 0};
    void *place = NULL;
    mp_status status;
    if (was_out && gives_up) {
        CHECK(mp_pool_free_detached(run->pool, handle));
        run->now.out[slot] = 0;
        run->now.spent[slot] = handle.bits;
    } else if (was_out) {
        CHECK(mp_pool_check(run->pool, handle) == MP_STALE && mp_pool_insert_at(run->pool, handle, NULL) == MP_OCCUPIED);
        CHECK(mp_pool_reattach(run->pool, handle, &place) == MP_OK);
        run->now.out[slot] = 0;
        began(run, handle, (value *)place, next(&run->from));
    } else {
        CHECK(!mp_pool_free_detached(run->pool, handle));
        status = mp_pool_reattach(run->pool, handle, &place);
        CHECK(status != MP_OK && place == NULL && (status == MP_OCCUPIED || !is_live));
        status = mp_pool_detach(run->pool, handle, &left);
        CHECK((status == MP_OK) == is_live);
        if (is_live) {
            CHECK(left.number == run->now.number[slot] && mp_pool_check(run->pool, handle) == MP_STALE);
            run->now.bits[slot] = 0;
            run->now.out[slot] = handle.bits;
            run->now.live--;
        }
    }
}

/* A pool of other slots and another order takes the state over: no handle that was ever issued is new there. */
static void migrate(run_of *run) {
    size_t bytes = mp_pool_state_bytes(run->pool), at = next(&run->from), flipped = next(&run->from), slot;
    mp_options other = run->options;
    mp_pool *pool = NULL;
    mp_handle made;
    unsigned char *state = malloc(bytes);
    CHECK(state != NULL && mp_pool_write_state(run->pool, state, bytes) == MP_OK);
    other.slots = SLOTS_MAX + 9;
    other.order = at % 4;
    other.index_bits = 0;
    other.lifetimes = 0;
    other.name = flipped % 2 != 0 ? "other" : NULL;
    CHECK(mp_pool_create(&other, &pool) == MP_OK);
    CHECK(mp_pool_migrate(pool, state, bytes - 1, NULL, NULL) != MP_OK && mp_live(pool) == 0);
    CHECK(mp_pool_migrate(pool, state, bytes, NULL, NULL) == MP_OK && mp_live(pool) == run->now.live);
    CHECK(mp_pool_validate(pool, NULL, 0) == MP_OK);
    for (slot = 0; slot < run->options.slots; slot++) {
        mp_handle handle;
        const value *found;
        handle.bits = run->now.bits[slot];
        found = (const value *)mp_get(pool, handle);
        CHECK(mp_pool_handle_at(pool, slot).bits == handle.bits);
        CHECK(handle.bits == 0 || (found != NULL && found->number == run->now.number[slot]));
    }
    for (slot = 0; slot < other.slots && mp_insert(pool, &made) != NULL; slot++) {
        uint64_t index = made.bits >> 32;
        CHECK(wraps(run) || index >= run->options.slots || run->now.spent[index] != made.bits);
    }
    state[at * 7 % bytes] ^= (unsigned char)flipped;
    (void)mp_pool_migrate(pool, state, bytes, NULL, NULL);
    CHECK(mp_pool_validate(pool, NULL, 0) == MP_OK);
    mp_pool_destroy(pool);
    free(state);
}

static void walk(run_of *run, bool refreshes) {
    mp_run stretch = MP_RUN;
    mp_walk one_by_one = MP_WALK;
    size_t slot = 0, at;
    if (refreshes) {
        mp_pool_refresh(run->pool);
    }
    while (mp_next_run(run->pool, &stretch)) {
        CHECK(stretch.count > 0 && stretch.first + stretch.count <= run->options.slots);
        for (; slot < stretch.first; slot++) {
            CHECK(run->now.bits[slot] == 0);
        }
        for (at = 0; at < stretch.count; at++, slot++) {
            CHECK(run->now.bits[slot] != 0);
        }
    }
    for (; slot < run->options.slots; slot++) {
        CHECK(run->now.bits[slot] == 0);
    }
    for (slot = 0; mp_next_live(run->pool, &one_by_one); slot++) {
        CHECK(one_by_one.index < run->options.slots);
        for (; slot < one_by_one.index; slot++) {
            CHECK(run->now.bits[slot] == 0);
        }
        CHECK(slot == one_by_one.index && run->now.bits[slot] != 0);
    }
    for (; slot < run->options.slots; slot++) {
        CHECK(run->now.bits[slot] == 0);
    }
    CHECK(!mp_next_live(run->pool, &one_by_one) && !mp_next_run(run->pool, &stretch));
}

/* The model takes on what the pool says: after bytes that somebody has changed were read. */
static void look_again(run_of *run) {
    size_t slot;
    run->now.live = 0;
    memset(run->now.spent, 0, sizeof run->now.spent);
    for (slot = 0; slot < run->options.slots; slot++) {
        run->now.bits[slot] = mp_pool_handle_at(run->pool, slot).bits;
        if (run->now.bits[slot] != 0) {
            run->now.number[slot] = ((value *)mp_values(run->pool))[slot].number;
            run->now.born[slot] = ++run->now.clock;
            run->now.live++;
        }
    }
}

static void through_bytes(run_of *run) {
    size_t bytes = mp_pool_state_bytes(run->pool), at = next(&run->from), flipped = next(&run->from);
    uint64_t before = mp_pool_checksum(run->pool, NULL, NULL);
    unsigned char *state, small[1];
    if (count_out(run) != 0) {
        CHECK(bytes == 0 && mp_pool_write_state(run->pool, small, 1) == MP_DETACHED);
        return;
    }
    if (flipped >= 192) {
        migrate(run);
    }
    state = malloc(bytes);
    CHECK(state != NULL && mp_pool_write_state(run->pool, state, bytes) == MP_OK);
    CHECK(mp_pool_write_state(run->pool, state, bytes - 1) == MP_SMALL_MEMORY);
    CHECK(mp_pool_read_state(run->pool, state, bytes) == MP_OK);
    CHECK(mp_pool_checksum(run->pool, NULL, NULL) == before);
    CHECK(mp_pool_read_state(run->pool, state, bytes - 1) != MP_OK);
    state[at * 7 % bytes] ^= (unsigned char)flipped;
    if (mp_pool_read_state(run->pool, state, bytes) != MP_OK) {
        CHECK(mp_pool_checksum(run->pool, NULL, NULL) == before);
    }
    free(state);
    /* Ages are not written, so the model starts them anew as well: in the order of the slots. */
    look_again(run);
}

static void step(run_of *run) {
    mp_handle handle;
    value *found;
    bool is_live;
    unsigned operation = next(&run->from);
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
        handle = some_handle(&run->from);
        is_live = lives(&run->now, run->options.slots, handle);
        CHECK(mp_remove(run->pool, handle) == is_live);
        if (is_live) {
            ended(run, (size_t)(handle.bits >> 32));
        }
        break;
    case 8:
        handle = some_handle(&run->from);
        found = (value *)mp_get(run->pool, handle);
        is_live = lives(&run->now, run->options.slots, handle);
        CHECK((found != NULL) == is_live && mp_contains(run->pool, handle) == is_live);
        CHECK((mp_pool_check(run->pool, handle) == MP_OK) == is_live);
        CHECK(!is_live || found->number == run->now.number[handle.bits >> 32]);
        break;
    case 9:
        insert_at(run);
        break;
    case 10:
        insert_or_evict(run);
        break;
    case 11:
        walk(run, operation >= 128);
        break;
    case 12:
        if (operation < 128) {
            CHECK(mp_pool_save(run->pool, run->past) == MP_OK);
            run->then = run->now;
            run->is_saved = true;
        } else {
            CHECK((mp_pool_restore(run->pool, run->past) == MP_OK) == run->is_saved);
            run->now = run->is_saved ? run->then : run->now;
        }
        break;
    case 13:
        if (operation < 192) {
            detach_or_back(run, operation >= 160);
        } else {
            size_t slot;
            mp_pool_clear(run->pool);
            for (slot = 0; slot < run->options.slots; slot++) {
                if (run->now.bits[slot] != 0) {
                    ended(run, slot);
                }
            }
        }
        break;
    case 14:
        handle = some_handle(&run->from);
        is_live = lives(&run->now, run->options.slots, handle);
        if (run->options.full == MP_EVICT_OLDEST) {
            CHECK((mp_pool_note_use(run->pool, handle) == MP_OK) == is_live);
            if (is_live) {
                run->now.born[handle.bits >> 32] = ++run->now.clock;
            }
        } else {
            CHECK(mp_pool_note_use(run->pool, handle) == MP_NOT_KEPT);
        }
        break;
    default:
        through_bytes(run);
    }
    CHECK(mp_live(run->pool) == run->now.live);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const uint32_t index_bits[4] = {0, 16, 20, 24};
    static run_of run;
    mp_options created;
    char text[200];
    unsigned kind;
    mp_status status;
    memset(&run, 0, sizeof run);
    run.from.bytes = bytes;
    run.from.left = count;
    kind = next(&run.from);
    run.options = MP_OPTIONS(value, next(&run.from) % (SLOTS_MAX + 1));
    run.options.order = kind % 4;
    run.options.index_bits = index_bits[kind / 4 % 4];
    run.options.full = kind / 16 % 2;
    run.options.name = kind / 32 % 2 != 0 ? "sparks" : NULL;
    kind = next(&run.from);
    run.options.flags = kind % 8;
    run.options.lifetimes = kind / 8 % 4 != 0 ? 0 : kind / 32 + 1;
    created = run.options;
    if (kind / 8 % 4 == 3) {
        /* The model knows the limit of a pool that grows. */
        created.slots_max = created.slots;
        created.slots = kind / 32 < created.slots ? kind / 32 : 0;
    }
    CHECK(mp_pool_create(&created, &run.pool) == MP_OK);
    CHECK(mp_snapshot_create(&created, &run.past) == MP_OK);
    while (run.from.left > 0) {
        step(&run);
    }
    walk(&run, true);
    status = mp_pool_validate(run.pool, text, sizeof text);
    if (status != MP_OK) {
        fprintf(stderr, "broken: %s\n", text);
        abort();
    }
    mp_snapshot_destroy(run.past);
    mp_pool_destroy(run.pool);
    return 0;
}
