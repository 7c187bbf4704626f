// The pools of millpond.h and millpond.hpp beside those that C and C++ programs use, in one program: nanoseconds, and
// ratios to ours. The best of several rounds, each of which measures all of them, one after the other, and of several
// layouts: see layouts.hpp.
//
//     ../bench/run        compiles it with what is installed, and runs it
#include "layouts.hpp"
#include "peers.hpp"

#include <millpond_pmr.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory_resource>
#include <random>
#include <string>

struct item {
    float position[4], speed[4];
};

static std::uint64_t state = 88172645463325252ull;
static std::uint32_t below(std::uint32_t end) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::uint32_t>((state >> 33) * end >> 31);
}

static double sink = 0;
static void use(const item &of) { sink += static_cast<double>(of.position[0]); }

MP_POOL(values, item)
POOL_IN_C(pool_in_c, values, item);
MP_PACKED(packed_values, item)
PACKED_IN_C(packed_in_c, packed_values, item);

using clock_type = std::chrono::steady_clock;
static double since(clock_type::time_point begun) {
    return std::chrono::duration<double, std::nano>(clock_type::now() - begun).count();
}

// What is measured, by peer: the best of all rounds.
using best = std::map<std::string, std::map<std::string, double>>;

template <typename Pool>
static void measure(const char *name, std::uint32_t slots, best &into) {
    auto note = [&](const std::string &what, double nanoseconds) {
        auto [at, is_new] = into[what].try_emplace(name, nanoseconds);
        at->second = std::min(at->second, nanoseconds);
    };
    const std::uint32_t steps = 400000;
    Pool pool(slots);
    std::vector<typename Pool::id> ids;
    for (std::uint32_t at = 0; at < slots * 9 / 10; ++at) {
        ids.push_back(pool.insert(item{}));
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t at = 0; at < steps; ++at) {
        order.push_back(below(static_cast<std::uint32_t>(ids.size())));
    }
    auto churn = [&] {
        auto begun = clock_type::now();
        for (std::uint32_t at : order) {
            pool.remove(ids[at]);
            ids[at] = pool.insert(item{});
        }
        return since(begun) / steps;
    };
    churn();
    for (int lap = 0; lap < 3; ++lap) {
        note("remove + insert", churn());
        auto begun = clock_type::now();
        for (std::uint32_t at : order) {
            if (item *found = pool.get(ids[at])) {
                found->position[0] += 1;
            }
        }
        note("get", since(begun) / steps);
    }
    auto walk = [&](const char *what) {
        const std::uint32_t walks = std::max(1u, 2000000 / slots);
        std::size_t live = 0;
        pool.each([&](item &) { ++live; });
        auto started = clock_type::now();
        for (std::uint32_t at = 0; at < walks; ++at) {
            pool.each([](item &one) { one.position[0] += one.speed[0]; });
        }
        if (live > 0) {
            note(what, since(started) / walks / static_cast<double>(live));
        }
    };
    walk("walk, 90 % live, for each value");
    std::shuffle(ids.begin(), ids.end(), std::minstd_rand(7));
    while (ids.size() > slots / 10) {
        pool.remove(ids.back());
        ids.pop_back();
    }
    walk("walk, 10 % live, for each value");
    pool.each([](item &one) { use(one); });
}

static void measure_pmr(const char *name, std::pmr::memory_resource &memory, std::uint32_t slots, best &into) {
    static const std::size_t sizes[4] = {24, 40, 64, 120};
    std::vector<std::pair<void *, std::size_t>> held;
    for (std::uint32_t at = 0; at < slots; ++at) {
        std::size_t bytes = sizes[at % 4];
        held.emplace_back(memory.allocate(bytes, 8), bytes);
    }
    const std::uint32_t steps = 400000;
    std::vector<std::uint32_t> order;
    for (std::uint32_t at = 0; at < steps; ++at) {
        order.push_back(below(slots));
    }
    auto begun = clock_type::now();
    for (std::uint32_t at : order) {
        memory.deallocate(held[at].first, held[at].second, 8);
        held[at].first = memory.allocate(held[at].second, 8);
    }
    auto [place, is_new] = into["pmr pair"].try_emplace(name, since(begun) / steps);
    place->second = std::min(place->second, since(begun) / steps);
    for (auto [start, bytes] : held) {
        memory.deallocate(start, bytes, 8);
    }
}

int main(int, char **arguments) {
    layouts kept(arguments[1]);
    for (std::uint32_t slots : {1000u, 100000u}) {
        best all;
        for (int round = 0; round < 5; ++round) {
            measure<pool_in_c<form::runs>>("millpond.h, runs", slots, all);
            measure<pool_in_c<form::one_by_one>>("millpond.h, one by one", slots, all);
            measure<packed_in_c>("millpond.h, packed", slots, all);
            measure<packed_in_cpp<item>>("millpond.hpp, packed", slots, all);
            measure<sokol<item>>("sokol's scheme", slots, all);
            measure<pool_in_cpp<item, form::one_by_one>>("millpond.hpp, for", slots, all);
            measure<pool_in_cpp<item, form::runs>>("millpond.hpp, runs", slots, all);
#ifdef HAS_BOOST
            measure<boost_pool<item>>("Boost.Pool", slots, all);
#endif
#ifdef HAS_COLONY
            measure<colony<item>>("plf::colony", slots, all);
#endif
#ifdef HAS_ENTT
            measure<entt_registry<item>>("EnTT's registry", slots, all);
            measure<entt_storage<item>>("EnTT's storage", slots, all);
#endif
            millpond::size_classes ours;
            measure_pmr("size classes", ours, slots, all);
            std::pmr::unsynchronized_pool_resource theirs;
            measure_pmr("unsynchronized_pool_resource", theirs, slots, all);
        }
        for (auto &[what, peers] : all) {
            for (auto &[peer, nanoseconds] : peers) {
                nanoseconds = kept.least_of(what, slots, peer, nanoseconds);
            }
        }
        std::printf("%u slots\n", slots);
        for (const auto &[what, peers] : all) {
            std::printf("  %s\n", what.c_str());
            for (const auto &[peer, nanoseconds] : peers) {
                std::printf("    %-30s %7.2f ns   to it: ", peer.c_str(), nanoseconds);
                for (const char *ours : {"millpond.h, runs", "millpond.h, one by one", "millpond.hpp, for", "millpond.hpp, runs",
                                         "millpond.h, packed", "millpond.hpp, packed", "size classes"}) {
                    if (auto found = peers.find(ours); found != peers.end()) {
                        std::printf(" %s %.2f;", ours, found->second / nanoseconds);
                    }
                }
                std::printf("\n");
            }
        }
    }
    return sink == 0.123;
}
