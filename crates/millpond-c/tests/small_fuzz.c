/* A target for libFuzzer: the bytes are what happens in the four pools of millpond_small.h, with stale, forged and
 * foreign handles and addresses, and with writes to dead memory; a model in plain arrays says what each call must give.
 * `tests/small.rs` runs it with the inputs of `fuzz_same.c`, or with libFuzzer if MILLPOND_FUZZ_RUNS says how often.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude tests/small_fuzz.c -o fuzz && ./fuzz -max_len=600
 */
#define MILLPOND_SMALL_IMPLEMENTATION
#include "millpond_small.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#define SLOTS_MAX 12

typedef struct input {
    const uint8_t *bytes;
    size_t left;
} input;

static uint32_t next(input *from) {
    if (from->left == 0) {
        return 0;
    }
    from->left--;
    return *from->bytes++;
}

static uint32_t next_word(input *from) {
    uint32_t word = next(from) << 24;
    word |= next(from) << 16;
    word |= next(from) << 8;
    return word | next(from);
}

static void fuzz_roster(input *from) {
    uint32_t slots = next(from) % (SLOTS_MAX + 1), words[MPS_ROSTER_WORDS(SLOTS_MAX)];
    uint32_t known_count = 0, slot, live, retired;
    uint64_t lives[SLOTS_MAX] = {0}, spent[SLOTS_MAX] = {0}, known[64]; /* spent: the id that the slot had last */
    mps_roster pool;
    CHECK(mps_roster_init(&pool, words, slots));
    for (slot = 0; slot < slots && next(from) > 128; slot++) { /* slots near the end of their generations */
        words[2 * slots + slot] = MPS_DEAD | (0x7ffffffcu + next(from) % 4);
    }
    while (from->left > 0) {
        uint32_t what = next(from), which = next(from);
        mps_id id = {0};
        if (known_count > 0) {
            id.bits = known[which % (known_count < 64 ? known_count : 64)];
        }
        if (what >= 240) {
            id.bits = (uint64_t)next_word(from) << 32 | next_word(from);
        } else if (what >= 200) {
            id.bits ^= (uint64_t)1 << which % 64;
        }
        slot = (uint32_t)(id.bits >> 32);
        if (what < 90) {
            uint32_t expected = pool.partition + pool.retired;
            expected = expected < slots ? pool.roster[expected] : MPS_NONE;
            id = mps_roster_allocate(&pool);
            CHECK((id.bits == 0) == (expected == MPS_NONE));
            if (id.bits != 0) {
                CHECK(id.bits >> 32 == expected && lives[expected] == 0 && id.bits > spent[expected]);
                lives[expected] = id.bits;
                known[known_count++ % 64] = id.bits;
            }
        } else {
            int is_live = id.bits != 0 && slot < slots && lives[slot] == id.bits;
            CHECK((mps_roster_find(&pool, id) == slot) == is_live || slot == MPS_NONE);
            CHECK((mps_roster_find(&pool, id) == MPS_NONE) == !is_live);
            if (what % 2 == 0) {
                CHECK(mps_roster_free(&pool, id) == is_live);
                if (is_live) {
                    spent[slot] = lives[slot];
                    lives[slot] = 0;
                }
            }
        }
        for (slot = live = retired = 0; slot < slots; slot++) {
            uint32_t at = pool.position[slot];
            CHECK(at < slots && pool.roster[at] == slot && mps_roster_id_at(&pool, slot).bits == lives[slot]);
            CHECK((at < pool.partition) == (lives[slot] != 0));
            live += lives[slot] != 0;
            retired += pool.generations[slot] == MPS_DEAD;
        }
        CHECK(live == pool.partition && retired == pool.retired);
    }
}

static void fuzz_byte_map(input *from) {
    int32_t count = (int32_t)(next(from) % (SLOTS_MAX + 1)), cursor = -1, i;
    unsigned char bytes[SLOTS_MAX], model[SLOTS_MAX];
    uint32_t objects[SLOTS_MAX + 1];
    mps_bytemap pool;
    CHECK(mps_bytemap_init(&pool, objects, 4, bytes, count));
    memset(model, 0x80, sizeof model);
    while (from->left > 0) {
        uint32_t what = next(from);
        int32_t index = (int32_t)(next(from) % SLOTS_MAX), handle = index << 8 | (int32_t)next(from);
        void *object;
        if (what < 100) { /* the table, slot by slot, and round once more */
            int32_t expected = -1, wraps = 0;
            while (expected < 0) {
                if (++cursor >= count) {
                    if (wraps++ > 0) {
                        cursor = count;
                        break;
                    }
                    cursor = -1;
                } else if (model[cursor] & 0x80) {
                    expected = cursor;
                    model[cursor] = (model[cursor] + 1) & 0x7f;
                }
            }
            object = mps_bytemap_new(&pool);
            CHECK(object == (expected < 0 ? NULL : (void *)&objects[expected]));
        } else if (what < 180) {
            int is_live = index < count && (model[index] & 0x80) == 0;
            CHECK(mps_bytemap_index(&pool, &objects[index]) == (is_live ? index << 8 | model[index] : -1));
            CHECK(mps_bytemap_delete(&pool, (char *)&objects[index] + (what % 16 == 0)) == (is_live && what % 16 != 0));
            if (is_live && what % 16 != 0) {
                model[index] |= 0x80;
                cursor = index < cursor ? index : cursor;
            }
        } else if (what < 200) {
            int is_free = index < count && (model[index] & 0x80) != 0 && (handle & 0x80) == 0;
            CHECK(mps_bytemap_new_at(&pool, handle) == (is_free ? (void *)&objects[index] : NULL));
            if (is_free) {
                model[index] = (unsigned char)(handle & 0xff);
                for (cursor = 0; cursor < count - 1 && (model[cursor] & 0x80) == 0;) {
                    cursor++;
                }
            }
        } else if (what < 205) {
            mps_bytemap_clear(&pool);
            memset(model, 0x80, sizeof model);
        } else {
            int is_live = index < count && (model[index] & 0x80) == 0;
            handle = what < 230 ? handle : (int32_t)next_word(from);
            i = handle >> 8;
            object = mps_bytemap_get(&pool, handle);
            CHECK((object != NULL) ==
                  (i >= 0 && i < count && (model[i] & 0x80) == 0 && model[i] == (unsigned char)(handle & 0xff)));
            CHECK(object == NULL || mps_bytemap_just_index(&pool, object) == i);
            CHECK((mps_bytemap_get_at(&pool, index) != NULL) == is_live);
        }
        CHECK(pool.first_free == cursor && memcmp(bytes, model, (size_t)count) == 0);
    }
}

static void *more(size_t bytes, void *user) {
    int *left = (int *)user;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void fuzz_stack(input *from) {
    size_t object_bytes = next(from) % 40 + 1, live = 0, i;
    int left = (int)(next(from) % 4), is_hurt = 0;
    unsigned char *objects[256] = {NULL}, *seen[256] = {NULL};
    void *chunk;
    mps_stack pool;
    mps_stack_init(&pool, object_bytes, more, &left);
    while (from->left > 0) {
        uint32_t what = next(from), which = next(from);
        unsigned char *object = objects[which];
        if (what < 20) {
            mps_stack_reserve(&pool, which);
        } else if (object == NULL) {
            object = (unsigned char *)mps_stack_alloc(&pool);
            CHECK(object != NULL || is_hurt || live == pool.slots);
            for (i = 0; i < 256; i++) { /* nobody else's */
                CHECK(object == NULL || objects[i] == NULL || objects[i] + pool.object_bytes <= object ||
                      object + pool.object_bytes <= objects[i]);
            }
            if (object != NULL) {
                memset(object, (int)which, pool.object_bytes);
                objects[which] = seen[which] = object;
                live++;
            }
        } else {
            for (i = 0; i < pool.object_bytes; i++) {
                CHECK(object[i] == which);
            }
            CHECK(!mps_stack_free(&pool, object + 1) && !mps_stack_free(&pool, &pool));
            CHECK(mps_stack_free(&pool, object) && !mps_stack_free(&pool, object));
            objects[which] = NULL;
            live--;
            if (what > 240) { /* a write to the dead object: of a byte or some, or of an address that was handed out */
                if (what > 248) {
                    memset(object, (int)next(from), 1 + next(from) % sizeof(void *));
                } else {
                    memcpy(object, &seen[next(from)], sizeof(void *));
                }
                is_hurt = 1;
            }
        }
        CHECK(pool.live == live && live <= pool.slots);
    }
    while ((chunk = mps_stack_take_chunk(&pool)) != NULL) {
        free(chunk);
    }
}

static void fuzz_list(input *from) {
    uint32_t slots = next(from) % (SLOTS_MAX + 1), objects[SLOTS_MAX + 1][3], live = 0, slot;
    unsigned char lives[SLOTS_MAX + 1] = {0};
    int is_hurt = 0;
    mps_list pool;
    CHECK(mps_list_init(&pool, objects, sizeof *objects, slots));
    while (from->left > 0) {
        uint32_t what = next(from);
        slot = next(from) % (SLOTS_MAX + 1);
        if (what < 120) {
            void *object = mps_list_create(&pool);
            CHECK((object != NULL) == (live < slots) || is_hurt);
            if (object != NULL) {
                slot = (uint32_t)((uint32_t(*)[3])object - objects);
                CHECK(slot < slots && !lives[slot] && objects[slot][0] == 1);
                objects[slot][0] = what + 1;
                objects[slot][1] = objects[slot][2] = slot;
                lives[slot] = 1;
                live++;
            }
        } else if (what < 240) {
            CHECK(!mps_list_release(&pool, (char *)objects[slot] + 1 + what % 11));
            CHECK((mps_list_at(&pool, slot) != NULL) == lives[slot]);
            CHECK(mps_list_release(&pool, objects[slot]) == lives[slot]);
            live -= lives[slot];
            lives[slot] = 0;
        } else if (slot < slots && !lives[slot]) { /* a write to a dead particle's link */
            objects[slot][1] = next_word(from) >> next(from) % 32;
            is_hurt = 1;
        }
        CHECK(pool.live == live);
        for (slot = 0; slot < slots; slot++) {
            CHECK(!lives[slot] || (objects[slot][1] == slot && objects[slot][2] == slot));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static void (*const designs[4])(input *) = {fuzz_roster, fuzz_byte_map, fuzz_stack, fuzz_list};
    input from = {bytes, count};
    designs[next(&from) % 4](&from);
    return 0;
}
