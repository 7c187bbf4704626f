// millpond_growing.hpp: a pool of one type that grows, for C++17. SPDX-License-Identifier: MIT OR Apache-2.0
//
//     millpond::growing_pool<Node> nodes;
//     nodes.reserve(4000);                        // growth does not happen in play
//     Node *node = nodes.alloc(x, y);             // constructed; null if there is no memory
//     nodes.free(node);                           // destroyed; false if it is not a live object of this pool
//     auto owned = nodes.make(x, y);              // an owner, which puts its node back
//
// Freed objects are a stack: the one freed last comes next. When it is empty, a chunk comes from `operator new`, as
// large as all before together (64 objects at least), and stays. Objects never move. Each takes its own size (a
// pointer's at least) and one byte, which says whether it is live. Time: `alloc` and `free` look the address up in the
// chunks, the one used last first; a program that reserves has one. One thread at a time may use a pool. millpond.hpp
// includes this file, which also stands alone and needs no library.
#ifndef MILLPOND_GROWING_HPP
#define MILLPOND_GROWING_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace millpond {

template <typename T>
class growing_pool {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "a pool of objects");

  public:
    // An object that puts itself back when it is destroyed, like a `std::unique_ptr` (whose header takes longer to compile
    // than all of this one). The pool must outlive it.
    class owner {
      public:
        owner() noexcept = default;
        owner(std::nullptr_t) noexcept {}
        owner(growing_pool &pool, T *object) noexcept : pool_(&pool), object_(object) {}
        owner(owner &&other) noexcept : pool_(other.pool_), object_(other.release()) {}
        owner &operator=(owner &&other) noexcept {
            growing_pool *const pool = other.pool_;
            reset(other.release());
            pool_ = pool;
            return *this;
        }
        ~owner() { reset(); }

        T *get() const noexcept { return object_; }
        T &operator*() const noexcept { return *object_; }
        T *operator->() const noexcept { return object_; }
        explicit operator bool() const noexcept { return object_ != nullptr; }
        // The object is nobody's then: `free` puts it back.
        T *release() noexcept { return std::exchange(object_, nullptr); }
        // Puts the object back, and owns another one of the same pool, or none.
        void reset(T *object = nullptr) noexcept {
            if (T *const old = std::exchange(object_, object)) {
                pool_->free(old);
            }
        }
        friend bool operator==(const owner &a, std::nullptr_t) noexcept { return a.object_ == nullptr; }
        friend bool operator!=(const owner &a, std::nullptr_t) noexcept { return a.object_ != nullptr; }

      private:
        growing_pool *pool_ = nullptr;
        T *object_ = nullptr;
    };

    growing_pool() noexcept = default;
    growing_pool(const growing_pool &) = delete; // owners know where their pool is
    growing_pool &operator=(const growing_pool &) = delete;

    // Destroys the objects that are left, each once, also if they free one another.
    ~growing_pool() {
        is_closing_ = true;
        for (chunk *each = chunks_; each != nullptr; each = each->next) {
            for (std::size_t at = 0; at < each->slots; at++) {
                if (each->states()[at] == live) {
                    each->states()[at] = dying;
                    each->object(at)->~T();
                }
            }
        }
        while (chunks_ != nullptr) {
            ::operator delete(std::exchange(chunks_, chunks_->next), std::align_val_t(align));
        }
    }

    // Constructs an object, or initialises an aggregate. Null if there is no memory. If the constructor throws, the
    // slot is free again, and the exception goes on. The constructor may use the pool.
    template <typename... Arguments>
    T *alloc(Arguments &&...arguments) {
        if (is_closing_ || (free_ == nullptr && !grow(slots_ < chunk_min ? chunk_min : slots_))) {
            return nullptr;
        }
        void *place = free_;
        const found at = find(place);
        std::memcpy(&free_, place, sizeof free_);
        size_++;
        taken back{this, at};
        if constexpr (std::is_constructible_v<T, Arguments &&...>) {
            ::new (place) T(std::forward<Arguments>(arguments)...);
        } else {
            ::new (place) T{std::forward<Arguments>(arguments)...};
        }
        back.pool = nullptr;
        at.of->states()[at.slot] = live;
        return std::launder(static_cast<T *>(place));
    }

    // The same, as an owner; an empty one if there is no memory.
    template <typename... Arguments>
    owner make(Arguments &&...arguments) {
        return owner(*this, alloc(std::forward<Arguments>(arguments)...));
    }

    // Destroys an object, and puts its memory back. False, and nothing happens, for an address that is not that of a
    // live object of this pool. The destructor may use the pool, and free others. An address has no generation: one that
    // was kept after its object was freed is refused only until its slot is used again, and then frees the new object.
    // Where that may happen, keep owners, or the handles of `mps::growing_pool` (millpond_small.hpp).
    bool free(T *object) noexcept {
        const found at = find(object);
        if (at.of == nullptr || at.of->states()[at.slot] != live) {
            return false;
        }
        at.of->states()[at.slot] = dying;
        object->~T();
        put_back(at);
        return true;
    }

    // Whether it is the address of a live object of this pool.
    bool contains(const T *object) const noexcept {
        const found at = find(object);
        return at.of != nullptr && at.of->states()[at.slot] == live;
    }

    // Room for so many more objects, in one chunk. False if there is no memory.
    bool reserve(std::size_t objects) noexcept {
        return objects <= slots_ - size_ || grow(objects - (slots_ - size_));
    }

    // The number of objects, including one that is being constructed or destroyed.
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // How many objects there is memory for. It never shrinks.
    std::size_t capacity() const noexcept { return slots_; }
    std::size_t chunks() const noexcept { return chunk_count_; }

  private:
    enum state : unsigned char { vacant, live, dying };

    static constexpr std::size_t chunk_min = 64;
    static constexpr std::size_t stride =
        sizeof(T) >= sizeof(void *) ? sizeof(T) : (sizeof(void *) + alignof(T) - 1) / alignof(T) * alignof(T);

    // Before the objects of a chunk and, behind those, the state of each.
    struct chunk {
        chunk *next;
        std::size_t slots;

        unsigned char *memory() noexcept { return reinterpret_cast<unsigned char *>(this) + head; }
        const unsigned char *memory() const noexcept { return reinterpret_cast<const unsigned char *>(this) + head; }
        unsigned char *states() noexcept { return memory() + slots * stride; }
        const unsigned char *states() const noexcept { return memory() + slots * stride; }
        T *object(std::size_t slot) noexcept {
            return std::launder(reinterpret_cast<T *>(memory() + slot * stride));
        }
        // The slot at this address; `slots` if there is none.
        std::size_t slot_of(const void *address) const noexcept {
            auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory());
            return offset < slots * stride && offset % stride == 0 ? offset / stride : slots;
        }
    };

    static constexpr std::size_t align = alignof(T) > alignof(chunk) ? alignof(T) : alignof(chunk);
    static constexpr std::size_t head = (sizeof(chunk) + align - 1) / align * align;

    // A slot of a chunk; of no chunk if an address is not that of an object, live or not.
    struct found {
        chunk *of;
        std::size_t slot;
    };

    // A slot that is on no list and has no object; it goes back if the constructor throws.
    struct taken {
        growing_pool *pool;
        found at;
        ~taken() {
            if (pool != nullptr) {
                pool->put_back(at);
            }
        }
    };

    found find(const void *address) const noexcept {
        if (last_ != nullptr) {
            const std::size_t slot = last_->slot_of(address);
            if (slot != last_->slots) {
                return {last_, slot};
            }
        }
        for (chunk *each = chunks_; each != nullptr; each = each->next) {
            const std::size_t slot = each->slot_of(address);
            if (slot != each->slots) {
                last_ = each;
                return {each, slot};
            }
        }
        return {nullptr, 0};
    }

    void put_back(found at) noexcept {
        unsigned char *place = at.of->memory() + at.slot * stride;
        at.of->states()[at.slot] = vacant;
        std::memcpy(place, &free_, sizeof free_);
        free_ = place;
        size_--;
    }

    bool grow(std::size_t slots) noexcept {
        if (slots > (PTRDIFF_MAX - head) / (stride + 1)) {
            return false;
        }
        void *memory = ::operator new(head + slots * (stride + 1), std::align_val_t(align), std::nothrow);
        if (memory == nullptr) {
            return false;
        }
        chunk *made = ::new (memory) chunk{chunks_, slots};
        std::memset(made->states(), vacant, slots);
        for (std::size_t at = slots; at > 0; at--) { // so that the first one ends on top
            unsigned char *place = made->memory() + (at - 1) * stride;
            std::memcpy(place, &free_, sizeof free_);
            free_ = place;
        }
        chunks_ = last_ = made;
        slots_ += slots;
        chunk_count_++;
        return true;
    }

    unsigned char *free_ = nullptr; // links to the next one in its memory
    chunk *chunks_ = nullptr;
    mutable chunk *last_ = nullptr; // found last
    std::size_t size_ = 0, slots_ = 0, chunk_count_ = 0;
    bool is_closing_ = false;
};

} // namespace millpond

#endif
