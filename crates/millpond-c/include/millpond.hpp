// millpond.hpp: object pools for C++17 over millpond.h. SPDX-License-Identifier: MIT OR Apache-2.0
//
//     millpond::pool<Bullet> bullets(1000);
//     millpond::handle<Bullet> bullet = bullets.emplace(x, y);   // false when full
//     if (Bullet *found = bullets.get(bullet)) found->move();
//     bullets.remove(bullet);                                    // false if it was gone already
//     for (Bullet &each : bullets) each.move();
//
// It needs neither exceptions nor run-time type information. Values never move, and need not be movable; those of a
// `vec_pool`, which grows, and of a `packed_pool`, whose values lie in one array without holes, do.
#ifndef MILLPOND_HPP
#define MILLPOND_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "millpond.hpp needs C++17: -std=c++17"
#endif

#include "millpond.h"
#include "millpond_growing.hpp"

#include <array> // for the tags of iterators
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <type_traits>
#include <typeindex> // the lightest one that declares std::hash
#include <utility>

#if defined(__has_include)
#if __has_include(<span>) && (__cplusplus >= 202002L || (defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#include <span>
#endif
#endif

#if defined(__cpp_exceptions)
#define MILLPOND_TRY_ try
#define MILLPOND_CATCH_ALL_ catch (...)
#define MILLPOND_RETHROW_ throw
#else
#define MILLPOND_TRY_ if constexpr (true)
#define MILLPOND_CATCH_ALL_ else
#define MILLPOND_RETHROW_ static_cast<void>(0)
#endif

// A loop keeps an iterator or a handle in registers only if every function on the way is inlined.
#if defined(__GNUC__) || defined(__clang__)
#define MILLPOND_INLINE_ __attribute__((always_inline))
#else
#define MILLPOND_INLINE_
#endif

namespace millpond {

// Names one lifetime of one slot of a pool of `T`; the pool refuses it once the object is removed. It has eight bytes.
// A default handle is 0, and names nothing.
template <typename T>
class handle {
  public:
    constexpr handle() noexcept = default;
    constexpr explicit handle(mp_handle raw) noexcept : raw_(raw) {}

    // Whether the handle is not 0. Only the pool knows whether its object is live.
    constexpr explicit operator bool() const noexcept { return raw_.bits != 0; }

    constexpr std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(raw_.bits >> 32); }
    constexpr std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(raw_.bits); }
    constexpr std::uint64_t to_bits() const noexcept { return raw_.bits; }
    static constexpr handle from_bits(std::uint64_t bits) noexcept { return handle(mp_handle{bits}); }
    constexpr mp_handle raw() const noexcept { return raw_; }

    friend constexpr bool operator==(handle a, handle b) noexcept { return a.raw_.bits == b.raw_.bits; }
    friend constexpr bool operator!=(handle a, handle b) noexcept { return a.raw_.bits != b.raw_.bits; }
    friend constexpr bool operator<(handle a, handle b) noexcept { return a.raw_.bits < b.raw_.bits; }

  private:
    mp_handle raw_{0};
};
static_assert(std::is_trivially_copyable_v<handle<int>> && std::is_standard_layout_v<handle<int>>);
static_assert(sizeof(handle<int>) == 8 && std::is_standard_layout_v<mp_options>);

// A view of adjacent live values: `std::span` if available.
#if defined(__cpp_lib_span)
template <typename T>
using run_span = std::span<T>;
#else
template <typename T>
class run_span {
  public:
    using value_type = std::remove_cv_t<T>;
    constexpr run_span(T *first, std::size_t count) noexcept : first_(first), count_(count) {}
    constexpr T *begin() const noexcept { return first_; }
    constexpr T *end() const noexcept { return first_ + count_; }
    constexpr T *data() const noexcept { return first_; }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr bool empty() const noexcept { return count_ == 0; }
    constexpr T &operator[](std::size_t at) const noexcept { return first_[at]; }

  private:
    T *first_;
    std::size_t count_;
};
#endif

// Whether a walk over 64 slots, some of them live, is faster one by one than run by run: if there are three dead slots in
// a row below the last live one.
inline bool is_sparse_(std::uint64_t live) noexcept {
    std::uint64_t dead = ~live;
#if defined(__GNUC__) || defined(__clang__)
    dead <<= __builtin_clzll(live);
#endif
    return (dead & dead << 1 & dead << 2) != 0;
}

// What a pool without slots points to, so that a lookup need not test for null. Nothing is ever written there.
inline mp_bits_ no_bits_ = 0;
inline mp_pool no_pool_ = [] {
    mp_pool of{};
    of.bits_ = &no_bits_;
    return of;
}();

// The same for packed pools.
inline mp_packed no_packed_{};

// Where a value is, whatever its operator `&` says. (`std::addressof` is in <memory>, which takes long to compile.)
template <typename T>
const void *address_of_(const T &value) noexcept {
    return &reinterpret_cast<const unsigned char &>(value);
}

// A value made by a constructor, or as an aggregate if no constructor takes these arguments.
template <typename T, typename... Arguments>
MILLPOND_INLINE_ inline T make_(Arguments &&...arguments) {
    if constexpr (std::is_constructible_v<T, Arguments &&...>) {
        return T(std::forward<Arguments>(arguments)...);
    } else {
        return T{std::forward<Arguments>(arguments)...};
    }
}

// Calls `f` with a value, or with its handle and the value.
template <typename T, typename F>
void visit_(F &f, handle<T> which, T &value) {
    if constexpr (std::is_invocable_v<F &, handle<T>, T &>) {
        f(which, value);
    } else {
        f(value);
    }
}

// What `emplace_or_evict` returns: the handle of the new value, which is false if there is none, and that of the value that
// was removed for it, which is false if none was. For `auto [made, evicted] =`.
template <typename T>
struct emplaced {
    handle<T> made, evicted;

    constexpr explicit operator bool() const noexcept { return static_cast<bool>(made); }
    constexpr operator handle<T>() const noexcept { return made; }
};

// Ends the program, because `pool[handle]` was called with a handle that the pool refuses.
[[noreturn]] MP_RARE_ inline void refused_(const mp_pool *pool, mp_handle which) noexcept {
    char text[512];
    mp_pool_explain(pool, which, text, sizeof text);
    std::fprintf(stderr,
                 "millpond: %s. pool[handle] is for handles that are known to be good: for others, use get(handle), which "
                 "returns null if the object is gone, or ask contains(handle).\n",
                 text);
    std::abort();
}

// Values with their handles, as pairs, from iterators that know the handle of their value.
template <typename T, typename Iterator>
class each_range_ {
  public:
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using reference = std::pair<handle<T>, decltype(*std::declval<Iterator>())>;
        using value_type = reference;
        using difference_type = std::ptrdiff_t;
        using pointer = void;

        MILLPOND_INLINE_ explicit iterator(Iterator at) noexcept : at_(at) {}
        MILLPOND_INLINE_ reference operator*() const noexcept { return {at_.handle_here_(), *at_}; }
        MILLPOND_INLINE_ iterator &operator++() noexcept {
            ++at_;
            return *this;
        }
        void operator++(int) noexcept { ++*this; }
        friend MILLPOND_INLINE_ bool operator==(const iterator &a, const iterator &b) noexcept { return a.at_ == b.at_; }
        friend MILLPOND_INLINE_ bool operator!=(const iterator &a, const iterator &b) noexcept { return !(a.at_ == b.at_); }

      private:
        Iterator at_;
    };

    MILLPOND_INLINE_ each_range_(Iterator first, Iterator last) noexcept : first_(first), last_(last) {}
    MILLPOND_INLINE_ iterator begin() const noexcept { return iterator(first_); }
    MILLPOND_INLINE_ iterator end() const noexcept { return iterator(last_); }

  private:
    Iterator first_, last_;
};

// What a pool is to be beside its capacity; see `mp_options`.
struct options {
    const char *name = nullptr;
    std::uint64_t salt = 0;
    std::uint32_t lifetimes = 0;
    std::uint32_t order = MP_LIFO;
    std::uint32_t flags = 0;
    void *(*take)(std::size_t bytes, std::size_t align, void *user) = nullptr;
    void (*give)(void *block, std::size_t bytes, std::size_t align, void *user) = nullptr;
    void *user = nullptr;
    std::uint32_t slots_max = 0; // of a `vec_pool` only; 0: as many as handles can name
    bool untouched = false;      // of a `pool` only: memory as its slots are first used; see `MP_UNTOUCHED`

    // The options of millpond.h, for values of this type.
    template <typename T>
    mp_options raw(std::size_t capacity) const noexcept {
        mp_options raw = MP_OPTIONS(T, capacity);
        raw.name = name;
        raw.salt = salt;
        raw.lifetimes = lifetimes;
        raw.order = order;
        raw.flags = flags | (untouched ? MP_UNTOUCHED : 0u);
        raw.take = take;
        raw.give = give;
        raw.user = user;
        return raw;
    }
    // The same, of a pool that grows.
    template <typename T>
    mp_options growing(std::size_t capacity) const noexcept {
        mp_options growing = raw<T>(capacity);
        growing.slots_max = slots_max != 0 ? slots_max : MP_NO_LIMIT;
        return growing;
    }
};

// A pool, or null and why there is none.
inline std::pair<mp_pool *, mp_status> created_(const mp_options &raw) noexcept {
    mp_pool *created = nullptr;
    const mp_status status = mp_pool_create(&raw, &created);
    return {created, status};
}

// What `pool` and `vec_pool` have in common: everything but how values come and go.
template <typename T, typename Pool>
class slots_ {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "a pool has values of a class or of a plain type");
    static_assert(!std::is_const_v<T> && !std::is_volatile_v<T> && std::is_nothrow_destructible_v<T>);
    static_assert(sizeof(T) < UINT32_MAX, "millpond.h counts a value's bytes in 32 bits");

  public:
    using value_type = T;
    class end_of_pool {};
    template <bool Const, bool Counts>
    class basic_iterator;
    using iterator = basic_iterator<false, false>;
    using const_iterator = basic_iterator<true, false>;

    // `MP_OK`, or why there are no slots.
    mp_status status() const noexcept { return status_; }

    std::size_t capacity() const noexcept { return mp_capacity(raw_); }
    std::size_t size() const noexcept { return mp_live(raw_) - absent_; }
    bool empty() const noexcept { return size() == 0; }
    mp_stats stats() const noexcept { return mp_pool_stats(raw()); }
    // The pool of millpond.h, or null. What is inserted or removed there is neither constructed nor destroyed.
    mp_pool *raw() noexcept { return is_pool() ? raw_ : nullptr; }
    const mp_pool *raw() const noexcept { return is_pool() ? raw_ : nullptr; }

    // The value, or null if the handle is refused. O(1).
    T *get(handle<T> which) noexcept { return static_cast<T *>(mp_get_(raw_, which.raw(), sizeof(T))); }
    const T *get(handle<T> which) const noexcept {
        return static_cast<const T *>(mp_get_(raw_, which.raw(), sizeof(T)));
    }
    bool contains(handle<T> which) const noexcept { return mp_contains(raw_, which.raw()); }

    // Returns the value of a handle that is known to be valid. Another one ends the program, in every build, with a
    // message that says which handle of which pool it is.
    T &operator[](handle<T> which) noexcept {
        T *found = get(which);
        if (found == nullptr) {
            refused_(raw_, which.raw());
        }
        return *found;
    }
    const T &operator[](handle<T> which) const noexcept {
        const T *found = get(which);
        if (found == nullptr) {
            refused_(raw_, which.raw());
        }
        return *found;
    }

    // Destroys the values for which `keep` returns `false`.
    template <typename Keep>
    void retain(Keep &&keep) {
        each_live([&](handle<T> which, T &value) {
            if (!keep(value)) {
                static_cast<Pool *>(this)->remove(which);
            }
        });
    }

    // Calls `f` with each value, or with its handle and the value. `f` may remove any, and insert: what it inserts may be
    // missed.
    template <typename F>
    void for_each(F &&f) {
        each_live([&](handle<T> which, T &value) { visit_(f, which, value); });
    }

    // Returns the handle of the value in a slot, which is false if there is none.
    handle<T> handle_at(std::size_t index) const noexcept {
        return handle_in_(raw_, index);
    }
    // Returns the handle of a value of this pool, which is false for any other address.
    handle<T> handle_of(const T &value) const noexcept {
        return handle_at(mp_pool_index_of(raw(), address_of_(value)));
    }

    // The runs of adjacent values.
    template <bool Const>
    class run_range {
      public:
        using element = std::conditional_t<Const, const T, T>;
        class iterator {
          public:
            using iterator_category = std::input_iterator_tag;
            using value_type = run_span<element>;
            using difference_type = std::ptrdiff_t;
            using pointer = void;
            using reference = value_type;
            explicit iterator(const mp_pool *raw) noexcept : raw_(raw) { ++*this; }
            value_type operator*() const noexcept {
                return value_type(reinterpret_cast<element *>(raw_->values_) + run_.first, run_.count);
            }
            iterator &operator++() noexcept {
                is_over_ = !mp_next_run(raw_, &run_);
                return *this;
            }
            void operator++(int) noexcept { ++*this; }
            friend bool operator==(const iterator &a, end_of_pool) noexcept { return a.is_over_; }
            friend bool operator!=(const iterator &a, end_of_pool) noexcept { return !a.is_over_; }
#if __cplusplus < 202002L
            friend bool operator==(end_of_pool, const iterator &a) noexcept { return a.is_over_; }
            friend bool operator!=(end_of_pool, const iterator &a) noexcept { return !a.is_over_; }
#endif
            // The slot of the run's first value.
            std::size_t first() const noexcept { return run_.first; }

          private:
            const mp_pool *raw_;
            mp_run run_ = MP_RUN;
            bool is_over_ = false;
        };
        explicit run_range(const mp_pool *raw) noexcept : raw_(raw) {}
        iterator begin() const noexcept { return iterator(raw_); }
        end_of_pool end() const noexcept { return {}; }

      private:
        const mp_pool *raw_;
    };
    run_range<false> runs() noexcept {
        refresh();
        return run_range<false>(raw_);
    }
    run_range<true> runs() const noexcept {
        assert_all_are_there();
        return run_range<true>(raw_);
    }

    // Iterates over values in slot order. Only the value at the iterator's position may be removed. With `Counts`, it knows
    // the slot's number without a division: for `each`.
    template <bool Const, bool Counts>
    class basic_iterator {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using reference = std::conditional_t<Const, const T &, T &>;
        using pointer = std::conditional_t<Const, const T *, T *>;

        basic_iterator() noexcept = default;
        MILLPOND_INLINE_ explicit basic_iterator(const mp_pool *raw) noexcept : raw_(raw) { next_run(); }
        // What may change a value goes where nothing may.
        template <bool Other, typename = std::enable_if_t<Const && !Other && !Counts>>
        basic_iterator(const basic_iterator<Other, false> &other) noexcept
            : raw_(other.raw_), at_(other.at_), run_end_(other.run_end_), word_(other.word_), left_(other.left_),
              is_sparse_(other.is_sparse_), end_(other.end_), bits_(other.bits_) {}
        reference operator*() const noexcept { return *at_; }
        pointer operator->() const noexcept { return at_; }
        // The slot of the value, and its handle, which is false once it is removed. Not for the end.
        std::size_t index() const noexcept {
            return static_cast<std::size_t>(at_ - reinterpret_cast<pointer>(raw_->values_));
        }
        millpond::handle<T> handle() const noexcept { return handle_in_(raw_, index()); }
        // The same of a value that was not removed.
        MILLPOND_INLINE_ millpond::handle<T> handle_here_() const noexcept {
            static_assert(Counts);
            return millpond::handle<T>::from_bits(static_cast<std::uint64_t>(index_) << 32 | words_[index_]);
        }
        MILLPOND_INLINE_ basic_iterator &operator++() noexcept {
            assert(word_ == reinterpret_cast<pointer>(raw_->values_) + (end_ - 64) &&
                   "the loop has inserted a value, and the pool has grown: all values have moved; `reserve` before");
            if constexpr (Counts) {
                // The end of a run first: what is taken one by one is a run of one.
                ++index_;
                if (++at_ == run_end_) {
                    next_run();
                }
            } else if (is_sparse_ ? left_ == 0 : ++at_ == run_end_) {
                next_run();
            } else if (is_sparse_) {
                take_one();
            }
            return *this;
        }
        basic_iterator operator++(int) noexcept {
            basic_iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const basic_iterator &a, const basic_iterator &b) noexcept { return a.at_ == b.at_; }
        friend bool operator!=(const basic_iterator &a, const basic_iterator &b) noexcept { return a.at_ != b.at_; }

      private:
        template <bool, bool>
        friend class basic_iterator;

        MILLPOND_INLINE_ void take_one() noexcept {
            go_to_first();
            left_ &= left_ - 1;
            if constexpr (Counts) {
                run_end_ = at_ + 1;
            }
        }
        MILLPOND_INLINE_ void go_to_first() noexcept {
            if constexpr (Counts) {
                const std::size_t in_word = mp_trailing_zeros_(left_);
                index_ = end_ - 64 + in_word;
                at_ = word_ + in_word;
            } else {
                at_ = word_ + mp_trailing_zeros_(left_);
            }
        }
        MILLPOND_INLINE_ void next_run() noexcept {
            if (left_ == 0) {
                // No address of the iterator's own is passed on.
                std::size_t end = end_;
                const mp_bits_ *bits = bits_;
                std::uint64_t left = 0;
                std::size_t slots = raw_->slots_;
                if (!mp_next_word_(raw_, &slots, &end, &left, &bits)) {
                    at_ = run_end_ = nullptr;
                    return;
                }
                end_ = end;
                bits_ = bits;
                left_ = left;
                is_sparse_ = millpond::is_sparse_(left_);
                word_ = reinterpret_cast<pointer>(raw_->values_) + (end_ - 64);
                if constexpr (Counts) {
                    words_ = static_cast<const std::uint32_t *>(raw_->words_);
                }
            }
            if (is_sparse_) {
                take_one();
                return;
            }
            go_to_first();
            // The carry goes through the run's bits, to the first 0 behind them.
            const std::uint64_t behind = left_ + (left_ & (0 - left_));
            run_end_ = word_ + (behind != 0 ? mp_trailing_zeros_(behind) : 64);
            left_ &= behind;
        }
        const mp_pool *raw_ = &no_pool_;
        pointer at_ = nullptr;
        pointer run_end_ = nullptr;
        // The 64 slots that the iterator has come to: their first value, what is left of them, and how they are taken:
        // one by one, or run by run.
        pointer word_ = nullptr;
        std::uint64_t left_ = 0;
        bool is_sparse_ = false;
        std::size_t end_ = 0;
        // If it counts: the slot of the value, and the generations of all.
        std::size_t index_ = 0;
        const std::uint32_t *words_ = nullptr;
        const mp_bits_ *bits_ = nullptr;
    };
    MILLPOND_INLINE_ iterator begin() noexcept {
        refresh();
        return iterator(raw_);
    }
    iterator end() noexcept { return iterator(); }
    MILLPOND_INLINE_ const_iterator begin() const noexcept {
        assert_all_are_there();
        return const_iterator(raw_);
    }
    const_iterator end() const noexcept { return const_iterator(); }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }

    // The values with their handles: `for (auto [which, bullet] : bullets.each())`, where `bullet` is a reference. As for
    // iterators, only the value that is visited may be removed.
    MILLPOND_INLINE_ each_range_<T, basic_iterator<false, true>> each() noexcept {
        refresh();
        return {basic_iterator<false, true>(raw_), {}};
    }
    MILLPOND_INLINE_ each_range_<T, basic_iterator<true, true>> each() const noexcept {
        assert_all_are_there();
        return {basic_iterator<true, true>(raw_), {}};
    }

  protected:
    slots_() noexcept = default;
    // Takes over the pool that was created, if one was.
    explicit slots_(std::pair<mp_pool *, mp_status> created) noexcept
        : raw_(created.first != nullptr ? created.first : &no_pool_), status_(created.second) {}
    slots_(slots_ &&other) noexcept
        : raw_(std::exchange(other.raw_, &no_pool_)), status_(std::exchange(other.status_, MP_NULL_POINTER)) {}
    ~slots_() = default;

    void swap_slots(slots_ &other) noexcept {
        std::swap(raw_, other.raw_);
        std::swap(status_, other.status_);
    }

    // The live value with the smallest key, of those whose slots do not retire after them.
    template <typename Key>
    handle<T> least_by(Key &key) {
        handle<T> least;
        std::optional<std::decay_t<std::invoke_result_t<Key &, T &>>> least_key;
        each_live([&](handle<T> which, T &value) {
            if (!mp_is_last_(raw_, which.to_bits())) {
                auto its_key = key(value);
                if (!least_key || its_key < *least_key) {
                    least = which;
                    least_key.emplace(std::move(its_key));
                }
            }
        });
        return least;
    }

    // Destroys all values, also those that destructors insert.
    void clear_values() noexcept {
        if (!std::is_trivially_destructible_v<T> || absent_ != 0) {
            while (mp_live(raw_) > absent_) {
                retain([](T &) { return false; });
            }
        }
        if (absent_ == 0) {
            mp_pool_clear(raw());
        }
    }

    // The bitmap, which iterators read, has a value's bit before its constructor and until its destructor has returned.
    void assert_all_are_there() const noexcept {
        assert(absent_ == 0 && "a constructor or destructor of the pool's values iterates");
    }

    // The handle of the value in a slot, which is false if there is none.
    static handle<T> handle_in_(const mp_pool *raw, std::size_t index) noexcept {
        if (index >= raw->slots_) {
            return handle<T>();
        }
        // A slot that was never used has the word 0.
        const std::uint32_t word = static_cast<const std::uint32_t *>(raw->words_)[index];
        const bool is_live = word - 1u < MP_DEAD_ - 1u;
        return is_live ? handle<T>::from_bits(static_cast<std::uint64_t>(index) << 32 | word) : handle<T>();
    }

    // Brings the bitmap up to date, which iterations read.
    void refresh() noexcept {
        assert_all_are_there();
        mp_pool_refresh(raw_);
    }

    bool is_pool() const noexcept { return raw_->private_[0] != nullptr; }

    // Visits the values that live when their 64 slots' turn comes, and still live then.
    template <typename Visit>
    void each_live(Visit &&visit) {
        if (absent_ == 0) {
            mp_pool_refresh(raw_);
        }
        // What is inserted meanwhile makes a pool that grows no longer, or the visit would never end.
        const std::size_t words = (capacity() + 63) / 64;
        for (std::size_t word = 0; word < words; ++word) {
            for (std::uint64_t left = mp_live_bits(raw_, word); left != 0; left &= left - 1) {
                const std::size_t index = word * 64 + mp_trailing_zeros_(left);
                if (handle<T> which = handle_at(index)) {
                    visit(which, *value_at(index));
                }
            }
        }
    }

    T *value_at(std::size_t index) const noexcept { return std::launder(reinterpret_cast<T *>(raw_->values_) + index); }

    mp_pool *raw_ = &no_pool_;
    mp_status status_ = MP_NULL_POINTER;
    // The number of values whose constructor or destructor runs in its slot: their slots are taken.
    std::size_t absent_ = 0;
};

// A pool with a fixed number of slots for values of `T`. A value is constructed when it is emplaced, and destroyed when
// it is removed or when the pool is cleared or destroyed.
//
// A destructor may use the pool: its object's handle is already refused, and its slot is not reused before the
// destructor has returned. It must not iterate (except by `for_each`), nor move, swap or destroy the pool. The same is
// true of a constructor: its object is neither counted nor found before the constructor has returned. If a constructor
// throws, its object was never there; a lifetime of a slot may be used up.
template <typename T>
class pool : public slots_<T, pool<T>> {
    using slots = slots_<T, pool<T>>;
    using slots::absent_;
    using slots::raw_;

  public:
    using slots::get;
    using slots::raw;

    // An empty pool without capacity.
    pool() noexcept = default;

    // Whether there was memory for it: `status()`.
    explicit pool(std::size_t capacity, const options &with = options{}) noexcept
        : slots(created_(with.raw<T>(capacity))) {}

    pool(pool &&other) noexcept : slots(std::move(other)) {
        assert(other.absent_ == 0 && "a constructor or destructor of the pool's values moves the pool");
    }
    pool &operator=(pool &&other) noexcept {
        pool(std::move(other)).swap(*this);
        return *this;
    }
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;
    ~pool() {
        clear();
        mp_pool_destroy(raw());
    }
    void swap(pool &other) noexcept {
        assert(absent_ + other.absent_ == 0 && "a constructor or destructor of a pool's values swaps the pool");
        this->swap_slots(other);
    }

    // Constructs a value in the next slot, with a constructor, or as an aggregate if no constructor takes these
    // arguments. Returns its handle, which is false if the pool is full; then no constructor is called, except that of a
    // value that is trivially copyable, which is made before it gets a slot. O(1).
    template <typename... Arguments>
    MILLPOND_INLINE_ handle<T> emplace(Arguments &&...arguments) {
        if constexpr (std::is_trivially_copyable_v<T> && std::is_trivially_constructible_v<T, T &&> &&
                      !std::is_trivially_constructible_v<T, Arguments &&...>) {
            return emplace(make_<T>(std::forward<Arguments>(arguments)...));
        } else {
            return emplace_in_place(std::forward<Arguments>(arguments)...);
        }
    }
    // Removes and destroys the handle's value. Returns `false`, and does nothing, if the handle is refused. O(1).
    MILLPOND_INLINE_ bool remove(handle<T> which) noexcept {
        if constexpr (std::is_trivially_destructible_v<T>) {
            return mp_remove(raw_, which.raw());
        } else {
            T *value = get(which);
            if (value == nullptr) {
                return false;
            }
            end_value(*value, which);
            return mp_remove(raw_, which.raw());
        }
    }

    // Moves the handle's value out for a while, and keeps its slot for it: for one whose own code changes the pool. Without a
    // value, and nothing has happened, if the handle is refused or there is no memory for the list of what is out. Until it is
    // back, the handle is refused, and loops skip the slot. O(1), and O(values that are out).
    //
    //     std::optional<Ship> ship = fleet.detach(which);
    //     ship->update(which, fleet);
    //     fleet.reattach(which, std::move(*ship));       // or `free_detached(which)`
    std::optional<T> detach(handle<T> which) noexcept {
        static_assert(std::is_nothrow_move_constructible_v<T>, "what leaves its slot moves");
        std::optional<T> out;
        if (T *const value = get(which)) {
            std::uint32_t &word = leave_out(which);
            out.emplace(std::move(*value));
            value->~T();
            take_in(word, which);
            if (mp_pool_detach(raw_, which.raw(), nullptr) != MP_OK) {
                leave_out(which);
                ::new (static_cast<void *>(value)) T(std::move(*out));
                take_in(word, which);
                out.reset();
            }
        }
        return out;
    }
    // Puts the value, or another one in its stead, into the slot that was kept: the handle is good again. False, and `value` is
    // as it was, if no value with this handle is out. O(1), and O(values that are out).
    bool reattach(handle<T> which, T &&value) noexcept {
        static_assert(std::is_nothrow_move_constructible_v<T>, "what comes back to its slot moves");
        void *place = nullptr;
        if (mp_pool_reattach(raw(), which.raw(), &place) != MP_OK) {
            return false;
        }
        std::uint32_t &word = leave_out(which);
        ::new (place) T(std::move(value));
        take_in(word, which);
        return true;
    }
    // The value does not come back: frees its slot. False if no value with this handle is out.
    bool free_detached(handle<T> which) noexcept { return mp_pool_free_detached(raw(), which.raw()); }

    // Destroys all values. Destructors may remove and insert values; inserted ones are destroyed, too.
    void clear() noexcept { this->clear_values(); }

    // Emplaces a value. If the pool is full, first removes the value with the smallest key, whose handle is returned as
    // well: `auto [made, evicted] = pool.emplace_or_evict(key, x, y)`. `key` is called once for each value, and must not
    // change the pool. Values whose slots retire after them are skipped. `made` is false, and nothing is removed, if no
    // slot can be used. The arguments must not refer to the value that is removed.
    template <typename Key, typename... Arguments>
    emplaced<T> emplace_or_evict(Key &&key, Arguments &&...arguments) {
        handle<T> evicted;
        if (mp_pool_next_handle(raw()).bits == 0) {
            const handle<T> least = this->least_by(key);
            if (T *going = get(least)) {
                evicted = least;
                end_value(*going, least);
                mp_evict_(raw_, least.to_bits());
            }
        }
        return {emplace(std::forward<Arguments>(arguments)...), evicted};
    }

  private:
    template <typename... Arguments>
    MILLPOND_INLINE_ handle<T> emplace_in_place(Arguments &&...arguments) {
        mp_handle made;
        void *place = mp_insert_(raw_, &made, sizeof(T));
        // No bits if the pool is full. In a register from here on, whatever the constructor writes.
        const handle<T> which(made);
        if (place == nullptr) {
            return which;
        }
        if constexpr (std::is_trivially_constructible_v<T, Arguments &&...>) {
            ::new (place) T(std::forward<Arguments>(arguments)...);
        } else {
            std::uint32_t &word = leave_out(which);
            MILLPOND_TRY_ { ::new (place) T(make_<T>(std::forward<Arguments>(arguments)...)); }
            MILLPOND_CATCH_ALL_ {
                take_in(word, which);
                mp_remove(raw_, which.raw());
                MILLPOND_RETHROW_;
            }
            take_in(word, which);
        }
        return which;
    }

    // While a constructor or a destructor runs, the slot has another word: no lookup, visit or eviction finds the value.
    MILLPOND_INLINE_ std::uint32_t &leave_out(handle<T> which) noexcept {
        std::uint32_t &word = static_cast<std::uint32_t *>(raw_->words_)[which.index()];
        ++absent_;
        word = absent_word;
        return word;
    }
    MILLPOND_INLINE_ void take_in(std::uint32_t &word, handle<T> which) noexcept {
        word = which.generation();
        --absent_;
    }

    // The slot may be freed afterwards.
    void end_value(T &value, handle<T> which) noexcept {
        std::uint32_t &word = leave_out(which);
        value.~T();
        take_in(word, which);
    }
    // The word of a slot that is never used: no handle is valid for it, and no order takes it.
    static constexpr std::uint32_t absent_word = MP_DEAD_;
};

// A pool that grows: when it is full, it gets twice as many slots, and all values move there. So handles stay valid, but
// pointers, references and iterators only until the next insertion. `T` must be movable without an exception; for others
// there are `pool`, and `growing_pool`, which has no handles.
//
//     millpond::vec_pool<Node> nodes;                            // no slots yet
//     millpond::handle<Node> root = nodes.emplace("root");       // false if there is no memory
//     nodes.reserve(4000);                                       // growth does not happen in play
//     for (auto [which, node] : nodes.each()) node.visit(which);
//
// A constructor or a destructor may use the pool, but not destroy it: its value is not in the pool yet, or has left it. If
// a constructor throws, nothing has happened. But neither a move constructor nor the destructor of a value that was moved
// from may use the pool: see `packed_pool`.
template <typename T>
class vec_pool : public slots_<T, vec_pool<T>> {
    static_assert(std::is_nothrow_move_constructible_v<T>, "growth moves values; `pool` and `growing_pool` do not");
    using slots = slots_<T, vec_pool<T>>;
    using slots::raw_;

  public:
    using slots::get;
    using slots::raw;

    // A pool without slots, which takes memory for a few numbers. Whether there was memory: `status()`.
    vec_pool() noexcept : vec_pool(0) {}
    // `with.slots_max` limits the number of slots.
    explicit vec_pool(std::size_t capacity, const options &with = options{}) noexcept
        : slots(created_(with.growing<T>(capacity))) {
        if constexpr (!std::is_trivially_copyable_v<T>) {
            mp_pool_move_by_(raw(), [](void *to, void *from, std::size_t count) noexcept {
                T *const values = std::launder(static_cast<T *>(from));
                for (std::size_t at = 0; at < count; ++at) {
                    ::new (static_cast<void *>(static_cast<T *>(to) + at)) T(std::move(values[at]));
                    values[at].~T();
                }
            });
        }
    }

    vec_pool(vec_pool &&other) noexcept : slots(std::move(other)) {
        assert(!other.is_moving_ && "a value that changes its place moves the pool");
    }
    vec_pool &operator=(vec_pool &&other) noexcept {
        vec_pool(std::move(other)).swap(*this);
        return *this;
    }
    vec_pool(const vec_pool &) = delete;
    vec_pool &operator=(const vec_pool &) = delete;
    ~vec_pool() {
        clear();
        mp_pool_destroy(raw());
    }
    void swap(vec_pool &other) noexcept {
        assert(!is_moving_ && !other.is_moving_ && "a value that changes its place swaps the pool");
        this->swap_slots(other);
    }

    // The largest number of slots that the pool may have.
    std::size_t capacity_max() const noexcept { return mp_pool_capacity_max(raw()); }
    // Makes room for so many values more, so that the pool does not grow before they are there. O(capacity).
    // `MP_TOO_MANY_SLOTS` if there would be more than the pool may have, `MP_OUT_OF_MEMORY`; then nothing happens.
    mp_status reserve(std::size_t additional) noexcept {
        if (!may_change()) {
            return MP_BAD_OPTIONS;
        }
        is_moving_ = !std::is_trivially_copyable_v<T>;
        const mp_status status = mp_pool_reserve(raw(), additional);
        is_moving_ = false;
        return status;
    }

    // Constructs a value in the next slot, with a constructor, or as an aggregate if no constructor takes these
    // arguments, which may refer to values of the pool. Returns its handle, which is false if there is no memory, or the
    // pool is full at its limit. O(1) amortised.
    template <typename... Arguments>
    MILLPOND_INLINE_ handle<T> emplace(Arguments &&...arguments) {
        if (!may_change()) {
            return handle<T>();
        }
        if constexpr (std::is_trivially_constructible_v<T, Arguments &&...>) {
            if (!is_full()) {
                mp_handle made;
                ::new (mp_insert_(raw_, &made, sizeof(T))) T(std::forward<Arguments>(arguments)...);
                return handle<T>(made);
            }
        }
        // Before the pool grows, because the arguments may refer to values of the pool.
        T value = make_<T>(std::forward<Arguments>(arguments)...);
        return add(value);
    }

    // Removes and destroys the handle's value. Returns `false`, and does nothing, if the handle is refused. O(1).
    MILLPOND_INLINE_ bool remove(handle<T> which) noexcept {
        if constexpr (std::is_trivially_destructible_v<T>) {
            return mp_remove(raw_, which.raw());
        } else {
            return may_change() && take_out(which, false).has_value();
        }
    }

    // Values that are out for a while, and keep their slots: as in `pool`.
    std::optional<T> detach(handle<T> which) noexcept {
        std::optional<T> out;
        if (T *const value = may_change() ? get(which) : nullptr) {
            is_moving_ = true;
            out.emplace(std::move(*value));
            value->~T();
            if (mp_pool_detach(raw_, which.raw(), nullptr) != MP_OK) {
                ::new (static_cast<void *>(value)) T(std::move(*out));
                out.reset();
            }
            is_moving_ = false;
        }
        return out;
    }
    bool reattach(handle<T> which, T &&value) noexcept {
        void *place = nullptr;
        if (!may_change() || mp_pool_reattach(raw(), which.raw(), &place) != MP_OK) {
            return false;
        }
        is_moving_ = !std::is_trivially_copyable_v<T>;
        ::new (place) T(std::move(value));
        is_moving_ = false;
        return true;
    }
    bool free_detached(handle<T> which) noexcept { return may_change() && mp_pool_free_detached(raw(), which.raw()); }

    // Destroys all values. Destructors may remove and insert values; inserted ones are destroyed, too.
    void clear() noexcept {
        if (may_change()) {
            this->clear_values();
        }
    }

    // Emplaces a value. If the pool is full at its limit, first removes the value with the smallest key: see `pool`. The
    // new value is made before: the arguments may refer to values of the pool, and if the constructor throws, nothing has
    // happened. The other value is destroyed last.
    template <typename Key, typename... Arguments>
    emplaced<T> emplace_or_evict(Key &&key, Arguments &&...arguments) {
        if (!may_change()) {
            return {};
        }
        const bool was_full = is_full_at_limit();
        const handle<T> least = was_full ? this->least_by(key) : handle<T>();
        if (was_full && !least) {
            return {refuse(), {}};
        }
        T value = make_<T>(std::forward<Arguments>(arguments)...);
        // The constructor may have made room, filled the pool, or removed the value with the smallest key.
        const std::optional<T> gone = is_full_at_limit() ? take_out(least, true) : std::optional<T>();
        return {add(value), gone ? least : handle<T>()};
    }

    // Makes the state of this pool that of another with the same options, whatever their capacities: for rollback, into a
    // second pool and back. Takes memory only if the capacities differ.
    mp_status copy_from(const vec_pool &other) noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "what is copied over is neither constructed nor destroyed");
        return mp_pool_copy(raw(), other.raw());
    }

  private:
    bool is_full() const noexcept { return mp_live(raw_) + raw_->retired_ >= raw_->slots_; }
    bool is_full_at_limit() const noexcept { return is_full() && raw_->slots_ >= capacity_max(); }

    // Whether no value is changing its place.
    bool may_change() const noexcept {
        if constexpr (!std::is_trivially_copyable_v<T>) {
            assert(!is_moving_ && "a value that changes its place changes the pool");
            return !is_moving_;
        }
        return true;
    }

    // Inserts nothing, and counts a refusal: the pool is full.
    handle<T> refuse() noexcept {
        mp_handle made;
        mp_insert_slow_(raw_, &made.bits);
        return handle<T>(made);
    }

    // Moves a value into the next slot, if there is one.
    MILLPOND_INLINE_ handle<T> add(T &value) noexcept {
        is_moving_ = !std::is_trivially_copyable_v<T>;
        mp_handle made;
        void *place = mp_insert_(raw_, &made, sizeof(T));
        if (place != nullptr) {
            ::new (place) T(std::move(value));
        }
        is_moving_ = false;
        return handle<T>(made);
    }

    // Takes the handle's value out of its slot. The caller destroys it: then the pool is whole again.
    MILLPOND_INLINE_ std::optional<T> take_out(handle<T> which, bool is_evicted) noexcept {
        std::optional<T> gone;
        if (T *const value = get(which)) {
            is_moving_ = true;
            gone.emplace(std::move(*value));
            value->~T();
            if (is_evicted) {
                mp_evict_(raw_, which.to_bits());
            } else {
                mp_remove(raw_, which.raw());
            }
            is_moving_ = false;
        }
        return gone;
    }

    // Whether a value is changing its place.
    bool is_moving_ = false;
};

// A pool whose values lie in one array without holes: iterating is a loop over an array. A removal moves the last value
// into the gap, so handles stay valid, but neither addresses nor the order. `T` must be movable without an exception.
// For what is iterated over more often than it is looked up by handle. Values may be changed and assigned, but neither
// sorted nor swapped (`std::sort`, `std::remove_if`): the pool would not know, and handles would name other values.
//
// A destructor may use the pool, but not destroy it: its value has left the array, and its handle is refused. A
// constructor may, too: its value is not in the pool yet, and if it throws, nothing has happened. But neither a move
// constructor nor the destructor of a value that was moved from may use the pool: they run while values change places.
// What they insert or remove is refused, where no assertion ends the program. So a class whose destructor uses the pool
// needs a move constructor that leaves the destructor of the other value nothing to do. A class with a destructor has a
// move constructor only if it declares one; otherwise its values are copied.
template <typename T>
class packed_pool {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "a pool has values of a class or of a plain type");
    static_assert(!std::is_const_v<T> && !std::is_volatile_v<T> && std::is_nothrow_destructible_v<T>);
    static_assert(std::is_nothrow_move_constructible_v<T>, "a removal moves a value");
    static_assert(sizeof(T) < UINT32_MAX, "millpond.h counts a value's bytes in 32 bits");

    // A value, and the pool that knows its handle. Goes from the last value to the first, so that the value which a removal
    // moves into the gap has been visited.
    template <typename Value>
    class placed {
        static constexpr std::size_t over = static_cast<std::size_t>(-1);

      public:
        MILLPOND_INLINE_ placed(const mp_packed *raw, std::size_t left) noexcept : raw_(raw), handles_(raw->handles_) {
            go_to_last_of(left);
        }
        MILLPOND_INLINE_ Value &operator*() const noexcept { return *at_; }
        MILLPOND_INLINE_ placed &operator++() noexcept {
            --place_;
            // One comparison for the end, which is beyond every count, and for a loop that has removed others.
            if (MP_RARELY_(place_ >= raw_->count_)) {
                if (place_ != over) {
                    go_to_last_of(raw_->count_);
                }
            } else {
                MP_ASSUME_(place_ != over);
                --at_;
            }
            return *this;
        }
        friend MILLPOND_INLINE_ bool operator==(const placed &a, const placed &b) noexcept { return a.place_ == b.place_; }
        MILLPOND_INLINE_ millpond::handle<T> handle_here_() const noexcept {
            return millpond::handle<T>(handles_[place_]);
        }

      private:
        MILLPOND_INLINE_ void go_to_last_of(std::size_t count) noexcept {
            place_ = count - 1;
            if (count != 0) {
                at_ = reinterpret_cast<Value *>(raw_->values_) + place_;
            }
        }

        const mp_packed *raw_;
        const mp_handle *handles_;
        Value *at_ = nullptr;
        std::size_t place_; // its own
    };

    // Goes over the array. Where there are assertions, it notices what must not be done meanwhile.
    template <typename Value>
    class checked {
      public:
        using iterator_category = std::random_access_iterator_tag;
#if __cplusplus >= 202002L
        using iterator_concept = std::contiguous_iterator_tag;
        using element_type = Value;
#endif
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using reference = Value &;
        using pointer = Value *;

        checked() noexcept = default;
        MILLPOND_INLINE_ checked(const mp_packed *raw, Value *at) noexcept
            : at_(at), raw_(raw), changes_(raw->slots_.inserted_ + raw->slots_.removed_) {}
        // What may change a value goes where nothing may.
        template <typename Other, typename = std::enable_if_t<std::is_same_v<const Other, Value>>>
        checked(const checked<Other> &other) noexcept : at_(other.at_), raw_(other.raw_), changes_(other.changes_) {}

        MILLPOND_INLINE_ Value &operator*() const noexcept { return *at_; }
        MILLPOND_INLINE_ Value *operator->() const noexcept { return at_; }
        MILLPOND_INLINE_ Value &operator[](std::ptrdiff_t by) const noexcept { return at_[by]; }
        MILLPOND_INLINE_ checked &operator++() noexcept { return *this += 1; }
        MILLPOND_INLINE_ checked &operator--() noexcept { return *this += -1; }
        checked operator++(int) noexcept {
            checked before = *this;
            ++*this;
            return before;
        }
        checked operator--(int) noexcept {
            checked before = *this;
            --*this;
            return before;
        }
        MILLPOND_INLINE_ checked &operator+=(std::ptrdiff_t by) noexcept {
            assert(raw_->slots_.inserted_ + raw_->slots_.removed_ == changes_ &&
                   "a loop over a packed_pool inserts or removes: `each`, `for_each` and `retain` allow it");
            at_ += by;
            return *this;
        }
        MILLPOND_INLINE_ checked &operator-=(std::ptrdiff_t by) noexcept { return *this += -by; }
        friend checked operator+(checked a, std::ptrdiff_t by) noexcept { return a += by; }
        friend checked operator+(std::ptrdiff_t by, checked a) noexcept { return a += by; }
        friend checked operator-(checked a, std::ptrdiff_t by) noexcept { return a -= by; }
        friend std::ptrdiff_t operator-(const checked &a, const checked &b) noexcept { return a.at_ - b.at_; }
        friend MILLPOND_INLINE_ bool operator==(const checked &a, const checked &b) noexcept { return a.at_ == b.at_; }
        friend MILLPOND_INLINE_ bool operator!=(const checked &a, const checked &b) noexcept { return a.at_ != b.at_; }
        friend bool operator<(const checked &a, const checked &b) noexcept { return a.at_ < b.at_; }
        friend bool operator>(const checked &a, const checked &b) noexcept { return a.at_ > b.at_; }
        friend bool operator<=(const checked &a, const checked &b) noexcept { return a.at_ <= b.at_; }
        friend bool operator>=(const checked &a, const checked &b) noexcept { return a.at_ >= b.at_; }

      private:
        template <typename>
        friend class checked;

        Value *at_ = nullptr;
        const mp_packed *raw_ = nullptr;
        std::uint64_t changes_ = 0;
    };

  public:
    using value_type = T;
    using iterator = checked<T>;
    using const_iterator = checked<const T>;

    // An empty pool without capacity.
    packed_pool() noexcept = default;

    // Whether there was memory for it: `status()`.
    explicit packed_pool(std::size_t capacity, const options &with = options{}) noexcept {
        const mp_options raw = with.raw<T>(capacity);
        mp_packed *created = nullptr;
        status_ = mp_packed_create(&raw, &created);
        raw_ = created != nullptr ? created : &no_packed_;
    }

    packed_pool(packed_pool &&other) noexcept
        : raw_(std::exchange(other.raw_, &no_packed_)), status_(std::exchange(other.status_, MP_NULL_POINTER)) {
        assert(!other.is_moving_ && "a value that changes its place moves the pool");
    }
    packed_pool &operator=(packed_pool &&other) noexcept {
        packed_pool(std::move(other)).swap(*this);
        return *this;
    }
    packed_pool(const packed_pool &) = delete;
    packed_pool &operator=(const packed_pool &) = delete;
    ~packed_pool() {
        clear();
        mp_packed_destroy(raw());
    }
    void swap(packed_pool &other) noexcept {
        assert(!is_moving_ && !other.is_moving_ && "a value that changes its place swaps the pool");
        std::swap(raw_, other.raw_);
        std::swap(status_, other.status_);
    }

    // `MP_OK`, or why there are no slots.
    mp_status status() const noexcept { return status_; }

    std::size_t capacity() const noexcept { return mp_capacity(&raw_->slots_); }
    std::size_t size() const noexcept { return mp_packed_count(raw_); }
    bool empty() const noexcept { return size() == 0; }
    mp_stats stats() const noexcept { return mp_pool_stats(&raw_->slots_); }
    // The pool of millpond.h, or null. What is inserted or removed there is neither constructed nor destroyed.
    mp_packed *raw() noexcept { return raw_ != &no_packed_ ? raw_ : nullptr; }
    const mp_packed *raw() const noexcept { return raw_ != &no_packed_ ? raw_ : nullptr; }

    // The values, which are an array. In a loop over them nothing may be inserted or removed, which an assertion tells if the
    // loop is from `begin` to `end`: `each`, `for_each` and `retain` allow it.
    T *data() noexcept { return static_cast<T *>(mp_packed_values(raw_)); }
    const T *data() const noexcept { return static_cast<const T *>(mp_packed_values(raw_)); }
    MILLPOND_INLINE_ iterator begin() noexcept { return {raw_, data()}; }
    MILLPOND_INLINE_ iterator end() noexcept { return {raw_, data() + size()}; }
    MILLPOND_INLINE_ const_iterator begin() const noexcept { return {raw_, data()}; }
    MILLPOND_INLINE_ const_iterator end() const noexcept { return {raw_, data() + size()}; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }

    // The values with their handles, from the last one to the first: `for (auto [which, spark] : sparks.each())`, where
    // `spark` is a reference. The loop may remove any, and insert: see `for_each`; an iterator must then advance before it is
    // read again. The handle of one value is `handle_of(value)`.
    each_range_<T, placed<T>> each() noexcept { return {{raw_, size()}, {raw_, 0}}; }
    each_range_<T, placed<const T>> each() const noexcept { return {{raw_, size()}, {raw_, 0}}; }

    // Constructs a value behind the others, with a constructor, or as an aggregate if no constructor takes these
    // arguments. Returns its handle, which is false if the pool is full; then no constructor is called. O(1).
    template <typename... Arguments>
    MILLPOND_INLINE_ handle<T> emplace(Arguments &&...arguments) {
        if (!may_change()) {
            return handle<T>();
        }
        if constexpr (std::is_trivially_constructible_v<T, Arguments &&...>) {
            mp_handle made;
            void *place = mp_packed_insert_(raw_, &made, sizeof(T));
            if (place != nullptr) {
                ::new (place) T(std::forward<Arguments>(arguments)...);
            }
            return handle<T>(made);
        } else if (is_full()) {
            return refuse();
        } else {
            T value = make_<T>(std::forward<Arguments>(arguments)...);
            // The constructor may have filled the pool.
            return add(value);
        }
    }

    // The value, or null if the handle is refused. O(1).
    T *get(handle<T> which) noexcept { return static_cast<T *>(mp_packed_get_(raw_, which.raw(), sizeof(T))); }
    const T *get(handle<T> which) const noexcept {
        return static_cast<const T *>(mp_packed_get_(raw_, which.raw(), sizeof(T)));
    }
    bool contains(handle<T> which) const noexcept { return mp_contains(&raw_->slots_, which.raw()); }

    // Returns the value of a handle that is known to be valid. Another one ends the program: see `pool`.
    T &operator[](handle<T> which) noexcept {
        T *found = get(which);
        if (found == nullptr) {
            refused_(&raw_->slots_, which.raw());
        }
        return *found;
    }
    const T &operator[](handle<T> which) const noexcept {
        const T *found = get(which);
        if (found == nullptr) {
            refused_(&raw_->slots_, which.raw());
        }
        return *found;
    }

    // Removes and destroys the handle's value, and moves the last one into the gap. Returns `false`, and does nothing,
    // if the handle is refused. O(1).
    MILLPOND_INLINE_ bool remove(handle<T> which) noexcept {
        if constexpr (std::is_trivially_copyable_v<T>) {
            return mp_packed_remove_(raw_, which.raw(), sizeof(T), false);
        } else {
            return may_change() && take_out(which, false).has_value();
        }
    }

    // Values that are out for a while, and keep their slots: as in `pool`. The last value moves into the gap, and one that comes
    // back is behind the others.
    std::optional<T> detach(handle<T> which) noexcept {
        std::optional<T> out;
        if (T *const value = may_change() ? get(which) : nullptr) {
            is_moving_ = true;
            out.emplace(std::move(*value));
            value->~T();
            if (mp_pool_detach(&raw_->slots_, which.raw(), nullptr) == MP_OK) {
                const std::size_t place = static_cast<std::size_t>(value - data());
                fill_gap(value, mp_packed_close_(raw_, raw_->handles_[raw_->count_ - 1], place));
            } else {
                ::new (static_cast<void *>(value)) T(std::move(*out));
                out.reset();
            }
            is_moving_ = false;
        }
        return out;
    }
    bool reattach(handle<T> which, T &&value) noexcept {
        void *place = nullptr;
        if (!may_change() || mp_packed_reattach(raw(), which.raw(), &place) != MP_OK) {
            return false;
        }
        is_moving_ = !std::is_trivially_copyable_v<T>;
        ::new (place) T(std::move(value));
        is_moving_ = false;
        return true;
    }
    bool free_detached(handle<T> which) noexcept { return may_change() && mp_packed_free_detached(raw(), which.raw()); }

    // Destroys all values. Destructors may remove and insert values; inserted ones are destroyed, too.
    void clear() noexcept {
        if (!may_change()) {
            return;
        }
        if constexpr (!std::is_trivially_destructible_v<T>) {
            while (!empty()) {
                remove(handle_at(size() - 1));
            }
        }
        mp_packed_clear(raw());
    }

    // Destroys the values for which `keep` returns `false`, from the last one to the first. `keep` must not change the
    // pool. If a destructor removes other values, `keep` may be called twice with a value.
    template <typename Keep>
    void retain(Keep &&keep) {
        for_each([&](handle<T> which, T &value) {
            if (!keep(value)) {
                remove(which);
            }
        });
    }

    // Calls `f` with each value, or with its handle and the value, from the last one to the first. `f` may remove any, and
    // insert: what it inserts may be missed, and if it removes others than the value, one may come twice.
    template <typename F>
    void for_each(F &&f) {
        for (std::size_t at = size(); at-- > 0;) {
            // `f` may have removed others.
            if (at < size()) {
                visit_(f, handle_at(at), data()[at]);
            }
        }
    }

    // Emplaces a value. If the pool is full, first removes the value with the smallest key, the first of several. The new
    // value is made before: the arguments may refer to values of the pool, and if the constructor throws, nothing has
    // happened. The other value is destroyed last. The rest is as in `pool`.
    template <typename Key, typename... Arguments>
    emplaced<T> emplace_or_evict(Key &&key, Arguments &&...arguments) {
        if (!may_change()) {
            return {};
        }
        const bool was_full = is_full();
        const handle<T> least = was_full ? least_by(key) : handle<T>();
        if (was_full && !least) {
            return {refuse(), {}};
        }
        T value = make_<T>(std::forward<Arguments>(arguments)...);
        // The constructor may have made room, filled the pool, or removed the value with the smallest key.
        const std::optional<T> gone = is_full() ? take_out(least, true) : std::optional<T>();
        return {add(value), gone ? least : handle<T>()};
    }

    // Returns the handle of the value at `place` in the array, which is false if there is none. O(1).
    handle<T> handle_at(std::size_t place) const noexcept { return handle<T>(mp_packed_handle_at(raw_, place)); }
    // Returns the handle of a value of this pool, which is false for any other address. O(1).
    handle<T> handle_of(const T &value) const noexcept {
        const std::size_t behind =
            reinterpret_cast<std::uintptr_t>(address_of_(value)) - reinterpret_cast<std::uintptr_t>(data());
        return behind % sizeof(T) == 0 ? handle_at(behind / sizeof(T)) : handle<T>();
    }

    // Makes the state of this pool that of a pool with the same capacity and options, at the speed of memcpy, without
    // allocation: for rollback, into a second pool and back. MP_OTHER_SHAPE if the options differ.
    mp_status copy_from(const packed_pool &other) noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "what is copied over is neither constructed nor destroyed");
        return mp_packed_copy(raw(), other.raw());
    }

  private:
    bool is_full() const noexcept { return size() + raw_->slots_.retired_ >= capacity(); }

    // Whether no value is changing its place.
    bool may_change() const noexcept {
        if constexpr (!std::is_trivially_copyable_v<T>) {
            assert(!is_moving_ && "a value that changes its place changes the pool");
            return !is_moving_;
        }
        return true;
    }

    // Inserts nothing, and counts a refusal: the pool is full.
    handle<T> refuse() noexcept {
        mp_handle made;
        mp_insert_slow_(&raw_->slots_, &made.bits);
        return handle<T>(made);
    }

    // Moves a value behind the others, if there is room.
    MILLPOND_INLINE_ handle<T> add(T &value) noexcept {
        mp_handle made;
        void *place = mp_packed_insert_(raw_, &made, sizeof(T));
        if (place != nullptr) {
            is_moving_ = !std::is_trivially_copyable_v<T>;
            ::new (place) T(std::move(value));
            is_moving_ = false;
        }
        return handle<T>(made);
    }

    // The value with the smallest key, of those whose slots do not retire after them.
    template <typename Key>
    handle<T> least_by(Key &key) {
        handle<T> least;
        std::optional<std::decay_t<std::invoke_result_t<Key &, T &>>> least_key;
        for (std::size_t at = 0; at < size(); ++at) {
            if (handle<T> which = handle_at(at); !mp_is_last_(&raw_->slots_, which.to_bits())) {
                auto its_key = key(data()[at]);
                if (!least_key || its_key < *least_key) {
                    least = which;
                    least_key.emplace(std::move(its_key));
                }
            }
        }
        return least;
    }

    // Takes the handle's value out of the array, and moves the last one into the gap. The caller destroys the value: then
    // the pool is whole again.
    MILLPOND_INLINE_ std::optional<T> take_out(handle<T> which, bool is_evicted) noexcept {
        std::optional<T> gone;
        if (T *const value = get(which)) {
            is_moving_ = true;
            gone.emplace(std::move(*value));
            value->~T();
            const std::size_t place = static_cast<std::size_t>(value - data());
            fill_gap(value, mp_packed_leave_(raw_, which.raw(), place, is_evicted));
            is_moving_ = false;
        }
        return gone;
    }

    // Moves the last value into the place of one that has left.
    MILLPOND_INLINE_ void fill_gap(T *gap, std::size_t last) noexcept {
        T *const moved = data() + last;
        if (moved != gap) {
            ::new (static_cast<void *>(gap)) T(std::move(*moved));
            moved->~T();
        }
        if (raw_->aids_ != nullptr) {
            mp_packed_note_(raw_, last, false);
        }
    }

    mp_packed *raw_ = &no_packed_;
    mp_status status_ = MP_NULL_POINTER;
    // Whether a value is changing its place.
    bool is_moving_ = false;
};

// A snapshot of a pool of trivially copyable values, for rollback: saved and restored at the speed of memcpy, without
// allocation. Handles that were valid when it was saved are valid again after it is restored.
template <typename T>
class snapshot {
    static_assert(std::is_trivially_copyable_v<T>, "what a snapshot restores is neither constructed nor destroyed");

  public:
    // For pools of this capacity and with these options; a `vec_pool` has `copy_from`. Nothing is saved yet.
    explicit snapshot(std::size_t capacity, const options &with = options{}) noexcept {
        const mp_options raw = with.raw<T>(capacity);
        status_ = mp_snapshot_create(&raw, &raw_);
    }
    snapshot(snapshot &&other) noexcept
        : raw_(std::exchange(other.raw_, nullptr)), status_(std::exchange(other.status_, MP_NULL_POINTER)) {}
    snapshot &operator=(snapshot &&other) noexcept {
        std::swap(raw_, other.raw_);
        std::swap(status_, other.status_);
        return *this;
    }
    snapshot(const snapshot &) = delete;
    snapshot &operator=(const snapshot &) = delete;
    ~snapshot() { mp_snapshot_destroy(raw_); }

    // `MP_OK`, or why there is none.
    mp_status status() const noexcept { return status_; }
    mp_status save(const pool<T> &from) noexcept { return mp_pool_save(from.raw(), raw_); }
    // `MP_BAD_STATE` if nothing was saved, `MP_OTHER_SHAPE` if the pool has other options.
    mp_status restore(pool<T> &to) const noexcept { return mp_pool_restore(to.raw(), raw_); }

  private:
    mp_snapshot *raw_ = nullptr;
    mp_status status_ = MP_NULL_POINTER;
};

} // namespace millpond

template <typename T>
struct std::hash<millpond::handle<T>> {
    std::size_t operator()(millpond::handle<T> which) const noexcept {
        const std::uint64_t mixed = which.to_bits() * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }
};

#undef MILLPOND_INLINE_
#undef MILLPOND_TRY_
#undef MILLPOND_CATCH_ALL_
#undef MILLPOND_RETHROW_

#endif
