// A pair of freeing and allocating in millpond::growing_pool, beside the published stack of freed objects, std::pmr, and
// new and delete. Of all slots 90 % are live; 30 objects are freed, in an order drawn at random, and 30 allocated. The
// medians of rounds in which all take turns. `growing CONTENDER SLOTS LAPS` runs one alone, for a count of instructions.
#include <millpond_growing.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <random>
#include <vector>

namespace {

struct object {
    std::uint64_t words[4];
    explicit object(std::uint64_t word) noexcept : words{word, 2, 3, 4} {}
};

constexpr std::size_t batch = 30, rounds = 11;

template <bool Reserves>
struct growing {
    millpond::growing_pool<object> pool;
    explicit growing(std::size_t slots) {
        if (Reserves) {
            pool.reserve(slots);
        }
    }
    object *alloc() { return pool.alloc(1u); }
    void free(object *of) { pool.free(of); }
};

// As published: a stack of the freed ones, which stay allocated. Nothing is checked.
struct stack {
    std::vector<void *> freed;
    explicit stack(std::size_t slots) {
        while (freed.size() < slots) {
            freed.push_back(::operator new(sizeof(object)));
        }
    }
    ~stack() {
        for (void *of : freed) {
            ::operator delete(of);
        }
    }
    object *alloc() {
        void *place;
        if (freed.empty()) {
            place = ::operator new(sizeof(object));
        } else {
            place = freed.back();
            freed.pop_back();
        }
        return ::new (place) object(1u);
    }
    void free(object *of) {
        of->~object();
        freed.push_back(of);
    }
};

struct pmr {
    std::pmr::unsynchronized_pool_resource resource;
    explicit pmr(std::size_t) {}
    object *alloc() { return ::new (resource.allocate(sizeof(object), alignof(object))) object(1u); }
    void free(object *of) {
        of->~object();
        resource.deallocate(of, sizeof(object), alignof(object));
    }
};

struct heap {
    explicit heap(std::size_t) {}
    object *alloc() { return new object(1u); }
    void free(object *of) { delete of; }
};

struct contender {
    virtual ~contender() = default;
    virtual std::size_t lap() = 0;
};

template <typename Pool>
struct pairs final : contender {
    Pool pool;
    std::vector<object *> live;
    std::vector<std::uint32_t> victims;

    explicit pairs(std::size_t slots) : pool(slots), live(slots * 9 / 10) {
        for (object *&each : live) {
            each = pool.alloc();
        }
        std::mt19937 random(20);
        std::vector<std::uint32_t> once(live.size());
        std::iota(once.begin(), once.end(), 0u);
        while (victims.size() < 18000) {
            std::shuffle(once.begin(), once.end(), random);
            victims.insert(victims.end(), once.begin(), once.end());
        }
    }
    ~pairs() override {
        for (object *each : live) {
            pool.free(each);
        }
    }
    std::size_t lap() override {
        for (std::size_t from = 0; from < victims.size(); from += batch) {
            for (std::size_t i = from; i < from + batch; i++) {
                pool.free(live[victims[i]]);
            }
            for (std::size_t i = from; i < from + batch; i++) {
                live[victims[i]] = pool.alloc();
            }
        }
        asm volatile("" : : "r"(live.data()) : "memory");
        return victims.size();
    }
};

template <typename Pool>
std::unique_ptr<contender> make(std::size_t slots) {
    return std::make_unique<pairs<Pool>>(slots);
}

constexpr struct {
    const char *name;
    std::unique_ptr<contender> (*make)(std::size_t slots);
} contenders[] = {
    {"growing_pool, reserved", make<growing<true>>},
    {"growing_pool, grown", make<growing<false>>},
    {"the text's stack", make<stack>},
    {"std::pmr", make<pmr>},
    {"new and delete", make<heap>},
};

void measure(std::size_t slots) {
    std::vector<std::unique_ptr<contender>> all;
    std::vector<std::vector<double>> times(std::size(contenders));
    for (const auto &each : contenders) {
        all.push_back(each.make(slots));
    }
    for (std::size_t round = 0; round < rounds; round++) {
        for (std::size_t i = 0; i < all.size(); i++) {
            auto from = std::chrono::steady_clock::now();
            std::size_t count = all[i]->lap();
            std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - from;
            times[i].push_back(took.count() / static_cast<double>(count));
        }
    }
    for (std::size_t i = 0; i < all.size(); i++) {
        std::sort(times[i].begin(), times[i].end());
        std::printf("%-24s %7zu slots %6.2f ns\n", contenders[i].name, slots, times[i][rounds / 2]);
    }
}

} // namespace

int main(int count, char **arguments) {
    if (count == 4) {
        for (const auto &each : contenders) {
            if (std::strcmp(each.name, arguments[1]) == 0) {
                auto one = each.make(std::strtoul(arguments[2], nullptr, 10));
                std::size_t pairs = 0;
                for (unsigned long lap = std::strtoul(arguments[3], nullptr, 10); lap > 0; lap--) {
                    pairs += one->lap();
                }
                std::printf("%zu pairs\n", pairs);
                return 0;
            }
        }
        return 1;
    }
    measure(1000);
    measure(100000);
    return 0;
}
