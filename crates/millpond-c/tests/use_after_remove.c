/* Reads an object after its end: a sanitizer must stop it. */
#include "millpond.h"

MP_POOL(numbers, int)

int main(void) {
    mp_options options = MP_OPTIONS(int, 100);
    mp_pool *pool;
    numbers all;
    numbers_id id;
    int *number;
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 0;
    }
    all = numbers_of(pool);
    (void)numbers_insert(&all, &id);
    (void)numbers_insert(&all, &id);
    number = numbers_insert(&all, &id);
    *number = 5;
    (void)numbers_remove(&all, id);
    return *number == 77;
}
