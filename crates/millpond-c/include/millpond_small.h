/* millpond_small.h: four published object pools, and one that grows, in one file of C99 that is also C++11.
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 *     #define MILLPOND_SMALL_IMPLEMENTATION     // in one file of the program
 *     #include "millpond_small.h"
 *
 *     spark sparks[6];                          // the objects are yours; nothing is stored in them
 *     uint32_t words[MPS_ROSTER_WORDS(6)];
 *     mps_roster pool;
 *     mps_roster_init(&pool, words, 6);
 *     mps_id id = mps_roster_allocate(&pool);   // id.bits is 0 when the pool is full
 *     uint32_t slot = mps_roster_find(&pool, id);
 *     if (slot != MPS_NONE) sparks[slot].x = 1; // MPS_NONE once the spark is freed
 *     mps_roster_free(&pool, id);               // 0 if it was freed already
 *
 *     mps_roster    swap-delete: a roster of all slots, split by a partition; handles with generations
 *     mps_bytemap   one byte for each slot, a cursor, handles of 32 bits: CPool of three well-known games
 *     mps_stack     a growing stack of free objects of one type, in chunks; pointers
 *     mps_list      particles, with the free list in the memory of the dead; pointers
 *     mps_growing   takes memory as it grows; objects never move; handles with generations
 *
 * A roster and a growing pool are saved and restored with their objects, in memory or as bytes (mps_roster_save, ...).
 * All memory comes from the caller. Any bits may be passed as a handle and any address as an object: what is stale or
 * was never handed out is refused. (An address has no generation: one kept after its object was freed is refused only
 * until its slot is used again.) A pool of zero bytes is one without slots. One thread at a time may change a pool.
 *
 * With MILLPOND_SMALL_STATIC defined instead, every function is `static inline` in the file that includes this one.
 * For C++17 there is millpond_small.hpp. millpond.h has more: recordings, other orders, typed handles.
 */
#ifndef MILLPOND_SMALL_H
#define MILLPOND_SMALL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef MILLPOND_SMALL_STATIC
#define MPS_API static inline
#ifndef MILLPOND_SMALL_IMPLEMENTATION
#define MILLPOND_SMALL_IMPLEMENTATION
#endif
#else
#define MPS_API extern
#endif

#ifdef __cplusplus
#define MPS_CAST_(type, value) (static_cast<type>(value))
#define MPS_ADDRESS_(pointer) (reinterpret_cast<uintptr_t>(pointer))
extern "C" {
#else
#define MPS_CAST_(type, value) ((type)(value))
#define MPS_ADDRESS_(pointer) ((uintptr_t)(pointer))
#endif

#define MPS_NONE UINT32_MAX          /* no slot */
#define MPS_SLOTS_MAX 0x10000000u /* of a roster or a list */

/* ---- Swap-delete: mps_roster ------------------------------------------------------------------------------------
 *
 *     objects   [ 0 ][ 1 ][ 2 ][ 3 ][ 4 ][ 5 ]    the caller's array, live and dead alike; nothing ever moves
 *     roster    [ 5 ][ 1 ][ 3 ][ 2 ]|[ 4 ][ 0 ]   a permutation of the slots
 *                           partition 4            entries below are live; the entry at it comes next
 *
 * Allocation hands out the entry at the partition and moves the partition up. Freeing swaps the slot's entry with the
 * one below the partition and moves the partition down: the slot freed last comes next. A loop over roster[0 ..
 * partition) visits the live slots, a loop over the array all of them, without a branch.
 *
 * A handle is `slot << 32 | generation`; a slot whose 2^31 - 1 generations are used up retires, so that no handle is
 * ever valid again. Retired slots stand at the partition, before the free ones. Each function is O(1) but init. */

typedef struct mps_id {
    uint64_t bits; /* 0: no object */
} mps_id;

typedef struct mps_roster {
    uint32_t *roster;      /* read it as you like */
    uint32_t *position;    /* the reverse table: roster[position[slot]] == slot */
    uint32_t *generations; /* with MPS_DEAD while the slot is free, and then the next one */
    uint32_t slots, partition, retired;
} mps_roster;

#define MPS_DEAD 0x80000000u
#define MPS_ROSTER_WORDS(slots) (3 * MPS_CAST_(size_t, slots)) /* of uint32_t */

/* The memory is of MPS_ROSTER_WORDS(slots) words. The highest slot comes first. 0 if there is no memory. O(slots). */
MPS_API int mps_roster_init(mps_roster *pool, uint32_t *memory, uint32_t slots);
/* Makes the next slot live. Bits 0 if no slot is free. */
MPS_API mps_id mps_roster_allocate(mps_roster *pool);
/* The slot of a live object, or MPS_NONE. */
MPS_API uint32_t mps_roster_find(const mps_roster *pool, mps_id id);
/* The handle of a live slot, or bits 0: for a pass over the array that finds an object finished. */
MPS_API mps_id mps_roster_id_at(const mps_roster *pool, uint32_t slot);
/* 1, or 0 for a handle that is refused. */
MPS_API int mps_roster_free(mps_roster *pool, mps_id id);

/* The state: which handles are good, which slots come next, and the objects, as they lie in memory; for going back, and for
 * files that the same program reads on the same kind of machine. How many bytes it takes, for objects of this size. */
MPS_API size_t mps_roster_state_bytes(const mps_roster *pool, size_t object_bytes);
/* Writes the state. 0 if there is too little room. O(slots). */
MPS_API int mps_roster_save(const mps_roster *pool, const void *objects, size_t object_bytes, void *to, size_t room);
/* Makes the pool, and the objects of its live slots, what they were. The bytes may be any: those that are not the state of a
 * pool with so many slots and such objects are refused: 0, and nothing has happened. O(slots). */
MPS_API int mps_roster_restore(mps_roster *pool, void *objects, size_t object_bytes, const void *from, size_t bytes);

/* ---- Byte map: mps_bytemap --------------------------------------------------------------------------------------
 *
 * The five fields and ten operations of the published table. Bit 7 of a slot's byte is set while it is free; the other
 * bits are a seed, one more (modulo 128) with each use. A handle is `index << 8 | byte`, and 0x80 is never set in it.
 * So a handle that was kept for 128 uses of its slot is good again, and of handles that are kept for ever one in 128 at
 * any time; a Clear() makes those from before it good again, too. The objects are in the caller's array, each as large
 * as the largest type that is stored there.
 *
 * Three things differ from the published table; a pool behaves as the Rust pool `BytemapPool` does, bit for bit:
 *   1. A free slot's own byte as a handle (index << 8 | 0x80 | seed) finds its dead object there, and nothing here.
 *   2. New(handle): sources differ; here the byte becomes the handle's, so that the saved handle is good again.
 *   3. New(handle) moves the cursor to the lowest *free* slot, as the games do; the table has the lowest *used* one.
 * As published, a New() that fails leaves the cursor at the end. The next one wraps, and stays in the array. */

typedef struct mps_bytemap {
    unsigned char *objects;
    size_t object_bytes;
    unsigned char *bytes;
    int32_t count;      /* at most 2^23 */
    int32_t first_free; /* the cursor: -1 at first */
} mps_bytemap;

#define MPS_FREE 0x80

/* Initialise(count): `bytes` has a byte, `objects` object_bytes for each slot. 0 if one is missing. O(count). */
MPS_API int mps_bytemap_init(
    mps_bytemap *pool, void *objects, size_t object_bytes, unsigned char *bytes, int32_t count);
/* Clear(): all slots are free, with seed 0. The cursor stays. O(count). */
MPS_API void mps_bytemap_clear(mps_bytemap *pool);
/* Flush(): a pool without slots. The memory is the caller's. */
MPS_API void mps_bytemap_flush(mps_bytemap *pool);
/* GetAt(index) and GetAtHandle(handle): the object, or null. */
MPS_API void *mps_bytemap_get_at(const mps_bytemap *pool, int32_t index);
MPS_API void *mps_bytemap_get(const mps_bytemap *pool, int32_t handle);
/* GetJustIndex(object): the slot, live or not; -1 for an address that is none. GetIndex(object): the handle; -1 if the
 * object is not live. */
MPS_API int32_t mps_bytemap_just_index(const mps_bytemap *pool, const void *object);
MPS_API int32_t mps_bytemap_index(const mps_bytemap *pool, const void *object);
/* New(): an object, with the bytes that it had, or null. O(count) at worst. */
MPS_API void *mps_bytemap_new(mps_bytemap *pool);
/* New(handle): exactly that slot, for loading a saved game; null if it is live or there is none. O(count). */
MPS_API void *mps_bytemap_new_at(mps_bytemap *pool, int32_t handle);
/* Delete(object): 1, or 0 for an address that is not that of a live object. */
MPS_API int mps_bytemap_delete(mps_bytemap *pool, const void *object);

/* ---- A growing stack of one type: mps_stack ---------------------------------------------------------------------
 *
 * Freed objects are a stack, linked through their own memory. When it is empty, the pool takes a chunk from `more`, as
 * large as all before together (64 objects at least), and keeps it; addresses stay. Reserve in advance, and play does
 * not allocate. A chunk has a byte for each object that says whether it is live, so that `free` refuses an address
 * that is not. alloc: O(1) but for growth; free: O(chunks), the chunk used last first. */

typedef struct mps_chunk mps_chunk; /* at the start of the memory of each chunk */

typedef struct mps_stack {
    void *free_objects;
    mps_chunk *chunks, *last;
    size_t object_bytes, live, slots; /* a program may read how many objects are live, and how many there is room for */
    void *(*more)(size_t bytes, void *user); /* null: the pool grows only by mps_stack_add */
    void *user;
} mps_stack;

/* For objects of this size, of any alignment up to 64. `more` may be null, and returns memory (or null) for as long as
 * the pool lives. */
MPS_API void mps_stack_init(mps_stack *pool, size_t object_bytes, void *(*more)(size_t bytes, void *user), void *user);
/* The bytes of a chunk for so many objects; 0 if there is no such number. */
MPS_API size_t mps_stack_bytes(const mps_stack *pool, size_t objects);
/* One more chunk, of memory of the caller's of any alignment. Returns how many objects it is for. O(objects). */
MPS_API size_t mps_stack_add(mps_stack *pool, void *memory, size_t bytes);
/* Room for so many more objects, by `more`. 0 if it has none. */
MPS_API int mps_stack_reserve(mps_stack *pool, size_t objects);
/* An object, with the bytes that its memory had; null if there is no memory. */
MPS_API void *mps_stack_alloc(mps_stack *pool);
/* 1, or 0 for an address that is not that of a live object. */
MPS_API int mps_stack_free(mps_stack *pool, void *object);
/* For the end: the memory of each chunk in turn, then null. After the first call no object is left. O(chunks). */
MPS_API void *mps_stack_take_chunk(mps_stack *pool);

/* ---- Particles, with the free list in dead memory: mps_list -----------------------------------------------------
 *
 * The caller's array of objects, whose first field is a `uint32_t` that is not 0 while the object is in use (the frames
 * that a particle has left). While it is not, the next four bytes are the link to the next unused one, so an object has
 * 8 bytes at least, and the list costs none. Everything is O(1) but init. An object that dies is released; its first
 * field is not set to 0 by hand, which would lose the slot. */

typedef struct mps_list {
    unsigned char *objects;
    size_t object_bytes;
    uint32_t slots, first_unused, live; /* a program may read slots, and how many are in use: live */
} mps_list;

/* The lowest slot comes first. 0 if there is no memory, or an object has fewer than 8 bytes. O(slots). */
MPS_API int mps_list_init(mps_list *pool, void *objects, size_t object_bytes, uint32_t slots);
/* An object, whose first field is 1 and whose other bytes are what they were; null if all are in use. */
MPS_API void *mps_list_create(mps_list *pool);
/* The object of a slot, or null if it is not in use. */
MPS_API void *mps_list_at(const mps_list *pool, uint32_t slot);
/* 1, or 0 for an address that is not that of an object in use. */
MPS_API int mps_list_release(mps_list *pool, void *object);

/* ---- A pool that grows, with handles: mps_growing -----------------------------------------------------------------
 *
 * Objects lie in chunks, each as large as all before together (64 objects at first), and never move. Handles are those of a
 * roster. The slot freed last comes next, and then the lowest one that was never used. Each function is O(1) but those that
 * say otherwise; memory comes from `more`, is kept, and goes back at the end: see mps_growing_take_chunk.
 *
 *     mps_growing rockets;
 *     mps_growing_init(&rockets, sizeof(rocket), more, NULL);       // more(bytes, user): malloc(bytes), say
 *     mps_id id;
 *     rocket *made = mps_growing_alloc(&rockets, &id);              // null if there is no memory
 *     rocket *found = mps_growing_find(&rockets, id);               // null once the rocket is freed
 *     for (mps_id each = {0}; (found = mps_growing_next(&rockets, &each)) != NULL;)
 *         if (found->is_over) mps_growing_free(&rockets, each);     // a loop may free and alloc anything */

#define MPS_CHUNKS_MAX 22 /* 64 slots, 64, 128, ...: 2^27 in all */

typedef struct mps_growing {
    unsigned char *objects[MPS_CHUNKS_MAX];
    uint64_t *words[MPS_CHUNKS_MAX]; /* a handle, or MPS_UNUSED, the next free slot, and the next generation */
    void *memory[MPS_CHUNKS_MAX];
    size_t object_bytes;
    uint32_t live, slots, used, first_free, chunks; /* a program may read how many are live, and were ever used */
    void *(*more)(size_t bytes, void *user);
    void *user;
} mps_growing;

/* For objects of this size, of any alignment up to 64. Takes no memory yet. */
MPS_API void mps_growing_init(
    mps_growing *pool, size_t object_bytes, void *(*more)(size_t bytes, void *user), void *user);
/* Room for so many more objects, so that nothing is taken in play. 0 if `more` has none. */
MPS_API int mps_growing_reserve(mps_growing *pool, uint32_t objects);
/* An object, with the bytes that its memory had, and its handle; null, and bits 0, if there is no memory. */
MPS_API void *mps_growing_alloc(mps_growing *pool, mps_id *id);
/* The object, or null for a handle that is refused. */
MPS_API void *mps_growing_find(const mps_growing *pool, mps_id id);
/* 1, or 0 for a handle that is refused. */
MPS_API int mps_growing_free(mps_growing *pool, mps_id id);
/* The live object in the slot behind that of `*id` (bits 0: the first one), whose handle `*id` then is; null after the last
 * one. O(dead slots between them). */
MPS_API void *mps_growing_next(const mps_growing *pool, mps_id *id);
/* The same as of a roster. A state may take memory when it is restored: as much as it has slots. */
MPS_API size_t mps_growing_state_bytes(const mps_growing *pool);
MPS_API int mps_growing_save(const mps_growing *pool, void *to, size_t room);
MPS_API int mps_growing_restore(mps_growing *pool, const void *from, size_t bytes);
/* For the end: the memory of each chunk in turn, then null. After the first call no object is left. */
MPS_API void *mps_growing_take_chunk(mps_growing *pool);

#ifdef __cplusplus
}
#endif
#endif /* MILLPOND_SMALL_H */

/* ================================================================================================================ */

#if defined(MILLPOND_SMALL_IMPLEMENTATION) && !defined(MILLPOND_SMALL_IMPLEMENTED)
#define MILLPOND_SMALL_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* Which of `slots` objects of an array an address is: `slots` if none. Addresses outside are compared as numbers. */
static inline size_t mps_slot_of_(const void *objects, size_t object_bytes, size_t slots, const void *object) {
    uintptr_t offset = MPS_ADDRESS_(object) - MPS_ADDRESS_(objects);
    if (object == NULL || slots == 0 || offset / object_bytes >= slots || offset % object_bytes != 0) {
        return slots;
    }
    return MPS_CAST_(size_t, offset / object_bytes);
}

/* ---- mps_roster ---- */

MPS_API int mps_roster_init(mps_roster *pool, uint32_t *memory, uint32_t slots) {
    uint32_t slot;
    memset(pool, 0, sizeof *pool);
    if (memory == NULL || slots > MPS_SLOTS_MAX) {
        return 0;
    }
    pool->roster = memory;
    pool->position = memory + slots;
    pool->generations = pool->position + slots;
    pool->slots = slots;
    for (slot = 0; slot < slots; slot++) {
        pool->roster[slot] = slots - 1 - slot;
        pool->position[slot] = slots - 1 - slot;
        pool->generations[slot] = 1 | MPS_DEAD;
    }
    return 1;
}

static inline void mps_roster_swap_(mps_roster *pool, uint32_t a, uint32_t b) {
    uint32_t slot_a = pool->roster[a], slot_b = pool->roster[b];
    pool->roster[a] = slot_b;
    pool->position[slot_b] = a;
    pool->roster[b] = slot_a;
    pool->position[slot_a] = b;
}

MPS_API mps_id mps_roster_id_at(const mps_roster *pool, uint32_t slot) {
    mps_id id = {0};
    if (slot < pool->slots && (pool->generations[slot] & MPS_DEAD) == 0) {
        id.bits = MPS_CAST_(uint64_t, slot) << 32 | pool->generations[slot];
    }
    return id;
}

MPS_API mps_id mps_roster_allocate(mps_roster *pool) {
    mps_id none = {0};
    uint32_t slot;
    if (pool->slots - pool->partition <= pool->retired) {
        return none;
    }
    if (pool->retired != 0) {
        mps_roster_swap_(pool, pool->partition, pool->partition + pool->retired);
    }
    slot = pool->roster[pool->partition++];
    pool->generations[slot] &= ~MPS_DEAD;
    return mps_roster_id_at(pool, slot);
}

MPS_API uint32_t mps_roster_find(const mps_roster *pool, mps_id id) {
    uint32_t slot = MPS_CAST_(uint32_t, id.bits >> 32), generation = MPS_CAST_(uint32_t, id.bits);
    int is_live = slot < pool->slots && pool->generations[slot] == generation && (generation & MPS_DEAD) == 0;
    return is_live ? slot : MPS_NONE;
}

MPS_API int mps_roster_free(mps_roster *pool, mps_id id) {
    uint32_t slot = mps_roster_find(pool, id);
    if (slot == MPS_NONE) {
        return 0;
    }
    pool->partition--;
    mps_roster_swap_(pool, pool->position[slot], pool->partition);
    pool->generations[slot] = (pool->generations[slot] + 1) | MPS_DEAD; /* of the last one, MPS_DEAD alone: retired */
    if (pool->generations[slot] == MPS_DEAD) {
        pool->retired++;
    } else if (pool->retired != 0) {
        mps_roster_swap_(pool, pool->partition, pool->partition + pool->retired);
    }
    return 1;
}

/* ---- mps_bytemap ---- */

MPS_API int mps_bytemap_init(
    mps_bytemap *pool, void *objects, size_t object_bytes, unsigned char *bytes, int32_t count) {
    memset(pool, 0, sizeof *pool);
    if (objects == NULL || bytes == NULL || object_bytes == 0 || count < 0 || count > 1 << 23 ||
        MPS_CAST_(size_t, count) > SIZE_MAX / object_bytes) {
        return 0;
    }
    pool->objects = MPS_CAST_(unsigned char *, objects);
    pool->object_bytes = object_bytes;
    pool->bytes = bytes;
    pool->count = count;
    pool->first_free = -1;
    mps_bytemap_clear(pool);
    return 1;
}

MPS_API void mps_bytemap_clear(mps_bytemap *pool) {
    if (pool->count != 0) {
        memset(pool->bytes, MPS_FREE, MPS_CAST_(size_t, pool->count));
    }
}

MPS_API void mps_bytemap_flush(mps_bytemap *pool) {
    memset(pool, 0, sizeof *pool);
}

MPS_API void *mps_bytemap_get_at(const mps_bytemap *pool, int32_t index) {
    if (index < 0 || index >= pool->count || (pool->bytes[index] & MPS_FREE) != 0) {
        return NULL;
    }
    return pool->objects + MPS_CAST_(size_t, index) * pool->object_bytes;
}

MPS_API void *mps_bytemap_get(const mps_bytemap *pool, int32_t handle) {
    int32_t index = handle < 0 ? -1 : handle >> 8;
    void *object = mps_bytemap_get_at(pool, index);
    return object != NULL && pool->bytes[index] == (handle & 0xff) ? object : NULL;
}

MPS_API int32_t mps_bytemap_just_index(const mps_bytemap *pool, const void *object) {
    size_t count = MPS_CAST_(size_t, pool->count), index = mps_slot_of_(pool->objects, pool->object_bytes, count, object);
    return index == count ? -1 : MPS_CAST_(int32_t, index);
}

MPS_API int32_t mps_bytemap_index(const mps_bytemap *pool, const void *object) {
    int32_t index = mps_bytemap_just_index(pool, object);
    return mps_bytemap_get_at(pool, index) == NULL ? -1 : index * 256 + pool->bytes[index];
}

MPS_API void *mps_bytemap_new(mps_bytemap *pool) {
    int32_t left; /* to the end, and round once more */
    for (left = 0; left < 2; left++) {
        while (pool->first_free < pool->count && ++pool->first_free < pool->count) {
            unsigned char *byte = &pool->bytes[pool->first_free];
            if ((*byte & MPS_FREE) != 0) {
                *byte = MPS_CAST_(unsigned char, (*byte + 1) & 0x7f);
                return mps_bytemap_get_at(pool, pool->first_free);
            }
        }
        if (left == 0) {
            pool->first_free = -1;
        }
    }
    return NULL;
}

MPS_API void *mps_bytemap_new_at(mps_bytemap *pool, int32_t handle) {
    int32_t index = handle < 0 ? -1 : handle >> 8, lowest = 0;
    if (index < 0 || index >= pool->count || (handle & MPS_FREE) != 0 || (pool->bytes[index] & MPS_FREE) == 0) {
        return NULL;
    }
    pool->bytes[index] = MPS_CAST_(unsigned char, handle & 0x7f);
    while (lowest + 1 < pool->count && (pool->bytes[lowest] & MPS_FREE) == 0) {
        lowest++;
    }
    pool->first_free = lowest;
    return mps_bytemap_get_at(pool, index);
}

MPS_API int mps_bytemap_delete(mps_bytemap *pool, const void *object) {
    int32_t index = mps_bytemap_just_index(pool, object);
    if (mps_bytemap_get_at(pool, index) == NULL) {
        return 0;
    }
    pool->bytes[index] |= MPS_FREE; /* the seed stays */
    if (index < pool->first_free) {
        pool->first_free = index;
    }
    return 1;
}

/* ---- mps_stack ---- */

struct mps_chunk {
    mps_chunk *next;
    void *memory; /* as the caller gave it */
    size_t slots;
    unsigned char *objects;
}; /* and a byte for each slot: 1 while it is live */

#define MPS_CHUNK_ALIGN_ 64

static inline unsigned char *mps_chunk_marks_(mps_chunk *chunk) {
    return MPS_CAST_(unsigned char *, MPS_CAST_(void *, chunk + 1));
}

static inline unsigned char *mps_align_(unsigned char *at, size_t align) {
    return at + (align - MPS_ADDRESS_(at) % align) % align;
}

MPS_API void mps_stack_init(mps_stack *pool, size_t object_bytes, void *(*more)(size_t bytes, void *user), void *user) {
    memset(pool, 0, sizeof *pool);
    pool->object_bytes = object_bytes < sizeof(void *) ? sizeof(void *) : object_bytes;
    pool->more = more;
    pool->user = user;
}

/* What a chunk takes besides its objects and their bytes. */
#define MPS_CHUNK_HEAD_ (sizeof(mps_chunk) + sizeof(void *) + MPS_CHUNK_ALIGN_)

MPS_API size_t mps_stack_bytes(const mps_stack *pool, size_t objects) {
    if (objects == 0 || pool->object_bytes == 0 || pool->object_bytes >= SIZE_MAX - MPS_CHUNK_HEAD_ ||
        objects > (SIZE_MAX - MPS_CHUNK_HEAD_) / (pool->object_bytes + 1)) {
        return 0;
    }
    return objects * (pool->object_bytes + 1) + MPS_CHUNK_HEAD_;
}

MPS_API size_t mps_stack_add(mps_stack *pool, void *memory, size_t bytes) {
    mps_chunk *chunk;
    size_t slots, slot;
    if (memory == NULL || pool->object_bytes == 0 || pool->object_bytes == SIZE_MAX || bytes < MPS_CHUNK_HEAD_ ||
        (slots = (bytes - MPS_CHUNK_HEAD_) / (pool->object_bytes + 1)) == 0) {
        return 0;
    }
    chunk = MPS_CAST_(mps_chunk *, MPS_CAST_(void *, mps_align_(MPS_CAST_(unsigned char *, memory), sizeof(void *))));
    chunk->next = pool->chunks;
    chunk->memory = memory;
    chunk->slots = slots;
    chunk->objects = mps_align_(mps_chunk_marks_(chunk) + slots, MPS_CHUNK_ALIGN_);
    memset(mps_chunk_marks_(chunk), 0, slots);
    for (slot = slots; slot > 0; slot--) { /* so that the first one ends on top */
        unsigned char *object = chunk->objects + (slot - 1) * pool->object_bytes;
        memcpy(object, &pool->free_objects, sizeof(void *));
        pool->free_objects = object;
    }
    pool->chunks = chunk;
    pool->last = chunk;
    pool->slots += slots;
    return slots;
}

MPS_API int mps_stack_reserve(mps_stack *pool, size_t objects) {
    size_t free_now = pool->slots - pool->live, bytes;
    if (objects <= free_now) {
        return 1;
    }
    bytes = mps_stack_bytes(pool, objects - free_now);
    return bytes != 0 && pool->more != NULL && mps_stack_add(pool, pool->more(bytes, pool->user), bytes) != 0;
}

/* Whether an address is that of an object of the chunk, in this state; the state is then the other one. */
static inline int mps_chunk_turn_(mps_stack *pool, mps_chunk *chunk, const void *object, unsigned char state) {
    size_t slot = mps_slot_of_(chunk->objects, pool->object_bytes, chunk->slots, object);
    if (slot == chunk->slots || mps_chunk_marks_(chunk)[slot] != state) {
        return 0;
    }
    mps_chunk_marks_(chunk)[slot] = !state;
    pool->last = chunk;
    return 1;
}

/* The same for all chunks, that of the last call first. */
static inline int mps_stack_turn_(mps_stack *pool, const void *object, unsigned char state) {
    mps_chunk *chunk;
    if (pool->last != NULL && mps_chunk_turn_(pool, pool->last, object, state)) {
        return 1;
    }
    for (chunk = pool->chunks; chunk != NULL; chunk = chunk->next) {
        if (mps_chunk_turn_(pool, chunk, object, state)) {
            return 1;
        }
    }
    return 0;
}

MPS_API void *mps_stack_alloc(mps_stack *pool) {
    void *object = pool->free_objects;
    if (object == NULL) {
        if (!mps_stack_reserve(pool, pool->slots < 64 ? 64 : pool->slots)) {
            return NULL;
        }
        object = pool->free_objects;
    }
    /* A link that somebody wrote over leads to no free object: then the slots on the stack are lost, and nothing worse. */
    if (!mps_stack_turn_(pool, object, 0)) {
        pool->free_objects = NULL;
        pool->slots = pool->live;
        return NULL;
    }
    memcpy(&pool->free_objects, object, sizeof(void *));
    if (pool->live++ == pool->slots) { /* one of the lost slots, which another link that was written over leads to */
        pool->slots++;
    }
    return object;
}

MPS_API int mps_stack_free(mps_stack *pool, void *object) {
    if (!mps_stack_turn_(pool, object, 1)) {
        return 0;
    }
    memcpy(object, &pool->free_objects, sizeof(void *));
    pool->free_objects = object;
    pool->live--;
    return 1;
}

MPS_API void *mps_stack_take_chunk(mps_stack *pool) {
    mps_chunk *chunk;
    for (chunk = pool->chunks; chunk != NULL; chunk = chunk->next) {
        chunk->slots = 0;
    }
    pool->free_objects = NULL;
    pool->last = NULL;
    pool->live = pool->slots = 0;
    chunk = pool->chunks;
    if (chunk == NULL) {
        return NULL;
    }
    pool->chunks = chunk->next;
    return chunk->memory;
}

/* ---- mps_list ---- */

typedef struct mps_link_ {
    uint32_t in_use, next;
} mps_link_;

static inline mps_link_ mps_list_link_(const mps_list *pool, uint32_t slot) {
    mps_link_ link;
    memcpy(&link, pool->objects + slot * pool->object_bytes, sizeof link);
    return link;
}

MPS_API int mps_list_init(mps_list *pool, void *objects, size_t object_bytes, uint32_t slots) {
    uint32_t slot;
    memset(pool, 0, sizeof *pool);
    pool->first_unused = MPS_NONE;
    if (objects == NULL || object_bytes < sizeof(mps_link_) || slots > MPS_SLOTS_MAX ||
        slots > SIZE_MAX / object_bytes) {
        return 0;
    }
    pool->objects = MPS_CAST_(unsigned char *, objects);
    pool->object_bytes = object_bytes;
    pool->slots = slots;
    for (slot = slots; slot > 0; slot--) {
        mps_link_ link = {0, 0};
        link.next = pool->first_unused;
        pool->first_unused = slot - 1;
        memcpy(pool->objects + (slot - 1) * object_bytes, &link, sizeof link);
    }
    return 1;
}

MPS_API void *mps_list_at(const mps_list *pool, uint32_t slot) {
    int is_in_use = slot < pool->slots && mps_list_link_(pool, slot).in_use != 0;
    return is_in_use ? pool->objects + slot * pool->object_bytes : NULL;
}

MPS_API void *mps_list_create(mps_list *pool) {
    const uint32_t in_use = 1;
    unsigned char *object;
    mps_link_ link;
    if (pool->first_unused >= pool->slots) {
        return NULL;
    }
    link = mps_list_link_(pool, pool->first_unused);
    if (link.in_use != 0) { /* somebody wrote to a dead object: the rest of the list is lost, and nothing worse */
        pool->first_unused = MPS_NONE;
        return NULL;
    }
    object = pool->objects + pool->first_unused * pool->object_bytes;
    memcpy(object, &in_use, sizeof in_use);
    pool->first_unused = link.next;
    pool->live++;
    return object;
}

MPS_API int mps_list_release(mps_list *pool, void *object) {
    mps_link_ link = {0, 0};
    size_t slot = mps_slot_of_(pool->objects, pool->object_bytes, pool->slots, object);
    if (mps_list_at(pool, MPS_CAST_(uint32_t, slot)) == NULL) {
        return 0;
    }
    link.next = pool->first_unused;
    memcpy(object, &link, sizeof link);
    pool->first_unused = MPS_CAST_(uint32_t, slot);
    pool->live--;
    return 1;
}

/* ---- States ---- */

/* Before the state of a roster or of a growing pool. */
typedef struct mps_head_ {
    char mark[8];
    uint32_t byte_order, kind, slots, live, first_free, unused;
    uint64_t object_bytes;
} mps_head_;

#define MPS_BYTE_ORDER_ 0x01020304u

static inline mps_head_ mps_head_of_(uint32_t kind, size_t object_bytes, uint32_t slots, uint32_t live) {
    static const char mark[8] = {'m', 'p', 's', '-', 's', 'm', 'a', 'l'};
    mps_head_ head;
    memset(&head, 0, sizeof head);
    memcpy(head.mark, mark, sizeof mark);
    head.byte_order = MPS_BYTE_ORDER_;
    head.kind = kind;
    head.slots = slots;
    head.live = live;
    head.object_bytes = object_bytes;
    return head;
}

MPS_API size_t mps_roster_state_bytes(const mps_roster *pool, size_t object_bytes) {
    return object_bytes > (SIZE_MAX - sizeof(mps_head_)) / 2 / (MPS_CAST_(size_t, pool->slots) + 1) - 8
               ? SIZE_MAX
               : sizeof(mps_head_) + MPS_CAST_(size_t, pool->slots) * (2 * sizeof(uint32_t) + object_bytes);
}

MPS_API int mps_roster_save(const mps_roster *pool, const void *objects, size_t object_bytes, void *to, size_t room) {
    unsigned char *out = MPS_CAST_(unsigned char *, to);
    const unsigned char *in = MPS_CAST_(const unsigned char *, objects);
    const size_t slots = pool->slots, words = slots * sizeof(uint32_t);
    mps_head_ head = mps_head_of_(1, object_bytes, pool->slots, pool->partition);
    size_t slot;
    if (room < mps_roster_state_bytes(pool, object_bytes) || (slots != 0 && objects == NULL && object_bytes != 0)) {
        return 0;
    }
    head.first_free = pool->retired;
    memcpy(out, &head, sizeof head);
    out += sizeof head;
    if (slots != 0) {
        memcpy(out, pool->roster, words);
        memcpy(out + words, pool->generations, words);
    }
    for (slot = 0; slot < slots && object_bytes != 0; slot++) { /* what is dead may be anything: 0 */
        unsigned char *object = out + 2 * words + slot * object_bytes;
        if ((pool->generations[slot] & MPS_DEAD) != 0) {
            memset(object, 0, object_bytes);
        } else {
            memcpy(object, in + slot * object_bytes, object_bytes);
        }
    }
    return 1;
}

static inline uint32_t mps_word_in_(const unsigned char *words, size_t at) {
    uint32_t word;
    memcpy(&word, words + at * sizeof word, sizeof word);
    return word;
}

MPS_API int mps_roster_restore(mps_roster *pool, void *objects, size_t object_bytes, const void *from, size_t bytes) {
    const unsigned char *in = MPS_CAST_(const unsigned char *, from);
    const size_t slots = pool->slots, words = slots * sizeof(uint32_t);
    mps_head_ head, mine = mps_head_of_(1, object_bytes, pool->slots, 0);
    uint32_t at;
    if (from == NULL || bytes != mps_roster_state_bytes(pool, object_bytes) || bytes == SIZE_MAX ||
        (slots != 0 && objects == NULL && object_bytes != 0)) {
        return 0;
    }
    memcpy(&head, in, sizeof head);
    in += sizeof head;
    mine.live = head.live;
    mine.first_free = head.first_free;
    if (memcmp(&head, &mine, sizeof head) != 0 || head.live > slots || head.first_free > slots - head.live) {
        return 0;
    }
    /* Whether every slot is as it must be at its place of the roster. */
    for (at = 0; at < slots; at++) {
        const uint32_t slot = mps_word_in_(in, at);
        const uint32_t generation = slot < slots ? mps_word_in_(in + words, slot) : 0;
        const int lives = (generation & MPS_DEAD) == 0 && generation != 0;
        if (slot >= slots || generation == 0 || lives != (at < head.live) ||
            (generation == MPS_DEAD) != (at >= head.live && at - head.live < head.first_free)) {
            return 0;
        }
    }
    for (at = 0; at < slots; at++) { /* a slot that comes twice has its mark already */
        const uint32_t slot = mps_word_in_(in, at);
        if ((pool->position[slot] & MPS_DEAD) != 0) {
            break;
        }
        pool->position[slot] |= MPS_DEAD;
    }
    if (at < slots) {
        for (at = 0; at < slots; at++) {
            pool->position[at] &= ~MPS_DEAD;
        }
        return 0;
    }
    for (at = 0; at < slots; at++) {
        const uint32_t slot = mps_word_in_(in, at);
        pool->roster[at] = slot;
        pool->position[slot] = at;
        pool->generations[slot] = mps_word_in_(in + words, slot);
        if (at < head.live && object_bytes != 0) {
            memcpy(MPS_CAST_(unsigned char *, objects) + slot * object_bytes, in + 2 * words + slot * object_bytes,
                   object_bytes);
        }
    }
    pool->partition = head.live;
    pool->retired = head.first_free;
    return 1;
}

/* ---- mps_growing ---- */

#define MPS_UNUSED_ 0x8000000000000000u /* in a dead slot's word; no handle of a slot has it */
#define MPS_NO_SLOT_ 0x7fffffffu

/* Which chunk a slot is in: 64 slots, 64, 128, ... */
static inline uint32_t mps_growing_chunk_(uint32_t slot) {
    uint32_t groups = slot >> 6, chunk = 0;
#if defined(__GNUC__) || defined(__clang__)
    if (groups != 0) {
        chunk = 32 - MPS_CAST_(uint32_t, __builtin_clz(groups));
    }
#else
    for (; groups != 0; groups >>= 1) {
        chunk++;
    }
#endif
    return chunk;
}
static inline uint32_t mps_growing_first_(uint32_t chunk) {
    return chunk == 0 ? 0 : 32u << chunk;
}
static inline uint64_t *mps_growing_word_(const mps_growing *pool, uint32_t slot) {
    const uint32_t chunk = mps_growing_chunk_(slot);
    return pool->words[chunk] + (slot - mps_growing_first_(chunk));
}
static inline void *mps_growing_object_(const mps_growing *pool, uint32_t slot) {
    const uint32_t chunk = mps_growing_chunk_(slot);
    return pool->objects[chunk] + MPS_CAST_(size_t, slot - mps_growing_first_(chunk)) * pool->object_bytes;
}

MPS_API void mps_growing_init(
    mps_growing *pool, size_t object_bytes, void *(*more)(size_t bytes, void *user), void *user) {
    memset(pool, 0, sizeof *pool);
    pool->object_bytes = object_bytes;
    pool->more = more;
    pool->user = user;
    pool->first_free = MPS_NO_SLOT_;
}

/* One more chunk. */
static inline int mps_growing_grow_(mps_growing *pool) {
    const uint32_t chunk = pool->chunks, first = mps_growing_first_(chunk);
    const size_t slots = chunk == 0 ? 64 : first, most = (SIZE_MAX - 192) / 2 / slots - sizeof(uint64_t);
    unsigned char *memory;
    size_t slot;
    if (chunk == MPS_CHUNKS_MAX || pool->more == NULL || pool->object_bytes > most) {
        return 0;
    }
    memory = MPS_CAST_(unsigned char *,
                       pool->more(slots * (sizeof(uint64_t) + pool->object_bytes) + MPS_CHUNK_ALIGN_, pool->user));
    if (memory == NULL) {
        return 0;
    }
    pool->memory[chunk] = memory;
    memory = mps_align_(memory, MPS_CHUNK_ALIGN_); /* 64 words end where the next 64 bytes begin */
    pool->words[chunk] = MPS_CAST_(uint64_t *, MPS_CAST_(void *, memory));
    pool->objects[chunk] = memory + slots * sizeof(uint64_t);
    for (slot = 0; slot < slots; slot++) {
        pool->words[chunk][slot] = MPS_UNUSED_ | 1;
    }
    pool->chunks++;
    pool->slots += MPS_CAST_(uint32_t, slots);
    return 1;
}

MPS_API int mps_growing_reserve(mps_growing *pool, uint32_t objects) {
    while (pool->slots - pool->live < objects) { /* slots that have retired are as good as none: 2^31 uses of one */
        if (!mps_growing_grow_(pool)) {
            return 0;
        }
    }
    return 1;
}

MPS_API void *mps_growing_alloc(mps_growing *pool, mps_id *id) {
    uint32_t slot = pool->first_free;
    uint64_t *word;
    id->bits = 0;
    if (slot != MPS_NO_SLOT_) {
        word = mps_growing_word_(pool, slot);
        pool->first_free = MPS_CAST_(uint32_t, *word >> 32) & MPS_NO_SLOT_;
    } else if (pool->used < pool->slots || mps_growing_grow_(pool)) {
        slot = pool->used++;
        word = mps_growing_word_(pool, slot);
    } else {
        return NULL;
    }
    pool->live++;
    *word = MPS_CAST_(uint64_t, slot) << 32 | MPS_CAST_(uint32_t, *word);
    id->bits = *word;
    return mps_growing_object_(pool, slot);
}

MPS_API void *mps_growing_find(const mps_growing *pool, mps_id id) {
    const uint64_t slot = id.bits >> 32;
    if (slot >= pool->used || *mps_growing_word_(pool, MPS_CAST_(uint32_t, slot)) != id.bits) {
        return NULL;
    }
    return mps_growing_object_(pool, MPS_CAST_(uint32_t, slot));
}

MPS_API int mps_growing_free(mps_growing *pool, mps_id id) {
    const uint32_t slot = MPS_CAST_(uint32_t, id.bits >> 32), next = MPS_CAST_(uint32_t, id.bits) + 1;
    if (mps_growing_find(pool, id) == NULL) {
        return 0;
    }
    pool->live--;
    if (next == MPS_DEAD) { /* it retires */
        *mps_growing_word_(pool, slot) = MPS_UNUSED_ | MPS_CAST_(uint64_t, MPS_NO_SLOT_) << 32;
        return 1;
    }
    *mps_growing_word_(pool, slot) = MPS_UNUSED_ | MPS_CAST_(uint64_t, pool->first_free) << 32 | next;
    pool->first_free = slot;
    return 1;
}

MPS_API void *mps_growing_next(const mps_growing *pool, mps_id *id) {
    uint64_t slot = id->bits == 0 ? 0 : (id->bits >> 32) + 1;
    for (; slot < pool->used; slot++) {
        const uint64_t word = *mps_growing_word_(pool, MPS_CAST_(uint32_t, slot));
        if ((word & MPS_UNUSED_) == 0) {
            id->bits = word;
            return mps_growing_object_(pool, MPS_CAST_(uint32_t, slot));
        }
    }
    id->bits = 0;
    return NULL;
}

MPS_API size_t mps_growing_state_bytes(const mps_growing *pool) {
    return sizeof(mps_head_) + pool->used * (sizeof(uint64_t) + pool->object_bytes);
}

MPS_API int mps_growing_save(const mps_growing *pool, void *to, size_t room) {
    unsigned char *out = MPS_CAST_(unsigned char *, to);
    mps_head_ head = mps_head_of_(2, pool->object_bytes, pool->used, pool->live);
    uint32_t slot;
    if (room < mps_growing_state_bytes(pool)) {
        return 0;
    }
    head.first_free = pool->first_free;
    memcpy(out, &head, sizeof head);
    out += sizeof head;
    for (slot = 0; slot < pool->used; slot++) {
        const uint64_t word = *mps_growing_word_(pool, slot);
        unsigned char *object = out + pool->used * sizeof word + slot * pool->object_bytes;
        memcpy(out + slot * sizeof word, &word, sizeof word);
        if (pool->object_bytes != 0 && (word & MPS_UNUSED_) != 0) {
            memset(object, 0, pool->object_bytes);
        } else if (pool->object_bytes != 0) {
            memcpy(object, mps_growing_object_(pool, slot), pool->object_bytes);
        }
    }
    return 1;
}

static inline uint64_t mps_long_word_in_(const unsigned char *words, size_t at) {
    uint64_t word;
    memcpy(&word, words + at * sizeof word, sizeof word);
    return word;
}

MPS_API int mps_growing_restore(mps_growing *pool, const void *from, size_t bytes) {
    const unsigned char *in = MPS_CAST_(const unsigned char *, from);
    const size_t slot_bytes = sizeof(uint64_t) + pool->object_bytes;
    uint32_t slot, live = 0, free_slots = 0, retired = 0;
    mps_head_ head, mine;
    if (from == NULL || bytes < sizeof head) {
        return 0;
    }
    memcpy(&head, in, sizeof head);
    in += sizeof head;
    bytes -= sizeof head;
    mine = mps_head_of_(2, pool->object_bytes, head.slots, head.live);
    mine.first_free = head.first_free;
    if (memcmp(&head, &mine, sizeof head) != 0 || head.slots > MPS_NO_SLOT_ || bytes / slot_bytes != head.slots ||
        bytes % slot_bytes != 0) {
        return 0;
    }
    for (slot = 0; slot < head.slots; slot++) {
        const uint64_t word = mps_long_word_in_(in, slot);
        const uint32_t generation = MPS_CAST_(uint32_t, word);
        const int lives = (word & MPS_UNUSED_) == 0;
        if (generation >= MPS_DEAD || (lives && (word >> 32 != slot || generation == 0)) ||
            (!lives && generation == 0 && word != (MPS_UNUSED_ | MPS_CAST_(uint64_t, MPS_NO_SLOT_) << 32))) {
            return 0;
        }
        live += lives != 0;
        retired += generation == 0;
    }
    for (slot = head.first_free; slot != MPS_NO_SLOT_; free_slots++) { /* a list that comes twice to a slot has no end */
        uint64_t word;
        if (slot >= head.slots || free_slots == head.slots) {
            return 0;
        }
        word = mps_long_word_in_(in, slot);
        if ((word & MPS_UNUSED_) == 0 || MPS_CAST_(uint32_t, word) == 0) {
            return 0;
        }
        slot = MPS_CAST_(uint32_t, word >> 32) & MPS_NO_SLOT_;
    }
    if (live != head.live || live + free_slots + retired != head.slots) {
        return 0;
    }
    while (pool->slots < head.slots) {
        if (!mps_growing_grow_(pool)) {
            return 0;
        }
    }
    for (slot = 0; slot < head.slots || slot < pool->used; slot++) {
        const uint64_t word = slot < head.slots ? mps_long_word_in_(in, slot) : (MPS_UNUSED_ | 1);
        *mps_growing_word_(pool, slot) = word;
        if ((word & MPS_UNUSED_) == 0 && pool->object_bytes != 0) {
            memcpy(mps_growing_object_(pool, slot), in + head.slots * sizeof word + slot * pool->object_bytes,
                   pool->object_bytes);
        }
    }
    pool->used = head.slots;
    pool->live = live;
    pool->first_free = head.first_free;
    return 1;
}

MPS_API void *mps_growing_take_chunk(mps_growing *pool) {
    pool->live = pool->used = pool->slots = 0;
    pool->first_free = MPS_NO_SLOT_;
    if (pool->chunks == 0) {
        return NULL;
    }
    return pool->memory[--pool->chunks];
}

#ifdef __cplusplus
}
#endif
#endif /* MILLPOND_SMALL_IMPLEMENTATION */
