// The four published designs as their texts have them, in C++: what src/bin/designs.rs compares. The loops are here too, so
// that they are compiled together with the pools, all of them inlined. Nothing is checked that the texts do not check, except
// generations where the name says so.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace {

// ---- Particles: a union of the live state and the next free one, doubles as in the text or floats ----

template <typename Real>
struct Particle {
    int frames_left = 0;
    union {
        struct {
            Real x, y, x_velocity, y_velocity;
        } live;
        Particle* next;
    };

    Particle() : next(nullptr) {}
    bool animate() {
        if (frames_left <= 0) return false;
        frames_left--;
        live.x += live.x_velocity;
        live.y += live.y_velocity;
        return frames_left == 0;
    }
};

template <typename Real>
struct ParticlePool {
    std::vector<Particle<Real>> particles;
    Particle<Real>* first_available;

    explicit ParticlePool(std::size_t count) : particles(count), first_available(particles.data()) {
        for (std::size_t i = 0; i + 1 < count; i++) particles[i].next = &particles[i + 1];
    }
    void create(Real x, Real y, Real x_velocity, Real y_velocity, int lifetime) {
        Particle<Real>* made = first_available;
        if (made == nullptr) return;
        first_available = made->next;
        made->live = {x, y, x_velocity, y_velocity};
        made->frames_left = lifetime;
    }
    void animate() {
        for (auto& particle : particles) {
            if (particle.animate()) {
                particle.next = first_available;
                first_available = &particle;
            }
        }
    }
};

template <typename Real>
void frames(void* pool_of, const std::uint32_t* lives, std::size_t births, std::size_t frames) {
    auto& pool = *static_cast<ParticlePool<Real>*>(pool_of);
    for (std::size_t frame = 0; frame < frames; frame++) {
        for (std::size_t i = 0; i < births; i++) pool.create(0, 0, 1, Real(0.5), int(*lives++));
        pool.animate();
        asm volatile("" : : "r"(pool.particles.data()) : "memory");
    }
}

// ---- Swap-delete ----

struct Roster {
    std::vector<std::uint32_t> roster, position, generations;
    std::size_t partition = 0;

    explicit Roster(std::size_t count) : roster(count), position(count), generations(count, 1) {
        for (std::size_t i = 0; i < count; i++) roster[i] = position[i] = std::uint32_t(count - 1 - i);
    }
    std::uint64_t allocate() {
        if (partition == roster.size()) return 0;
        std::uint32_t slot = roster[partition++];
        return std::uint64_t(slot) << 32 | generations[slot];
    }
    bool free(std::uint64_t handle) {
        std::uint32_t slot = std::uint32_t(handle >> 32);
        if (slot >= generations.size() || generations[slot] != std::uint32_t(handle)) return false;
        generations[slot]++;
        std::uint32_t at = position[slot], last = roster[--partition];
        roster[at] = last;
        position[last] = at;
        roster[partition] = slot;
        position[slot] = std::uint32_t(partition);
        return true;
    }
};

// ---- Byte map ----

struct Object {
    std::uint64_t words[4];
};

struct ByteMap {
    std::vector<Object> objects;
    std::vector<unsigned char> bytes;
    std::int32_t first_free = -1;

    explicit ByteMap(std::size_t count) : objects(count), bytes(count, 0x80) {}
    std::uint64_t allocate() {
        bool wrapped = false;
        for (;;) {
            if (++first_free >= std::int32_t(bytes.size())) {
                if (wrapped) return 0;
                wrapped = true;
                first_free = 0;
            }
            unsigned char& byte = bytes[std::size_t(first_free)];
            if (byte & 0x80) {
                byte = (byte + 1) & 0x7f;
                objects[std::size_t(first_free)] = Object{{1, 2, 3, 4}};
                return std::uint64_t(first_free) << 8 | byte;
            }
        }
    }
    bool free(std::uint64_t handle) { // GetAtHandle, and Delete
        std::int32_t index = std::int32_t(handle >> 8);
        if (bytes[std::size_t(index)] != (handle & 0xff)) return false;
        bytes[std::size_t(index)] |= 0x80;
        if (index < first_free) first_free = index;
        return true;
    }
};

// ---- The pool allocator: a stack of free objects, which grows ----

struct Stack {
    std::vector<Object*> objects;

    explicit Stack(std::size_t count) {
        for (std::size_t i = 0; i < count; i++) objects.push_back(new Object);
    }
    ~Stack() {
        for (Object* object : objects) delete object;
    }
    std::uint64_t allocate() {
        Object* object;
        if (objects.empty()) {
            object = new Object;
        } else {
            object = objects.back();
            objects.pop_back();
        }
        *object = Object{{1, 2, 3, 4}};
        return reinterpret_cast<std::uintptr_t>(object);
    }
    bool free(std::uint64_t handle) {
        objects.push_back(reinterpret_cast<Object*>(handle));
        return true;
    }
};

// The same behind the text's smart pointer, which puts its object back.
struct Owned {
    struct PutBack {
        Stack* stack;
        void operator()(Object* object) const { stack->free(reinterpret_cast<std::uintptr_t>(object)); }
    };
    using Pointer = std::unique_ptr<Object, PutBack>;
    Stack stack;
    std::vector<Pointer> live;

    Owned(std::size_t slots, std::size_t count) : stack(slots) {
        while (live.size() < count) live.push_back(allocate());
    }
    Pointer allocate() { return Pointer(reinterpret_cast<Object*>(stack.allocate()), PutBack{&stack}); }
    [[gnu::flatten]] void run(const std::uint32_t* victims, std::size_t count, std::size_t batch) {
        for (std::size_t from = 0; from < count; from += batch) {
            for (std::size_t i = from; i < from + batch; i++) live[victims[i]].reset();
            for (std::size_t i = from; i < from + batch; i++) live[victims[i]] = allocate();
        }
        asm volatile("" : : "r"(live.data()) : "memory");
    }
};

template <typename Pool>
struct Pairs {
    Pool pool;
    std::vector<std::uint64_t> live;

    Pairs(std::size_t slots, std::size_t count) : pool(slots) {
        while (live.size() < count) live.push_back(pool.allocate());
    }
    ~Pairs() {
        for (auto handle : live) pool.free(handle);
    }
    [[gnu::flatten]] void run(const std::uint32_t* victims, std::size_t count, std::size_t batch) {
        for (std::size_t from = 0; from < count; from += batch) {
            for (std::size_t i = from; i < from + batch; i++) pool.free(live[victims[i]]);
            for (std::size_t i = from; i < from + batch; i++) live[victims[i]] = pool.allocate();
        }
        asm volatile("" : : "r"(live.data()) : "memory");
    }
};

template <typename Pool>
void pairs(void* of, const std::uint32_t* victims, std::size_t count, std::size_t batch) {
    static_cast<Pairs<Pool>*>(of)->run(victims, count, batch);
}

} // namespace

extern "C" {
void* designs_new(int design, std::size_t slots, std::size_t live) {
    switch (design) {
    case 0: return new Pairs<Roster>(slots, live);
    case 1: return new Pairs<ByteMap>(slots, live);
    case 2: return new Pairs<Stack>(slots, live);
    case 3: return new Owned(slots, live);
    case 4: return new ParticlePool<float>(slots);
    default: return new ParticlePool<double>(slots);
    }
}
// Pairs: victims, how many, how many at once. Particles: lives, births a frame, frames.
void designs_run(int design, void* pool, const std::uint32_t* numbers, std::size_t first, std::size_t second) {
    switch (design) {
    case 0: return pairs<Roster>(pool, numbers, first, second);
    case 1: return pairs<ByteMap>(pool, numbers, first, second);
    case 2: return pairs<Stack>(pool, numbers, first, second);
    case 3: return static_cast<Owned*>(pool)->run(numbers, first, second);
    case 4: return frames<float>(pool, numbers, first, second);
    default: return frames<double>(pool, numbers, first, second);
    }
}
}
