// Whole frames of recorded games: births and deaths as they were, and in every tick one walk over every pool that moves
// each live object one step. One pool for each class of objects, as large as the class ever becomes; 64-byte objects.
//
//     frames LEAST GAME.csv...      the traces of the folder `traces`, unpacked, and the file of layouts.hpp
//
// Nanoseconds for each visit of an object, and for births and deaths alone for each event: medians of many rounds, in
// each of which all pools play once, the least of several layouts of the program. Every pool must end with the same checksum.
#include "../../../bench/cpp/works.hpp"
#include "layouts.hpp"
#include "peers.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <unordered_map>

using object = Object<12>;
struct stable_object : object {
    using object::object;
    static constexpr auto in_place_delete = true;
};

MP_POOL(objects, object)
POOL_IN_C(pool_in_c, objects, object);
MP_PACKED(packed_objects, object)
PACKED_IN_C(packed_in_c, packed_objects, object);

struct event {
    std::uint32_t place; // in the table of handles, which holds one for each live object
    std::uint16_t pool;
    bool birth;
};

// A recorded game, ready to be played again and again: nothing is live at the end.
struct script {
    std::vector<std::uint32_t> capacities;
    std::vector<event> events;
    std::vector<std::size_t> ticks; // for each tick, the number of events up to its end
    std::size_t places = 0, visits = 0;
};

class reader {
    struct lifetime {
        std::uint32_t place;
        std::uint16_t pool;
    };
    script read;
    std::unordered_map<std::string, lifetime> live;
    std::unordered_map<std::string, std::uint16_t> pools;
    std::vector<std::uint32_t> free_places, live_in;

    void birth(const std::string &id, const std::string &name) {
        auto pool = pools.try_emplace(name, static_cast<std::uint16_t>(pools.size())).first->second;
        live_in.resize(pools.size());
        read.capacities.resize(pools.size());
        read.capacities[pool] = std::max(read.capacities[pool], ++live_in[pool]);
        if (free_places.empty()) {
            free_places.push_back(static_cast<std::uint32_t>(read.places++));
        }
        live[id] = {free_places.back(), pool};
        read.events.push_back({free_places.back(), pool, true});
        free_places.pop_back();
    }
    void death(std::unordered_map<std::string, lifetime>::iterator at) {
        read.events.push_back({at->second.place, at->second.pool, false});
        free_places.push_back(at->second.place);
        --live_in[at->second.pool];
        live.erase(at);
    }
    void end_tick() {
        read.ticks.push_back(read.events.size());
        read.visits += live.size();
    }

  public:
    // Lines of `tick,event,id,class`. A tick without events is walked, too.
    static script of(std::istream &text) {
        reader one;
        std::string line;
        std::getline(text, line);
        for (long now = -1; std::getline(text, line);) {
            std::istringstream fields(line);
            std::string tick, what, id, name;
            std::getline(std::getline(std::getline(std::getline(fields, tick, ','), what, ','), id, ','), name, ',');
            for (long next = std::atol(tick.c_str()); now != next; now = now < 0 ? next : now + 1) {
                if (now >= 0) {
                    one.end_tick();
                }
            }
            auto at = one.live.find(id);
            if (what == "alloc") {
                one.birth(id, name);
            } else if (at != one.live.end()) {
                one.death(at);
            }
        }
        one.end_tick();
        while (!one.live.empty()) {
            one.death(one.live.begin());
        }
        return std::move(one.read);
    }
};

// One pool of a kind for each class, and what plays the game in them.
template <typename Pool, bool Walks>
class player {
    const script &its;
    std::vector<Pool> pools;
    std::vector<typename Pool::id> ids;
    std::uint32_t births = 0;
    std::uint64_t sum = 0;

    void play(std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) {
            const event &now = its.events[begin];
            Pool &pool = pools[now.pool];
            if (now.birth) {
                ids[now.place] = pool.insert(std::decay_t<decltype(*pool.get(ids[0]))>(births++));
            } else {
                sum += pool.get(ids[now.place])->x;
                pool.remove(ids[now.place]);
            }
        }
    }

  public:
    explicit player(const script &its) : its(its), ids(its.places) {
        pools.reserve(its.capacities.size());
        for (std::uint32_t capacity : its.capacities) {
            pools.emplace_back(capacity);
        }
    }
    // Nanoseconds for each visit, or each event.
    double lap() {
        Stopwatch watch;
        std::size_t begin = 0;
        for (std::size_t end : its.ticks) {
            if constexpr (Walks) {
                play(begin, end);
                for (Pool &pool : pools) {
                    pool.each([](object &one) { one.advance(); });
                }
                black_box(&pools);
                begin = end;
            }
        }
        play(begin, its.events.size());
        black_box(&sum);
        return static_cast<double>(watch.nanoseconds()) / static_cast<double>(Walks ? its.visits : its.events.size());
    }
    std::uint64_t checksum() const { return sum; }
};

enum class role { ours, peer, limit };

// Whose values stay where they are, and what a handle of a removed value does.
struct contender {
    const char *name;
    role is;
    bool stays, refuses;
    std::function<double()> lap;
    std::function<std::uint64_t()> checksum;
    std::vector<double> times;
    double median = 0;
};

template <typename Pool, bool Walks>
static void add(std::vector<contender> &to, const script &its, const char *name, role is, bool stays, bool refuses) {
    auto playing = std::make_shared<player<Pool, Walks>>(its);
    to.push_back({name, is, stays, refuses, [playing] { return playing->lap(); },
                  [playing] { return playing->checksum(); }, {}, 0});
}

template <bool Walks>
static void compare(const script &its, const std::string &game, const char *what, layouts &kept) {
    std::vector<contender> all;
    add<pool_in_c<form::runs>, Walks>(all, its, "millpond.h, runs", role::ours, true, true);
    add<pool_in_c<form::one_by_one>, Walks>(all, its, "millpond.h, one by one", role::ours, true, true);
    add<pool_in_cpp<object, form::one_by_one>, Walks>(all, its, "millpond.hpp, for", role::ours, true, true);
    add<pool_in_cpp<object, form::for_each>, Walks>(all, its, "millpond.hpp, for_each", role::ours, true, true);
    add<pool_in_cpp<object, form::runs>, Walks>(all, its, "millpond.hpp, runs", role::ours, true, true);
    add<packed_in_c, Walks>(all, its, "millpond.h, packed", role::ours, false, true);
    add<packed_in_cpp<object>, Walks>(all, its, "millpond.hpp, packed", role::ours, false, true);
    add<sokol<object>, Walks>(all, its, "sokol's scheme", role::peer, true, true);
#ifdef HAS_COLONY
    add<colony<object>, Walks>(all, its, "plf::colony", role::peer, true, false);
#endif
#ifdef HAS_ENTT
    add<entt_storage<stable_object>, Walks>(all, its, "EnTT's storage, in_place_delete", role::peer, true, true);
    add<entt_storage<object>, Walks>(all, its, "EnTT's storage", role::peer, false, true);
#endif
    add<bare_array<object>, Walks>(all, its, "an array without holes", role::limit, false, false);
    const std::size_t slots = std::accumulate(its.capacities.begin(), its.capacities.end(), std::size_t(0));
    const int rounds = 21;
    for (int round = 0; round < rounds; ++round) {
        for (contender &one : all) {
            double time = one.lap();
            if (round > 0) { // the first warms up
                one.times.push_back(time);
            }
        }
    }
    double best = 0, best_that_stays = 0;
    for (contender &one : all) {
        std::sort(one.times.begin(), one.times.end());
        one.median = kept.least_of(game + ", " + what, slots, one.name, one.times[one.times.size() / 2]);
        if (one.checksum() != all[0].checksum()) {
            std::fprintf(stderr, "%s: another checksum than %s\n", one.name, all[0].name);
            std::exit(1);
        }
        if (one.is == role::peer) {
            best = best == 0 ? one.median : std::min(best, one.median);
            if (one.stays) {
                best_that_stays = best_that_stays == 0 ? one.median : std::min(best_that_stays, one.median);
            }
        }
    }
    std::printf("  %s\n", what);
    for (contender &one : all) {
        std::printf("    %-34s %6.2f ns", one.name, one.median);
        if (one.is == role::ours) {
            std::printf("   to the best peer %5.2f, to the best one whose values stay in place %5.2f\n",
                        one.median / best, one.median / best_that_stays);
        } else if (one.is == role::limit) {
            std::printf("   no pool: as little as can be walked over\n");
        } else {
            std::printf("   %s%s\n", one.stays ? "values stay in place" : "a removal moves a value",
                        one.refuses ? "" : "; no handles");
        }
    }
}

int main(int count, char **names) {
    layouts kept(names[1]);
    for (int at = 2; at < count; ++at) {
        std::ifstream text(names[at]);
        if (!text) {
            std::fprintf(stderr, "%s: cannot be read\n", names[at]);
            return 1;
        }
        script its = reader::of(text);
        std::printf("%s: %zu pools, %zu events, %zu visits\n", names[at], its.capacities.size(), its.events.size(),
                    its.visits);
        const std::string game = std::string(names[at]).substr(0, std::string(names[at]).rfind('.'));
        compare<true>(its, game, "whole frames, for each visit", kept);
        compare<false>(its, game, "births and deaths alone, for each event", kept);
    }
}
