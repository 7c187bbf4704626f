// The pools of millpond.h and millpond.hpp beside those that C and C++ programs use, in one program: nanoseconds, and
// ratios to ours of the same round. The best of several rounds; each round measures all of them, one after the other.
//
//     ../bench/run        compiles it with what is installed, and runs it
#include <millpond.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory_resource>
#include <random>
#include <string>
#include <vector>

#if __has_include(<boost/pool/object_pool.hpp>)
#include <boost/pool/pool.hpp>
#define HAS_BOOST 1
#endif
#if __has_include(<plf_colony.h>)
#include <plf_colony.h>
#define HAS_COLONY 1
#endif
#if __has_include(<entt/entt.hpp>)
#include <entt/entt.hpp>
#define HAS_ENTT 1
#endif

struct value {
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
static void use(const value &of) { sink += static_cast<double>(of.position[0]); }

// A pool after sokol's scheme: a free list of slot numbers, a generation in the upper half of a 32-bit id, slot 0 unused.
class sokol_style {
  public:
    explicit sokol_style(std::uint32_t count) : slots(count + 1), generations(count + 1), ids(count + 1) {
        for (std::uint32_t at = count; at >= 1; --at) {
            queue.push_back(at);
        }
        top = queue.size();
    }
    std::uint32_t insert() {
        if (top == 0) {
            return 0;
        }
        std::uint32_t slot = queue[--top];
        return ids[slot] = ++generations[slot] << 17 | slot;
    }
    value *get(std::uint32_t id) {
        std::uint32_t slot = id & 0x1ffff;
        return slot != 0 && slot < slots.size() && ids[slot] == id ? &slots[slot] : nullptr;
    }
    bool remove(std::uint32_t id) {
        if (get(id) == nullptr) {
            return false;
        }
        std::uint32_t slot = id & 0x1ffff;
        ids[slot] = 0;
        queue[top++] = slot;
        return true;
    }
    template <typename F>
    void each(F &&f) {
        for (std::size_t at = 1; at < slots.size(); ++at) {
            if (ids[at] != 0) {
                f(slots[at]);
            }
        }
    }

  private:
    std::vector<value> slots;
    std::vector<std::uint32_t> generations, ids, queue;
    std::size_t top = 0;
};

MP_POOL(values, value)

struct in_c {
    mp_pool *raw = nullptr;
    values all{};
    using id = values_id;
    explicit in_c(std::uint32_t count) {
        mp_options options = MP_OPTIONS(value, count);
        mp_pool_create(&options, &raw);
        all = values_of(raw);
    }
    ~in_c() { mp_pool_destroy(raw); }
    id insert() {
        id made;
        *values_insert(&all, &made) = value{};
        return made;
    }
    void remove(id which) { values_remove(&all, which); }
    value *get(id which) { return values_get(&all, which); }
    template <typename F>
    void each(F &&f) {
        mp_run run = MP_RUN;
        mp_pool_refresh(raw);
        while (value *first = values_next_run(&all, &run)) {
            for (std::size_t at = 0; at < run.count; ++at) {
                f(first[at]);
            }
        }
    }
};

struct in_cpp {
    millpond::pool<value> all;
    using id = millpond::handle<value>;
    explicit in_cpp(std::uint32_t count) : all(count) {}
    id insert() { return all.emplace(value{}); }
    void remove(id which) { all.remove(which); }
    value *get(id which) { return all.get(which); }
    template <typename F>
    void each(F &&f) {
        for (auto run : all.runs()) {
            for (value &one : run) {
                f(one);
            }
        }
    }
};

struct sokol {
    sokol_style all;
    using id = std::uint32_t;
    explicit sokol(std::uint32_t count) : all(count) {}
    id insert() {
        id made = all.insert();
        *all.get(made) = value{};
        return made;
    }
    void remove(id which) { all.remove(which); }
    value *get(id which) { return all.get(which); }
    template <typename F>
    void each(F &&f) {
        all.each(f);
    }
};

#ifdef HAS_BOOST
struct boost_pool {
    boost::pool<> all{sizeof(value)};
    using id = value *;
    explicit boost_pool(std::uint32_t count) { all.set_next_size(count); }
    id insert() { return new (all.malloc()) value{}; }
    void remove(id which) { all.free(which); }
    value *get(id which) { return which; }
    template <typename F>
    void each(F &&) {}
};
#endif
#ifdef HAS_COLONY
struct colony {
    plf::colony<value> all;
    using id = plf::colony<value>::iterator;
    explicit colony(std::uint32_t count) { all.reserve(count); }
    id insert() { return all.insert(value{}); }
    void remove(id which) { all.erase(which); }
    value *get(id which) { return &*which; }
    template <typename F>
    void each(F &&f) {
        for (value &one : all) {
            f(one);
        }
    }
};
#endif
#ifdef HAS_ENTT
struct entt_registry {
    entt::registry all;
    using id = entt::entity;
    explicit entt_registry(std::uint32_t) {}
    id insert() {
        id made = all.create();
        all.emplace<value>(made);
        return made;
    }
    void remove(id which) { all.destroy(which); }
    value *get(id which) { return all.valid(which) ? &all.get<value>(which) : nullptr; }
    template <typename F>
    void each(F &&f) {
        for (auto [entity, one] : all.view<value>().each()) {
            f(one);
        }
    }
};
#endif

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
        ids.push_back(pool.insert());
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t at = 0; at < steps; ++at) {
        order.push_back(below(static_cast<std::uint32_t>(ids.size())));
    }
    auto churn = [&] {
        auto begun = clock_type::now();
        for (std::uint32_t at : order) {
            pool.remove(ids[at]);
            ids[at] = pool.insert();
        }
        return since(begun) / steps;
    };
    churn();
    note("remove + insert", churn());
    auto begun = clock_type::now();
    for (std::uint32_t at : order) {
        if (value *found = pool.get(ids[at])) {
            found->position[0] += 1;
        }
    }
    note("get", since(begun) / steps);
    auto walk = [&](const char *what) {
        const std::uint32_t walks = std::max(1u, 2000000 / slots);
        std::size_t live = 0;
        pool.each([&](value &) { ++live; });
        auto started = clock_type::now();
        for (std::uint32_t at = 0; at < walks; ++at) {
            pool.each([](value &one) { one.position[0] += one.speed[0]; });
        }
        note(what, live == 0 ? 0 : since(started) / walks / static_cast<double>(live));
    };
    walk("walk, 90 % live, for each value");
    std::shuffle(ids.begin(), ids.end(), std::minstd_rand(7));
    while (ids.size() > slots / 10) {
        pool.remove(ids.back());
        ids.pop_back();
    }
    walk("walk, 10 % live, for each value");
    pool.each([](value &one) { use(one); });
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

int main() {
    for (std::uint32_t slots : {1000u, 100000u}) {
        best all;
        for (int round = 0; round < 5; ++round) {
            measure<in_c>("millpond.h", slots, all);
            measure<sokol>("sokol's scheme", slots, all);
            measure<in_cpp>("millpond.hpp", slots, all);
#ifdef HAS_BOOST
            measure<boost_pool>("Boost.Pool", slots, all);
#endif
#ifdef HAS_COLONY
            measure<colony>("plf::colony", slots, all);
#endif
#ifdef HAS_ENTT
            measure<entt_registry>("EnTT's registry", slots, all);
#endif
            millpond::size_classes ours;
            measure_pmr("millpond.h", ours, slots, all);
            std::pmr::unsynchronized_pool_resource theirs;
            measure_pmr("unsynchronized_pool_resource", theirs, slots, all);
        }
        std::printf("%u slots\n", slots);
        for (const auto &[what, peers] : all) {
            double ours = peers.at("millpond.h");
            for (const auto &[peer, nanoseconds] : peers) {
                if (nanoseconds > 0) {
                    std::printf("  %-34s %-30s %7.2f ns   ours / theirs %5.2f\n", what.c_str(), peer.c_str(), nanoseconds,
                                ours / nanoseconds);
                }
            }
        }
    }
    return sink == 0.123;
}
