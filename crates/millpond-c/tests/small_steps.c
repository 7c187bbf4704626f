/* Steps drawn from a generator in each of the four pools of millpond_small.h; what each step gives goes into a sum, and
 * the sum is printed every thousand steps. `tests/small.rs` does the same with the pools in Rust, and compares.
 *
 *     small_steps DESIGN STEPS
 */
#define MILLPOND_SMALL_IMPLEMENTATION
#include "millpond_small.h"

#include "check.h"

#define SLOTS 110
#define KNOWN 256 /* the handles of late, some of them stale */

static uint64_t seed, sum = 0xcbf29ce484222325u;

static uint32_t below(uint32_t end) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % end);
}

static void add(uint64_t number) {
    sum = (sum ^ number) * 0x100000001b3u;
}

static void roster_steps(unsigned long steps) {
    uint32_t words[MPS_ROSTER_WORDS(SLOTS)], known_at = 0, slot;
    mps_id known[KNOWN] = {{0}};
    mps_roster pool;
    unsigned long step;
    CHECK(mps_roster_init(&pool, words, SLOTS));
    for (step = 1; step <= steps; step++) {
        uint32_t choice = below(100), with = below(KNOWN);
        if (choice < 45) {
            mps_id id = mps_roster_allocate(&pool);
            add(id.bits);
            known[known_at++ % KNOWN] = id;
        } else if (choice < 90) {
            add((uint64_t)mps_roster_free(&pool, known[with]));
        } else {
            add(mps_roster_find(&pool, known[with]));
            add(mps_roster_id_at(&pool, with % SLOTS).bits);
        }
        add(pool.partition);
        if (step % 1000 == 0) {
            for (slot = 0; slot < SLOTS; slot++) {
                add(pool.roster[slot]);
            }
            printf("%016llx\n", (unsigned long long)sum);
        }
    }
}

static void byte_map_steps(unsigned long steps) {
    uint64_t objects[SLOTS];
    unsigned char bytes[SLOTS];
    uint32_t known_at = 0, slot;
    int32_t known[KNOWN] = {0};
    mps_bytemap pool;
    unsigned long step;
    CHECK(mps_bytemap_init(&pool, objects, sizeof *objects, bytes, SLOTS));
    for (step = 1; step <= steps; step++) {
        /* In turns more births and more deaths, so that full and empty pools come up. */
        uint32_t births = step / 500 % 2 == 0 ? 55 : 35;
        uint32_t choice = below(100), with = below(KNOWN), byte = below(256);
        uint64_t *object = NULL;
        if (choice < births) {
            object = (uint64_t *)mps_bytemap_new(&pool);
        } else if (choice < 85) {
            add((uint64_t)mps_bytemap_delete(&pool, mps_bytemap_get(&pool, known[with])));
        } else if (choice < 90) {
            object = (uint64_t *)mps_bytemap_new_at(&pool, (int32_t)((with % (SLOTS + 3)) << 8 | byte));
        } else if (choice < 99 || byte != 0) {
            const uint64_t *found = (const uint64_t *)mps_bytemap_get(&pool, known[with]);
            add(found == NULL ? 0 : *found);
            found = (const uint64_t *)mps_bytemap_get(&pool, (int32_t)((with % (SLOTS + 3)) << 8 | byte));
            add(found == NULL ? 0 : *found);
            found = (const uint64_t *)mps_bytemap_get_at(&pool, (int32_t)with);
            add(found == NULL ? 0 : (uint64_t)mps_bytemap_index(&pool, found));
        } else {
            mps_bytemap_clear(&pool);
        }
        if (object != NULL) {
            *object = step;
            known[known_at % KNOWN] = mps_bytemap_index(&pool, object);
            add((uint64_t)known[known_at++ % KNOWN]);
        }
        add((uint64_t)(pool.first_free + 1));
        if (step % 1000 == 0) {
            for (slot = 0; slot < SLOTS; slot++) {
                add(bytes[slot]);
            }
            printf("%016llx\n", (unsigned long long)sum);
        }
    }
}

static void stack_steps(unsigned long steps) {
    uint64_t *objects[SLOTS] = {NULL}, *first;
    mps_stack pool;
    unsigned long step;
    size_t bytes;
    void *memory;
    mps_stack_init(&pool, sizeof(uint64_t), NULL, NULL);
    bytes = mps_stack_bytes(&pool, SLOTS);
    memory = malloc(bytes);
    CHECK(mps_stack_add(&pool, memory, bytes) == SLOTS);
    first = (uint64_t *)mps_stack_alloc(&pool);
    CHECK(mps_stack_free(&pool, first));
    for (step = 1; step <= steps; step++) {
        uint32_t with = below(SLOTS);
        if (objects[with] == NULL) {
            objects[with] = (uint64_t *)mps_stack_alloc(&pool);
            add((uint64_t)(objects[with] - first));
        } else {
            CHECK(mps_stack_free(&pool, objects[with]) && !mps_stack_free(&pool, objects[with]));
            objects[with] = NULL;
        }
        add(pool.live);
        if (step % 1000 == 0) {
            printf("%016llx\n", (unsigned long long)sum);
        }
    }
    CHECK(mps_stack_take_chunk(&pool) == memory);
    free(memory);
}

static void list_steps(unsigned long steps) {
    uint32_t objects[SLOTS][4], with;
    mps_list pool;
    unsigned long step;
    CHECK(mps_list_init(&pool, objects, sizeof *objects, SLOTS));
    for (step = 1; step <= steps; step++) {
        uint32_t births = step / 500 % 2 == 0 ? 60 : 40;
        with = below(SLOTS);
        if (below(100) < births) {
            uint32_t *object = (uint32_t *)mps_list_create(&pool);
            add(object == NULL ? SLOTS : (uint64_t)(object - objects[0]) / 4);
            if (object != NULL) {
                object[0] = object[1] = object[2] = object[3] = UINT32_MAX;
            }
        } else {
            add((uint64_t)mps_list_release(&pool, objects[with]));
        }
        add(mps_list_at(&pool, with) != NULL);
        add(pool.live);
        if (step % 1000 == 0) {
            printf("%016llx\n", (unsigned long long)sum);
        }
    }
}

int main(int count, char **arguments) {
    static const char names[4][9] = {"roster", "byte_map", "stack", "list"};
    static void (*const designs[4])(unsigned long) = {roster_steps, byte_map_steps, stack_steps, list_steps};
    unsigned long steps = count == 3 ? strtoul(arguments[2], NULL, 10) : 0;
    int design;
    CHECK(count == 3);
    for (design = 0; design < 4; design++) {
        if (strcmp(arguments[1], names[design]) == 0) {
            seed = (uint64_t)design;
            designs[design](steps);
        }
    }
    return 0;
}
