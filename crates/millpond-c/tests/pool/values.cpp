#pragma once
#include "root.unity.h" // IWYU pragma: keep

namespace {

struct bullet {
    float x, y;
    bullet(float to_x, float to_y) : x(to_x), y(to_y) {}
};

struct alignas(256) wide {
    char bytes[256];
};

} // namespace

static void plain_values() {
    millpond::pool<bullet> bullets(100);
    CHECK(bullets.status() == MP_OK && bullets.capacity() == 100 && bullets.empty());
    millpond::handle<bullet> first = bullets.emplace(1.0f, 2.0f);
    CHECK(first && bullets.contains(first) && bullets[first].y == 2.0f && bullets.get(first)->x == 1.0f);
    CHECK(!bullets.contains(millpond::handle<bullet>()) && !millpond::handle<bullet>());
    CHECK(bullets.handle_of(bullets[first]) == first && bullets.handle_at(0) == first);
    CHECK(bullets.remove(first) && !bullets.remove(first) && bullets.get(first) == nullptr);
    for (int i = 0; i < 100; ++i) {
        CHECK(bullets.emplace(static_cast<float>(i), 0.0f));
    }
    CHECK(!bullets.emplace(0.0f, 0.0f) && bullets.stats().refused == 1);
    bullets.retain([](const bullet &each) { return static_cast<int>(each.x) % 3 != 0; });
    CHECK(bullets.size() == 66);
    std::size_t by_iterator = 0, by_run = 0, by_each = 0;
    for (bullet &each : bullets) {
        each.y += 1.0f;
        ++by_iterator;
    }
    const millpond::pool<bullet> &shared = bullets;
    for (const bullet &each : shared) {
        CHECK(each.y == 1.0f);
    }
    for (auto run : bullets.runs()) {
        CHECK(run.size() <= 2 && !run.empty());
        by_run += run.size();
    }
    for (auto run : shared.runs()) {
        CHECK(run[0].y == 1.0f);
    }
    bullets.for_each([&](millpond::handle<bullet> which, bullet &each) {
        CHECK(&bullets[which] == &each);
        ++by_each;
    });
    CHECK(by_iterator == 66 && by_run == 66 && by_each == 66);
    // While iterating, what the iterator stands at may go.
    for (auto at = bullets.begin(); at != bullets.end(); ++at) {
        CHECK(bullets.remove(bullets.handle_of(*at)));
    }
    CHECK(bullets.empty());
    millpond::pool<bullet> moved(std::move(bullets));
    CHECK(moved.capacity() == 100 && bullets.capacity() == 0 && !bullets.emplace(1.0f, 1.0f) && bullets.empty());
    bullets = std::move(moved);
    CHECK(bullets.emplace(1.0f, 1.0f));
    bullets.clear();
    CHECK(bullets.empty());
}

static void over_aligned_and_immovable_values() {
    millpond::pool<wide> all(9);
    for (int i = 0; i < 9; ++i) {
        auto made = all.emplace();
        CHECK(made && reinterpret_cast<std::uintptr_t>(all.get(made)) % 256 == 0);
    }
}

static void handles_are_keys() {
    millpond::pool<int> all(100);
    std::unordered_set<millpond::handle<int>> set;
    for (int i = 0; i < 100; ++i) {
        set.insert(all.emplace(i));
    }
    CHECK(set.size() == 100 && set.count(all.handle_at(7)) == 1);
    millpond::handle<int> copy = millpond::handle<int>::from_bits(all.handle_at(3).to_bits());
    CHECK(all[copy] == 3 && copy.index() == 3 && copy.generation() == 1 && copy != all.handle_at(4));
}

static void the_past_comes_back() {
    millpond::options with;
    with.name = "past";
    millpond::pool<int> all(50, with);
    millpond::snapshot<int> past(50, with), other(51, with);
    CHECK(past.status() == MP_OK && past.restore(all) == MP_BAD_STATE);
    millpond::handle<int> seven = all.emplace(7);
    CHECK(past.save(all) == MP_OK && other.save(all) == MP_OTHER_SHAPE);
    all[seven] = 8;
    millpond::handle<int> later = all.emplace(9);
    CHECK(all.remove(seven) && past.restore(all) == MP_OK);
    CHECK(all[seven] == 7 && !all.contains(later) && all.size() == 1 && all.emplace(9) == later);
}

static void iterators_are_those_of_the_standard() {
    millpond::pool<int> all(9);
    for (int i = 0; i < 9; ++i) {
        all.emplace(i);
    }
    millpond::pool<int>::iterator first = all.begin();
    millpond::pool<int>::const_iterator same = first;
    static_assert(!std::is_convertible_v<millpond::pool<int>::const_iterator, millpond::pool<int>::iterator>);
    static_assert(std::is_same_v<decltype(*all.cbegin()), const int &>);
    CHECK(same == first && first == same && *++same == 1 && same != first && all.cend() == all.end());
    CHECK(std::distance(all.cbegin(), all.cend()) == 9);
#if defined(__cpp_lib_ranges)
    static_assert(std::ranges::forward_range<millpond::pool<int>>);
    static_assert(std::ranges::forward_range<const millpond::pool<int>>);
    static_assert(std::ranges::input_range<decltype(all.runs())>);
    static_assert(std::ranges::input_range<decltype(std::as_const(all).runs())>);
    all.remove(all.handle_at(4));
    CHECK(std::ranges::count_if(all, [](int number) { return number % 2 == 1; }) == 4);
    CHECK(std::ranges::find(all, 7) != all.end() && std::ranges::find(all, 4) == all.end());
#if !defined(__clang__) || __clang_major__ >= 16 // former ones do not compile libstdc++'s views
    CHECK(std::ranges::max(all | std::views::transform([](int number) { return -number; })) == 0);
#endif
    CHECK(std::ranges::distance(all.runs()) == 2);
#endif
}

// The walks of every kind visit exactly what lives, in slot order, whether few slots are live or many, in runs of all
// lengths and across the 64 slots that a walk takes at a time; and iterators, while each second value that they come to
// goes.
static void walks_of_every_density_visit_what_lives() {
    std::uint64_t random = 7;
    for (std::size_t slots : {1u, 63u, 64u, 65u, 200u, 700u}) {
        for (unsigned live_in_16 = 0; live_in_16 <= 16; ++live_in_16) {
            for (unsigned run_max : {1u, 5u, 90u}) {
                millpond::pool<std::size_t> all(slots);
                for (std::size_t at = 0; at < slots; ++at) {
                    CHECK(all.emplace(at));
                }
                std::vector<std::size_t> live;
                for (std::size_t at = 0; at < slots;) {
                    random = random * 6364136223846793005u + 1442695040888963407u;
                    const bool lives = (random >> 60) < live_in_16;
                    for (std::size_t left = 1 + (random >> 33) % run_max; left != 0 && at < slots; --left, ++at) {
                        if (lives) {
                            live.push_back(at);
                        } else {
                            CHECK(all.remove(all.handle_at(at)));
                        }
                    }
                }
                std::vector<std::size_t> by_iterator, by_constant, by_run;
                // First while the bitmap of a large pool is old.
                for (std::size_t each : std::as_const(all)) {
                    by_constant.push_back(each);
                }
                for (std::size_t each : all) {
                    by_iterator.push_back(each);
                }
                for (auto run : all.runs()) {
                    by_run.insert(by_run.end(), run.begin(), run.end());
                }
                CHECK(by_iterator == live && by_constant == live && by_run == live);
                std::size_t met = 0;
                for (std::size_t &each : all) {
                    CHECK(each == live[met]);
                    if (met++ % 2 == 0) {
                        CHECK(all.remove(all.handle_at(each)));
                    }
                }
                CHECK(met == live.size() && all.size() == met / 2);
            }
        }
    }
}

static void capacities_that_no_pool_has_are_refused() {
    const int less_than_none = -1;
    millpond::pool<char> huge(std::size_t{1} << 32), negative(static_cast<std::size_t>(less_than_none)), none(0);
    CHECK(huge.status() == MP_BAD_OPTIONS && huge.capacity() == 0 && !huge.emplace('x') && huge.raw() == nullptr);
    CHECK(negative.status() == MP_BAD_OPTIONS && negative.begin() == negative.end());
    CHECK(none.status() == MP_OK && !none.emplace('x') && none.stats().refused == 1);
}

static void an_untouched_pool_is_one_like_others() {
    millpond::options with;
    with.untouched = true;
    with.flags = MP_WRAP;
    CHECK(with.raw<int>(9).flags == (MP_WRAP | MP_UNTOUCHED));
    millpond::pool<wide> chunks(std::size_t{1} << 20, with);
    const auto first = chunks.emplace(), second = chunks.emplace();
    CHECK(chunks.capacity() == std::size_t{1} << 20 && first && second);
    CHECK(reinterpret_cast<std::uintptr_t>(&chunks[first]) % alignof(wide) == 0);
    CHECK(chunks.remove(first) && !chunks.contains(first) && chunks.contains(second));
    CHECK(mp_pool_validate(chunks.raw(), nullptr, 0) == MP_OK);
    chunks[second].bytes[255] = 'x';
    unsigned char state[400];
    const std::size_t bytes = mp_pool_state_bytes(chunks.raw());
    CHECK(bytes <= sizeof state && mp_pool_write_state(chunks.raw(), state, bytes) == MP_OK);
    millpond::pool<wide> read(std::size_t{1} << 20, with);
    CHECK(read.emplace() && read.emplace() && read.emplace());
    CHECK(mp_pool_read_state(read.raw(), state, bytes) == MP_OK && read.size() == 1);
    CHECK(read.get(second)->bytes[255] == 'x' && read.emplace() == chunks.emplace());
    CHECK(mp_pool_validate(read.raw(), nullptr, 0) == MP_OK);
    CHECK(millpond::vec_pool<int>(9, with).status() == MP_BAD_OPTIONS);
    CHECK(millpond::packed_pool<int>(9, with).status() == MP_BAD_OPTIONS);
}
