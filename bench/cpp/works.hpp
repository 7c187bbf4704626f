// The works of the folder `work` once more, for pools written in C++: the loops have to be compiled together with
// the pool, or each operation would pay for a call across languages. Object, random numbers, order of
// keys and checksums are those of the Rust side, which compares them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// As Object in src/object.rs.
template <std::size_t PayloadWords>
struct Object {
    std::uint32_t x, y, step, life;
    std::uint32_t payload[PayloadWords];

    explicit Object(std::uint32_t number)
        : x(number), y(~number), step(1), life((number * 0x9E3779B1u) >> 16) {
        for (auto& word : payload) word = number;
    }
    void advance() {
        x += step;
        y -= step;
    }
};

template <>
struct Object<0> {
    std::uint32_t x, y, step, life;

    explicit Object(std::uint32_t number)
        : x(number), y(~number), step(1), life((number * 0x9E3779B1u) >> 16) {}
    void advance() {
        x += step;
        y -= step;
    }
};

// As Random in src/random.rs.
class Random {
    std::uint64_t state;

public:
    explicit Random(std::uint64_t seed) : state((seed * 0x9E3779B97F4A7C15u) | 1) {}
    std::size_t below(std::size_t limit) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        std::uint64_t high = (state * 0x2545F4914F6CDD1Du) >> 32;
        return static_cast<std::size_t>((high * limit) >> 32);
    }
    template <typename T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t last = items.size(); last-- > 1;) std::swap(items[last], items[below(last + 1)]);
    }
};

struct Timed {
    std::uint64_t nanoseconds;
    std::uint64_t operations;
};

// The compiler must believe that everything behind `pointer` was read and written.
inline void black_box(void* pointer) { asm volatile("" : : "r"(pointer) : "memory"); }

// As Lap in src/measure.rs.
class Lap {
public:
    virtual ~Lap() = default;
    virtual Timed lap() = 0;
    virtual std::uint64_t checksum() = 0;
};

class Stopwatch {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

public:
    std::uint64_t nanoseconds() const {
        auto elapsed = std::chrono::steady_clock::now() - start;
        return std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
    }
};

// What a work is told: slots, percent live, operations per lap.
struct Case {
    std::size_t slots, percent, operations;
};

// As Population in src/population.rs. A pool has Key, insert, remove, get; and walks, if it knows its objects.
template <typename Pool>
struct Population {
    Pool pool;
    std::vector<typename Pool::Key> keys;
    Random random;
    std::uint32_t next = 0;

    explicit Population(std::size_t slots) : pool(slots), random(slots) {
        keys.resize(slots); // touches the pages
        keys.clear();
    }
    ~Population() {
        for (auto key : keys) pool.remove(key);
    }
    void insert() { keys.push_back(pool.insert(next++)); }
    void fill(std::size_t slots) {
        for (std::size_t number = 0; number < slots; ++number) insert();
        random.shuffle(keys);
    }
    void thin(std::size_t live) {
        for (std::size_t at = live; at < keys.size(); ++at) pool.remove(keys[at]);
        keys.resize(live);
    }
    std::uint64_t sum() {
        std::uint64_t sum = 0;
        for (auto key : keys) sum += pool.get(key).x;
        return sum;
    }
};

template <typename Pool>
class Fill final : public Lap {
    Case its;
    std::uint64_t total = 0;

public:
    explicit Fill(Case its) : its(its) {}
    Timed lap() override {
        std::size_t stores = its.operations / its.slots > 1 ? its.operations / its.slots : 1;
        std::uint64_t elapsed = 0;
        for (std::size_t store = 0; store < stores; ++store) {
            Population<Pool> population(its.slots);
            Stopwatch watch;
            for (std::size_t slot = 0; slot < its.slots; ++slot) population.insert();
            black_box(&population.pool);
            elapsed += watch.nanoseconds();
            total = total * 3 + population.sum();
        }
        return {elapsed, its.slots * stores};
    }
    std::uint64_t checksum() override { return total; }
};

template <typename Pool>
class Get final : public Lap {
    Case its;
    Population<Pool> population;
    std::size_t at = 0;
    std::uint64_t total = 0;

public:
    explicit Get(Case its) : its(its), population(its.slots) { population.fill(its.slots); }
    Timed lap() override {
        std::size_t left = its.operations;
        Stopwatch watch;
        while (left > 0) {
            std::size_t stretch = population.keys.size() - at < left ? population.keys.size() - at : left;
            std::uint64_t sum = 0;
            for (std::size_t key = at; key < at + stretch; ++key) sum += population.pool.get(population.keys[key]).x;
            total += sum;
            at = (at + stretch) % population.keys.size();
            left -= stretch;
        }
        black_box(&total);
        return {watch.nanoseconds(), its.operations};
    }
    std::uint64_t checksum() override { return total; }
};

template <typename Pool>
class Churn final : public Lap {
    Case its;
    Population<Pool> population;
    std::size_t at = 0;
    std::uint64_t total = 0;

    void pairs(std::size_t count) {
        auto& keys = population.keys;
        std::uint64_t sum = 0;
        while (count > 0) {
            std::size_t stretch = keys.size() - at < count ? keys.size() - at : count;
            for (std::size_t key = at; key < at + stretch; ++key) {
                sum += population.pool.remove(keys[key]);
                keys[key] = population.pool.insert(population.next++);
            }
            at = (at + stretch) % keys.size();
            count -= stretch;
        }
        black_box(&population.pool);
        total += sum;
    }

public:
    explicit Churn(Case its) : its(its), population(its.slots) {
        population.fill(its.slots);
        population.thin(its.slots * its.percent / 100);
        pairs(its.slots);
    }
    Timed lap() override {
        Stopwatch watch;
        pairs(its.operations);
        return {watch.nanoseconds(), its.operations};
    }
    std::uint64_t checksum() override { return total ^ population.sum(); }
};

template <typename Pool>
class Burst final : public Lap {
    Case its;
    Population<Pool> population;
    std::size_t size, at = 0;
    std::uint64_t total = 0;

    void burst() {
        auto& keys = population.keys;
        if (at + size > keys.size()) at = 0;
        std::uint64_t sum = 0;
        for (std::size_t key = at; key < at + size; ++key) sum += population.pool.remove(keys[key]);
        black_box(&population.pool);
        for (std::size_t key = at; key < at + size; ++key) keys[key] = population.pool.insert(population.next++);
        black_box(&population.pool);
        at += size;
        total += sum;
    }

public:
    explicit Burst(Case its) : its(its), population(its.slots), size(its.slots / 16 > 1 ? its.slots / 16 : 1) {
        population.fill(its.slots);
        population.thin(its.slots * its.percent / 100);
        for (int time = 0; time < 16; ++time) burst();
    }
    Timed lap() override {
        std::size_t bursts = its.operations / size > 1 ? its.operations / size : 1;
        Stopwatch watch;
        for (std::size_t time = 0; time < bursts; ++time) burst();
        return {watch.nanoseconds(), bursts * size};
    }
    std::uint64_t checksum() override { return total ^ population.sum(); }
};

template <typename Pool>
class Iterate final : public Lap {
    Population<Pool> population;
    std::size_t passes;

    void pass() {
        population.pool.walk([](auto& object) { object.advance(); });
        black_box(&population.pool);
    }

public:
    explicit Iterate(Case its) : population(its.slots) {
        population.fill(its.slots);
        population.thin(its.slots * its.percent / 100);
        passes = (its.operations + population.keys.size() - 1) / population.keys.size();
        pass();
    }
    Timed lap() override {
        Stopwatch watch;
        for (std::size_t time = 0; time < passes; ++time) pass();
        return {watch.nanoseconds(), passes * population.keys.size()};
    }
    std::uint64_t checksum() override { return population.sum(); }
};

// The numbers that the contenders in native.rs use.
enum Work { FILL, GET, CHURN, BURST, ITERATE };

template <typename Pool>
Lap* make_lap(unsigned work, Case its) {
    switch (work) {
    case FILL: return new Fill<Pool>(its);
    case GET: return new Get<Pool>(its);
    case CHURN: return new Churn<Pool>(its);
    case BURST: return new Burst<Pool>(its);
    case ITERATE:
        if constexpr (Pool::walks) return new Iterate<Pool>(its);
        return nullptr;
    default: return nullptr;
    }
}

// The three objects of the tables, by their words of payload.
template <template <typename> class Pool>
Lap* make_lap_for(unsigned work, std::size_t payload_words, Case its) {
    switch (payload_words) {
    case 0: return make_lap<Pool<Object<0>>>(work, its);
    case 12: return make_lap<Pool<Object<12>>>(work, its);
    case 60: return make_lap<Pool<Object<60>>>(work, its);
    default: return nullptr;
    }
}
