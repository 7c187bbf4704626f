// Everything in millpond_small.hpp, with and without exceptions, in C++17 and later: by hand, and by random steps beside a
// model in plain arrays. Ends with 0, or says which line is wrong.
#include "millpond_small.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <vector>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                             \
            std::abort();                                                                                              \
        }                                                                                                              \
    } while (0)

namespace {

// ---- What is kept in the pools ----------------------------------------------------------------------------------------

struct plain {
    std::uint64_t number;
    float more[3];
};
// Owns memory, and can neither be copied nor assigned.
struct owner {
    static inline int alive = 0;
    std::unique_ptr<std::uint64_t> owned;
    explicit owner(std::uint64_t of) : owned(new std::uint64_t(of)) { ++alive; }
    owner(owner &&other) noexcept : owned(std::move(other.owned)) { ++alive; }
    owner &operator=(owner &&) = delete;
    ~owner() { --alive; }
};
struct alignas(128) aligned {
    std::uint64_t number;
    explicit aligned(std::uint64_t of) : number(of) {}
    aligned(aligned &&other) noexcept = default;
    ~aligned() { CHECK(reinterpret_cast<std::uintptr_t>(this) % 128 == 0); }
};
struct immovable {
    std::uint64_t number;
    const immovable *self = this;
    explicit immovable(std::uint64_t of) : number(of) {}
    immovable(const immovable &) = delete;
    ~immovable() { CHECK(self == this); }
};
// Its constructor may throw, after it has taken memory.
struct thrower {
    static inline int alive = 0;
    [[maybe_unused]] static inline bool throws = false;
    std::unique_ptr<std::uint64_t> owned;
    explicit thrower(std::uint64_t of) : owned(new std::uint64_t(of)) {
#if defined(__cpp_exceptions)
        if (throws) {
            throw 7;
        }
#endif
        ++alive;
    }
    thrower(thrower &&other) noexcept : owned(std::move(other.owned)) { ++alive; }
    ~thrower() { --alive; }
};

std::uint64_t number_of(const plain &of) { return of.number; }
std::uint64_t number_of(const owner &of) { return *of.owned; }
std::uint64_t number_of(const aligned &of) { return of.number; }
std::uint64_t number_of(const immovable &of) { return of.number; }
std::uint64_t number_of(const thrower &of) { return *of.owned; }

// ---- A model ------------------------------------------------------------------------------------------------------------

constexpr bool is_packed(const void *) { return false; }
template <typename T>
constexpr bool is_packed(const mps::packed_pool<T> *) {
    return true;
}
constexpr bool grows(const void *) { return false; }
template <typename T>
constexpr bool grows(const mps::growing_pool<T> *) {
    return true;
}

// For each slot which lifetime it is in and what lives there, and the stack of slots that were freed.
struct model {
    struct slot {
        std::uint32_t generation;
        bool lives;
        std::uint64_t number;
    };
    std::uint32_t start;
    std::vector<slot> slots;
    std::vector<std::uint32_t> freed;
    std::vector<std::uint32_t> order; // of a packed pool: the slots in the order of their values

    std::size_t live() const {
        return static_cast<std::size_t>(
            std::count_if(slots.begin(), slots.end(), [](const slot &one) { return one.lives; }));
    }
    // The handle that comes next; 0 if there is none.
    std::uint64_t next(std::size_t capacity, bool it_grows) const {
        if (!freed.empty()) {
            return std::uint64_t(freed.back()) << 32 | slots[freed.back()].generation;
        }
        return slots.size() < capacity || it_grows ? std::uint64_t(slots.size()) << 32 | start : 0;
    }
    void insert(std::uint64_t bits, std::uint64_t number) {
        const std::uint32_t index = static_cast<std::uint32_t>(bits >> 32);
        if (!freed.empty()) {
            freed.pop_back();
        } else {
            slots.push_back({start, false, 0});
        }
        slots[index].lives = true;
        slots[index].number = number;
        order.push_back(index);
    }
    bool is_good(std::uint64_t bits) const {
        const std::uint64_t index = bits >> 32;
        return index < slots.size() && slots[index].lives && slots[index].generation == static_cast<std::uint32_t>(bits);
    }
    void remove(std::uint64_t bits) {
        const std::uint32_t index = static_cast<std::uint32_t>(bits >> 32);
        slot &one = slots[index];
        one.lives = false;
        one.generation = one.generation == 0x7fffffff ? 1 : one.generation + 1;
        freed.push_back(index);
        const auto place = std::find(order.begin(), order.end(), index);
        *place = order.back();
        order.pop_back();
    }
};

template <typename P>
class run_beside_a_model {
    using T = typename P::value_type;
    static constexpr bool packed = is_packed(static_cast<P *>(nullptr));
    static constexpr bool growing = grows(static_cast<P *>(nullptr));

    std::mt19937_64 random;
    P pool;
    model now;
    std::vector<std::uint64_t> known{0, 1, std::uint64_t(1) << 63, ~std::uint64_t(0)};
    std::uint64_t numbers = 0;

    std::uint64_t below(std::uint64_t end) { return random() % end; }
    mps::handle<T> some_handle() {
        std::uint64_t bits = known[below(known.size())];
        if (below(10) == 0) {
            bits ^= std::uint64_t(1) << below(64);
        }
        return mps::handle<T>::from_bits(bits);
    }
    void know(mps::handle<T> which) { known.push_back(which.to_bits()); }

    void check_one(mps::handle<T> which) {
        const bool is_good = now.is_good(which.to_bits());
        const P &all = pool;
        CHECK(pool.contains(which) == is_good && (pool.get(which) != nullptr) == is_good && all.get(which) == pool.get(which));
        CHECK((pool.why_refused(which) == nullptr) == is_good);
        if (is_good) {
            CHECK(number_of(*pool.get(which)) == now.slots[which.index()].number);
            CHECK(pool.handle_of(pool[which]) == which && &all[which] == &pool[which]);
        }
    }
    // The numbers of all values, in the order of a loop.
    std::vector<std::uint64_t> expected() const {
        std::vector<std::uint64_t> numbers_now;
        if (packed) {
            for (std::size_t at = now.order.size(); at-- > 0;) {
                numbers_now.push_back(now.slots[now.order[at]].number);
            }
        } else {
            for (const auto &one : now.slots) {
                if (one.lives) {
                    numbers_now.push_back(one.number);
                }
            }
        }
        return numbers_now;
    }
    void check_all() {
        CHECK(pool.is_sound() && pool.size() == now.live() && pool.empty() == (now.live() == 0));
        CHECK(pool.peak() == now.slots.size() && pool.retired() == 0);
        const auto want = expected();
        std::vector<std::uint64_t> seen, seen_const, seen_each;
        // Each kind of loop finds out by itself what was removed since the last one.
        const P &all = pool;
        const bool is_const_first = below(2) == 0;
        const auto go_over_const = [&] {
            for (const T &one : all) {
                seen_const.push_back(number_of(one));
            }
        };
        if (is_const_first) {
            go_over_const();
        }
        for (T &one : pool) {
            seen.push_back(number_of(one));
        }
        if (!is_const_first) {
            go_over_const();
        }
        for (auto [which, one] : pool.each()) {
            CHECK(now.is_good(which.to_bits()) && pool.get(which) == &one);
            seen_each.push_back(number_of(one));
        }
        CHECK(seen == want && seen_const == want && seen_each == want);
        if constexpr (!packed) {
            std::vector<std::uint64_t> in_runs;
            pool.for_each_run([&](mps::run<T> run) {
                CHECK(run.size() != 0);
                for (T &one : run) {
                    in_runs.push_back(number_of(one));
                }
            });
            CHECK(in_runs == want);
        }
    }
    void insert() {
        const std::uint64_t bits = now.next(pool.capacity(), growing);
        const mps::handle<T> made = [&] {
            if constexpr (std::is_aggregate_v<T>) {
                return pool.emplace(plain{++numbers, {}});
            } else {
                return pool.emplace(++numbers);
            }
        }();
        CHECK(made.to_bits() == bits);
        if (made) {
            now.insert(bits, numbers);
            know(made);
        }
    }
    void remove(mps::handle<T> which) {
        const bool is_good = now.is_good(which.to_bits());
        CHECK(pool.remove(which) == is_good);
        if (is_good) {
            now.remove(which.to_bits());
        }
    }
    // A loop in which anything is removed and inserted: it visits only what lives, each once, and misses nothing that stays.
    void loop() {
        std::unordered_set<std::uint64_t> seen, at_first;
        for (std::size_t slot = 0; slot < now.slots.size(); ++slot) {
            if (now.slots[slot].lives) {
                at_first.insert(std::uint64_t(slot) << 32 | now.slots[slot].generation);
            }
        }
        const std::uint64_t how = below(4);
        std::size_t visits = 0, most = now.slots.size() + 64 + at_first.size();
        for (auto [which, one] : pool.each()) {
            CHECK(now.is_good(which.to_bits()) && pool.get(which) == &one);
            CHECK(number_of(one) == now.slots[which.index()].number);
            CHECK(packed || seen.count(which.to_bits()) == 0);
            CHECK(++visits <= (packed ? 4 * most : most));
            seen.insert(which.to_bits());
            if (how == 0 && below(2) == 0) {
                remove(which);
            } else if (how == 1) {
                remove(some_handle());
            } else if (how == 2 && below(3) == 0 && now.slots.size() < 700) {
                insert();
            } else if (how == 3) {
                remove(below(2) == 0 ? which : some_handle());
                if (below(2) == 0 && now.slots.size() < 700) {
                    insert();
                }
            }
        }
        for (const std::uint64_t bits : at_first) {
            CHECK(!now.is_good(bits) || seen.count(bits) != 0);
        }
        check_all();
    }

    void save_and_restore() {
        if constexpr (std::is_trivially_copyable_v<T>) {
            mps::snapshot<P> past;
            CHECK(!past.restore(pool) && past.save(pool));
            std::vector<unsigned char> bytes(pool.state_bytes());
            CHECK(!pool.write_state(bytes.data(), bytes.size() - 1) && pool.write_state(bytes.data(), bytes.size()));
            const model then = now;
            for (std::uint64_t left = below(100); left > 0; --left) {
                below(2) == 0 ? insert() : remove(some_handle());
            }
            if (below(2) == 0) {
                CHECK(past.restore(pool));
            } else {
                CHECK(pool.read_state(bytes.data(), bytes.size()));
            }
            now = then;
            // Damaged bytes are refused, or are another sound state.
            std::vector<unsigned char> damaged = bytes;
            for (std::uint64_t left = below(3) + 1; left > 0; --left) {
                damaged[below(damaged.size())] ^= static_cast<unsigned char>(1 << below(8));
            }
            const std::size_t shorter = below(4) == 0 ? below(damaged.size()) : damaged.size();
            P other(growing ? 0 : pool.capacity(), mps::options{pool.name(), false});
            if (other.read_state(damaged.data(), shorter)) {
                CHECK(other.is_sound());
                for (const auto [which, one] : other.each()) {
                    CHECK(other.get(which) == &one);
                }
                while (other.size() < other.capacity() && other.emplace(plain{1, {}})) {
                    CHECK(other.size() <= 4 * other.capacity());
                    if (growing && other.size() > 300) {
                        break;
                    }
                }
                CHECK(other.is_sound());
            } else {
                CHECK(other.size() == 0 && other.is_sound());
            }
        }
    }

  public:
    run_beside_a_model(std::uint64_t seed, std::size_t capacity, const char *name)
        : random(seed), pool(capacity, mps::options{name, seed % 3 == 0}), now{1, {}, {}, {}} {
        CHECK(growing ? pool.capacity() >= capacity : pool.capacity() == capacity);
        if (name != nullptr) {
            P twin(2, mps::options{name, false});
            if constexpr (std::is_aggregate_v<T>) {
                now.start = twin.emplace(plain{}).generation();
            } else {
                now.start = twin.emplace(std::uint64_t(1)).generation();
            }
            CHECK(now.start > 1);
        }
        for (int step = 0; step < 2000; ++step) {
            const std::uint64_t births = step / 300 % 2 == 0 ? 60 : 30, choice = below(100);
            if (choice < births) {
                insert();
            } else if (choice < 94) {
                remove(some_handle());
            } else if (choice == 94) {
                loop();
            } else if (choice == 95) {
                save_and_restore();
            } else if (choice == 96 && below(5) == 0) {
                pool.retain([&](const T &one) { return number_of(one) % 2 == 0; });
                for (const std::uint64_t bits : loop_order()) {
                    if (now.slots[bits >> 32].number % 2 != 0) {
                        now.remove(bits);
                    }
                }
            } else if (choice == 97 && below(10) == 0) {
                std::vector<std::uint64_t> all = loop_order();
                if (!packed) {
                    std::reverse(all.begin(), all.end());
                }
                pool.clear();
                for (const std::uint64_t bits : all) {
                    now.remove(bits);
                }
            } else if (choice == 98) {
                P moved(std::move(pool));
                CHECK(pool.size() == 0 && !pool.contains(some_handle()) && pool.begin() == pool.end());
                pool = std::move(moved);
            } else {
                evict();
            }
            check_one(some_handle());
            if (step % 64 == 0) {
                check_all();
            }
        }
        check_all();
    }

  private:
    std::vector<std::uint64_t> loop_order() const {
        std::vector<std::uint64_t> all;
        if (packed) {
            for (std::size_t at = now.order.size(); at-- > 0;) {
                all.push_back(std::uint64_t(now.order[at]) << 32 | now.slots[now.order[at]].generation);
            }
        } else {
            for (std::size_t slot = 0; slot < now.slots.size(); ++slot) {
                if (now.slots[slot].lives) {
                    all.push_back(std::uint64_t(slot) << 32 | now.slots[slot].generation);
                }
            }
        }
        return all;
    }
    void evict() {
        if constexpr (!growing) {
            const bool was_full = now.next(pool.capacity(), false) == 0;
            std::uint64_t least = 0;
            for (const std::uint64_t bits : loop_order()) {
                if (least == 0 || now.slots[bits >> 32].number < now.slots[least >> 32].number) {
                    least = bits;
                }
            }
            const auto made = [&] {
                if constexpr (std::is_aggregate_v<T>) {
                    return pool.emplace_or_evict([](const T &one) { return number_of(one); }, plain{++numbers, {}});
                } else {
                    return pool.emplace_or_evict([](const T &one) { return number_of(one); }, ++numbers);
                }
            }();
            CHECK(made.evicted.to_bits() == (was_full ? least : 0));
            if (was_full && least != 0) {
                now.remove(least);
            }
            CHECK(made.made.to_bits() == now.next(pool.capacity(), false));
            if (made) {
                now.insert(made.made.to_bits(), numbers);
                know(made.made);
            }
        }
    }
};

template <typename T>
void every_pool_of(std::uint64_t seeds) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const std::size_t capacities[] = {0, 1, 2, 63, 64, 65, 200};
        const std::size_t capacity = capacities[seed % 7];
        const char *name = seed % 2 == 0 ? nullptr : "bullets";
        run_beside_a_model<mps::pool<T>>(seed, capacity, name);
        run_beside_a_model<mps::growing_pool<T>>(seed, capacity, name);
        if constexpr (std::is_nothrow_move_constructible_v<T>) {
            run_beside_a_model<mps::packed_pool<T>>(seed, capacity, name);
        }
    }
}

// ---- By hand ----------------------------------------------------------------------------------------------------------------

void pools_of_one_type_are_told_apart_by_names() {
    mps::pool<plain> bullets(8, {"bullets", false}), rockets(8, {"rockets", false}), more(8, {"bullets", false});
    const auto bullet = bullets.emplace(plain{1, {}});
    CHECK(rockets.emplace(plain{2, {}}) && !rockets.contains(bullet) && !rockets.remove(bullet));
    CHECK(std::strcmp(rockets.why_refused(bullet), "never issued by this pool") == 0 || rockets.why_refused(bullet) != nullptr);
    // The same name, the same handles: for a saved game.
    CHECK(more.emplace(plain{3, {}}) == bullet);
    mps::snapshot<mps::pool<plain>> past;
    CHECK(past.save(bullets) && !past.restore(rockets) && past.restore(more) && more[bullet].number == 1);
    // What the library gives a pool of this name.
    CHECK(bullet.generation() == 2133709781u);
}

// Ends others, itself, or begins another as it ends.
struct node {
    static inline mps::growing_pool<node> *all = nullptr;
    static inline int ends = 0;
    mps::handle<node> self, child;
    bool begins = false;
    ~node() {
        ++ends;
        CHECK(!all->contains(self) && !all->remove(self) && !all->handle_of(*this));
        all->remove(child);
        if (begins) {
            CHECK(all->emplace().index() != self.index());
        }
    }
};
void destructors_may_use_the_pool() {
    mps::growing_pool<node> all;
    node::all = &all;
    mps::handle<node> last;
    for (int i = 0; i < 300; ++i) {
        const auto made = all.emplace();
        all[made].self = made;
        all[made].child = last;
        last = made;
    }
    CHECK(all.remove(last) && all.empty() && node::ends == 300 && all.is_sound());
    for (int i = 0; i < 64; ++i) {
        const auto made = all.emplace();
        all[made].self = made;
        all[made].begins = i % 2 == 0;
    }
    for (auto [which, one] : all.each()) {
        (void)one;
        all.remove(which);
    }
    all.clear();
    CHECK(all.empty() && all.is_sound());
}

// Looks at the pool, and inserts, as it begins.
struct curious {
    static inline mps::pool<curious> *all = nullptr;
    int depth;
    explicit curious(int of) : depth(of) {
        CHECK(!all->handle_of(*this));
        for (const curious &other : *all) {
            CHECK(&other != this);
        }
        if (depth > 0) {
            all->emplace(depth - 1);
        } else if (depth < 0) {
            all->clear();
        }
    }
    ~curious() {}
};
void constructors_may_use_the_pool() {
    mps::pool<curious> all(5);
    curious::all = &all;
    const auto made = all.emplace(3);
    CHECK(all[made].depth == 3 && all.size() == 4 && all.is_sound());
    const auto alone = all.emplace(-1);
    CHECK(all.size() == 1 && all[alone].depth == -1 && !all.contains(made) && all.is_sound());
    // Full before the outermost has begun: the innermost is not made.
    CHECK(all.emplace(9) && all.size() == 5 && all.is_sound());
}

void what_throws_was_never_there() {
#if defined(__cpp_exceptions)
    const auto in = [](auto &&all) {
        const auto first = all.emplace(std::uint64_t(1));
        thrower::throws = true;
        for (int times = 0; times < 3; ++times) {
            bool was_thrown = false;
            try {
                all.emplace(std::uint64_t(2));
            } catch (int) {
                was_thrown = true;
            }
            CHECK(was_thrown && all.size() == 1 && all.is_sound() && all.contains(first) && thrower::alive == 1);
        }
        thrower::throws = false;
        CHECK(all.emplace(std::uint64_t(3)) && all.size() == 2 && all.is_sound());
    };
    in(mps::pool<thrower>(2, {nullptr, true}));
    in(mps::growing_pool<thrower>());
    in(mps::packed_pool<thrower>(2));
#endif
    CHECK(thrower::alive == 0);
}

void iterators_are_those_of_the_standard() {
    mps::pool<plain> all(100);
    for (std::uint64_t i = 0; i < 100; ++i) {
        all.emplace(plain{i, {}});
    }
    all.retain([](const plain &one) { return one.number % 3 == 0; });
    const auto found = std::find_if(all.begin(), all.end(), [](const plain &one) { return one.number > 50; });
    CHECK(found != all.end() && found->number == 51 && found.handle() == all.handle_of(*found));
    CHECK(std::count_if(all.cbegin(), all.cend(), [](const plain &) { return true; }) == 34);
    std::unordered_set<mps::handle<plain>> set;
    for (auto [which, one] : all.each()) {
        CHECK(one.number == which.index() && set.insert(which).second);
    }
    CHECK(set.size() == 34 && mps::handle<plain>() < *set.begin());
}

void slots_that_are_used_up_retire() {
    // Near its last lifetime by a state that says so.
    mps::pool<plain> all(2);
    const auto first = all.emplace(plain{1, {}});
    std::vector<unsigned char> bytes(all.state_bytes());
    CHECK(all.write_state(bytes.data(), bytes.size()));
    const std::uint64_t last = 0x7fffffff;
    std::memcpy(bytes.data() + 48, &last, sizeof last);
    CHECK(all.read_state(bytes.data(), bytes.size()) && !all.contains(first));
    const auto old = mps::handle<plain>::from_bits(last);
    CHECK(all.contains(old) && !all.emplace_or_evict([](const plain &) { return 0; }, plain{2, {}}).evicted);
    CHECK(all.remove(old) && all.retired() == 1 && all.is_sound() && !all.emplace(plain{3, {}}) && all.is_full());
    bytes.resize(all.state_bytes());
    CHECK(all.write_state(bytes.data(), bytes.size()) && all.read_state(bytes.data(), bytes.size()) && all.retired() == 1);
    CHECK(!all.contains(old) && std::strcmp(all.why_refused(old), "stale: its object was removed") == 0);
}

// The generations of a named pool begin in the middle: after the greatest comes 1, and the one before the first is the last.
void slots_of_named_pools_go_around_once() {
    for (const bool fills : {false, true}) {
        mps::pool<plain> all(2, {"bullets", fills});
        const std::uint32_t start = all.emplace(plain{1, {}}).generation();
        std::vector<unsigned char> bytes(all.state_bytes());
        const auto in_generation = [&](std::uint32_t generation) {
            CHECK(all.write_state(bytes.data(), bytes.size()));
            std::memcpy(bytes.data() + 48, &generation, sizeof generation);
            CHECK(all.read_state(bytes.data(), bytes.size()));
            return mps::handle<plain>::from_bits(generation);
        };
        CHECK(all.remove(in_generation(0x7fffffff)) && all.emplace(plain{2, {}}).to_bits() == 1);
        CHECK(all.remove(in_generation(start - 2)) && all.emplace(plain{3, {}}).to_bits() == start - 1);
        const auto last = mps::handle<plain>::from_bits(start - 1);
        CHECK(all.remove(last) && !all.remove(last) && all.retired() == 1 && all.is_sound());
        CHECK(all.emplace(plain{4, {}}).index() == 1 && !all.emplace(plain{5, {}}));
        // Bits that equal the word of the dead slot name nothing.
        CHECK(!all.contains(mps::handle<plain>::from_bits(0x80000000u)) && !all.remove(mps::handle<plain>::from_bits(0x80000000u)));
    }
}

// A visit removes more than were visited, so that the array ends before where the loop is.
void loops_over_packed_pools_come_back_to_the_array() {
    mps::packed_pool<plain> all(20);
    for (std::uint64_t i = 0; i < 20; ++i) {
        all.emplace(plain{i, {}});
    }
    std::size_t visits = 0;
    for (auto [which, one] : all.each()) {
        CHECK(all.get(which) == &one && ++visits <= 5);
        while (all.size() > 4) {
            all.remove(all.handle_of(all.data()[0]));
        }
    }
    CHECK(visits == 5 && all.is_sound());
}

void states_are_refused_if_they_are_not_of_such_a_pool() {
    mps::pool<plain> all(70), small(3);
    mps::packed_pool<plain> packed(70);
    for (std::uint64_t i = 0; i < 70; ++i) {
        all.emplace(plain{i, {}});
        packed.emplace(plain{i, {}});
    }
    std::vector<unsigned char> bytes(all.state_bytes()), of_packed(packed.state_bytes());
    CHECK(all.write_state(bytes.data(), bytes.size()) && packed.write_state(of_packed.data(), of_packed.size()));
    mps::pool<float> other(70);
    CHECK(!small.read_state(bytes.data(), bytes.size()) && !other.read_state(bytes.data(), bytes.size()));
    CHECK(!packed.read_state(bytes.data(), bytes.size()) && !all.read_state(of_packed.data(), of_packed.size()));
    CHECK(!all.read_state(nullptr, 0) && !all.read_state(bytes.data(), 47) && all.size() == 70);
    CHECK(!all.read_state(bytes.data(), bytes.size(), [](const plain &one) { return one.number != 69; }));
    CHECK(all.size() == 70 && packed.size() == 70);
    mps::growing_pool<plain> growing;
    CHECK(growing.read_state(bytes.data(), bytes.size()) && growing.size() == 70 && growing.is_sound());
    CHECK(growing.handle_at(69) == all.handle_at(69));
}

void capacities_that_nobody_has_are_refused() {
    mps::pool<plain> all(SIZE_MAX), more(SIZE_MAX / sizeof(plain)), none(0);
    mps::packed_pool<plain> packed(SIZE_MAX / 2);
    mps::growing_pool<plain> growing(SIZE_MAX);
    CHECK(all.capacity() + more.capacity() + none.capacity() + packed.capacity() + growing.capacity() == 0);
    CHECK(!all.emplace() && !none.emplace() && !packed.emplace() && growing.emplace() && !growing.reserve(SIZE_MAX));
}

void growth_does_not_happen_in_play() {
    mps::growing_pool<plain> all;
    CHECK(all.capacity() == 0 && all.reserve(5000));
    const std::size_t reserved = all.capacity();
    std::vector<plain *> at;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        at.push_back(all.get(all.emplace(plain{i, {}})));
    }
    CHECK(all.capacity() == reserved);
    while (all.size() < 20000) {
        all.emplace(plain{0, {}});
    }
    for (std::uint64_t i = 0; i < 5000; ++i) {
        CHECK(at[i]->number == i && all.handle_of(*at[i]).index() == i);
    }
}

struct counted_lock {
    std::mutex inside;
    void lock() { inside.lock(); }
    void unlock() { inside.unlock(); }
};
void threads_share_a_pool_with_a_lock() {
    mps::locked<mps::pool<plain>, counted_lock> all(64);
    mps::locked<mps::growing_pool<std::string>, std::mutex> names(0);
    std::vector<std::thread> threads;
    for (std::uint64_t id = 0; id < 4; ++id) {
        threads.emplace_back([&, id] {
            std::vector<mps::handle<plain>> mine;
            for (int step = 0; step < 2000; ++step) {
                if (const auto made = all.emplace(plain{id, {}})) {
                    mine.push_back(made);
                }
                const auto name = names.emplace("a name that is too long for the string itself");
                CHECK(names.visit(name, [](std::string &of) { of += '!'; }) && names.remove(name));
                if (mine.size() > 10) {
                    CHECK(all.contains(mine.back()) && all.remove(mine.back()) && !all.remove(mine.back()));
                    mine.pop_back();
                }
                for (const auto which : mine) {
                    CHECK(all.visit(which, [&](plain &one) {
                        CHECK(one.number == id);
                        one.more[0] += 1;
                    }));
                }
                if (step % 100 == 0) {
                    const auto held = all.lock();
                    CHECK(held->is_sound());
                    for (plain &one : *held) {
                        one.more[1] += 1;
                    }
                }
            }
            for (const auto which : mine) {
                CHECK(all.remove(which));
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(all.size() == 0 && names.size() == 0);
}

// A loop with handles ends behind the last slot, whatever lies there in memory; at the end of a chunk; and where it makes the
// pool grow with each step. What it inserts behind itself, and removes before itself, it meets or not as the header says.
void loops_with_handles_end() {
    for (const std::size_t slots : {std::size_t(1), std::size_t(63), std::size_t(64), std::size_t(65), std::size_t(128)}) {
        mps::pool<plain> full(slots);
        while (full.emplace(plain{full.size(), {}})) {
        }
        std::uint64_t visited = 0;
        for (auto [which, one] : full.each()) {
            CHECK(which.index() == visited && one.number == visited && full.get(which) == &one);
            ++visited;
        }
        CHECK(visited == slots);
        visited = 0;
        for (auto [which, one] : full.each()) { // each removes the one behind it
            CHECK(which.index() % 2 == 0);
            full.remove(full.handle_at(which.index() + 1));
            visited += one.number + 1 != 0;
        }
        CHECK(visited == (slots + 1) / 2 && full.size() == visited);
    }
    mps::growing_pool<plain> growing(1);
    const std::size_t chunk = growing.capacity();
    while (growing.size() < chunk) {
        growing.emplace(plain{growing.size(), {}});
    }
    std::uint64_t visited = 0;
    for (auto [which, one] : growing.each()) { // the table of slots moves many times
        CHECK(growing.get(which) == &one && one.number == visited);
        growing.emplace(plain{growing.size(), {}});
        growing.emplace(plain{growing.size(), {}});
        ++visited;
    }
    CHECK(visited == chunk && growing.size() == 3 * chunk);
    visited = 0;
    for (auto [which, one] : growing.each()) {
        CHECK(which.index() == visited && growing.get(which) == &one && one.number == visited);
        ++visited;
    }
    CHECK(visited == 3 * chunk && growing.is_sound());
}

// Several threads read what nobody changes.
void threads_read_a_pool() {
    mps::pool<plain> filled(500);
    for (std::uint64_t i = 0; i < 400; ++i) {
        filled.emplace(plain{i, {}});
    }
    filled.retain([](const plain &one) { return one.number % 7 != 0; });
    // No loop has seen these removals: the threads find them all at the same time.
    std::uint64_t left = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
        if (i % 7 == 1) {
            CHECK(filled.remove(filled.handle_at(i)));
        } else if (i % 7 != 0) {
            left += i;
        }
    }
    const mps::pool<plain> &all = filled;
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id) {
        threads.emplace_back([&] {
            std::uint64_t sum = 0, again = 0;
            for (const plain &one : all) {
                sum += one.number;
            }
            for (auto [which, one] : all.each()) {
                CHECK(all.get(which) == &one);
                again += one.number;
            }
            CHECK(sum == again && sum == left);
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
}

} // namespace

int main() {
    every_pool_of<plain>(28);
    every_pool_of<owner>(14);
    every_pool_of<aligned>(7);
    every_pool_of<immovable>(7);
    every_pool_of<thrower>(7);
    CHECK(owner::alive == 0 && thrower::alive == 0);
    pools_of_one_type_are_told_apart_by_names();
    destructors_may_use_the_pool();
    constructors_may_use_the_pool();
    what_throws_was_never_there();
    iterators_are_those_of_the_standard();
    slots_that_are_used_up_retire();
    slots_of_named_pools_go_around_once();
    loops_over_packed_pools_come_back_to_the_array();
    states_are_refused_if_they_are_not_of_such_a_pool();
    capacities_that_nobody_has_are_refused();
    growth_does_not_happen_in_play();
    loops_with_handles_end();
    threads_share_a_pool_with_a_lock();
    threads_read_a_pool();
    std::puts("all is well");
    return 0;
}
