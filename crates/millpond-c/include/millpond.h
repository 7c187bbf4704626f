/* millpond.h: object pools for C99 and C++11. SPDX-License-Identifier: MIT OR Apache-2.0
 *
 *     typedef struct { float x, y; int frames_left; } spark;
 *     MP_POOL(sparks, spark)
 *
 *     mp_options options = MP_OPTIONS(spark, 1000);
 *     mp_pool *pool;
 *     if (mp_pool_create(&options, &pool) != MP_OK) return 1;
 *     sparks all = sparks_of(pool);
 *     sparks_id id;
 *     spark *made = sparks_insert(&all, &id);      // null when full
 *     made->frames_left = 60;                      // a new slot has old bytes
 *     sparks_get(&all, id);                        // null once the spark is gone
 *     sparks_remove(&all, id);                     // false if it was gone already
 *     mp_pool_destroy(pool);
 *
 * A pool takes all of its memory when it is created, and values never move. Two kinds differ: a pool with
 * `options.slots_max` grows when it is full, and then its values move; in a packed pool, `mp_packed`, they always lie in
 * one array. A handle names one lifetime of one slot; any bits may be passed as a handle. A handle with all
 * bits 0 names nothing.
 *
 * One thread may change a pool, or several may read it; there is no lock inside (but see `mp_sync`). Callbacks must neither call functions
 * of the same pool nor leave by longjmp or an exception. Names that end in an underscore are private.
 */
#ifndef MILLPOND_H
#define MILLPOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if !defined(__GNUC__) && !defined(__clang__)
#include <string.h>
#endif

#ifdef __cplusplus
#define MP_NULL_ nullptr
#define MP_CAST_(type, value) (static_cast<type>(value))
extern "C" {
#else
#define MP_NULL_ NULL
#define MP_CAST_(type, value) ((type)(value))
#endif

/* ---- Status codes ---------------------------------------------------------------------------------------------- */

typedef int32_t mp_status;

#define MP_OK 0
#define MP_NULL_POINTER 1    /* an argument is null that must not be */
#define MP_BAD_OPTIONS 2     /* an option has an invalid value */
#define MP_OTHER_VERSION 3   /* the program was compiled with the header of another version */
#define MP_UNKNOWN_OPTIONS 4 /* an option of a later version is set */
#define MP_TOO_MANY_SLOTS 5  /* the handles have too few index bits */
#define MP_SMALL_MEMORY 6    /* the memory or the buffer has too few bytes */
#define MP_OUT_OF_MEMORY 7
#define MP_OUT_OF_RANGE 9 /* the pool has no such slot */
#define MP_STALE 10       /* the object was removed */
#define MP_NEVER_ISSUED 11
#define MP_OTHER_POOL 12 /* a handle of another pool */
#define MP_OCCUPIED 13   /* the slot is live */
#define MP_RETIRED 14    /* the slot's generations are used up */
#define MP_BEYOND_LIFETIMES 15
#define MP_OTHER_SHAPE 16 /* the state is of a pool with other options */
#define MP_BAD_STATE 17   /* the bytes are not the state of a pool */
#define MP_BROKEN 18      /* an invariant does not hold: the pool was overwritten */
#define MP_NOT_KEPT 19    /* the pool was not created with what this needs */
#define MP_WRITE_FAILED 20
#define MP_OTHER_VALUES 21  /* the pool has values of another size or alignment */
#define MP_OTHER_HANDLES 22 /* the pool has other `index_bits` */
#define MP_TOO_FAR 23       /* the slot is far beyond those of a pool that grows: `mp_pool_reserve` first */
#define MP_DETACHED 24      /* an object is out of the pool */
#define MP_TOO_FEW_SLOTS 25 /* the state has more slots in use than the pool may have */

/* Returns the meaning of a status, as static text. */
const char *mp_status_text(mp_status status);

/* The library's message if it aborts the program, because of a bug of its own or a write to a dead slot (`MP_FILLED`),
 * which it writes to stderr as well; otherwise empty. */
#if defined(_WIN32) && defined(MILLPOND_DLL) /* defined by programs that use millpond.dll */
__declspec(dllimport)
#endif
extern char mp_last_words[256];

/* ---- Pools ----------------------------------------------------------------------------------------------------- */

/* A handle: the index in the upper 32 bits, the generation in the lower 32. */
typedef struct mp_handle {
    uint64_t bits;
} mp_handle;

/* Which free slot is used next. */
#define MP_LIFO 0         /* the one freed last; the fastest */
#define MP_FIFO 1         /* the one freed first: to catch use after removal */
#define MP_LOWEST_FIRST 2 /* the one with the lowest index: for lockstep */
#define MP_ROSTER 3       /* the one freed last, from a list of all slots */

/* What a full pool does. */
#define MP_REFUSE 0
#define MP_EVICT_OLDEST 1 /* removes the oldest object; allocates 16 bytes per slot from the C library */

/* As `slots_max`: as many slots as handles can name. */
#define MP_NO_LIMIT UINT32_MAX

/* Flags. */
#define MP_WRAP 1u   /* a slot whose generations are used up starts again, instead of retiring */
#define MP_ZEROED 2u /* a new object's bytes are 0 */
#define MP_FILLED 4u /* dead slots are filled with 0x1deadb0b; if one was written to when it is used again, `abort` */
/* Creation leaves the memory untouched, so that a large number of slots costs addresses, and memory only as they are first
 * used: for a pool of which only a limit is known, and whose values must not move. Linux and macOS give a page when it is
 * first written to (a page fault, 1.5 us where it was measured, in the insertion that does so); so does Windows, but all of
 * it counts as committed, and may be refused; elsewhere all of it is taken and set to 0. It goes back when the pool is
 * destroyed, not before. What is touched all the same: the lists of MP_FIFO and MP_ROSTER,
 * MP_EVICT_OLDEST's, and a sanitizer's marks. Only for memory of the C library, which gives it zeroed: MP_BAD_OPTIONS with
 * `memory` or `take`, with MP_FILLED, and for pools that grow and packed pools. A snapshot made with these options is
 * untouched as well. */
#define MP_UNTOUCHED 8u

/* The options of a pool. Set `size` to `sizeof(mp_options)`; 0 is the default for everything else. */
typedef struct mp_options {
    uint32_t size;
    uint32_t slots;
    uint32_t value_bytes; /* 0: a handle allocator, which has no values */
    uint32_t value_align; /* 0: as `value_bytes` suggests, at most 16 */
    uint32_t order;
    uint32_t index_bits; /* 0; or 16, 20, 24: every handle fits in four bytes, with this many bits of index: MP_POOL32 */
    uint32_t full;
    uint32_t lifetimes; /* the maximum of each slot; 0: as many as the handles can count */
    uint32_t flags;
    /* 0: the pool has `slots` for ever. Otherwise it begins with `slots`, which may be 0, and grows when it is full: to 4
     * slots at least, then to twice as many, up to this number, or up to what handles can name: `MP_NO_LIMIT`. Growth
     * moves all values, so that pointers to them are good until the next insertion; handles stay good. Not with
     * `memory`. */
    uint32_t slots_max;
    uint64_t salt; /* pools with different names or salts start at different generations */
    const char *name;  /* UTF-8, at most 127 bytes; copied */
    void *memory;      /* memory for the pool; null: `take` and `give`; these null, too: the C library */
    size_t memory_bytes;
    void *(*take)(size_t bytes, size_t align, void *user);
    void (*give)(void *block, size_t bytes, size_t align, void *user);
    void *user;
} mp_options;

#ifdef __cplusplus
#define MP_ALIGNOF_(type) alignof(type)
#elif defined(__GNUC__) || defined(__clang__)
#define MP_ALIGNOF_(type) __alignof__(type)
#else
#define MP_ALIGNOF_(type) offsetof(struct { char before_; type value_; }, value_)
#endif

/* The options of a pool of values of this type. */
#define MP_OPTIONS(type, slots) mp_options_(slots, sizeof(type), MP_ALIGNOF_(type))

static inline mp_options mp_options_(size_t slots, size_t value_bytes, size_t value_align) {
    mp_options options = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, MP_NULL_, MP_NULL_, 0, MP_NULL_, MP_NULL_, MP_NULL_};
    /* More slots than 32 bits count, or a negative number of them, are `MP_BAD_OPTIONS`, not fewer slots. */
    options.size = slots > UINT32_MAX ? 0 : MP_CAST_(uint32_t, sizeof(mp_options));
    options.slots = MP_CAST_(uint32_t, slots);
    options.value_bytes = value_bytes > UINT32_MAX ? UINT32_MAX : MP_CAST_(uint32_t, value_bytes);
    options.value_align = MP_CAST_(uint32_t, value_align);
    return options;
}

/* 64 slots of a bitmap. It is not the type of the members of `mp_pool`, so that a compiler knows that writing to the
 * bitmap changes none of these. */
typedef unsigned long long mp_bits_;

/* A pool. All members are private to the functions of this header. They are defined here so that the compiler can
 * inline the short functions. */
typedef struct mp_pool {
    void *private_[5];
    /* Insertions are inline where the top of the stack is below, removals where the generation less 1 is; otherwise the library
     * is called. A pool whose insertions and removals are all called has PTRDIFF_MIN and 0. */
    ptrdiff_t quick_top_;
    uint32_t slow_from_minus_1_;
    uint32_t value_bytes, value_align;
    uint16_t kind_;
    uint16_t slow_; /* other than 0: insertions and removals are called */
    /* The slots. Those from `used_` on were never used: their words are 0, and mean the first generation, dead. */
    uint32_t used_, start_;
    uint32_t peak_, retired_;
    size_t slot_bytes_, slot_align_;
    void *entries_;
    size_t entry_count_;
    size_t bit_words_;
    mp_bits_ *bits_;
    bool is_lent_;
    uint32_t age_lower_, age_upper_; /* `mp_is_synced_` */
    size_t slots_;
    unsigned char *values_;
    void *words_;
    uint64_t inserted_, removed_;
    uint32_t fast_below_, slow_from_;
    /* The order, where `slow_` is 0; other bytes otherwise. The stack of free slots ends where the words begin; its top
     * is counted from there, and never positive. */
    ptrdiff_t stack_top_;
    uint32_t fresh_from_, fresh_until_; /* the slots between were never used, and are the last ones if there are any */
} mp_pool;

/* The layout that this header was written for: the members, and what they mean. */
#define MP_LAYOUT_ 9u

/* Returns how many bytes of memory a pool with these options needs, wherever they begin; 0 if the options are
 * invalid, or the pool grows. */
size_t mp_pool_bytes(const mp_options *options);

mp_status mp_pool_create_(const mp_options *options, mp_pool **out, uint32_t layout, size_t pool_bytes);
mp_status mp_pool_create_growing_(const mp_options *options, mp_pool **out, uint32_t layout, size_t pool_bytes);
void mp_pool_watch_(mp_pool *pool, void (*poison)(void const volatile *, size_t),
                    void (*unpoison)(void const volatile *, size_t));

#if defined(__SANITIZE_ADDRESS__)
#define MP_ASAN_ 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MP_ASAN_ 1
#endif
#endif
#ifdef MP_ASAN_
/* Marks dead slots for the sanitizer. */
void __asan_poison_memory_region(void const volatile *start, size_t bytes);
void __asan_unpoison_memory_region(void const volatile *start, size_t bytes);
#endif

/* Creates a pool. `*out` is null unless the status is `MP_OK`. O(slots), because it touches every page unless it is
 * `MP_UNTOUCHED`. A program none of whose pools grows has, when it is optimised, none of the code for that. */
static inline mp_status mp_pool_create(const mp_options *options, mp_pool **out) {
    mp_status status = options != MP_NULL_ && options->size > offsetof(mp_options, slots_max) && options->slots_max != 0
                           ? mp_pool_create_growing_(options, out, MP_LAYOUT_, sizeof(mp_pool))
                           : mp_pool_create_(options, out, MP_LAYOUT_, sizeof(mp_pool));
#ifdef MP_ASAN_
    if (status == MP_OK) {
        mp_pool_watch_(*out, __asan_poison_memory_region, __asan_unpoison_memory_region);
    }
#endif
    return status;
}

/* Destroys a pool and frees its memory. Does nothing if `pool` is null. */
void mp_pool_destroy(mp_pool *pool);

/* The slow paths of `mp_insert` and `mp_remove`. */
void *mp_insert_slow_(mp_pool *pool, uint64_t *bits);
bool mp_remove_slow_(mp_pool *pool, uint64_t bits);
/* For millpond.hpp: a removal that counts as an eviction; and whether the slot of a live object retires after it. */
void mp_evict_(mp_pool *pool, uint64_t bits);
bool mp_is_last_(const mp_pool *pool, uint64_t bits);
/* For millpond.hpp: how a pool that grows moves values, if not as bytes. */
void mp_pool_move_by_(mp_pool *pool, void (*move)(void *to, void *from, size_t count));
/* 64 slots of an old bitmap, and all. */
uint64_t mp_gather_(const mp_pool *pool, size_t word);
void mp_refresh_slow_(mp_pool *pool);

/* Makes sure that so many objects more can be inserted before the pool grows, so that it grows before play and not during
 * it. O(slots). MP_TOO_MANY_SLOTS if there would be more slots than the pool may have, MP_OUT_OF_MEMORY; then nothing
 * happens. */
mp_status mp_pool_reserve(mp_pool *pool, size_t additional);
/* Returns the largest number of slots that the pool may have: its capacity, unless it grows. */
size_t mp_pool_capacity_max(const mp_pool *pool);
/* Begins exactly the handle's lifetime, for loading saved objects. `*value` is the place of the value. A pool that grows
 * gets the slot if it lacks it; but one far beyond the others is MP_TOO_FAR (from 4,096 on, and where growing once does
 * not reach), so that no handle of a damaged file takes all memory. O(1) amortised. */
mp_status mp_pool_insert_at(mp_pool *pool, mp_handle handle, void **value);
/* Returns an object's key. The object with the smallest key is evicted. */
typedef int64_t mp_key(const void *value, mp_handle handle, void *user);
/* Inserts an object. If the pool is full, and does not grow, first removes the object with the smallest key or, if `key`
 * is null, the oldest one (for pools with `MP_EVICT_OLDEST`). `*evicted` is its handle, or 0 if none was removed; its
 * bytes are copied to `evicted_value` unless that is null. Returns null, and does nothing, if no slot can be used. */
void *mp_pool_insert_or_evict(mp_pool *pool, mp_key *key, void *user, mp_handle *out, mp_handle *evicted,
                              void *evicted_value);
/* Makes an object the newest, for pools with `MP_EVICT_OLDEST`. */
mp_status mp_pool_note_use(mp_pool *pool, mp_handle handle);
/* Removes all objects. O(slots). */
void mp_pool_clear(mp_pool *pool);
/* Returns MP_OK if `handle` names a live object, and otherwise why it is refused: MP_OUT_OF_RANGE, MP_STALE,
 * MP_NEVER_ISSUED or MP_OTHER_POOL. */
mp_status mp_pool_check(const mp_pool *pool, mp_handle handle);
/* Writes the same as a sentence of at most `room` bytes, including the final 0: with the pool's name, the handle as
 * index and generation ("3v1"), and the generation that the slot is in now. Returns the length of the whole sentence,
 * like snprintf. */
size_t mp_pool_explain(const mp_pool *pool, mp_handle handle, char *text, size_t room);
/* Returns the slot of a value of this pool, or SIZE_MAX for any other address. O(1). */
size_t mp_pool_index_of(const mp_pool *pool, const void *value);
/* Returns the handle of the object in slot `index`, or 0 bits if there is none. */
mp_handle mp_pool_handle_at(const mp_pool *pool, size_t index);
/* Returns the handle that the next insertion will issue, or 0 bits if the pool is full. */
mp_handle mp_pool_next_handle(mp_pool *pool);

typedef struct mp_stats {
    uint64_t capacity, live, peak, retired;       /* slots */
    uint64_t inserted, removed, refused, evicted; /* since the pool was created */
} mp_stats;
mp_stats mp_pool_stats(const mp_pool *pool);

/* An object leaves its pool for a while, and its slot is kept for it: for one whose own code changes the pool. Its bytes are
 * copied to `value` (which may be null). Until it comes back, its handle is refused as stale, walks skip its slot, no
 * insertion takes it, and `mp_pool_clear` leaves it alone; `mp_stats` counts it as retired. Snapshots have it; as bytes, the
 * pool has no state meanwhile (MP_DETACHED). A recorder sees neither that it leaves nor that it returns. The status is that of
 * `mp_pool_check`, or MP_OUT_OF_MEMORY: the pool lists what is out of it, in memory of the C library. O(1), and O(objects that
 * are out). */
mp_status mp_pool_detach(mp_pool *pool, mp_handle handle, void *value);
/* It is back: its handle is good again, and `*value` (`value` may be null) is the place for it, or for another object in its
 * stead. Of MP_EVICT_OLDEST's objects it is the newest. MP_OCCUPIED if the slot is live, MP_STALE if no object with this
 * handle is out, MP_OUT_OF_RANGE, MP_NEVER_ISSUED. */
mp_status mp_pool_reattach(mp_pool *pool, mp_handle handle, void **value);
/* It does not come back: frees its slot, and the handle is stale for ever. False if no such object is out. */
bool mp_pool_free_detached(mp_pool *pool, mp_handle handle);

/* Checks every invariant. The first that does not hold is written to `text` (null, or `room` bytes). Allocates
 * temporarily. */
mp_status mp_pool_validate(const mp_pool *pool, char *text, size_t room);

/* ---- Inline: what runs a million times a frame ------------------------------------------------------------------- */

#define MP_DEAD_ 0x80000000u

#if defined(__GNUC__) || defined(__clang__)
#define MP_RARELY_(condition) __builtin_expect(!!(condition), 0)
/* clang calls these functions otherwise; and what is rare stays out of their way. */
#define MP_INLINED_ __attribute__((always_inline))
#define MP_RARE_ __attribute__((cold, noinline, unused))
#define MP_ASSUME_(condition) ((condition) ? (void)0 : __builtin_unreachable())
#define MP_COPY_(to, from, bytes) ((void)__builtin_memcpy(to, from, bytes))
#else
#define MP_RARELY_(condition) (condition)
#define MP_INLINED_
#define MP_RARE_ inline
#define MP_ASSUME_(condition) ((void)0)
#define MP_COPY_(to, from, bytes) ((void)memcpy(to, from, bytes))
#endif
/* A loop that removes now and then is faster with the removal out of its way; removals in a row take up
 * to a twentieth more. gcc puts there what leads to a cold label; clang, what is behind a condition that mostly holds. */
#if defined(__clang__)
#define MP_SELDOM_
#if __has_builtin(__builtin_expect_with_probability)
#define MP_MOSTLY_(condition) __builtin_expect_with_probability(!!(condition), 1, 0.9)
#endif
#elif defined(__GNUC__)
#define MP_SELDOM_ seldom_: __attribute__((cold, unused));
#else
#define MP_SELDOM_
#endif
#if !defined(MP_MOSTLY_)
#define MP_MOSTLY_(condition) (condition)
#endif

static inline MP_INLINED_ bool mp_contains(const mp_pool *pool, mp_handle handle) {
    uint64_t index = handle.bits >> 32;
    uint32_t generation = MP_CAST_(uint32_t, handle.bits);
    /* Read before it is tested: where the compiler knows the pool in a loop, it then reads this once. */
    const uint32_t *words = MP_CAST_(const uint32_t *, pool->words_);
    /* Neither the word of a dead slot nor that of one that was never used is a generation. */
    return index < pool->slots_ && words[index] == generation && generation - 1u < MP_DEAD_ - 1u;
}

/* `stride` is the size of a value, a constant if the type is known. */
static inline MP_INLINED_ void *mp_get_(const mp_pool *pool, mp_handle handle, size_t stride) {
    unsigned char *values = pool->values_;
    if (!mp_contains(pool, handle)) {
        return MP_NULL_;
    }
    values += MP_CAST_(size_t, handle.bits >> 32) * stride;
    MP_ASSUME_(values != MP_NULL_);
    return values;
}
static inline void *mp_get(const mp_pool *pool, mp_handle handle) {
    return mp_get_(pool, handle, pool->value_bytes);
}

/* Whether insertions and removals write the bitmap. What the library then keeps in `age_upper_` of the prefix is always
 * "unknown" here: the header's functions do not maintain it. Otherwise, both halves are the inverse of the insertions and
 * removals that there were when the bitmap was gathered. */
static inline MP_INLINED_ bool mp_is_synced_(const mp_pool *pool) {
    return pool->age_upper_ < MP_DEAD_;
}

/* Begins this lifetime of a dead slot. */
static inline MP_INLINED_ uint64_t mp_begin_(mp_pool *pool, uint32_t index, uint32_t generation) {
    if (MP_RARELY_(mp_is_synced_(pool))) {
        pool->bits_[index / 64] |= MP_CAST_(mp_bits_, 1) << (index % 64);
    }
    MP_CAST_(uint32_t *, pool->words_)[index] = generation;
    pool->inserted_++;
    return MP_CAST_(uint64_t, index) << 32 | generation;
}

/* Inserts where the stack is empty, or has an entry on top that the insertion at a handle left. */
static MP_RARE_ void *mp_insert_rare_(mp_pool *pool, uint64_t *bits) {
    const uint32_t *words = MP_CAST_(const uint32_t *, pool->words_);
    uint32_t index = pool->fresh_from_;
    if (pool->slow_ != 0 || pool->stack_top_ < 0 || index >= pool->fresh_until_ || pool->retired_ != 0) {
        return mp_insert_slow_(pool, bits);
    }
    /* No slot from there to `fresh_until_` was ever used, so that its word is 0; and all below it are live. */
    if (words[index] != 0) {
        return mp_insert_slow_(pool, bits);
    }
    pool->fresh_from_ = index + 1;
    pool->used_ = index + 1;
    if (index >= pool->peak_) {
        pool->peak_ = index + 1;
    }
    *bits = mp_begin_(pool, index, pool->start_);
    return pool->values_ + MP_CAST_(size_t, index) * pool->value_bytes;
}

/* The address of `out` goes nowhere, so that the handle stays in a register. */
static inline MP_INLINED_ void *mp_insert_aside_(mp_pool *pool, mp_handle *out) {
    uint64_t bits;
    void *place = mp_insert_rare_(pool, &bits);
    out->bits = bits;
    return place;
}

/* Both halves of a pair write the stack's top last, so that an insertion that follows a removal has it in a
 * register. */
static inline MP_INLINED_ void *mp_insert_(mp_pool *pool, mp_handle *out, size_t stride) {
    const uint32_t *words = MP_CAST_(const uint32_t *, pool->words_);
    unsigned char *values = pool->values_;
    ptrdiff_t stack_top = pool->stack_top_;
    uint32_t index, word;
    if (MP_RARELY_(stack_top >= pool->quick_top_)) {
        return mp_insert_aside_(pool, out);
    }
    index = words[stack_top];
    word = words[index];
    /* The slot may be live, or have retired. */
    if (MP_RARELY_(word <= MP_DEAD_)) {
        return mp_insert_aside_(pool, out);
    }
    out->bits = mp_begin_(pool, index, word & ~MP_DEAD_);
    pool->stack_top_ = stack_top + 1;
    values += index * stride;
    MP_ASSUME_(values != MP_NULL_);
    return values;
}
/* Begins a lifetime, and returns the place of the value, or null if the pool is full. O(1). */
static inline void *mp_insert(mp_pool *pool, mp_handle *out) {
    return mp_insert_(pool, out, pool->value_bytes);
}

/* Ends a lifetime. Returns `false`, and does nothing, if the handle is refused. O(1). */
static inline MP_INLINED_ bool mp_remove(mp_pool *pool, mp_handle handle) {
    uint32_t index = MP_CAST_(uint32_t, handle.bits >> 32), generation = MP_CAST_(uint32_t, handle.bits);
    uint32_t *words = MP_CAST_(uint32_t *, pool->words_);
    ptrdiff_t stack_top = pool->stack_top_;
    MP_SELDOM_
    if (MP_RARELY_(generation - 1u >= pool->slow_from_minus_1_)) {
        return mp_remove_slow_(pool, handle.bits);
    }
    /* None of these generations is 0 or has the top bit. */
    if (MP_MOSTLY_(index >= pool->slots_ || words[index] != generation)) {
        return false;
    }
    if (MP_RARELY_(mp_is_synced_(pool))) {
        pool->bits_[index / 64] &= ~(MP_CAST_(mp_bits_, 1) << (index % 64));
    }
    words[index] = (generation + 1) | MP_DEAD_;
    words[--stack_top] = index;
    pool->removed_++;
    pool->stack_top_ = stack_top;
    return true;
}

/* Returns the number of live objects. */
static inline size_t mp_live(const mp_pool *pool) {
    return MP_CAST_(size_t, pool->inserted_ - pool->removed_);
}
static inline size_t mp_capacity(const mp_pool *pool) {
    return pool->slots_;
}

/* Returns the first of all values, live and dead. Values in dead slots have their old bytes. */
static inline void *mp_values(const mp_pool *pool) {
    return pool->values_;
}

/* Whether there were insertions or removals since the bitmap was gathered. */
static inline bool mp_is_old_(const mp_pool *pool) {
    uint64_t age = MP_CAST_(uint64_t, pool->age_upper_) << 32 | pool->age_lower_;
    return !mp_is_synced_(pool) && pool->inserted_ + pool->removed_ != ~age;
}

/* Brings the bitmap of live slots up to date, which the walks that follow read. O(slots / 16) if it is old. */
static inline void mp_pool_refresh(mp_pool *pool) {
    if (pool != MP_NULL_ && mp_is_old_(pool)) {
        mp_refresh_slow_(pool);
    }
}

/* Which of the slots from `64 * word` on are live, as bits. `word` is below `mp_capacity(pool) / 64`, rounded up. */
static inline uint64_t mp_live_bits(const mp_pool *pool, size_t word) {
    return mp_is_old_(pool) ? mp_gather_(pool, word) : pool->bits_[word];
}

/* A run of adjacent live slots. Start with `mp_run run = MP_RUN;`. */
typedef struct mp_run {
    size_t first, count;
    size_t slots_;         /* how many there were when the walk began: it goes no farther */
    size_t end_;           /* the slot behind the 64 that the walk has come to */
    uint64_t left_;        /* what it has not met of these */
    const mp_bits_ *bits_; /* null: the bitmap was old when the walk began */
} mp_run;
/* The same one by one: faster than runs where few slots are live. Start with `mp_walk walk = MP_WALK;`. */
typedef struct mp_walk {
    size_t index;
    size_t slots_, end_;
    uint64_t left_;
    const mp_bits_ *bits_;
} mp_walk;
#ifdef __cplusplus
#define MP_RUN (mp_run{0, 0, 0, 0, 0, nullptr})
#define MP_WALK (mp_walk{0, 0, 0, 0, nullptr})
#else
#define MP_RUN {0, 0, 0, 0, 0, NULL}
#define MP_WALK {0, 0, 0, 0, NULL}
#endif

/* The number of 0 bits below the lowest 1; `bits` must not be 0. */
static inline unsigned mp_trailing_zeros_(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return MP_CAST_(unsigned, __builtin_ctzll(bits));
#else
    unsigned count = 0;
    while ((bits & 1) == 0) {
        bits >>= 1;
        count++;
    }
    return count;
#endif
}

/* Which of the 64 slots of a word are live, for a walk with this bitmap. A pool that has grown meanwhile has another. */
static inline uint64_t mp_word_of_(const mp_pool *pool, size_t word, const mp_bits_ *bits) {
    return bits == pool->bits_ ? bits[word] : mp_gather_(pool, word);
}

/* The next 64 slots of which some are live. */
static inline bool mp_next_word_(const mp_pool *pool, size_t *slots, size_t *end, uint64_t *left,
                                 const mp_bits_ **bits) {
    size_t at = *end;
    if (at == 0) {
        *slots = pool->slots_;
        /* What the walk removes makes the bitmap old, but not for what is still to come. */
        *bits = mp_is_old_(pool) ? MP_NULL_ : pool->bits_;
    }
    for (; at < *slots; at += 64) {
        uint64_t found = mp_word_of_(pool, at / 64, *bits);
        if (found != 0) {
            *end = at + 64;
            *left = found;
            return true;
        }
    }
    *end = at;
    return false;
}

/* The run reaches the end of its 64 slots: adds what follows. */
static inline void mp_across_(const mp_pool *pool, mp_run *run, unsigned from) {
    run->count = 64 - from;
    run->left_ = 0;
    while (run->end_ < run->slots_) {
        uint64_t bits = mp_word_of_(pool, run->end_ / 64, run->bits_);
        run->end_ += 64;
        if (bits != ~MP_CAST_(uint64_t, 0)) {
            unsigned length = mp_trailing_zeros_(~bits);
            run->count += length;
            run->left_ = bits & (~MP_CAST_(uint64_t, 0) << length);
            return;
        }
        run->count += 64;
    }
}

/* Finds the next run of live slots. Returns `false` after the last. Meanwhile, only objects that the iteration has
 * reached may be removed, and inserted objects may be missed; if the pool grows, the run's values have moved, and the
 * walk goes on. Call `mp_pool_refresh` first if you may change the pool. */
static inline bool mp_next_run(const mp_pool *pool, mp_run *run) {
    unsigned from;
    uint64_t behind;
    if (run->left_ == 0 && !mp_next_word_(pool, &run->slots_, &run->end_, &run->left_, &run->bits_)) {
        return false;
    }
    from = mp_trailing_zeros_(run->left_);
    run->first = run->end_ - 64 + from;
    /* The carry goes from the lowest bit through the run's bits, to the first 0 behind them. */
    behind = run->left_ + (run->left_ & (0 - run->left_));
    if (!MP_RARELY_(behind == 0)) {
        run->count = mp_trailing_zeros_(behind) - from;
        run->left_ &= behind;
    } else {
        mp_across_(pool, run, from);
    }
    MP_ASSUME_(run->count != 0);
    return true;
}

/* Finds the next live slot; `false` after the last. The same as in `mp_next_run` may be done meanwhile. */
static inline bool mp_next_live(const mp_pool *pool, mp_walk *walk) {
    if (walk->left_ == 0 && !mp_next_word_(pool, &walk->slots_, &walk->end_, &walk->left_, &walk->bits_)) {
        return false;
    }
    walk->index = walk->end_ - 64 + mp_trailing_zeros_(walk->left_);
    walk->left_ &= walk->left_ - 1;
    return true;
}

/* For MP_EACH: the next run of live slots within 64, whose end is `*end`. */
static inline bool mp_next_part_(const mp_pool *pool, mp_walk *walk, size_t *end) {
    uint64_t behind;
    if (walk->left_ == 0 && !mp_next_word_(pool, &walk->slots_, &walk->end_, &walk->left_, &walk->bits_)) {
        return false;
    }
    walk->index = walk->end_ - 64 + mp_trailing_zeros_(walk->left_);
    behind = walk->left_ + (walk->left_ & (0 - walk->left_));
    *end = walk->end_ - (behind != 0 ? 64 - mp_trailing_zeros_(behind) : 0);
    walk->left_ &= behind;
    return true;
}

/* Returns the slot of a handle: where an array of your own, with an element for each slot, has the object's. */
static inline size_t mp_index(mp_handle handle) {
    return MP_CAST_(size_t, handle.bits >> 32);
}

/* Converts a handle to four bytes, for pools with `index_bits`, and back. 0 stays 0, and a handle that does not fit,
 * which no such pool issues, becomes 0. */
static inline uint32_t mp_narrow_(mp_handle handle, unsigned index_bits) {
    return MP_CAST_(uint32_t, handle.bits >> 32) << (32 - index_bits) | MP_CAST_(uint32_t, handle.bits);
}
static inline uint32_t mp_narrow(mp_handle handle, unsigned index_bits) {
    bool fits = handle.bits >> 32 >> index_bits == 0 && MP_CAST_(uint32_t, handle.bits) >> (32 - index_bits) == 0;
    return fits ? mp_narrow_(handle, index_bits) : 0;
}
static inline mp_handle mp_widen(uint32_t bits, unsigned index_bits) {
    mp_handle handle;
    handle.bits = MP_CAST_(uint64_t, bits >> (32 - index_bits)) << 32 | (bits & (UINT32_MAX >> index_bits));
    return handle;
}

/* ---- A pool type and a handle type for each use -------------------------------------------------------------------- */

/* Checks that a pool has values of this size and alignment, and such handles: MP_OK, MP_NULL_POINTER,
 * MP_OTHER_VALUES or MP_OTHER_HANDLES. */
static inline mp_status mp_pool_fits(const mp_pool *pool, size_t bytes, size_t align, uint32_t index_bits) {
    if (pool == MP_NULL_) {
        return MP_NULL_POINTER;
    }
    if (pool->value_bytes != bytes || align == 0 || pool->value_align % align != 0) {
        return MP_OTHER_VALUES;
    }
    return pool->kind_ >> 8 == index_bits ? MP_OK : MP_OTHER_HANDLES;
}

#if defined(__GNUC__) || defined(__clang__)
#define MP_UNUSED_ __attribute__((unused))
#else
#define MP_UNUSED_
#endif
#define MP_API_ MP_UNUSED_ static inline

/* `MP_POOL(sparks, spark)` makes the pool type `sparks` of values of the type `spark`, its handle type `sparks_id`, and
 *     sparks    sparks_of(mp_pool *)                    its `pool` is null if that is no pool of such values
 *     mp_status sparks_fits(const mp_pool *)            why it is null: see `mp_pool_fits`
 *     spark    *sparks_insert(sparks *, sparks_id *out)  null when full
 *     spark    *sparks_get(sparks const *, sparks_id)    null if the handle is refused
 *     bool      sparks_contains(sparks const *, sparks_id)
 *     bool      sparks_remove(sparks *, sparks_id)
 *     spark    *sparks_insert_or_evict(sparks *, mp_key *, void *user, sparks_id *out, sparks_id *evicted)
 *                                                       as `mp_pool_insert_or_evict`; `out`, `evicted` may be null
 *     bool      sparks_detach(sparks *, sparks_id, spark *value)  out for a while: as `mp_pool_detach`
 *     spark    *sparks_reattach(sparks *, sparks_id)    back: the place for it; null if no such spark is out
 *     bool      sparks_free_detached(sparks *, sparks_id)
 *     spark    *sparks_next_run(sparks const *, mp_run *)  the first of `run.count` values, or null after the last
 *     spark    *sparks_next(sparks const *, mp_walk *)     the next value, or null after the last
 *     sparks_id sparks_id_at(sparks const *, size_t index)  no bits if the slot is dead
 *     size_t    sparks_index(sparks_id)                 its slot, for arrays beside the pool
 *     size_t    sparks_live(sparks const *)
 *     mp_handle sparks_handle(sparks_id)                for the functions that take any pool's handles
 *     sparks_id sparks_id_of(mp_handle)                 what such a function has returned
 *
 * and the loop over all, in which the one that is visited may be removed:
 *
 *     MP_EACH(sparks, each, &all) {
 *         if (--each.value->frames_left == 0) sparks_remove(&all, each.id);
 *     }
 */
#define MP_POOL(name, type)                                                                                            \
    MP_HANDLES_(name)                                                                                                  \
    MP_POOL_(name, type, 0, handle_.bits)

/* The same with four-byte handles. `index_bits` must equal that of the options: 16, 20 or 24. */
#define MP_POOL32(name, type, index_bits)                                                                              \
    MP_HANDLES32_(name, index_bits)                                                                                    \
    MP_POOL_(name, type, index_bits, mp_narrow_(handle_, index_bits))

/* A loop over the live objects of a pool of `MP_POOL`, in the order of their slots, or of `MP_PACKED`, from the last one to
 * the first. `each` has the members `value` and `id`. What is visited may be removed. What is inserted may be missed; in a
 * pool that grows, it may move `*each.value`. `break` and `continue` do as in any loop. The pool must not be `const`: the
 * loop brings its bitmap up to date first, as `mp_pool_refresh`. */
#define MP_EACH(name, each, pool)                                                                                      \
    for (name##_each each = name##_each_first_(pool); each.value != MP_NULL_; name##_each_step_(&each))

/* The handle type of a use, and its conversions. */
#define MP_HANDLES_(name)                                                                                              \
    typedef struct name##_id {                                                                                         \
        uint64_t bits;                                                                                                 \
    } name##_id;                                                                                                       \
    MP_API_ mp_handle name##_handle(name##_id id_) {                                                                   \
        mp_handle handle_ = {id_.bits};                                                                                \
        return handle_;                                                                                                \
    }                                                                                                                  \
    MP_API_ name##_id name##_id_of(mp_handle handle_) {                                                                \
        name##_id id_ = {handle_.bits};                                                                                \
        return id_;                                                                                                    \
    }                                                                                                                  \
    MP_API_ size_t name##_index(name##_id id_) {                                                                       \
        return mp_index(name##_handle(id_));                                                                           \
    }
#define MP_HANDLES32_(name, index_bits)                                                                                \
    typedef struct name##_id {                                                                                         \
        uint32_t bits;                                                                                                 \
    } name##_id;                                                                                                       \
    MP_API_ mp_handle name##_handle(name##_id id_) {                                                                   \
        return mp_widen(id_.bits, index_bits);                                                                         \
    }                                                                                                                  \
    MP_API_ name##_id name##_id_of(mp_handle handle_) {                                                                \
        name##_id id_ = {mp_narrow(handle_, index_bits)};                                                              \
        return id_;                                                                                                    \
    }                                                                                                                  \
    MP_API_ size_t name##_index(name##_id id_) {                                                                       \
        return mp_index(name##_handle(id_));                                                                           \
    }

/* What both have. `made_bits`: those of a handle of the pool's own, `handle_`. */
#define MP_POOL_(name, type, index_bits, made_bits)                                                                    \
    typedef struct name {                                                                                              \
        mp_pool *pool;                                                                                                 \
    } name;                                                                                                            \
    MP_API_ mp_status name##_fits(const mp_pool *pool_) {                                                              \
        return mp_pool_fits(pool_, sizeof(type), MP_ALIGNOF_(type), index_bits);                                       \
    }                                                                                                                  \
    MP_API_ name name##_of(mp_pool *pool_) {                                                                           \
        name of_ = {name##_fits(pool_) == MP_OK ? pool_ : MP_NULL_};                                                   \
        return of_;                                                                                                    \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ type *name##_insert(name *in_, name##_id *out_) {                                              \
        mp_handle handle_;                                                                                             \
        void *made_ = mp_insert_(in_->pool, &handle_, sizeof(type));                                                   \
        out_->bits = made_bits;                                                                                        \
        return MP_CAST_(type *, made_);                                                                                \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ type *name##_get(name const *in_, name##_id id_) {                                             \
        return MP_CAST_(type *, mp_get_(in_->pool, name##_handle(id_), sizeof(type)));                                 \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ bool name##_contains(name const *in_, name##_id id_) {                                         \
        return mp_contains(in_->pool, name##_handle(id_));                                                             \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ bool name##_remove(name *in_, name##_id id_) {                                                 \
        return mp_remove(in_->pool, name##_handle(id_));                                                               \
    }                                                                                                                  \
    MP_API_ type *name##_insert_or_evict(name *in_, mp_key *key_, void *user_, name##_id *out_, name##_id *evicted_) { \
        mp_handle made_ = {0}, gone_ = {0};                                                                            \
        void *place_ = mp_pool_insert_or_evict(in_->pool, key_, user_, &made_, &gone_, MP_NULL_);                      \
        if (out_ != MP_NULL_) {                                                                                        \
            *out_ = name##_id_of(made_);                                                                               \
        }                                                                                                              \
        if (evicted_ != MP_NULL_) {                                                                                    \
            *evicted_ = name##_id_of(gone_);                                                                           \
        }                                                                                                              \
        return MP_CAST_(type *, place_);                                                                               \
    }                                                                                                                  \
    MP_API_ bool name##_detach(name *in_, name##_id id_, type *value_) {                                               \
        return mp_pool_detach(in_->pool, name##_handle(id_), value_) == MP_OK;                                         \
    }                                                                                                                  \
    MP_API_ type *name##_reattach(name *in_, name##_id id_) {                                                          \
        void *place_ = MP_NULL_;                                                                                       \
        (void)mp_pool_reattach(in_->pool, name##_handle(id_), &place_);                                                \
        return MP_CAST_(type *, place_);                                                                               \
    }                                                                                                                  \
    MP_API_ bool name##_free_detached(name *in_, name##_id id_) {                                                      \
        return mp_pool_free_detached(in_->pool, name##_handle(id_));                                                   \
    }                                                                                                                  \
    MP_API_ type *name##_next_run(name const *in_, mp_run *run_) {                                                     \
        type *start_ = MP_CAST_(type *, MP_CAST_(void *, in_->pool->values_));                                         \
        if (!mp_next_run(in_->pool, run_)) {                                                                           \
            return MP_NULL_;                                                                                           \
        }                                                                                                              \
        MP_ASSUME_(start_ + run_->first != MP_NULL_);                                                                  \
        return start_ + run_->first;                                                                                   \
    }                                                                                                                  \
    MP_API_ type *name##_next(name const *in_, mp_walk *walk_) {                                                       \
        type *start_ = MP_CAST_(type *, MP_CAST_(void *, in_->pool->values_));                                         \
        if (!mp_next_live(in_->pool, walk_)) {                                                                         \
            return MP_NULL_;                                                                                           \
        }                                                                                                              \
        MP_ASSUME_(start_ + walk_->index != MP_NULL_);                                                                 \
        return start_ + walk_->index;                                                                                  \
    }                                                                                                                  \
    MP_API_ name##_id name##_id_at(name const *in_, size_t index_) {                                                   \
        mp_handle handle_ = {0};                                                                                       \
        if (index_ < in_->pool->slots_) {                                                                              \
            uint32_t word_ = MP_CAST_(const uint32_t *, in_->pool->words_)[index_];                                    \
            handle_.bits = word_ - 1u < MP_DEAD_ - 1u ? MP_CAST_(uint64_t, index_) << 32 | word_ : 0;                  \
        }                                                                                                              \
        return name##_id_of(handle_);                                                                                  \
    }                                                                                                                  \
    MP_API_ size_t name##_live(name const *in_) {                                                                      \
        return mp_live(in_->pool);                                                                                     \
    }                                                                                                                  \
    typedef struct name##_each {                                                                                       \
        type *value;                                                                                                   \
        name##_id id;                                                                                                  \
        name in_;                                                                                                      \
        mp_walk walk_;                                                                                                 \
        size_t run_end_;                                                                                               \
    } name##_each;                                                                                                     \
    MP_API_ void name##_each_step_(name##_each *each_) {                                                               \
        const mp_pool *pool_ = each_->in_.pool;                                                                        \
        mp_handle handle_;                                                                                             \
        if (++each_->walk_.index >= each_->run_end_ && !mp_next_part_(pool_, &each_->walk_, &each_->run_end_)) {       \
            each_->value = MP_NULL_;                                                                                   \
            return;                                                                                                    \
        }                                                                                                              \
        /* Both may have moved if the loop has inserted. */                                                            \
        handle_.bits = MP_CAST_(uint64_t, each_->walk_.index) << 32 |                                                  \
                       MP_CAST_(const uint32_t *, pool_->words_)[each_->walk_.index];                                  \
        each_->id = name##_id_of(handle_);                                                                             \
        each_->value = MP_CAST_(type *, MP_CAST_(void *, pool_->values_)) + each_->walk_.index;                        \
        MP_ASSUME_(each_->value != MP_NULL_);                                                                          \
    }                                                                                                                  \
    MP_API_ name##_each name##_each_first_(name *in_) {                                                                \
        name##_each each_ = {MP_NULL_, {0}, {MP_NULL_}, MP_WALK, 0};                                                      \
        each_.in_ = *in_;                                                                                              \
        mp_pool_refresh(in_->pool);                                                                                    \
        name##_each_step_(&each_);                                                                                     \
        return each_;                                                                                                  \
    }

/* ---- Checksums -------------------------------------------------------------------------------------------------- */

/* A checksum that is the same on every machine, and in Rust. */
typedef struct mp_sum mp_sum;
typedef void mp_add_to_sum(const void *value, mp_sum *sum, void *user);
void mp_sum_u64(mp_sum *sum, uint64_t number); /* any integer or bool, sign-extended */
void mp_sum_f32(mp_sum *sum, float number);
void mp_sum_f64(mp_sum *sum, double number);
void mp_sum_bytes(mp_sum *sum, const void *bytes, size_t count);
/* Returns a checksum of everything that the pool's future depends on. `add` adds the fields of one value; null
 * leaves values out. Never add a struct's bytes, because its padding differs. O(used slots). */
uint64_t mp_pool_checksum(const mp_pool *pool, mp_add_to_sum *add, void *user);

/* ---- Snapshots -------------------------------------------------------------------------------------------------- */

/* A snapshot of a pool, for rollback: saved and restored at the speed of memcpy. */
typedef struct mp_snapshot mp_snapshot;
/* Creates a snapshot for pools with these options. Allocates as much memory as a second pool. Nothing is saved yet. */
mp_status mp_snapshot_create(const mp_options *options, mp_snapshot **out);
void mp_snapshot_destroy(mp_snapshot *snapshot);
/* Neither allocates, unless a pool that grows has other slots than the snapshot. */
mp_status mp_pool_save(const mp_pool *pool, mp_snapshot *snapshot);
mp_status mp_pool_restore(mp_pool *pool, const mp_snapshot *snapshot);

/* The same without a snapshot: makes the state of `to` that of `from`, a second pool with the same options, and back.
 * MP_OTHER_SHAPE if the options differ; then nothing happens. */
mp_status mp_pool_copy(mp_pool *to, const mp_pool *from);

/* A pool's state as bytes, for a file. The bytes of the values are written as they are in memory, so they must not
 * contain pointers, and can be read only on machines of the same kind. `mp_pool_read_state` checks everything except
 * the values' bytes; if it refuses the state, the pool is unchanged. All three take time for the slots that were ever
 * used (the first does all but the writing), and memory for these while they work. The state has a number for each of
 * these slots, and nothing of the others: so it is as short as an `MP_UNTOUCHED` pool is empty, and reading it leaves the
 * others of such a pool untouched, if they were. With MP_FIFO and MP_ROSTER, which keep lists of all slots,
 * and of a pool that grows, it has a number for every slot; states that earlier versions wrote have, too, and are read. A
 * pool that grows gets as many slots as the state lists. */
size_t mp_pool_state_bytes(const mp_pool *pool);
mp_status mp_pool_write_state(const mp_pool *pool, void *buffer, size_t bytes);
mp_status mp_pool_read_state(mp_pool *pool, const void *buffer, size_t bytes);

/* Makes the value of an object from the `bytes` bytes of its old value, which may lie at any address: copy them first. `value`
 * has old bytes, of which the function must write all that count. */
typedef void mp_convert(void *value, const void *old, size_t bytes, mp_handle handle, void *user);
/* Takes over all objects of a saved state of an `mp_pool` or `mp_packed` with other options: other slots, order, `index_bits`,
 * lifetimes, name or salt. For saved games that outlive a change. Every handle that the old pool accepted is good, and no
 * other one that it has issued is ever issued again. The pool keeps its name, and its own objects go. If `convert` is null,
 * values are copied, which must have the same size (MP_OTHER_VALUES). MP_TOO_FEW_SLOTS; MP_OTHER_SHAPE if only one of both
 * pools has `MP_WRAP`; MP_BEYOND_LIFETIMES if an object is in a generation that the pool does not have; MP_BAD_STATE. Nothing
 * happens then. A pool goes on at the generations of the old one: if their names or salts differ, save and restore with
 * snapshots made of it afterwards, and read the states that it writes in the same way. Takes time and memory for the slots of
 * either. */
mp_status mp_pool_migrate(mp_pool *pool, const void *state, size_t bytes, mp_convert *convert, void *user);

/* ---- Handle allocators: a pool without values, beside arrays of your own ---------------------------------------- */

static inline bool mp_acquire(mp_pool *pool, mp_handle *out) {
    return mp_insert_(pool, out, 0) != MP_NULL_;
}
static inline bool mp_release(mp_pool *pool, mp_handle handle) {
    return mp_remove(pool, handle);
}

/* ---- Side tables: what another system keeps about a pool's objects ---------------------------------------------- */

typedef struct mp_table mp_table;
/* `slots` and `index_bits` are those of the pool whose handles are the keys. */
mp_status mp_table_create(uint32_t slots, uint32_t value_bytes, uint32_t value_align, uint32_t index_bits,
                          mp_table **out);
void mp_table_destroy(mp_table *table);
/* Returns the place of the handle's value, or null if the slot had a value of a later lifetime. `*is_new` (`is_new`
 * may be null) is set to whether the handle had no value yet. */
void *mp_table_put(mp_table *table, mp_handle handle, bool *is_new);
void *mp_table_get(const mp_table *table, mp_handle handle);
bool mp_table_remove(mp_table *table, mp_handle handle);
size_t mp_table_count(const mp_table *table);
/* Calls `visit` with each value, in slot order. */
typedef void mp_visit(void *value, mp_handle handle, void *user);
void mp_table_each(const mp_table *table, mp_visit *visit, void *user);
void mp_table_clear(mp_table *table);

/* ---- Size classes: raw memory in slots of several sizes ---------------------------------------------------------- */

typedef struct mp_classes mp_classes;
typedef struct mp_class {
    size_t bytes, slots; /* `slots`: how many are reserved */
} mp_class;
/* What happens to a request that finds no slot. */
#define MP_CLASSES_GROW 0      /* its class gets another block; requests that no class fits fall back */
#define MP_CLASSES_REFUSE 1    /* it is refused */
#define MP_CLASSES_FALL_BACK 2 /* the C library serves the request */
/* If `classes` is null: classes of up to 1 KiB, with nothing reserved. Only one thread at a time may use them. */
mp_status mp_classes_create(const mp_class *classes, size_t count, uint32_t overflow, mp_classes **out);
/* Frees the blocks with all slots in them. Memory that fell back to the C library is not freed: give it back first. */
void mp_classes_destroy(mp_classes *classes);
/* Allocates memory, or returns null if the request is refused. `align` must be a power of two. O(1), except for
 * growth. */
void *mp_classes_take(mp_classes *classes, size_t bytes, size_t align);
/* Frees memory, with the size and the alignment of its allocation. */
void mp_classes_give(mp_classes *classes, void *memory, size_t bytes, size_t align);
/* Frees empty blocks, and returns how many. */
size_t mp_classes_shrink(mp_classes *classes);
typedef struct mp_classes_stats {
    uint64_t block_bytes, blocks, blocks_peak, blocks_spare, fallen_back, fallen_back_bytes, refused;
} mp_classes_stats;
mp_classes_stats mp_classes_stats_of(const mp_classes *classes);

/* ---- Recorder: a live trace, for `millpond watch` and `millpond plan` ------------------------------------------- */

typedef struct mp_recorder mp_recorder;
/* Writes a piece of text. If it returns `false`, nothing more is written. */
typedef bool mp_write(const char *text, size_t bytes, void *user);
mp_status mp_recorder_create(mp_write *write, void *user, mp_recorder **out);
/* Records the pool's births and deaths from now on. They cost more than in a pool that is not recorded. */
mp_status mp_pool_record(mp_pool *pool, mp_recorder *recorder);
/* Call this at the end of each tick. `ms` is the time in milliseconds since the recording began. */
void mp_recorder_tick(mp_recorder *recorder, uint64_t ms);
/* Writes the rest, and closes the recorder. Returns MP_WRITE_FAILED if anything could not be written. */
mp_status mp_recorder_destroy(mp_recorder *recorder);

/* ---- Packed pools: the values are always adjacent ---------------------------------------------------------------- */

/* A pool whose values lie in one array without holes, so that iterating is a loop over an array. A removal moves the
 * last value into the gap: handles stay valid, pointers do not. For what is iterated over more often than it is looked
 * up by handle, which takes one step more than in an `mp_pool`:
 *
 *     MP_PACKED(sparks, spark)
 *
 *     mp_packed *pool;
 *     if (mp_packed_create(&options, &pool) != MP_OK) return 1;
 *     sparks all = sparks_of(pool);
 *     MP_EACH(sparks, each, &all)
 *         if (--each.value->frames_left == 0) sparks_remove(&all, each.id);
 *     spark *values = sparks_values(&all);
 *     for (size_t at = 0; at < sparks_count(&all); at++)
 *         values[at].x += 1;
 *
 * Handles are those of an `mp_pool` with the same options. Each slot takes 12 bytes more than there. Do not sort or swap
 * the values: the pool would not know, and handles would name other values. */
typedef struct mp_packed {
    void *private_[3];
    void *aids_; /* not null: the library is called when a value comes or goes */
    unsigned char *values_;
    mp_handle *handles_; /* of each value */
    size_t count_;
    uint32_t value_bytes, value_align;
    mp_pool slots_; /* of places: a slot's value is the number of the packed value */
} mp_packed;

/* As for `mp_pool`. `MP_EVICT_OLDEST` is `MP_BAD_OPTIONS`: there is `mp_packed_insert_or_evict`. So is `slots_max`: a
 * packed pool does not grow. */
size_t mp_packed_bytes(const mp_options *options);
mp_status mp_packed_create_(const mp_options *options, mp_packed **out, uint32_t layout, size_t packed_bytes);
void mp_packed_watch_(mp_packed *packed, void (*poison)(void const volatile *, size_t),
                      void (*unpoison)(void const volatile *, size_t));
void mp_packed_destroy(mp_packed *packed);
static inline mp_status mp_packed_create(const mp_options *options, mp_packed **out) {
    mp_status status = mp_packed_create_(options, out, MP_LAYOUT_, sizeof(mp_packed));
#ifdef MP_ASAN_
    if (status == MP_OK) {
        mp_packed_watch_(*out, __asan_poison_memory_region, __asan_unpoison_memory_region);
    }
#endif
    return status;
}

/* The value at this place has come, or has gone, for pools with `aids_`. */
void mp_packed_note_(mp_packed *packed, size_t place, bool has_come);

/* Returns the pool's slots, for the functions that only read: `mp_contains`, `mp_capacity`, `mp_pool_check`,
 * `mp_pool_explain`, `mp_pool_stats`. Its values are private. */
static inline const mp_pool *mp_packed_slots(const mp_packed *packed) {
    return packed == MP_NULL_ ? MP_NULL_ : &packed->slots_;
}
/* Returns the number of values. */
static inline size_t mp_packed_count(const mp_packed *packed) {
    return packed->count_;
}
/* Returns the first value; the others follow. Their order changes with each removal. */
static inline void *mp_packed_values(const mp_packed *packed) {
    return packed->values_;
}
/* Returns the handle of the value at `place`, or 0 bits if `place` is not below the count. O(1). */
static inline mp_handle mp_packed_handle_at(const mp_packed *packed, size_t place) {
    mp_handle handle = {0};
    return place < packed->count_ ? packed->handles_[place] : handle;
}

static inline uint32_t *mp_packed_places_(const mp_packed *packed) {
    return MP_CAST_(uint32_t *, MP_CAST_(void *, packed->slots_.values_));
}

static inline MP_INLINED_ void *mp_packed_get_(const mp_packed *packed, mp_handle handle, size_t stride) {
    unsigned char *values = packed->values_;
    const uint32_t *places = mp_packed_places_(packed);
    if (!mp_contains(&packed->slots_, handle)) {
        return MP_NULL_;
    }
    values += places[handle.bits >> 32] * stride;
    MP_ASSUME_(values != MP_NULL_);
    return values;
}
static inline void *mp_packed_get(const mp_packed *packed, mp_handle handle) {
    return mp_packed_get_(packed, handle, packed->value_bytes);
}

/* The value of a slot that was just taken: behind the others. */
static inline MP_INLINED_ void *mp_packed_join_(mp_packed *packed, mp_handle handle, size_t stride) {
    uint32_t slot = MP_CAST_(uint32_t, handle.bits >> 32);
    unsigned char *values = packed->values_;
    size_t place = packed->count_;
    mp_packed_places_(packed)[slot] = MP_CAST_(uint32_t, place);
    packed->handles_[place] = handle;
    packed->count_ = place + 1;
    if (MP_RARELY_(packed->aids_ != MP_NULL_)) {
        mp_packed_note_(packed, place, true);
    }
    values += place * stride;
    MP_ASSUME_(values != MP_NULL_);
    return values;
}
static inline MP_INLINED_ void *mp_packed_insert_(mp_packed *packed, mp_handle *out, size_t stride) {
    mp_handle handle;
    if (mp_insert_(&packed->slots_, &handle, sizeof(uint32_t)) == MP_NULL_) {
        out->bits = 0;
        return MP_NULL_;
    }
    out->bits = handle.bits;
    return mp_packed_join_(packed, handle, stride);
}
/* Begins a lifetime, and returns the place of the value, behind the others, or null if the pool is full. O(1). */
static inline void *mp_packed_insert(mp_packed *packed, mp_handle *out) {
    return mp_packed_insert_(packed, out, packed->value_bytes);
}
/* Begins exactly the handle's lifetime, for loading saved objects: those saved in the order of their places keep it.
 * `*value` (`value` may be null) is the place of the value. O(1) amortised. */
static inline mp_status mp_packed_insert_at(mp_packed *packed, mp_handle handle, void **value) {
    mp_status status = packed == MP_NULL_ ? MP_NULL_POINTER : mp_pool_insert_at(&packed->slots_, handle, MP_NULL_);
    if (status == MP_OK) {
        void *made = mp_packed_join_(packed, handle, packed->value_bytes);
        if (value != MP_NULL_) {
            *value = made;
        }
    }
    return status;
}

/* The last value, whose place is returned, takes this place: the caller has moved it there, or does so next. */
static inline MP_INLINED_ size_t mp_packed_close_(mp_packed *packed, mp_handle moved, size_t place) {
    size_t last = packed->count_ - 1;
    packed->handles_[place] = moved;
    mp_packed_places_(packed)[mp_index(moved)] = MP_CAST_(uint32_t, place);
    packed->count_ = last;
    return last;
}
/* Ends the lifetime of the value at `place`, as far as the slots know; and the last one takes the place. */
static inline MP_INLINED_ size_t mp_packed_leave_(mp_packed *packed, mp_handle handle, size_t place, bool is_evicted) {
    mp_handle moved = packed->handles_[packed->count_ - 1];
    if (is_evicted) {
        mp_evict_(&packed->slots_, handle.bits);
    } else {
        mp_remove(&packed->slots_, handle);
    }
    return mp_packed_close_(packed, moved, place);
}
static inline MP_INLINED_ bool mp_packed_remove_(mp_packed *packed, mp_handle handle, size_t stride, bool is_evicted) {
    unsigned char *values = packed->values_;
    size_t place, last;
    MP_SELDOM_
    if (MP_MOSTLY_(!mp_contains(&packed->slots_, handle))) {
        return false;
    }
    place = mp_packed_places_(packed)[handle.bits >> 32];
    last = mp_packed_leave_(packed, handle, place, is_evicted);
    if (place != last) {
        MP_COPY_(values + place * stride, values + last * stride, stride);
    }
    if (MP_RARELY_(packed->aids_ != MP_NULL_)) {
        mp_packed_note_(packed, last, false);
    }
    return true;
}
/* Ends a lifetime, and moves the last value into the gap. Returns `false`, and does nothing, if the handle is refused.
 * O(1). */
static inline bool mp_packed_remove(mp_packed *packed, mp_handle handle) {
    return mp_packed_remove_(packed, handle, packed->value_bytes, false);
}
/* As `mp_pool_detach`, `mp_pool_reattach` and `mp_pool_free_detached`. The last value moves into the gap of the one that
 * leaves; one that comes back is behind the others. */
static inline mp_status mp_packed_detach(mp_packed *packed, mp_handle handle, void *value) {
    size_t place, last, stride;
    mp_status status;
    if (packed == MP_NULL_) {
        return MP_NULL_POINTER;
    }
    if (!mp_contains(&packed->slots_, handle)) {
        return mp_pool_check(&packed->slots_, handle);
    }
    stride = packed->value_bytes;
    place = mp_packed_places_(packed)[handle.bits >> 32];
    status = mp_pool_detach(&packed->slots_, handle, MP_NULL_);
    if (status != MP_OK) {
        return status;
    }
    last = mp_packed_close_(packed, packed->handles_[packed->count_ - 1], place);
    if (value != MP_NULL_) {
        MP_COPY_(value, packed->values_ + place * stride, stride);
    }
    if (place != last) {
        MP_COPY_(packed->values_ + place * stride, packed->values_ + last * stride, stride);
    }
    if (packed->aids_ != MP_NULL_) {
        mp_packed_note_(packed, last, false);
    }
    return MP_OK;
}
static inline mp_status mp_packed_reattach(mp_packed *packed, mp_handle handle, void **value) {
    mp_status status = packed == MP_NULL_ ? MP_NULL_POINTER : mp_pool_reattach(&packed->slots_, handle, MP_NULL_);
    if (status == MP_OK) {
        void *place = mp_packed_join_(packed, handle, packed->value_bytes);
        if (value != MP_NULL_) {
            *value = place;
        }
    }
    return status;
}
static inline bool mp_packed_free_detached(mp_packed *packed, mp_handle handle) {
    return mp_pool_free_detached(packed == MP_NULL_ ? MP_NULL_ : &packed->slots_, handle);
}
/* Removes all objects. O(slots). */
void mp_packed_clear(mp_packed *packed);

/* The object of a full pool that `mp_packed_insert_or_evict` removes. */
uint64_t mp_packed_least_(const mp_packed *packed, mp_key *key, void *user);
/* As `mp_pool_insert_or_evict`. Of several objects with the smallest key, the first in the order of the values goes.
 * Without a `key`, a full pool refuses. O(values) if the pool is full. */
static inline void *mp_packed_insert_or_evict(mp_packed *packed, mp_key *key, void *user, mp_handle *out,
                                              mp_handle *evicted, void *evicted_value) {
    mp_handle made = {0}, gone = {0};
    void *place = MP_NULL_;
    gone.bits = mp_packed_least_(packed, key, user);
    if (gone.bits != 0) {
        if (evicted_value != MP_NULL_) {
            MP_COPY_(evicted_value, mp_packed_get(packed, gone), packed->value_bytes);
        }
        mp_packed_remove_(packed, gone, packed->value_bytes, true);
    }
    if (packed != MP_NULL_) {
        place = mp_packed_insert(packed, &made);
    }
    if (out != MP_NULL_) {
        *out = made;
    }
    if (evicted != MP_NULL_) {
        *evicted = gone;
    }
    return place;
}

/* As `mp_pool_next_handle` and `mp_pool_record`. */
static inline mp_handle mp_packed_next_handle(mp_packed *packed) {
    return mp_pool_next_handle(packed == MP_NULL_ ? MP_NULL_ : &packed->slots_);
}
static inline mp_status mp_packed_record(mp_packed *packed, mp_recorder *recorder) {
    return mp_pool_record(packed == MP_NULL_ ? MP_NULL_ : &packed->slots_, recorder);
}

/* Checks every invariant, as `mp_pool_validate`. */
mp_status mp_packed_validate(const mp_packed *packed, char *text, size_t room);
/* As `mp_pool_checksum`; the order of the values counts, too. Not the sum of Rust's `PackedPool`. */
uint64_t mp_packed_checksum(const mp_packed *packed, mp_add_to_sum *add, void *user);
/* Makes the state of `to` that of `from`, without allocating, at the speed of memcpy. For rollback: into a second pool
 * with the same options, and back. MP_OTHER_SHAPE if the options differ; then nothing happens. */
mp_status mp_packed_copy(mp_packed *to, const mp_packed *from);
/* The state as bytes, as for `mp_pool`. */
size_t mp_packed_state_bytes(const mp_packed *packed);
mp_status mp_packed_write_state(const mp_packed *packed, void *buffer, size_t bytes);
mp_status mp_packed_read_state(mp_packed *packed, const void *buffer, size_t bytes);
/* As `mp_pool_migrate`. The values of a packed pool keep their places; others come in the order of their slots. */
mp_status mp_packed_migrate(mp_packed *packed, const void *state, size_t bytes, mp_convert *convert, void *user);

/* As `mp_pool_fits`. */
static inline mp_status mp_packed_fits(const mp_packed *packed, size_t bytes, size_t align, uint32_t index_bits) {
    if (packed == MP_NULL_) {
        return MP_NULL_POINTER;
    }
    if (packed->value_bytes != bytes || align == 0 || packed->value_align % align != 0) {
        return MP_OTHER_VALUES;
    }
    return packed->slots_.kind_ >> 8 == index_bits ? MP_OK : MP_OTHER_HANDLES;
}

/* `MP_PACKED(sparks, spark)` makes the pool type `sparks`, its handle type `sparks_id`, and, as `MP_POOL`, `sparks_of`,
 * `sparks_fits`, `sparks_insert`, `sparks_get`, `sparks_contains`, `sparks_remove`, `sparks_handle`, `sparks_id_of`,
 * `sparks_index`, `sparks_insert_or_evict`, `sparks_detach`, `sparks_reattach` and `sparks_free_detached`, with an `mp_packed`
 * for the `mp_pool`; and
 *     spark    *sparks_values(sparks const *)           the first of
 *     size_t    sparks_count(sparks const *)            so many
 *     sparks_id sparks_id_at(sparks const *, size_t place)  of the value at this place; no bits if there is none
 */
#define MP_PACKED(name, type)                                                                                          \
    MP_HANDLES_(name)                                                                                                  \
    MP_PACKED_(name, type, 0, handle_.bits)

/* The same with four-byte handles, as `MP_POOL32`. */
#define MP_PACKED32(name, type, index_bits)                                                                            \
    MP_HANDLES32_(name, index_bits)                                                                                    \
    MP_PACKED_(name, type, index_bits, mp_narrow_(handle_, index_bits))

#define MP_PACKED_(name, type, index_bits, made_bits)                                                                  \
    typedef struct name {                                                                                              \
        mp_packed *pool;                                                                                               \
    } name;                                                                                                            \
    MP_API_ mp_status name##_fits(const mp_packed *pool_) {                                                            \
        return mp_packed_fits(pool_, sizeof(type), MP_ALIGNOF_(type), index_bits);                                     \
    }                                                                                                                  \
    MP_API_ name name##_of(mp_packed *pool_) {                                                                         \
        name of_ = {name##_fits(pool_) == MP_OK ? pool_ : MP_NULL_};                                                   \
        return of_;                                                                                                    \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ type *name##_insert(name *in_, name##_id *out_) {                                              \
        mp_handle handle_;                                                                                             \
        void *made_ = mp_packed_insert_(in_->pool, &handle_, sizeof(type));                                            \
        out_->bits = made_bits;                                                                                        \
        return MP_CAST_(type *, made_);                                                                                \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ type *name##_get(name const *in_, name##_id id_) {                                             \
        return MP_CAST_(type *, mp_packed_get_(in_->pool, name##_handle(id_), sizeof(type)));                          \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ bool name##_contains(name const *in_, name##_id id_) {                                         \
        return mp_contains(&in_->pool->slots_, name##_handle(id_));                                                    \
    }                                                                                                                  \
    MP_API_ MP_INLINED_ bool name##_remove(name *in_, name##_id id_) {                                                 \
        return mp_packed_remove_(in_->pool, name##_handle(id_), sizeof(type), false);                                  \
    }                                                                                                                  \
    MP_API_ type *name##_insert_or_evict(name *in_, mp_key *key_, void *user_, name##_id *out_, name##_id *evicted_) { \
        mp_handle made_ = {0}, gone_ = {0};                                                                            \
        void *place_ = mp_packed_insert_or_evict(in_->pool, key_, user_, &made_, &gone_, MP_NULL_);                    \
        if (out_ != MP_NULL_) {                                                                                        \
            *out_ = name##_id_of(made_);                                                                               \
        }                                                                                                              \
        if (evicted_ != MP_NULL_) {                                                                                    \
            *evicted_ = name##_id_of(gone_);                                                                           \
        }                                                                                                              \
        return MP_CAST_(type *, place_);                                                                               \
    }                                                                                                                  \
    MP_API_ bool name##_detach(name *in_, name##_id id_, type *value_) {                                               \
        return mp_packed_detach(in_->pool, name##_handle(id_), value_) == MP_OK;                                       \
    }                                                                                                                  \
    MP_API_ type *name##_reattach(name *in_, name##_id id_) {                                                          \
        void *place_ = MP_NULL_;                                                                                       \
        (void)mp_packed_reattach(in_->pool, name##_handle(id_), &place_);                                              \
        return MP_CAST_(type *, place_);                                                                               \
    }                                                                                                                  \
    MP_API_ bool name##_free_detached(name *in_, name##_id id_) {                                                      \
        return mp_packed_free_detached(in_->pool, name##_handle(id_));                                                 \
    }                                                                                                                  \
    MP_API_ type *name##_values(name const *in_) {                                                                     \
        return MP_CAST_(type *, mp_packed_values(in_->pool));                                                          \
    }                                                                                                                  \
    MP_API_ size_t name##_count(name const *in_) {                                                                     \
        return mp_packed_count(in_->pool);                                                                             \
    }                                                                                                                  \
    MP_API_ name##_id name##_id_at(name const *in_, size_t place_) {                                                   \
        return name##_id_of(mp_packed_handle_at(in_->pool, place_));                                                   \
    }                                                                                                                  \
    typedef struct name##_each {                                                                                       \
        type *value;                                                                                                   \
        name##_id id;                                                                                                  \
        name in_;                                                                                                      \
        size_t left_;                                                                                                  \
    } name##_each;                                                                                                     \
    MP_API_ void name##_each_step_(name##_each *each_) {                                                               \
        size_t count_ = mp_packed_count(each_->in_.pool);                                                              \
        each_->left_ = each_->left_ < count_ ? each_->left_ : count_;                                                  \
        each_->value = MP_NULL_;                                                                                       \
        if (each_->left_ != 0) {                                                                                       \
            each_->left_--;                                                                                            \
            each_->value = name##_values(&each_->in_) + each_->left_;                                                  \
            each_->id = name##_id_at(&each_->in_, each_->left_);                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    MP_API_ name##_each name##_each_first_(name *in_) {                                                                \
        name##_each each_ = {MP_NULL_, {0}, {MP_NULL_}, SIZE_MAX};                                                     \
        each_.in_ = *in_;                                                                                              \
        name##_each_step_(&each_);                                                                                     \
        return each_;                                                                                                  \
    }

/* ---- Pools that threads share ------------------------------------------------------------------------------------
 *
 * Rust's `SyncPool` and `SyncRecycler`: any thread inserts, looks up and removes at any time, without a lock. In C++, with
 * guards that drop themselves: millpond_sync.hpp.
 *
 *     mp_sync *jobs;                                       // of `job`, which threads read
 *     mp_options options = MP_OPTIONS(job, 1000);
 *     mp_sync_create(&options, NULL, NULL, &jobs);
 *     mp_handle id;
 *     mp_sync_insert(jobs, &made, &id);                    // copies it; false when full
 *     mp_shared held;
 *     const job *found = mp_sync_get(jobs, id, &held);     // null once it is removed
 *     if (found != NULL) { ...; mp_sync_drop(&held); }     // stays while it is held, although another thread removes it
 *     mp_sync_remove(jobs, id);                            // refused at once; the value ends when nobody holds it
 *
 * Values that are held by several threads are read, not written, unless they are atomic or have a lock of their own. */

typedef struct mp_sync mp_sync;
/* A value that is held. It may go to another thread, and is copied nowhere. */
typedef struct mp_shared {
    void *value; /* null: none */
    uint64_t private_[2];
} mp_shared;

/* Ends a value, which nobody holds any more, on the thread that finds that out: closes what it has open, say. */
typedef void mp_end(void *value, void *user);
/* Writes a value into its place, whose bytes are 0 or old. */
typedef void mp_make(void *place, void *user);

mp_status mp_sync_create_(const mp_options *options, mp_end *end, void *user, mp_sync **out);
void mp_sync_watch_(mp_sync *pool, void (*acquire)(void *), void (*release)(void *));

#if defined(__SANITIZE_THREAD__)
#define MP_TSAN_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MP_TSAN_ 1
#endif
#endif
#ifdef MP_TSAN_
/* The sanitizer does not see the library's atomics. */
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#endif

/* Creates a pool with `slots` of `options`, for good; `lifetimes`, `salt` and `name` may be set as well, and the others are
 * MP_BAD_OPTIONS. `end` may be null. */
static inline mp_status mp_sync_create(const mp_options *options, mp_end *end, void *user, mp_sync **out) {
    mp_status status = mp_sync_create_(options, end, user, out);
#ifdef MP_TSAN_
    if (status == MP_OK) {
        mp_sync_watch_(*out, __tsan_acquire, __tsan_release);
    }
#endif
    return status;
}
/* Ends all values, and frees the memory. Nobody uses the pool any more or holds a value. */
void mp_sync_destroy(mp_sync *pool);
/* Inserts a copy of the value's bytes. False, and bits 0, if the pool is full. */
bool mp_sync_insert(const mp_sync *pool, const void *value, mp_handle *out);
/* Inserts a value that `make` writes into its place; if the pool is full, it is not called. */
bool mp_sync_insert_with(const mp_sync *pool, mp_make *make, void *user, mp_handle *out);
/* Holds the value of a handle: it stays until `mp_sync_drop`. Null if the handle is refused, and then nothing is held. */
void *mp_sync_get(const mp_sync *pool, mp_handle handle, mp_shared *out);
/* Holds it no longer: `held->value` is null then. Does nothing if that is null. */
void mp_sync_drop(mp_shared *held);
/* Removes a value: its handle is refused from now on. False if it is refused already. */
bool mp_sync_remove(const mp_sync *pool, mp_handle handle);
bool mp_sync_contains(const mp_sync *pool, mp_handle handle);
/* The handle of the value in a slot, or bits 0: to visit all values, of which others come and go meanwhile. */
mp_handle mp_sync_handle_at(const mp_sync *pool, size_t index);
mp_stats mp_sync_stats(const mp_sync *pool);

/* Objects that stay, and are lent to one thread at a time: buffers, say. */
typedef struct mp_recycler mp_recycler;
/* An object that is lent. It may go to another thread, and is copied nowhere. */
typedef struct mp_lent {
    void *object; /* null: none */
    size_t index; /* which one of the recycler's it is */
    uint64_t private_[2];
} mp_lent;
/* Writes object `index` into its place, whose bytes are 0. */
typedef void mp_make_at(void *place, size_t index, void *user);

mp_status mp_recycler_create_(const mp_options *options, mp_make_at *make, mp_end *end, void *user, mp_recycler **out);
void mp_recycler_watch_(mp_recycler *recycler, void (*acquire)(void *), void (*release)(void *));
/* Creates a recycler of `slots` objects, made by `make` (null: of bytes 0) and ended by `end` when it is destroyed. Only
 * `name` may be set besides. */
static inline mp_status mp_recycler_create(const mp_options *options, mp_make_at *make, mp_end *end, void *user,
                                           mp_recycler **out) {
    mp_status status = mp_recycler_create_(options, make, end, user, out);
#ifdef MP_TSAN_
    if (status == MP_OK) {
        mp_recycler_watch_(*out, __tsan_acquire, __tsan_release);
    }
#endif
    return status;
}
/* Nobody uses the recycler any more or has one of its objects. */
void mp_recycler_destroy(mp_recycler *recycler);
/* Lends an object, as it was given back: it is this thread's until `mp_recycler_release`. Null if all are lent. */
void *mp_recycler_acquire(const mp_recycler *recycler, mp_lent *out);
/* Gives it back: `lent->object` is null then. Does nothing if that is null. */
void mp_recycler_release(mp_lent *lent);
size_t mp_recycler_capacity(const mp_recycler *recycler);
/* How many objects are not lent, at some moment during the call. */
size_t mp_recycler_available(const mp_recycler *recycler);

/* ---- What this header and the library agree on ------------------------------------------------------------------ */

/* The library's own view of `mp_pool` and the other structs, for tests: name and number of each entry, null after
 * the last. */
const char *mp_layout_entry_(size_t at, size_t *number);

#define MP_CHECK_(name, condition) typedef char mp_check_##name##_[(condition) ? 1 : -1]
#if UINTPTR_MAX == UINT64_MAX
MP_CHECK_(age, offsetof(mp_pool, age_upper_) == 136);
MP_CHECK_(slots, offsetof(mp_pool, slots_) == 144);
MP_CHECK_(values, offsetof(mp_pool, values_) == 152);
MP_CHECK_(inserted, offsetof(mp_pool, inserted_) == 168);
MP_CHECK_(stack, offsetof(mp_pool, stack_top_) == 192);
MP_CHECK_(quick, offsetof(mp_pool, quick_top_) == 40);
MP_CHECK_(pool, sizeof(mp_pool) == 208);
MP_CHECK_(options, sizeof(mp_options) == 96);
MP_CHECK_(packed_values, offsetof(mp_packed, values_) == 32);
MP_CHECK_(packed_count, offsetof(mp_packed, count_) == 48);
MP_CHECK_(packed_slots, offsetof(mp_packed, slots_) == 64);
MP_CHECK_(packed, sizeof(mp_packed) == 64 + sizeof(mp_pool));
#endif
MP_CHECK_(handle, sizeof(mp_handle) == 8);
MP_CHECK_(boolean, sizeof(bool) == 1);

#ifdef __cplusplus
}
#endif

#endif
