#include <millpond.h>

#include <stdio.h>

MP_POOL(numbers, int)

int main(void) {
    mp_options options = MP_OPTIONS(int, 10);
    mp_pool *pool;
    numbers all;
    numbers_id id;
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = numbers_of(pool);
    *numbers_insert(&all, &id) = 7;
    printf("%d\n", *numbers_get(&all, id));
    mp_pool_destroy(pool);
    return 0;
}
