/* Every function of millpond_small.h, with what no program should pass. C99 and C++11; also for other machines. */
#define MILLPOND_SMALL_IMPLEMENTATION
#include "millpond_small.h"

#include "check.h"

static mps_id id_of(uint32_t slot, uint32_t generation) {
    mps_id id;
    id.bits = (uint64_t)slot << 32 | generation;
    return id;
}

static void check_roster(const mps_roster *pool) {
    uint32_t slot;
    CHECK(pool->partition + pool->retired <= pool->slots);
    for (slot = 0; slot < pool->slots; slot++) {
        uint32_t at = pool->position[slot];
        CHECK(at < pool->slots && pool->roster[at] == slot);
        CHECK((at < pool->partition) == ((pool->generations[slot] & MPS_DEAD) == 0));
        CHECK((at >= pool->partition && at < pool->partition + pool->retired) == (pool->generations[slot] == MPS_DEAD));
    }
}

static void rosters(void) {
    static const uint32_t first[6] = {5, 4, 3, 2, 1, 0}, freed[6] = {5, 1, 3, 2, 4, 0};
    uint32_t words[MPS_ROSTER_WORDS(6)], slot;
    mps_roster pool, none;
    mps_id ids[6], id;
    memset(&none, 0, sizeof none);
    CHECK(!mps_roster_init(&pool, NULL, 6) && pool.slots == 0);
    CHECK(!mps_roster_init(&pool, words, MPS_SLOTS_MAX + 1) && !mps_roster_init(&pool, words, MPS_NONE));
    CHECK(mps_roster_init(&pool, words, 0) && mps_roster_allocate(&pool).bits == 0);
    CHECK(mps_roster_allocate(&none).bits == 0 && !mps_roster_free(&none, id_of(0, 1)));
    CHECK(mps_roster_find(&none, id_of(0, 1)) == MPS_NONE && mps_roster_id_at(&none, 0).bits == 0);

    /* The published example. */
    CHECK(mps_roster_init(&pool, words, 6) && memcmp(pool.roster, first, sizeof first) == 0);
    for (slot = 0; slot < 5; slot++) {
        ids[slot] = mps_roster_allocate(&pool);
        CHECK(ids[slot].bits == id_of(5 - slot, 1).bits && mps_roster_find(&pool, ids[slot]) == 5 - slot);
        check_roster(&pool);
    }
    CHECK(pool.partition == 5 && pool.roster[pool.partition] == 0);
    CHECK(mps_roster_free(&pool, ids[1]) && memcmp(pool.roster, freed, sizeof freed) == 0 && pool.partition == 4);
    CHECK(mps_roster_find(&pool, ids[1]) == MPS_NONE && !mps_roster_free(&pool, ids[1]));
    CHECK(mps_roster_id_at(&pool, 4).bits == 0);
    id = mps_roster_allocate(&pool);
    CHECK(id.bits == id_of(4, 2).bits && mps_roster_id_at(&pool, 4).bits == id.bits);
    CHECK(mps_roster_find(&pool, ids[1]) == MPS_NONE && mps_roster_allocate(&pool).bits == id_of(0, 1).bits);
    CHECK(mps_roster_allocate(&pool).bits == 0 && pool.partition == 6);

    /* Bits that were never handed out, also those that a dead slot's word equals. */
    CHECK(mps_roster_free(&pool, id));
    CHECK(!mps_roster_free(&pool, id_of(4, pool.generations[4])) && !mps_roster_free(&pool, id_of(4, 3)));
    CHECK(mps_roster_find(&pool, id_of(6, 1)) == MPS_NONE && mps_roster_find(&pool, id_of(MPS_NONE, 1)) == MPS_NONE);
    CHECK(mps_roster_find(&pool, id_of(5, 0)) == MPS_NONE && mps_roster_find(&pool, id_of(5, MPS_NONE)) == MPS_NONE);
    CHECK(mps_roster_id_at(&pool, 6).bits == 0 && mps_roster_id_at(&pool, MPS_NONE).bits == 0);
    check_roster(&pool);

    /* After its last generation, a slot retires; the others are handed out as before. */
    pool.generations[4] = 0x7fffffff | MPS_DEAD;
    id = mps_roster_allocate(&pool);
    CHECK(id.bits == id_of(4, 0x7fffffff).bits && mps_roster_free(&pool, id) && pool.retired == 1);
    CHECK(mps_roster_find(&pool, id_of(4, 0)) == MPS_NONE && mps_roster_find(&pool, id_of(4, MPS_DEAD)) == MPS_NONE);
    CHECK(mps_roster_allocate(&pool).bits == 0);
    check_roster(&pool);
    pool.generations[2] = 0x7fffffff;
    CHECK(mps_roster_free(&pool, id_of(5, 1)) && mps_roster_free(&pool, id_of(2, 0x7fffffff)) && pool.retired == 2);
    CHECK(mps_roster_free(&pool, id_of(1, 1)));
    check_roster(&pool);
    CHECK(mps_roster_allocate(&pool).bits == id_of(1, 2).bits && mps_roster_allocate(&pool).bits == id_of(5, 2).bits);
    CHECK(mps_roster_allocate(&pool).bits == 0 && pool.partition == 4);
    check_roster(&pool);
}

static void byte_maps(void) {
    uint16_t objects[300], outside;
    unsigned char bytes[300];
    mps_bytemap pool;
    int32_t i, use;
    void *object;
    CHECK(!mps_bytemap_init(&pool, NULL, 2, bytes, 3) && !mps_bytemap_init(&pool, objects, 0, bytes, 3));
    CHECK(!mps_bytemap_init(&pool, objects, 2, NULL, 3) && !mps_bytemap_init(&pool, objects, 2, bytes, -1));
    CHECK(!mps_bytemap_init(&pool, objects, 2, bytes, (1 << 23) + 1) && pool.count == 0);
    CHECK(mps_bytemap_init(&pool, objects, 2, bytes, 0) && mps_bytemap_new(&pool) == NULL);
    CHECK(mps_bytemap_new_at(&pool, 1) == NULL && mps_bytemap_just_index(&pool, objects) == -1);

    CHECK(mps_bytemap_init(&pool, objects, 2, bytes, 300) && pool.first_free == -1 && bytes[299] == 0x80);
    for (i = 0; i < 300; i++) {
        object = mps_bytemap_new(&pool);
        CHECK(object == (void *)&objects[i] && pool.first_free == i && bytes[i] == 1);
        CHECK(mps_bytemap_just_index(&pool, object) == i && mps_bytemap_index(&pool, object) == (i << 8 | 1));
        CHECK(mps_bytemap_get(&pool, i << 8 | 1) == object && mps_bytemap_get_at(&pool, i) == object);
    }
    CHECK(mps_bytemap_new(&pool) == NULL && pool.first_free == 300 && mps_bytemap_new(&pool) == NULL);
    /* The cursor is beyond the end: a slot that is freed is below. */
    CHECK(mps_bytemap_delete(&pool, &objects[7]) && mps_bytemap_delete(&pool, &objects[9]) && pool.first_free == 7);
    CHECK(bytes[7] == 0x81 && !mps_bytemap_delete(&pool, &objects[7]) && mps_bytemap_get_at(&pool, 7) == NULL);
    CHECK(mps_bytemap_get(&pool, 7 << 8 | 1) == NULL && mps_bytemap_get(&pool, 7 << 8 | 0x81) == NULL);
    CHECK(mps_bytemap_index(&pool, &objects[7]) == -1 && mps_bytemap_just_index(&pool, &objects[7]) == 7);
    CHECK(mps_bytemap_new(&pool) == &objects[9] && mps_bytemap_new(&pool) == &objects[7] && bytes[7] == 2);

    /* What is none. */
    CHECK(mps_bytemap_get_at(&pool, -1) == NULL && mps_bytemap_get_at(&pool, 300) == NULL);
    CHECK(mps_bytemap_get_at(&pool, INT32_MIN) == NULL && mps_bytemap_get_at(&pool, INT32_MAX) == NULL);
    CHECK(mps_bytemap_get(&pool, -1) == NULL && mps_bytemap_get(&pool, INT32_MIN) == NULL);
    CHECK(mps_bytemap_get(&pool, 300 << 8 | 1) == NULL && mps_bytemap_get(&pool, INT32_MAX) == NULL);
    CHECK(!mps_bytemap_delete(&pool, NULL) && !mps_bytemap_delete(&pool, &outside));
    CHECK(!mps_bytemap_delete(&pool, (unsigned char *)objects + 1) && !mps_bytemap_delete(&pool, objects + 300));
    CHECK(!mps_bytemap_delete(&pool, bytes) && mps_bytemap_just_index(&pool, &outside) == -1);

    /* New(handle). */
    mps_bytemap_clear(&pool);
    CHECK(mps_bytemap_get(&pool, 3 << 8 | 1) == NULL && bytes[3] == 0x80);
    CHECK(mps_bytemap_new_at(&pool, 90 << 8 | 42) == &objects[90] && pool.first_free == 0);
    CHECK(mps_bytemap_get(&pool, 90 << 8 | 42) == &objects[90]);
    CHECK(mps_bytemap_new_at(&pool, 90 << 8 | 43) == NULL && mps_bytemap_new_at(&pool, 91 << 8 | 0x80) == NULL);
    CHECK(mps_bytemap_new_at(&pool, -1) == NULL && mps_bytemap_new_at(&pool, 300 << 8) == NULL);
    CHECK(mps_bytemap_new_at(&pool, 0) == &objects[0] && pool.first_free == 1 && mps_bytemap_new(&pool) == &objects[2]);

    for (i = 0; i < 300; i++) {
        mps_bytemap_new_at(&pool, i << 8 | 1);
    }
    CHECK(mps_bytemap_new_at(&pool, 9) == NULL && pool.first_free == 299 && mps_bytemap_get_at(&pool, 299) != NULL);

    /* Seeds wrap after 128 uses, and none of them is the free bit. */
    CHECK(mps_bytemap_init(&pool, objects, 2, bytes, 1));
    for (use = 1; use <= 300; use++) {
        object = mps_bytemap_new(&pool);
        CHECK(mps_bytemap_index(&pool, object) == use % 128 && mps_bytemap_delete(&pool, object));
    }
    mps_bytemap_flush(&pool);
    CHECK(pool.count == 0 && pool.first_free == 0 && mps_bytemap_new(&pool) == NULL);
    CHECK(mps_bytemap_get(&pool, 1) == NULL && !mps_bytemap_delete(&pool, objects));
    mps_bytemap_flush(&pool);
    mps_bytemap_clear(&pool);
}

typedef struct heap {
    size_t blocks, left; /* how many more it gives */
} heap;

static void *more(size_t bytes, void *user) {
    heap *from = (heap *)user;
    if (from->left == 0) {
        return NULL;
    }
    from->left--;
    from->blocks++;
    return malloc(bytes);
}

static void stacks(void) {
    static uint64_t memory[600], outside;
    void *objects[1000], *chunk;
    heap from = {0, 3};
    mps_stack pool, none;
    size_t i, k, bytes, slots;
    memset(&none, 0, sizeof none);
    CHECK(mps_stack_alloc(&none) == NULL && !mps_stack_free(&none, &outside) && mps_stack_take_chunk(&none) == NULL);
    CHECK(mps_stack_bytes(&none, 3) == 0 && mps_stack_add(&none, memory, sizeof memory) == 0);

    /* The caller's chunks, of every size and alignment. */
    for (i = 0; i < 64; i++) {
        mps_stack_init(&pool, 1 + i, NULL, NULL);
        CHECK(mps_stack_alloc(&pool) == NULL);
        bytes = mps_stack_bytes(&pool, 7);
        CHECK(mps_stack_add(&pool, NULL, bytes) == 0 && mps_stack_add(&pool, memory, 0) == 0);
        CHECK(mps_stack_add(&pool, memory, mps_stack_bytes(&pool, 1) - 1) == 0);
        CHECK(mps_stack_add(&pool, (char *)memory + i % 8, bytes) == 7 && pool.slots == 7);
        for (k = 0; k < 7; k++) {
            objects[k] = mps_stack_alloc(&pool);
            CHECK((char *)objects[k] == (char *)objects[0] + k * pool.object_bytes && (uintptr_t)objects[0] % 64 == 0);
            CHECK((char *)objects[k] + pool.object_bytes <= (char *)memory + i % 8 + bytes);
            memset(objects[k], (int)k, 1 + i);
        }
        CHECK(mps_stack_alloc(&pool) == NULL && pool.live == 7);
        for (k = 0; k < 7; k++) {
            CHECK(*((unsigned char *)objects[k] + i) == k);
        }
        CHECK(mps_stack_free(&pool, objects[3]) && !mps_stack_free(&pool, objects[3]));
        CHECK(mps_stack_free(&pool, objects[0]) && pool.live == 5);
        CHECK(mps_stack_alloc(&pool) == objects[0] && mps_stack_alloc(&pool) == objects[3]);
        CHECK(!mps_stack_free(&pool, NULL) && !mps_stack_free(&pool, &outside) && !mps_stack_free(&pool, memory));
        CHECK(!mps_stack_free(&pool, (char *)objects[0] + 1));
        CHECK(!mps_stack_free(&pool, (char *)objects[6] + pool.object_bytes));
        CHECK(mps_stack_take_chunk(&pool) == (char *)memory + i % 8 && mps_stack_take_chunk(&pool) == NULL);
    }
    mps_stack_init(&pool, SIZE_MAX, NULL, NULL);
    CHECK(mps_stack_bytes(&pool, 1) == 0 && mps_stack_add(&pool, memory, sizeof memory) == 0);
    mps_stack_init(&pool, SIZE_MAX / 2, NULL, NULL);
    CHECK(mps_stack_bytes(&pool, 2) == 0 && mps_stack_bytes(&pool, 0) == 0 && mps_stack_bytes(&pool, SIZE_MAX) == 0);

    /* Growth: chunks as large as all before, and objects that stay where they are. */
    mps_stack_init(&pool, sizeof(uint64_t), more, &from);
    for (i = 0; i < 256; i++) {
        objects[i] = mps_stack_alloc(&pool);
        memcpy(objects[i], &i, sizeof i);
    }
    CHECK(from.blocks == 3 && pool.slots == 256 && mps_stack_alloc(&pool) == NULL && pool.live == 256);
    CHECK(mps_stack_reserve(&pool, 0) && !mps_stack_reserve(&pool, 1) && !mps_stack_reserve(&pool, SIZE_MAX));
    from.left = 2;
    CHECK(mps_stack_reserve(&pool, 500) && mps_stack_reserve(&pool, 500) && from.blocks == 4 && pool.slots == 756);
    for (i = 256; i < 756; i++) {
        objects[i] = mps_stack_alloc(&pool);
        memcpy(objects[i], &i, sizeof i);
    }
    CHECK(from.blocks == 4);
    for (i = 0; i < 756; i++) {
        memcpy(&k, objects[i], sizeof k);
        CHECK(k == i && mps_stack_free(&pool, objects[i]) && !mps_stack_free(&pool, objects[i]));
    }
    for (i = 756; i > 0; i--) {
        CHECK(mps_stack_alloc(&pool) == objects[i - 1]);
    }
    /* Somebody writes over the link of a dead object: that one is handed out, and what its link leads to is not. */
    mps_stack_free(&pool, objects[0]);
    mps_stack_free(&pool, objects[1]);
    chunk = &outside;
    memcpy(objects[1], &chunk, sizeof chunk);
    slots = pool.slots;
    from.left = 0;
    CHECK(mps_stack_alloc(&pool) == objects[1] && mps_stack_alloc(&pool) == NULL && mps_stack_alloc(&pool) == NULL);
    CHECK(pool.slots == pool.live && pool.slots < slots && outside == 0);
    CHECK(!mps_stack_reserve(&pool, 1) && mps_stack_reserve(&pool, 0));
    /* And over another, with the address of the slot that was lost by that: there is room for it again. */
    mps_stack_free(&pool, objects[2]);
    memcpy(objects[2], &objects[0], sizeof objects[0]);
    CHECK(mps_stack_alloc(&pool) == objects[2] && mps_stack_alloc(&pool) == objects[0] && pool.live == 756);
    CHECK(pool.slots == pool.live && mps_stack_alloc(&pool) == NULL && !mps_stack_reserve(&pool, 1));
    /* All is gone with the first chunk, whatever chunk it is in. */
    while ((chunk = mps_stack_take_chunk(&pool)) != NULL) {
        CHECK(mps_stack_alloc(&pool) == NULL && pool.live == 0);
        for (i = 0; i < 756; i++) {
            CHECK(!mps_stack_free(&pool, objects[i]));
        }
        free(chunk);
    }
}

typedef struct particle {
    uint32_t frames_left;
    double x;
} particle;

static void lists(void) {
    particle particles[5], outside;
    void *all[5];
    mps_list pool;
    uint32_t i;
    memset(&pool, 0, sizeof pool);
    CHECK(mps_list_create(&pool) == NULL && mps_list_at(&pool, 0) == NULL && !mps_list_release(&pool, particles));
    CHECK(!mps_list_init(&pool, NULL, 16, 5) && !mps_list_init(&pool, particles, 7, 5));
    CHECK(!mps_list_init(&pool, particles, sizeof *particles, MPS_SLOTS_MAX + 1) && mps_list_create(&pool) == NULL);
    CHECK(!mps_list_init(&pool, particles, SIZE_MAX / 2, 5) && mps_list_create(&pool) == NULL);
    CHECK(mps_list_init(&pool, particles, sizeof *particles, 0) && mps_list_create(&pool) == NULL);
    CHECK(mps_list_init(&pool, particles, sizeof *particles, 5) && mps_list_at(&pool, 0) == NULL);
    for (i = 0; i < 5; i++) {
        all[i] = mps_list_create(&pool);
        CHECK(all[i] == (void *)&particles[i] && particles[i].frames_left == 1 && mps_list_at(&pool, i) == all[i]);
        particles[i].frames_left = UINT32_MAX;
        particles[i].x = i;
    }
    CHECK(mps_list_create(&pool) == NULL && pool.live == 5 && mps_list_at(&pool, 5) == NULL);
    CHECK(mps_list_at(&pool, MPS_NONE) == NULL);
    CHECK(mps_list_release(&pool, all[3]) && !mps_list_release(&pool, all[3]) && mps_list_at(&pool, 3) == NULL);
    CHECK(mps_list_release(&pool, all[1]) && particles[1].frames_left == 0 && pool.live == 3);
    CHECK(mps_list_create(&pool) == all[1] && mps_list_create(&pool) == all[3] && particles[4].x > 3);
    CHECK(!mps_list_release(&pool, NULL) && !mps_list_release(&pool, &outside));
    CHECK(!mps_list_release(&pool, (char *)all[2] + 4) && !mps_list_release(&pool, particles + 5));

    /* Somebody writes to a dead particle: slots are lost, and nothing worse. */
    mps_list_release(&pool, all[0]);
    particles[0].frames_left = 9;
    CHECK(mps_list_create(&pool) == NULL && mps_list_create(&pool) == NULL);
    mps_list_release(&pool, all[2]);
    memset(&particles[2].frames_left + 1, 0xee, 4);
    CHECK(mps_list_create(&pool) == all[2] && mps_list_create(&pool) == NULL);
    mps_list_release(&pool, all[2]);
    memset(&particles[2].frames_left + 1, 0, 4); /* to one that is in use */
    CHECK(mps_list_create(&pool) == all[2] && mps_list_create(&pool) == NULL);
}

static void *plain_more(size_t bytes, void *user) {
    (void)user;
    return malloc(bytes);
}

/* Random steps beside a model, with saves and restores, whole and damaged. */
#define OBJECTS_MAX 700

static void growing(void) {
    static uint64_t handles[OBJECTS_MAX], numbers[OBJECTS_MAX], then_handles[OBJECTS_MAX], then_numbers[OBJECTS_MAX];
    static unsigned char state[OBJECTS_MAX * 40 + 64], damaged[sizeof state];
    mps_growing pool, other;
    uint64_t random = 7, number = 0;
    size_t count = 0, then_count = 0, state_bytes = 0, at;
    void *chunk;
    int step, blocks = 0;
    mps_id id, none = {0};
    mps_growing_init(&pool, 24, NULL, NULL);
    CHECK(mps_growing_alloc(&pool, &id) == NULL && id.bits == 0 && !mps_growing_reserve(&pool, 1));
    CHECK(mps_growing_find(&pool, id_of(0, 1)) == NULL && !mps_growing_free(&pool, none));
    mps_growing_init(&pool, SIZE_MAX, plain_more, NULL);
    CHECK(mps_growing_alloc(&pool, &id) == NULL);
    mps_growing_init(&pool, 24, plain_more, NULL);
    for (step = 0; step < 30000; step++) {
        uint32_t choice;
        random = random * 6364136223846793005u + 1442695040888963407u;
        choice = (uint32_t)(random >> 33) % 100;
        at = count == 0 ? 0 : (size_t)(random >> 40) % count;
        if (choice < (step / 2000 % 2 == 0 ? 60u : 40u) && count < OBJECTS_MAX) {
            uint64_t *made = (uint64_t *)mps_growing_alloc(&pool, &id);
            CHECK(made != NULL && mps_growing_find(&pool, id) == made);
            made[0] = made[2] = ++number;
            handles[count] = id.bits;
            numbers[count++] = number;
        } else if (choice < 95 && count != 0) {
            id.bits = handles[at];
            CHECK(mps_growing_free(&pool, id) && !mps_growing_free(&pool, id) && mps_growing_find(&pool, id) == NULL);
            id.bits ^= (uint64_t)1 << choice % 64;
            handles[at] = handles[count - 1];
            numbers[at] = numbers[--count];
        } else if (choice == 96) {
            state_bytes = mps_growing_state_bytes(&pool);
            CHECK(state_bytes <= sizeof state && !mps_growing_save(&pool, state, state_bytes - 1));
            CHECK(mps_growing_save(&pool, state, state_bytes));
            memcpy(then_handles, handles, sizeof handles);
            memcpy(then_numbers, numbers, sizeof numbers);
            then_count = count;
        } else if (choice == 97 && state_bytes != 0) {
            CHECK(mps_growing_restore(&pool, state, state_bytes));
            memcpy(handles, then_handles, sizeof handles);
            memcpy(numbers, then_numbers, sizeof numbers);
            count = then_count;
        } else if (choice == 98 && state_bytes != 0) {
            memcpy(damaged, state, state_bytes);
            damaged[(size_t)(random >> 20) % state_bytes] ^= (unsigned char)(1u << (random >> 61));
            mps_growing_init(&other, 24, plain_more, NULL);
            if (mps_growing_restore(&other, damaged, state_bytes - (step % 5 == 0))) {
                while (other.live < other.slots) { /* every slot comes once */
                    CHECK(mps_growing_alloc(&other, &id) != NULL);
                }
            } else {
                CHECK(other.live == 0 && other.used == 0);
            }
            while ((chunk = mps_growing_take_chunk(&other)) != NULL) {
                free(chunk);
            }
        }
        CHECK(pool.live == count);
        for (at = 0; at < count && step % 50 == 0; at++) {
            uint64_t *found;
            id.bits = handles[at];
            found = (uint64_t *)mps_growing_find(&pool, id);
            CHECK(found != NULL && found[0] == numbers[at] && found[2] == numbers[at] && (uintptr_t)found % 8 == 0);
        }
        if (step % 50 == 0) {
            size_t seen = 0;
            for (id = none; mps_growing_next(&pool, &id) != NULL;) {
                CHECK(mps_growing_find(&pool, id) != NULL);
                seen++;
            }
            CHECK(seen == count);
        }
    }
    /* A loop may free and alloc anything. */
    for (id = none; mps_growing_next(&pool, &id) != NULL;) {
        CHECK(mps_growing_free(&pool, id));
    }
    CHECK(pool.live == 0 && mps_growing_reserve(&pool, 3000) && pool.slots >= 3000);
    /* A slot whose generations are used up retires. */
    id = id_of(0, 0x7fffffff);
    CHECK(mps_growing_alloc(&pool, &none) != NULL);
    *mps_growing_word_(&pool, (uint32_t)(none.bits >> 32)) = none.bits >> 32 << 32 | 0x7fffffff;
    id.bits = none.bits >> 32 << 32 | 0x7fffffff;
    at = pool.used;
    CHECK(mps_growing_free(&pool, id) && !mps_growing_free(&pool, id) && mps_growing_find(&pool, id) == NULL);
    for (count = 0; count < at; count++) {
        CHECK(mps_growing_alloc(&pool, &none) != NULL && none.bits >> 32 != id.bits >> 32);
    }
    while ((chunk = mps_growing_take_chunk(&pool)) != NULL) {
        free(chunk);
        blocks++;
    }
    CHECK(blocks == 7 && mps_growing_alloc(&pool, &id) != NULL);
    free(mps_growing_take_chunk(&pool));
}

static void saved_rosters(void) {
    enum { SLOTS = 40 };
    static uint32_t words[MPS_ROSTER_WORDS(SLOTS)], others[MPS_ROSTER_WORDS(SLOTS)];
    static uint64_t objects[SLOTS], spare[SLOTS];
    static unsigned char state[40 + SLOTS * 16], damaged[sizeof state];
    mps_roster pool, other;
    mps_id ids[SLOTS];
    uint32_t at;
    uint64_t random = 3;
    int step, restored = 0;
    CHECK(mps_roster_init(&pool, words, SLOTS) && mps_roster_init(&other, others, SLOTS));
    for (at = 0; at < 30; at++) {
        ids[at] = mps_roster_allocate(&pool);
        objects[mps_roster_find(&pool, ids[at])] = at;
    }
    for (at = 0; at < 30; at += 3) {
        CHECK(mps_roster_free(&pool, ids[at]));
    }
    CHECK(mps_roster_state_bytes(&pool, 8) == sizeof state && mps_roster_state_bytes(&pool, SIZE_MAX) == SIZE_MAX);
    CHECK(!mps_roster_save(&pool, objects, 8, state, sizeof state - 1));
    CHECK(mps_roster_save(&pool, objects, 8, state, sizeof state));
    CHECK(!mps_roster_restore(&other, spare, 4, state, sizeof state) && !mps_roster_restore(&other, NULL, 8, state, sizeof state));
    CHECK(!mps_roster_restore(&other, spare, 8, NULL, 0) && mps_roster_restore(&other, spare, 8, state, sizeof state));
    check_roster(&other);
    for (at = 0; at < 30; at++) {
        uint32_t slot = mps_roster_find(&other, ids[at]);
        CHECK((slot == MPS_NONE) == (at % 3 == 0) && (slot == MPS_NONE || spare[slot] == at));
    }
    CHECK(mps_roster_allocate(&other).bits == mps_roster_allocate(&pool).bits);
    for (step = 0; step < 20000; step++) {
        memcpy(damaged, state, sizeof state);
        do {
            random = random * 6364136223846793005u + 1442695040888963407u;
            damaged[(size_t)(random >> 33) % sizeof state] ^= (unsigned char)(1u << (random >> 61));
        } while (random >> 60 == 0);
        if (mps_roster_restore(&other, spare, 8, damaged, sizeof state)) {
            restored++; /* another object, or another generation */
        }
        if (step % 16 == 0) {
            check_roster(&other);
        }
    }
    CHECK(restored > 1000);
}

int main(void) {
    rosters();
    byte_maps();
    stacks();
    lists();
    saved_rosters();
    growing();
    printf("all is well\n");
    return 0;
}
