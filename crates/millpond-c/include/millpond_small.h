/* millpond_small.h: four published object pools in one file of C99 that is also C++11.
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
 *
 * All memory comes from the caller. Any bits may be passed as a handle and any address as an object: what is stale or
 * was never handed out is refused. (An address has no generation: one kept after its object was freed is refused only
 * until its slot is used again.) A pool of zero bytes is one without slots. One thread at a time may change a pool.
 *
 * With MILLPOND_SMALL_STATIC defined instead, every function is `static inline` in the file that includes this one.
 * millpond.h has more: iteration over live objects, snapshots, recordings, other orders, typed handles.
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
extern "C" {
#endif

#define MPS_NONE UINT32_MAX          /* no slot */
#define MPS_SLOTS_MAX ((uint32_t)1 << 28) /* of a roster or a list */

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
#define MPS_ROSTER_WORDS(slots) (3 * (size_t)(slots)) /* of uint32_t */

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
    uintptr_t offset = (uintptr_t)object - (uintptr_t)objects;
    if (object == NULL || slots == 0 || offset / object_bytes >= slots || offset % object_bytes != 0) {
        return slots;
    }
    return (size_t)(offset / object_bytes);
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
        id.bits = (uint64_t)slot << 32 | pool->generations[slot];
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
    uint32_t slot = (uint32_t)(id.bits >> 32), generation = (uint32_t)id.bits;
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
        (size_t)count > SIZE_MAX / object_bytes) {
        return 0;
    }
    pool->objects = (unsigned char *)objects;
    pool->object_bytes = object_bytes;
    pool->bytes = bytes;
    pool->count = count;
    pool->first_free = -1;
    mps_bytemap_clear(pool);
    return 1;
}

MPS_API void mps_bytemap_clear(mps_bytemap *pool) {
    if (pool->count != 0) {
        memset(pool->bytes, MPS_FREE, (size_t)pool->count);
    }
}

MPS_API void mps_bytemap_flush(mps_bytemap *pool) {
    memset(pool, 0, sizeof *pool);
}

MPS_API void *mps_bytemap_get_at(const mps_bytemap *pool, int32_t index) {
    if (index < 0 || index >= pool->count || (pool->bytes[index] & MPS_FREE) != 0) {
        return NULL;
    }
    return pool->objects + (size_t)index * pool->object_bytes;
}

MPS_API void *mps_bytemap_get(const mps_bytemap *pool, int32_t handle) {
    int32_t index = handle < 0 ? -1 : handle >> 8;
    void *object = mps_bytemap_get_at(pool, index);
    return object != NULL && pool->bytes[index] == (handle & 0xff) ? object : NULL;
}

MPS_API int32_t mps_bytemap_just_index(const mps_bytemap *pool, const void *object) {
    size_t count = (size_t)pool->count, index = mps_slot_of_(pool->objects, pool->object_bytes, count, object);
    return index == count ? -1 : (int32_t)index;
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
                *byte = (unsigned char)((*byte + 1) & 0x7f);
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
    pool->bytes[index] = (unsigned char)(handle & 0x7f);
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
    return (unsigned char *)(chunk + 1);
}

static inline unsigned char *mps_align_(unsigned char *at, size_t align) {
    return at + (align - (uintptr_t)at % align) % align;
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
    chunk = (mps_chunk *)(void *)mps_align_((unsigned char *)memory, sizeof(void *));
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
    pool->objects = (unsigned char *)objects;
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
    if (mps_list_at(pool, (uint32_t)slot) == NULL) {
        return 0;
    }
    link.next = pool->first_unused;
    memcpy(object, &link, sizeof link);
    pool->first_unused = (uint32_t)slot;
    pool->live--;
    return 1;
}

#ifdef __cplusplus
}
#endif
#endif /* MILLPOND_SMALL_IMPLEMENTATION */
