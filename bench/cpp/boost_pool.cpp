// Boost.Pool: raw memory from a linked free list, no handles, no checks, no iteration.
#include <boost/pool/pool.hpp>
#include <new>

#include "works.hpp"

template <typename T>
struct BoostPool {
    using Key = T*;
    static constexpr bool walks = false;
    boost::pool<> pool;

    explicit BoostPool(std::size_t slots) : pool(sizeof(T), slots) { pool.set_max_size(slots); }
    Key insert(std::uint32_t number) { return new (pool.malloc()) T(number); }
    std::uint32_t remove(Key key) {
        std::uint32_t x = key->x;
        pool.free(key);
        return x;
    }
    T& get(Key key) { return *key; }
};

extern "C" Lap* bench_boost_pool(unsigned work, std::size_t payload_words, Case its) {
    return make_lap_for<BoostPool>(work, payload_words, its);
}
