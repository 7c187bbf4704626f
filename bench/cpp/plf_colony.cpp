// plf::colony: iterators instead of handles, stable addresses, jumps over what is dead.
#include <plf_colony.h>

#include "works.hpp"

template <typename T>
struct PlfColony {
    using Key = typename plf::colony<T>::iterator;
    static constexpr bool walks = true;
    plf::colony<T> colony;

    explicit PlfColony(std::size_t slots) { colony.reserve(slots); }
    Key insert(std::uint32_t number) { return colony.emplace(number); }
    std::uint32_t remove(Key key) {
        std::uint32_t x = key->x;
        colony.erase(key);
        return x;
    }
    T& get(Key key) { return *key; }
    template <typename Visit>
    void walk(Visit visit) {
        for (T& object : colony) visit(object);
    }
};

extern "C" Lap* bench_plf_colony(unsigned work, std::size_t payload_words, Case its) {
    return make_lap_for<PlfColony>(work, payload_words, its);
}
