/* A pair of freeing and allocating in the four pools of millpond_small.h, beside the header millpond.h and the code of the
 * published texts, in one run. 900 of 1,000 slots are live; 30 of them are freed, in an order drawn at random, and 30
 * allocated. Compiled with -DMILLPOND_SMALL_STATIC and without, it shows what calls cost: `bench/small` does both.
 */
#if !defined(MILLPOND_SMALL_STATIC) && !defined(CALLED)
#define MILLPOND_SMALL_IMPLEMENTATION
#endif
#include <millpond.h>
#include <millpond_small.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS 1000
#define LIVE 900
#define BATCH 30
#define PAIRS (100 * LIVE) /* whole permutations of the live ones */
#define ROUNDS 40

typedef struct value {
    uint64_t words[4];
} value;

MP_POOL(values, value)

static uint32_t victims[PAIRS];
static value objects[SLOTS];

/* ---- The texts' code ---- */

/* Swap-delete, as published: no generations, so that a stale index is not noticed. */
static uint32_t roster[SLOTS], position[SLOTS], partition, generations[SLOTS];

static void text_roster_init(void) {
    uint32_t i;
    for (i = 0; i < SLOTS; i++) {
        roster[i] = position[i] = SLOTS - 1 - i;
        generations[i] = 1;
    }
    partition = 0;
}

static uint32_t text_roster_allocate(void) {
    return partition == SLOTS ? MPS_NONE : roster[partition++];
}

static void text_roster_free(uint32_t slot) {
    uint32_t at = position[slot], last = roster[--partition];
    roster[at] = last;
    position[last] = at;
    roster[partition] = slot;
    position[slot] = partition;
}

/* The same with a generation for each slot, compared when it is freed. */
static uint64_t checked_allocate(void) {
    uint32_t slot = text_roster_allocate();
    return slot == MPS_NONE ? 0 : (uint64_t)slot << 32 | generations[slot];
}

static int checked_free(uint64_t handle) {
    uint32_t slot = (uint32_t)(handle >> 32);
    if (slot >= SLOTS || generations[slot] != (uint32_t)handle) {
        return 0;
    }
    generations[slot]++;
    text_roster_free(slot);
    return 1;
}

/* The table of the byte map. */
static unsigned char bytes[SLOTS];
static int32_t cursor;

static value *text_byte_map_new(void) {
    int wrapped = 0;
    for (;;) {
        if (++cursor >= SLOTS) {
            if (wrapped) {
                return NULL;
            }
            wrapped = 1;
            cursor = 0;
        }
        if (bytes[cursor] & 0x80) {
            bytes[cursor] = (unsigned char)((bytes[cursor] + 1) & 0x7f);
            return &objects[cursor];
        }
    }
}

static void text_byte_map_delete(value *object) {
    int32_t index = (int32_t)(object - objects);
    bytes[index] |= 0x80;
    if (index < cursor) {
        cursor = index;
    }
}

/* The stack of free objects; the particles' list is the same, threaded through their memory. */
static value *stack[SLOTS];
static size_t stack_length;

typedef union linked {
    value live;
    union linked *next;
} linked;

static linked particles[SLOTS], *first_available;

/* ---- Measuring ---- */

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static volatile uint64_t sink;

#define MEASURE(name, type, prepare, allocate, free_it)                                                                \
    do {                                                                                                               \
        static type live[LIVE];                                                                                        \
        double least = 1e18;                                                                                           \
        int round, i;                                                                                                  \
        prepare;                                                                                                       \
        for (i = 0; i < LIVE; i++) {                                                                                   \
            type one;                                                                                                  \
            allocate;                                                                                                  \
            live[i] = one;                                                                                             \
        }                                                                                                              \
        for (round = 0; round < ROUNDS; round++) {                                                                     \
            double from = now(), took;                                                                                 \
            for (i = 0; i < PAIRS; i += BATCH) {                                                                       \
                int k;                                                                                                 \
                for (k = i; k < i + BATCH; k++) {                                                                      \
                    type one = live[victims[k]];                                                                       \
                    free_it;                                                                                           \
                }                                                                                                      \
                for (k = i; k < i + BATCH; k++) {                                                                      \
                    type one;                                                                                          \
                    allocate;                                                                                          \
                    live[victims[k]] = one;                                                                            \
                }                                                                                                      \
            }                                                                                                          \
            took = (now() - from) / PAIRS;                                                                             \
            least = took < least ? took : least;                                                                       \
        }                                                                                                              \
        printf("%-44s %6.2f ns\n", name, least);                                                                       \
        sink += (uint64_t)sizeof live;                                                                                 \
    } while (0)

int main(void) {
    static uint32_t words[MPS_ROSTER_WORDS(SLOTS)];
    uint32_t i, seed = 20;
    mps_roster small;
    mps_bytemap map;
    mps_stack chunks;
    mps_list list;
    mp_options options = MP_OPTIONS(value, SLOTS);
    mp_pool *pool;
    values all;
    void *memory;
    for (i = 0; i < PAIRS; i++) {
        uint32_t from = i - i % LIVE, other;
        seed = seed * 1664525u + 1013904223u;
        other = from + (seed >> 8) % (i % LIVE + 1);
        victims[i] = victims[other];
        victims[other] = i % LIVE;
    }
    MEASURE("swap-delete: the text's code", uint32_t, text_roster_init(), one = text_roster_allocate(),
            text_roster_free(one));
    MEASURE("swap-delete: the same with generations", uint64_t, text_roster_init(), one = checked_allocate(),
            checked_free(one));
    MEASURE("swap-delete: mps_roster", mps_id, mps_roster_init(&small, words, SLOTS), one = mps_roster_allocate(&small),
            mps_roster_free(&small, one));
    options.order = MP_ROSTER;
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = values_of(pool);
    MEASURE("swap-delete: millpond.h, MP_ROSTER (called)", values_id, (void)0, values_insert(&all, &one),
            values_remove(&all, one));
    mp_pool_destroy(pool);
    options.order = MP_LIFO;
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = values_of(pool);
    MEASURE("millpond.h, its default order (inline)", values_id, (void)0, values_insert(&all, &one),
            values_remove(&all, one));
    mp_pool_destroy(pool);

    MEASURE("byte map: the text's table", value *, (memset(bytes, 0x80, SLOTS), cursor = -1), one = text_byte_map_new(),
            text_byte_map_delete(one));
    MEASURE("byte map: mps_bytemap", value *, mps_bytemap_init(&map, objects, sizeof *objects, bytes, SLOTS),
            one = (value *)mps_bytemap_new(&map), mps_bytemap_delete(&map, one));

    for (i = 0; i < SLOTS; i++) {
        stack[stack_length++] = &objects[i];
    }
    MEASURE("stack: the text's code", value *, (void)0, one = stack[--stack_length], stack[stack_length++] = one);
    mps_stack_init(&chunks, sizeof(value), NULL, NULL);
    memory = malloc(mps_stack_bytes(&chunks, SLOTS));
    MEASURE("stack: mps_stack, one chunk", value *, mps_stack_add(&chunks, memory, mps_stack_bytes(&chunks, SLOTS)),
            one = (value *)mps_stack_alloc(&chunks), mps_stack_free(&chunks, one));
    free(memory);
    MEASURE("the C library's malloc and free", value *, (void)0, one = (value *)malloc(sizeof(value)), free(one));

    for (i = 0; i < SLOTS; i++) {
        particles[i].next = i + 1 < SLOTS ? &particles[i + 1] : NULL;
    }
    first_available = particles;
    MEASURE("particles: the text's list", linked *, (void)0, (one = first_available, first_available = one->next),
            (one->next = first_available, first_available = one));
    MEASURE("particles: mps_list", value *, mps_list_init(&list, objects, sizeof *objects, SLOTS),
            one = (value *)mps_list_create(&list), mps_list_release(&list, one));
    return 0;
}
