// millpond_sync.hpp: pools that threads share, for C++17 over millpond.h. SPDX-License-Identifier: MIT OR Apache-2.0
//
//     millpond::sync_pool<Job> jobs(1000);
//     millpond::handle<Job> job = jobs.emplace(name);             // on any thread; false when full
//     if (millpond::shared<Job> held = jobs.get(job)) held->run(); // stays while it is held, although another removes it
//     jobs.remove(job);                                           // refused at once; ends when nobody holds it
//
//     millpond::sync_recycler<Buffer> buffers(8);                 // eight objects that stay
//     if (millpond::lent<Buffer> buffer = buffers.acquire()) buffer->fill(); // this thread's, until it goes
//
// No call takes a lock. A pool outlives what is held or lent of it.
#ifndef MILLPOND_SYNC_HPP
#define MILLPOND_SYNC_HPP

#include "millpond.hpp"

namespace millpond {

template <typename T>
class sync_pool;
template <typename T>
class sync_recycler;

// A value of a `sync_pool` that is held: it stays as long as this does, and threads that hold it read it. `false` if the
// handle was refused.
template <typename T>
class shared {
  public:
    shared() noexcept = default;
    shared(shared &&other) noexcept : held_(std::exchange(other.held_, mp_shared{})) {}
    shared &operator=(shared &&other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~shared() { mp_sync_drop(&held_); }

    explicit operator bool() const noexcept { return held_.value != nullptr; }
    const T *get() const noexcept { return static_cast<const T *>(held_.value); }
    const T &operator*() const noexcept { return *get(); }
    const T *operator->() const noexcept { return get(); }

  private:
    friend class sync_pool<T>;
    mp_shared held_{};
};

// Rust's `SyncPool`. Values are constructed on one thread, read on any, and destroyed on the one that removes them, or holds
// them last.
template <typename T>
class sync_pool {
    static_assert(std::is_nothrow_destructible_v<T> && std::is_object_v<T> && !std::is_array_v<T>);

  public:
    using value_type = T;
    // Whether there was memory for it: `status()`. Of the options, `name`, `salt` and `lifetimes` may be set.
    explicit sync_pool(std::size_t capacity, const options &with = options{}) noexcept {
        const mp_options raw = with.raw<T>(capacity);
        mp_end *const end = [](void *value, void *) noexcept { std::launder(static_cast<T *>(value))->~T(); };
        status_ = mp_sync_create(&raw, std::is_trivially_destructible_v<T> ? nullptr : end, nullptr, &raw_);
    }
    sync_pool(const sync_pool &) = delete;
    sync_pool &operator=(const sync_pool &) = delete;
    ~sync_pool() { mp_sync_destroy(raw_); }

    mp_status status() const noexcept { return status_; }
    mp_stats stats() const noexcept { return mp_sync_stats(raw_); }
    std::size_t capacity() const noexcept { return static_cast<std::size_t>(stats().capacity); }
    std::size_t size() const noexcept { return static_cast<std::size_t>(stats().live); }

    // Constructs a value, with a constructor, or as an aggregate. Returns its handle, which is false if the pool is full. A
    // value whose constructor may throw is made before it gets a slot, and moved there.
    template <typename... Arguments>
    handle<T> emplace(Arguments &&...arguments) const {
        if constexpr (std::is_nothrow_constructible_v<T, Arguments &&...>) {
            return put([&](void *place) noexcept { ::new (place) T(std::forward<Arguments>(arguments)...); });
        } else {
            static_assert(std::is_nothrow_move_constructible_v<T>, "its constructor may throw, so it must be movable");
            T value = make_<T>(std::forward<Arguments>(arguments)...);
            return put([&](void *place) noexcept { ::new (place) T(std::move(value)); });
        }
    }
    shared<T> get(handle<T> which) const noexcept {
        shared<T> held;
        mp_sync_get(raw_, which.raw(), &held.held_);
        return held;
    }
    bool contains(handle<T> which) const noexcept { return mp_sync_contains(raw_, which.raw()); }
    bool remove(handle<T> which) const noexcept { return mp_sync_remove(raw_, which.raw()); }
    // Calls `f(handle, value)` with each value that is there when its slot's turn comes, and holds it meanwhile.
    template <typename F>
    void for_each(F &&f) const {
        for (std::size_t slot = 0, slots = capacity(); slot < slots; ++slot) {
            const handle<T> which(mp_sync_handle_at(raw_, slot));
            if (const shared<T> held = get(which)) {
                f(which, *held);
            }
        }
    }

  private:
    template <typename Make>
    handle<T> put(Make make) const noexcept {
        mp_handle made;
        mp_sync_insert_with(
            raw_, [](void *place, void *by) noexcept { (*static_cast<Make *>(by))(place); }, &make, &made);
        return handle<T>(made);
    }

    mp_sync *raw_ = nullptr;
    mp_status status_ = MP_NULL_POINTER;
};

// An object of a `sync_recycler` that is lent: it goes back when this ends. `false` if all were lent.
template <typename T>
class lent {
  public:
    lent() noexcept = default;
    lent(lent &&other) noexcept : lent_(std::exchange(other.lent_, mp_lent{})) {}
    lent &operator=(lent &&other) noexcept {
        std::swap(lent_, other.lent_);
        return *this;
    }
    ~lent() { mp_recycler_release(&lent_); }

    explicit operator bool() const noexcept { return lent_.object != nullptr; }
    T *get() const noexcept { return static_cast<T *>(lent_.object); }
    T &operator*() const noexcept { return *get(); }
    T *operator->() const noexcept { return get(); }
    // Which of the recycler's objects it is.
    std::size_t index() const noexcept { return lent_.index; }

  private:
    friend class sync_recycler<T>;
    mp_lent lent_{};
};

// Rust's `SyncRecycler`: objects that are constructed once, and lent to one thread at a time.
template <typename T>
class sync_recycler {
    static_assert(std::is_nothrow_default_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                  "objects are made when the recycler is, and nothing may be thrown then");

  public:
    using value_type = T;
    explicit sync_recycler(std::size_t capacity, const options &with = options{}) noexcept {
        const mp_options raw = with.raw<T>(capacity);
        status_ = mp_recycler_create(
            &raw, [](void *place, std::size_t, void *) noexcept { ::new (place) T(); },
            [](void *object, void *) noexcept { std::launder(static_cast<T *>(object))->~T(); }, nullptr, &raw_);
    }
    sync_recycler(const sync_recycler &) = delete;
    sync_recycler &operator=(const sync_recycler &) = delete;
    ~sync_recycler() { mp_recycler_destroy(raw_); }

    mp_status status() const noexcept { return status_; }
    std::size_t capacity() const noexcept { return mp_recycler_capacity(raw_); }
    std::size_t available() const noexcept { return mp_recycler_available(raw_); }
    lent<T> acquire() const noexcept {
        lent<T> one;
        mp_recycler_acquire(raw_, &one.lent_);
        return one;
    }

  private:
    mp_recycler *raw_ = nullptr;
    mp_status status_ = MP_NULL_POINTER;
};

} // namespace millpond

#endif
