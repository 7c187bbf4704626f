// The pools of millpond_small.hpp beside those that C++ programs use, in one program: nanoseconds, the least of many rounds,
// each of which measures all of them, and of several layouts (layouts.hpp). `run` compiles it with what is installed.
//
//     without_rust LEAST [SLOTS]
#include "layouts.hpp"
#include "other_peers.hpp"

#include <millpond_small.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

struct value {
    float position[4], speed[4];
    int frames_left;
};

template <typename P>
class ours {
    P all;

  public:
    using id = mps::handle<value>;
    explicit ours(std::uint32_t count) : all(count) {}
    id insert(const value &of) { return all.emplace(of); }
    void remove(id which) { all.remove(which); }
    value *get(id which) { return all.get(which); }
    template <typename F>
    void each(F &&f) {
        for (value &one : all) {
            f(one);
        }
    }
    // The loop that the guide teaches: what is over is removed by its handle.
    [[gnu::noinline]] void age() {
        for (auto [which, one] : all.each()) {
            one.position[0] += one.speed[0];
            if (--one.frames_left == 0) {
                all.remove(which);
            }
        }
    }
    // The same without handles.
    [[gnu::noinline]] void age_without() {
        for (value &one : all) {
            one.position[0] += one.speed[0];
            if (--one.frames_left == 0) {
                over(all, one);
            }
        }
    }
    // Never called, which no compiler knows.
    [[gnu::noinline]] static void over(P &of, value &one) { of.remove(of.handle_of(one)); }
};

using clock_type = std::chrono::steady_clock;
static double since(clock_type::time_point begun) {
    return std::chrono::duration<double, std::nano>(clock_type::now() - begun).count();
}

// The least of all rounds: what is measured, by whom.
using least = std::map<std::string, std::map<std::string, double>>;

static volatile float sink;

// Each operation has a function of its own, as in a program whose pools outlive the function that uses them: otherwise the
// compiler knows how the pool and the value began, and makes other code of that than a program would ever have.
template <typename Pool>
[[gnu::noinline]] static void remove_and_insert(Pool &pool, const std::vector<std::uint32_t> &order,
                                                std::vector<typename Pool::id> &ids, const value &fresh) {
    for (const std::uint32_t at : order) {
        pool.remove(ids[at]);
        ids[at] = pool.insert(fresh);
    }
}
template <typename Pool>
[[gnu::noinline]] static float get_each(Pool &pool, const std::vector<std::uint32_t> &order,
                                        const std::vector<typename Pool::id> &ids) {
    float sum = 0;
    for (const std::uint32_t at : order) {
        if (const value *found = pool.get(ids[at])) {
            sum += found->position[0];
        }
    }
    return sum;
}
template <typename Pool>
[[gnu::noinline]] static void move_each(Pool &pool) {
    pool.each([](value &one) { one.position[0] += one.speed[0]; });
}

template <typename Pool, bool IsOurs>
static void measure(const char *name, std::uint32_t slots, least &into) {
    const auto note = [&](const char *what, double nanoseconds) {
        const auto at = into[what].try_emplace(name, nanoseconds).first;
        at->second = std::min(at->second, nanoseconds);
    };
    const std::uint32_t steps = 20000;
    const value fresh{{}, {1, 1, 1, 1}, 1 << 30};
    std::minstd_rand random(7);
    Pool pool(slots);
    std::vector<typename Pool::id> ids;
    for (std::uint32_t at = 0; at < slots * 9 / 10; ++at) {
        ids.push_back(pool.insert(fresh));
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t at = 0; at < steps; ++at) {
        order.push_back(static_cast<std::uint32_t>(random() % ids.size()));
    }
    for (int lap = 0; lap < 3; ++lap) {
        auto begun = clock_type::now();
        remove_and_insert(pool, order, ids, fresh);
        note("remove and insert", since(begun) / steps);
        begun = clock_type::now();
        sink = get_each(pool, order, ids);
        note("get", since(begun) / steps);
    }
    const auto walk = [&](const char *what, [[maybe_unused]] const char *with, [[maybe_unused]] const char *without) {
        for (int lap = 0; lap < 20; ++lap) {
            auto begun = clock_type::now();
            for (int at = 0; at < 10; ++at) {
                move_each(pool);
            }
            note(what, since(begun) / 10 / static_cast<double>(ids.size()));
            if constexpr (IsOurs) {
                begun = clock_type::now();
                for (int at = 0; at < 10; ++at) {
                    pool.age_without();
                }
                note(without, since(begun) / 10 / static_cast<double>(ids.size()));
                begun = clock_type::now();
                for (int at = 0; at < 10; ++at) {
                    pool.age();
                }
                note(with, since(begun) / 10 / static_cast<double>(ids.size()));
            }
        }
    };
    // As many holes as at 90 %, in random places.
    walk("walk, 90 % live", "walk with handles, 90 %", "walk without, 90 %");
    std::shuffle(ids.begin(), ids.end(), random);
    while (ids.size() > slots / 10) {
        pool.remove(ids.back());
        ids.pop_back();
    }
    walk("walk, 10 % live", "walk with handles, 10 %", "walk without, 10 %");
}

int main(int, char **arguments) {
    layouts kept(arguments[1]);
    const std::uint32_t slots = arguments[2] != nullptr ? static_cast<std::uint32_t>(std::atoi(arguments[2])) : 2000;
    least all;
    for (int round = 0; round < 8; ++round) {
        measure<ours<mps::pool<value>>, true>("mps::pool", slots, all);
        measure<slot_map<value>, false>("vector slot map", slots, all);
        measure<ours<mps::growing_pool<value>>, true>("mps::growing_pool", slots, all);
#ifdef HAS_ENTT
        measure<entt_registry<value>, false>("EnTT's registry", slots, all);
#endif
        measure<ours<mps::packed_pool<value>>, true>("mps::packed_pool", slots, all);
#ifdef HAS_COLONY
        measure<colony<value>, false>("plf::colony", slots, all);
#endif
#ifdef HAS_HIVE
        measure<hive<value>, false>("plf::hive", slots, all);
#endif
    }
    for (auto &[what, peers] : all) {
        // Only those that have handles.
        double best = 0;
        for (auto &[peer, nanoseconds] : peers) {
            nanoseconds = kept.least_of(what, slots, peer, nanoseconds);
            if (peer == "vector slot map" || peer == "EnTT's registry") {
                best = best == 0 ? nanoseconds : std::min(best, nanoseconds);
            }
        }
        std::printf("%s\n", what.c_str());
        for (const auto &[peer, nanoseconds] : peers) {
            std::printf("    %-18s %6.2f ns", peer.c_str(), nanoseconds);
            if (best != 0) {
                std::printf("  %5.2f of the best with handles", nanoseconds / best);
            }
            std::printf("\n");
        }
    }
}
