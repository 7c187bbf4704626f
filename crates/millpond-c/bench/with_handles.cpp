// The loop that the guide teaches, over values with their handles, beside two loops without: nanoseconds a value, the least of
// many rounds and of several layouts (layouts.hpp). One calls a function when a value ends; the other removes the value there, as
// the loop with handles does, but finds its handle by its address. `with_handles` compiles it with each compiler.
//
//     with_handles LEAST              times
//     with_handles POOL LIVE LAPS     goes over that pool so many times, for a count of instructions: with handles if LAPS is
//                                     positive, without if it is negative
#include "layouts.hpp"

#include <millpond.hpp>
#include <millpond_small.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

struct item {
    float position[4], speed[4];
    int frames_left;
};
MP_POOL(items, item)

// What ends a value, in the loops without handles. Never called, which no compiler knows. The loops with handles remove as the
// guide does, in place: gcc makes a handle that it passes to a function before it knows whether it will call the function.
template <typename Pool>
[[gnu::noinline]] static void over_value(Pool &all, item &one) {
    all.remove(all.handle_of(one));
}

template <typename Pool>
[[gnu::noinline]] static void age(Pool &all) {
    for (auto [which, one] : all.each()) {
        one.position[0] += one.speed[0];
        if (--one.frames_left == 0) {
            all.remove(which);
        }
    }
}
template <typename Pool>
[[gnu::noinline]] static void age_without(Pool &all) {
    for (item &one : all) {
        one.position[0] += one.speed[0];
        if (--one.frames_left == 0) {
            over_value(all, one);
        }
    }
}

template <typename Pool>
[[gnu::noinline]] static void age_in_place(Pool &all) {
    for (item &one : all) {
        one.position[0] += one.speed[0];
        if (--one.frames_left == 0) {
            all.remove(all.handle_of(one));
        }
    }
}

// The pool of C, with its own loops.
struct pool_of_c {
    items all;
    explicit pool_of_c(std::size_t slots) {
        const mp_options options = MP_OPTIONS(item, slots);
        mp_pool *made = nullptr;
        if (mp_pool_create(&options, &made) != MP_OK) {
            std::exit(1);
        }
        all = items_of(made);
    }
    ~pool_of_c() { mp_pool_destroy(all.pool); }
    items_id emplace(const item &of) {
        items_id made;
        *items_insert(&all, &made) = of;
        return made;
    }
    void remove(items_id which) { items_remove(&all, which); }
};
[[gnu::noinline]] static void over_slot(pool_of_c &of, std::size_t slot) {
    of.remove(items_id_at(&of.all, slot));
}
template <>
[[gnu::noinline]] void age(pool_of_c &of) {
    MP_EACH(items, each, &of.all) {
        each.value->position[0] += each.value->speed[0];
        if (--each.value->frames_left == 0) {
            of.remove(each.id);
        }
    }
}
template <>
[[gnu::noinline]] void age_without(pool_of_c &of) {
    mp_walk walk = MP_WALK;
    mp_pool_refresh(of.all.pool);
    for (item *one; (one = items_next(&of.all, &walk)) != nullptr;) {
        one->position[0] += one->speed[0];
        if (--one->frames_left == 0) {
            over_slot(of, walk.index);
        }
    }
}
template <>
[[gnu::noinline]] void age_in_place(pool_of_c &of) {
    mp_walk walk = MP_WALK;
    mp_pool_refresh(of.all.pool);
    for (item *one; (one = items_next(&of.all, &walk)) != nullptr;) {
        one->position[0] += one->speed[0];
        if (--one->frames_left == 0) {
            of.remove(items_id_at(&of.all, walk.index));
        }
    }
}

static constexpr std::size_t slots = 2000;

// A pool so many per cent of whose slots are live, in random places.
template <typename Pool>
static std::size_t fill(Pool &pool, std::size_t per_cent) {
    std::vector<decltype(pool.emplace(item{}))> ids;
    for (std::size_t at = 0; at < slots; ++at) {
        ids.push_back(pool.emplace(item{{}, {1, 1, 1, 1}, 1 << 30}));
    }
    std::minstd_rand random(7);
    std::shuffle(ids.begin(), ids.end(), random);
    while (ids.size() > slots * per_cent / 100) {
        pool.remove(ids.back());
        ids.pop_back();
    }
    return ids.size();
}

struct run_of {
    layouts *kept;
    const char *only;
    std::size_t live;
    int laps;

    template <typename Pool>
    void pool(const char *name) const {
        if (only != nullptr) {
            if (std::strcmp(only, name) == 0) {
                count<Pool>();
            }
            return;
        }
        for (const std::size_t per_cent : {std::size_t(90), std::size_t(10)}) {
            Pool pool(slots);
            const double count = static_cast<double>(fill(pool, per_cent));
            double with = 1e9, without = 1e9, in_place = 1e9;
            for (int lap = 0; lap < 150; ++lap) {
                with = std::min(with, time([&] { age(pool); }) / count);
                without = std::min(without, time([&] { age_without(pool); }) / count);
                in_place = std::min(in_place, time([&] { age_in_place(pool); }) / count);
            }
            const std::string live = std::to_string(per_cent) + " % live, ";
            with = kept->least_of(live + "with handles", slots, name, with);
            without = kept->least_of(live + "without", slots, name, without);
            in_place = kept->least_of(live + "removing in place", slots, name, in_place);
            std::printf("%-24s %3zu %%  %.2f ns with handles, %.2f without: %.2f; %.2f removing in place: %.2f\n", name,
                        per_cent, with, without, with / without, in_place, with / in_place);
        }
    }

  private:
    template <typename F>
    static double time(F &&f) {
        const auto begun = std::chrono::steady_clock::now();
        for (int at = 0; at < 20; ++at) {
            f();
        }
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count() / 20;
    }
    template <typename Pool>
    void count() const {
        Pool pool(slots);
        const std::size_t values = fill(pool, live);
        for (int lap = 0; lap < std::abs(laps); ++lap) {
            laps > 0 ? age(pool) : age_without(pool);
        }
        std::printf("%zu values\n", values);
    }
};

int main(int count, char **arguments) {
    const bool counts = count > 3;
    layouts kept(counts ? "/dev/null" : arguments[1]);
    const run_of run{&kept, counts ? arguments[1] : nullptr, counts ? std::strtoul(arguments[2], nullptr, 10) : 0,
                     counts ? std::atoi(arguments[3]) : 0};
    run.pool<mps::pool<item>>("mps::pool");
    run.pool<mps::growing_pool<item>>("mps::growing_pool");
    run.pool<mps::packed_pool<item>>("mps::packed_pool");
    run.pool<millpond::pool<item>>("millpond::pool");
    run.pool<millpond::vec_pool<item>>("millpond::vec_pool");
    run.pool<millpond::packed_pool<item>>("millpond::packed_pool");
    run.pool<pool_of_c>("MP_EACH");
}
