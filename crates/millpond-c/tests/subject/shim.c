/* The header's functions, most of which are inline, as functions of a shared library: `pool_of_c.rs` loads it. Handles
 * travel in as many bytes as `index_bits` says. */
#include "millpond.h"

static mp_handle wide(uint64_t bits, uint32_t index_bits) {
    mp_handle handle;
    handle.bits = bits;
    return index_bits == 0 ? handle : mp_widen((uint32_t)bits, index_bits);
}
static uint64_t sent(mp_handle handle, uint32_t index_bits) {
    return index_bits == 0 ? handle.bits : mp_narrow(handle, index_bits);
}

mp_status shim_create(const mp_options *options, mp_pool **out);
mp_status shim_create(const mp_options *options, mp_pool **out) {
    return mp_pool_create(options, out);
}
void *shim_insert(mp_pool *pool, uint32_t index_bits, uint64_t *bits);
void *shim_insert(mp_pool *pool, uint32_t index_bits, uint64_t *bits) {
    mp_handle handle;
    void *made = mp_insert(pool, &handle);
    *bits = sent(handle, index_bits);
    return made;
}
bool shim_remove(mp_pool *pool, uint32_t index_bits, uint64_t bits);
bool shim_remove(mp_pool *pool, uint32_t index_bits, uint64_t bits) {
    return mp_remove(pool, wide(bits, index_bits));
}
void *shim_get(const mp_pool *pool, uint32_t index_bits, uint64_t bits);
void *shim_get(const mp_pool *pool, uint32_t index_bits, uint64_t bits) {
    return mp_get(pool, wide(bits, index_bits));
}
mp_status shim_check(const mp_pool *pool, uint32_t index_bits, uint64_t bits);
mp_status shim_check(const mp_pool *pool, uint32_t index_bits, uint64_t bits) {
    return mp_pool_check(pool, wide(bits, index_bits));
}
bool shim_contains(const mp_pool *pool, uint32_t index_bits, uint64_t bits);
bool shim_contains(const mp_pool *pool, uint32_t index_bits, uint64_t bits) {
    return mp_contains(pool, wide(bits, index_bits));
}
size_t shim_live(const mp_pool *pool);
size_t shim_live(const mp_pool *pool) {
    return mp_live(pool);
}
size_t shim_capacity_max(const mp_pool *pool);
size_t shim_capacity_max(const mp_pool *pool) {
    return mp_pool_capacity_max(pool);
}
size_t shim_capacity(const mp_pool *pool);
size_t shim_capacity(const mp_pool *pool) {
    return mp_capacity(pool);
}
/* Writes the runs, each as its first slot and its length, and says how many there are. */
size_t shim_runs(const mp_pool *pool, size_t (*runs)[2]);
size_t shim_runs(const mp_pool *pool, size_t (*runs)[2]) {
    mp_run run = MP_RUN;
    size_t count = 0;
    while (mp_next_run(pool, &run)) {
        runs[count][0] = run.first;
        runs[count][1] = run.count;
        count++;
    }
    return count;
}
uint64_t shim_handle_at(const mp_pool *pool, uint32_t index_bits, size_t slot);
uint64_t shim_handle_at(const mp_pool *pool, uint32_t index_bits, size_t slot) {
    return sent(mp_pool_handle_at(pool, slot), index_bits);
}
uint64_t shim_next_handle(mp_pool *pool, uint32_t index_bits);
uint64_t shim_next_handle(mp_pool *pool, uint32_t index_bits) {
    return sent(mp_pool_next_handle(pool), index_bits);
}
mp_status shim_insert_at(mp_pool *pool, uint32_t index_bits, uint64_t bits, void **value);
mp_status shim_insert_at(mp_pool *pool, uint32_t index_bits, uint64_t bits, void **value) {
    return mp_pool_insert_at(pool, wide(bits, index_bits), value);
}

mp_status shim_detach(mp_pool *pool, uint32_t index_bits, uint64_t bits);
mp_status shim_detach(mp_pool *pool, uint32_t index_bits, uint64_t bits) {
    return mp_pool_detach(pool, wide(bits, index_bits), NULL);
}
mp_status shim_reattach(mp_pool *pool, uint32_t index_bits, uint64_t bits, void **value);
mp_status shim_reattach(mp_pool *pool, uint32_t index_bits, uint64_t bits, void **value) {
    return mp_pool_reattach(pool, wide(bits, index_bits), value);
}
bool shim_free_detached(mp_pool *pool, uint32_t index_bits, uint64_t bits);
bool shim_free_detached(mp_pool *pool, uint32_t index_bits, uint64_t bits) {
    return mp_pool_free_detached(pool, wide(bits, index_bits));
}

static int64_t rank_of(const void *value, mp_handle handle, void *ranks) {
    (void)value;
    return ((const int64_t *)ranks)[handle.bits >> 32];
}
/* The keys are those of the slots. */
void *shim_insert_or_evict(mp_pool *pool, uint32_t index_bits, int64_t *ranks, uint64_t *bits, uint64_t *evicted,
                           void *evicted_value);
void *shim_insert_or_evict(mp_pool *pool, uint32_t index_bits, int64_t *ranks, uint64_t *bits, uint64_t *evicted,
                           void *evicted_value) {
    mp_handle handle, gone;
    void *made = mp_pool_insert_or_evict(pool, rank_of, ranks, &handle, &gone, evicted_value);
    *bits = sent(handle, index_bits);
    *evicted = sent(gone, index_bits);
    return made;
}

#define SAME(result, name, parameters, arguments)                              \
    result shim_##name parameters;                                             \
    result shim_##name parameters {                                            \
        return mp_##name arguments;                                            \
    }
#define VOID(name, parameters, arguments)                                      \
    void shim_##name parameters;                                               \
    void shim_##name parameters {                                              \
        mp_##name arguments;                                                   \
    }
VOID(pool_destroy, (mp_pool * pool), (pool))
VOID(pool_clear, (mp_pool * pool), (pool))
VOID(pool_refresh, (mp_pool * pool), (pool))
SAME(size_t, pool_index_of, (const mp_pool *pool, const void *value), (pool, value))
SAME(mp_stats, pool_stats, (const mp_pool *pool), (pool))
SAME(mp_status, pool_validate, (const mp_pool *pool, char *text, size_t room), (pool, text, room))
SAME(uint64_t, pool_checksum, (const mp_pool *pool), (pool, NULL, NULL))
SAME(mp_status, snapshot_create, (const mp_options *options, mp_snapshot **out), (options, out))
VOID(snapshot_destroy, (mp_snapshot * snapshot), (snapshot))
SAME(mp_status, pool_save, (const mp_pool *pool, mp_snapshot *snapshot), (pool, snapshot))
SAME(size_t, pool_state_bytes, (const mp_pool *pool), (pool))
SAME(mp_status, pool_write_state, (const mp_pool *pool, void *buffer, size_t bytes), (pool, buffer, bytes))
SAME(mp_status, pool_migrate, (mp_pool * pool, const void *state, size_t bytes), (pool, state, bytes, NULL, NULL))
SAME(mp_status, pool_restore, (mp_pool * pool, const mp_snapshot *snapshot), (pool, snapshot))

mp_status shim_packed_create(const mp_options *options, mp_packed **out);
mp_status shim_packed_create(const mp_options *options, mp_packed **out) {
    return mp_packed_create(options, out);
}
void *shim_packed_insert(mp_packed *packed, uint32_t index_bits, uint64_t *bits);
void *shim_packed_insert(mp_packed *packed, uint32_t index_bits, uint64_t *bits) {
    mp_handle handle;
    void *made = mp_packed_insert(packed, &handle);
    *bits = sent(handle, index_bits);
    return made;
}
bool shim_packed_remove(mp_packed *packed, uint32_t index_bits, uint64_t bits);
bool shim_packed_remove(mp_packed *packed, uint32_t index_bits, uint64_t bits) {
    return mp_packed_remove(packed, wide(bits, index_bits));
}
void *shim_packed_get(const mp_packed *packed, uint32_t index_bits, uint64_t bits);
void *shim_packed_get(const mp_packed *packed, uint32_t index_bits, uint64_t bits) {
    return mp_packed_get(packed, wide(bits, index_bits));
}
uint64_t shim_packed_handle_at(const mp_packed *packed, uint32_t index_bits, size_t place);
uint64_t shim_packed_handle_at(const mp_packed *packed, uint32_t index_bits, size_t place) {
    return sent(mp_packed_handle_at(packed, place), index_bits);
}
uint64_t shim_packed_next_handle(mp_packed *packed, uint32_t index_bits);
uint64_t shim_packed_next_handle(mp_packed *packed, uint32_t index_bits) {
    return sent(mp_packed_next_handle(packed), index_bits);
}
mp_status shim_packed_insert_at(mp_packed *packed, uint32_t index_bits, uint64_t bits, void **value);
mp_status shim_packed_insert_at(mp_packed *packed, uint32_t index_bits, uint64_t bits, void **value) {
    return mp_packed_insert_at(packed, wide(bits, index_bits), value);
}
void *shim_packed_insert_or_evict(mp_packed *packed, uint32_t index_bits, int64_t *ranks, uint64_t *bits,
                                  uint64_t *evicted, void *evicted_value);
void *shim_packed_insert_or_evict(mp_packed *packed, uint32_t index_bits, int64_t *ranks, uint64_t *bits,
                                  uint64_t *evicted, void *evicted_value) {
    mp_handle handle, gone;
    void *made = mp_packed_insert_or_evict(packed, rank_of, ranks, &handle, &gone, evicted_value);
    *bits = sent(handle, index_bits);
    *evicted = sent(gone, index_bits);
    return made;
}
mp_status shim_packed_detach(mp_packed *packed, uint32_t index_bits, uint64_t bits);
mp_status shim_packed_detach(mp_packed *packed, uint32_t index_bits, uint64_t bits) {
    return mp_packed_detach(packed, wide(bits, index_bits), NULL);
}
mp_status shim_packed_reattach(mp_packed *packed, uint32_t index_bits, uint64_t bits, void **value);
mp_status shim_packed_reattach(mp_packed *packed, uint32_t index_bits, uint64_t bits, void **value) {
    return mp_packed_reattach(packed, wide(bits, index_bits), value);
}
bool shim_packed_free_detached(mp_packed *packed, uint32_t index_bits, uint64_t bits);
bool shim_packed_free_detached(mp_packed *packed, uint32_t index_bits, uint64_t bits) {
    return mp_packed_free_detached(packed, wide(bits, index_bits));
}
SAME(const mp_pool *, packed_slots, (const mp_packed *packed), (packed))
SAME(size_t, packed_count, (const mp_packed *packed), (packed))
SAME(void *, packed_values, (const mp_packed *packed), (packed))
VOID(packed_destroy, (mp_packed * packed), (packed))
VOID(packed_clear, (mp_packed * packed), (packed))
SAME(mp_status, packed_validate, (const mp_packed *packed, char *text, size_t room), (packed, text, room))
SAME(uint64_t, packed_checksum, (const mp_packed *packed), (packed, NULL, NULL))
SAME(mp_status, packed_copy, (mp_packed *to, const mp_packed *from), (to, from))
SAME(size_t, packed_state_bytes, (const mp_packed *packed), (packed))
SAME(mp_status, packed_write_state, (const mp_packed *packed, void *buffer, size_t bytes), (packed, buffer, bytes))
SAME(mp_status, packed_migrate, (mp_packed * packed, const void *state, size_t bytes), (packed, state, bytes, NULL, NULL))
