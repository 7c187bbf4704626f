// foonathan/memory: memory_pool<node_pool>, a linked free list, no handles, no iteration.
#include <foonathan/memory/memory_pool.hpp>
#include <new>

#include "works.hpp"

namespace memory = foonathan::memory;

template <typename T>
struct FoonathanPool {
    using Key = T*;
    using Nodes = memory::memory_pool<memory::node_pool>;
    static constexpr bool walks = false;
    Nodes pool;

    explicit FoonathanPool(std::size_t slots) : pool(sizeof(T), Nodes::min_block_size(sizeof(T), slots)) {}
    Key insert(std::uint32_t number) { return new (pool.allocate_node()) T(number); }
    std::uint32_t remove(Key key) {
        std::uint32_t x = key->x;
        pool.deallocate_node(key);
        return x;
    }
    T& get(Key key) { return *key; }
};

extern "C" Lap* bench_foonathan_memory(unsigned work, std::size_t payload_words, Case its) {
    return make_lap_for<FoonathanPool>(work, payload_words, its);
}
