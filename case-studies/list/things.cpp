// A game's things in lists of pointers: what does the plan's advice save?
//
// -DCLASSES   objects and nodes are in millpond::size_classes, and still in lists of pointers
// -DPACKED    the values themselves are in packed pools
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <list>
#include <memory_resource>

#include "millpond.hpp"

struct small {
    float x, y, vx, vy;
    std::int32_t life;
};

struct large {
    float x, y, vx, vy;
    std::int32_t life, a, b, c;
};

static std::uint64_t seed = 7;

static std::uint32_t number(std::uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return std::uint32_t(seed >> 33) % below;
}

static double sum = 0;

// One step of a thing; false when its life ends.
template <class T> static bool step(T &thing) {
    thing.x += thing.vx;
    sum += thing.x;
    return --thing.life > 0;
}

template <class T> static T made() {
    return T{1, 2, 3, 4, std::int32_t(1 + number(60))};
}

#ifdef PACKED
template <class T> class things {
    millpond::packed_pool<T> pool{4096};

public:
    void add() { pool.emplace(made<T>()); }
    void step_all() { pool.retain([](T &thing) { return step(thing); }); }
};
#else
#ifdef CLASSES
static millpond::size_classes memory;
static std::pmr::memory_resource *const resource = &memory;
template <class T> using list = std::pmr::list<T *>;
template <class T> static list<T> none() { return list<T>(resource); }
template <class T> static T *born(T value) {
    return std::pmr::polymorphic_allocator<>(resource).new_object<T>(value);
}
template <class T> static void gone(T *thing) { std::pmr::polymorphic_allocator<>(resource).delete_object(thing); }
#else
template <class T> using list = std::list<T *>;
template <class T> static list<T> none() { return {}; }
template <class T> static T *born(T value) { return new T(value); }
template <class T> static void gone(T *thing) { delete thing; }
#endif
template <class T> class things {
    list<T> all = none<T>();

public:
    void add() { all.push_back(born(made<T>())); }
    void step_all() {
        for (auto at = all.begin(); at != all.end();) {
            if (step(**at)) {
                ++at;
            } else {
                gone(*at);
                at = all.erase(at);
            }
        }
    }
};
#endif

int main() {
    const auto begun = std::chrono::steady_clock::now();
    things<small> smalls;
    things<large> larges;
    for (int frame = 0; frame < 1200; ++frame) {
        for (std::uint32_t left = number(100); left > 0; --left) {
            smalls.add();
        }
        for (std::uint32_t left = number(20); left > 0; --left) {
            larges.add();
        }
        smalls.step_all();
        larges.step_all();
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
    std::printf("%.2f ms, sum %.0f\n", took.count(), sum);
}
