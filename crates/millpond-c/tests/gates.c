/* What `tests/gates.rs` counts the instructions of: `gates NAME ROUNDS`, with 1,000 sparks live in 1,000 slots. Without
 * arguments it lists the names. */
#include "millpond.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spark {
    float x[8];
} spark;

MP_POOL(sparks, spark)
MP_POOL32(small_sparks, spark, 20)
MP_PACKED(packed_sparks, spark)

#define SPARKS 1000

static sparks all;
static small_sparks small;
static packed_sparks packed;
static sparks_id ids[SPARKS];
static small_sparks_id small_ids[SPARKS];
static packed_sparks_id packed_ids[SPARKS];
static size_t at;
/* What is found must not be optimised away. */
static volatile float found;

static size_t next(void) {
    at = at + 1 < SPARKS ? at + 1 : 0;
    return at;
}

static void nothing(void) {
    next();
}

static void get(void) {
    found = sparks_get(&all, ids[next()])->x[0];
}

static void get_32(void) {
    found = small_sparks_get(&small, small_ids[next()])->x[0];
}

static void remove_insert(void) {
    sparks_id *id = &ids[next()];
    spark *made;
    sparks_remove(&all, *id);
    made = sparks_insert(&all, id);
    if (made != NULL) {
        made->x[0] = 1;
    }
}

static void remove_insert_32(void) {
    small_sparks_id *id = &small_ids[next()];
    small_sparks_remove(&small, *id);
    small_sparks_insert(&small, id)->x[0] = 1;
}

/* Ten slots of a walk over all. */
static void walk_10(void) {
    mp_run run = MP_RUN;
    spark *first;
    size_t i;
    if (next() % 100 != 0) {
        return;
    }
    mp_pool_refresh(all.pool);
    while ((first = sparks_next_run(&all, &run)) != NULL) {
        for (i = 0; i < run.count; i++) {
            first[i].x[0] += 1;
        }
    }
}

static void walk_10_one_by_one(void) {
    mp_walk walk = MP_WALK;
    spark *one;
    if (next() % 100 != 0) {
        return;
    }
    mp_pool_refresh(all.pool);
    while ((one = sparks_next(&all, &walk)) != NULL) {
        one->x[0] += 1;
    }
}

static void get_packed(void) {
    found = packed_sparks_get(&packed, packed_ids[next()])->x[0];
}

static void remove_insert_packed(void) {
    packed_sparks_id *id = &packed_ids[next()];
    spark *made;
    packed_sparks_remove(&packed, *id);
    made = packed_sparks_insert(&packed, id);
    if (made != NULL) {
        made->x[0] = 1;
    }
}

static void walk_10_packed(void) {
    spark *one, *end;
    if (next() % 100 != 0) {
        return;
    }
    one = packed_sparks_values(&packed);
    end = one + packed_sparks_count(&packed);
    for (; one != end; one++) {
        one->x[0] += 1;
    }
}

static const struct {
    const char *name;
    void (*operation)(void);
} operations[] = {
    {"nothing", nothing},
    {"get", get},
    {"get_32", get_32},
    {"remove_insert", remove_insert},
    {"remove_insert_32", remove_insert_32},
    {"walk_10", walk_10},
    {"walk_10_one_by_one", walk_10_one_by_one},
    {"get_packed", get_packed},
    {"remove_insert_packed", remove_insert_packed},
    {"walk_10_packed", walk_10_packed},
};

int main(int count, char **arguments) {
    mp_options options = MP_OPTIONS(spark, SPARKS);
    mp_pool *pool, *small_pool;
    mp_packed *packed_pool;
    size_t i, which;
    long rounds;
    if (count < 3) {
        for (i = 0; i < sizeof operations / sizeof operations[0]; i++) {
            puts(operations[i].name);
        }
        return 0;
    }
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 2;
    }
    if (mp_packed_create(&options, &packed_pool) != MP_OK) {
        return 2;
    }
    options.index_bits = 20;
    if (mp_pool_create(&options, &small_pool) != MP_OK) {
        return 2;
    }
    all = sparks_of(pool);
    small = small_sparks_of(small_pool);
    packed = packed_sparks_of(packed_pool);
    for (i = 0; i < SPARKS; i++) {
        sparks_insert(&all, &ids[i])->x[0] = 0;
        small_sparks_insert(&small, &small_ids[i])->x[0] = 0;
        packed_sparks_insert(&packed, &packed_ids[i])->x[0] = 0;
    }
    for (which = 0; which < sizeof operations / sizeof operations[0]; which++) {
        if (strcmp(operations[which].name, arguments[1]) == 0) {
            for (rounds = atol(arguments[2]); rounds > 0; rounds--) {
                operations[which].operation();
            }
            return 0;
        }
    }
    return 3;
}
