/* Plays operations that come in line by line, and says what each gave: `tests/differential.rs` plays the same ones on
 * a pool of Rust's. */
#include "millpond.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct value {
    uint64_t number;
    uint32_t more;
} value;

static void add(const void *of, mp_sum *sum, void *user) {
    (void)user;
    mp_sum_u64(sum, ((const value *)of)->number);
}

static int64_t key(const void *of, mp_handle handle, void *user) {
    (void)user;
    (void)handle;
    return (int64_t)((const value *)of)->number;
}

static void put(value *made, uint64_t number) {
    if (made != NULL) {
        made->number = number;
    }
}

/* Handles travel in as many bytes as the options say. */
static mp_handle read_in(uint64_t bits, uint32_t index_bits) {
    mp_handle handle;
    handle.bits = bits;
    return index_bits == 0 ? handle : mp_widen((uint32_t)bits, index_bits);
}

static uint64_t sent(mp_handle handle, uint32_t index_bits) {
    return index_bits == 0 ? handle.bits : mp_narrow(handle, index_bits);
}

int main(int count, char **arguments) {
    mp_options options = MP_OPTIONS(value, 0);
    mp_pool *pool = NULL;
    mp_snapshot *past = NULL;
    char line[128];
    if (count != 7) {
        return 2;
    }
    options.slots = (uint32_t)atoi(arguments[1]);
    options.order = (uint32_t)atoi(arguments[2]);
    options.index_bits = (uint32_t)atoi(arguments[3]);
    options.lifetimes = (uint32_t)atoi(arguments[4]);
    options.flags = (uint32_t)atoi(arguments[5]);
    options.name = arguments[6][0] != '-' ? arguments[6] : NULL;
    if (mp_pool_create(&options, &pool) != MP_OK || mp_snapshot_create(&options, &past) != MP_OK) {
        return 3;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        char operation = 0;
        mp_handle handle, gone;
        uint64_t bits = 0, number = 0;
        void *made = NULL;
        if (sscanf(line, "%c %" SCNu64 " %" SCNu64, &operation, &bits, &number) < 1) {
            return 4;
        }
        handle = read_in(bits, options.index_bits);
        switch (operation) {
        case 'i':
            put(mp_insert(pool, &handle), number);
            printf("%" PRIu64 "\n", sent(handle, options.index_bits));
            break;
        case 'r':
            printf("%d\n", mp_remove(pool, handle));
            break;
        case 'g': {
            value *found = mp_get(pool, handle);
            printf("%" PRIu64 "\n", found != NULL ? found->number : 0);
            break;
        }
        case 'a': {
            mp_status status = mp_pool_insert_at(pool, handle, &made);
            put(made, number);
            printf("%d\n", status);
            break;
        }
        case 'o': {
            value taken = {0};
            bool was_in = mp_pool_detach(pool, handle, &taken) == MP_OK;
            printf("%d %" PRIu64 "\n", was_in, was_in ? taken.number : 0);
            break;
        }
        case 'h':
            if (mp_pool_reattach(pool, handle, &made) == MP_OK) {
                put(made, number);
            }
            printf("%d\n", made != NULL);
            break;
        case 'x':
            printf("%d\n", mp_pool_free_detached(pool, handle));
            break;
        case 'e':
            put(mp_pool_insert_or_evict(pool, key, NULL, &handle, &gone, NULL), number);
            printf("%" PRIu64 " %" PRIu64 "\n", sent(handle, options.index_bits), sent(gone, options.index_bits));
            break;
        case 'c':
            mp_pool_clear(pool);
            puts("c");
            break;
        case 'k':
            printf("%d\n", mp_pool_check(pool, handle));
            break;
        case 'p':
            printf("%d\n", mp_pool_save(pool, past));
            break;
        case 'b':
            printf("%d\n", mp_pool_restore(pool, past));
            break;
        case 's':
            printf("%" PRIu64 "\n", mp_pool_checksum(pool, add, NULL));
            break;
        case 'd': {
            mp_stats s = mp_pool_stats(pool);
            printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s.live,
                   s.peak, s.retired, s.inserted, s.removed, s.refused, s.evicted);
            break;
        }
        case 'w':
        case 'v': {
            mp_run run = MP_RUN;
            if (operation == 'w') {
                mp_pool_refresh(pool);
            }
            while (mp_next_run(pool, &run)) {
                printf("%zu+%zu ", run.first, run.count);
            }
            putchar('\n');
            break;
        }
        case 'n':
            printf("%" PRIu64 "\n", sent(mp_pool_next_handle(pool), options.index_bits));
            break;
        default:
            return 5;
        }
        if (mp_pool_validate(pool, line, sizeof line) != MP_OK) {
            printf("broken: %s\n", line);
            return 6;
        }
    }
    mp_snapshot_destroy(past);
    mp_pool_destroy(pool);
    return 0;
}
