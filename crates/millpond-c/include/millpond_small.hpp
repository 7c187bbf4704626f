// millpond_small.hpp: object pools for C++17 in one file, without a library. SPDX-License-Identifier: MIT OR Apache-2.0
//
//     mps::pool<Bullet> bullets(1000);                                  // takes its memory here
//     mps::handle<Bullet> bullet = bullets.emplace(x, y);               // false when full
//     if (Bullet *found = bullets.get(bullet)) found->move();           // null once it is gone
//     bullets.remove(bullet);                                           // false if it was gone already
//     for (Bullet &each : bullets) each.move();
//     for (auto [which, each] : bullets.each()) if (each.is_over()) bullets.remove(which);
//
//     mps::pool<T>           so many slots for ever; values never move
//     mps::growing_pool<T>   takes chunks of slots as they are needed; values never move
//     mps::packed_pool<T>    so many slots; values lie in one array without holes, and a removal moves the last one
//     mps::snapshot<P>       the state of a pool of trivially copyable values, to go back to
//     mps::locked<P, Lock>   one of the pools with a lock of yours: `std::mutex`, say
//
// A handle has eight bytes, and names one lifetime of one slot: the pool refuses it as soon as its object is removed. Any
// bits may be passed as a handle. A slot whose 2^31 - 1 lifetimes are used up retires, so that no handle is ever valid
// again. Pools of one type accept each other's handles unless they have different names.
//
// In a loop over a pool, everything may be removed and inserted: what is removed before its turn is not visited, what is
// inserted may be visited, and the loop ends. A constructor and a destructor may use their pool: the object is not found
// before its constructor has returned, and its handle is refused before its destructor runs. Constructors may throw: then
// nothing was inserted. Nothing here needs exceptions or run-time type information. One thread may change a pool, or
// several may read it (what is `const`); `locked` is for more.
//
// Macros for all files of a program, before the header is included: `MPS_TAKE(bytes, align)` and
// `MPS_GIVE(memory, bytes, align)` are where memory comes from (null: none left) and goes. Names that end in an underscore
// are private. millpond.hpp has more, and a library to link: the guide's page "One file" compares them.
#ifndef MILLPOND_SMALL_HPP
#define MILLPOND_SMALL_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "millpond_small.hpp needs C++17: -std=c++17"
#endif

#include <array> // for the tags of iterators; <iterator> would take a fifth of a second to compile
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <typeindex> // the lightest one that declares std::hash
#include <utility>

#if !defined(MPS_TAKE)
#define MPS_TAKE(bytes, align) ::operator new((bytes), std::align_val_t(align), std::nothrow)
#define MPS_GIVE(memory, bytes, align) ::operator delete((memory), std::align_val_t(align))
#endif

// A loop keeps its iterator in registers only if every function on the way is inlined. It also makes debug builds fast.
#if defined(__GNUC__) || defined(__clang__)
#define MPS_INLINE_ __attribute__((always_inline)) inline
#define MPS_RARE_ __attribute__((cold, noinline))
#define MPS_RARELY_(condition) __builtin_expect(!!(condition), 0)
#if defined(__OPTIMIZE__)
#define MPS_NEVER_(condition) ((condition) ? __builtin_unreachable() : static_cast<void>(0))
#endif
#elif defined(_MSC_VER)
#include <intrin.h>
#define MPS_INLINE_ __forceinline
#define MPS_RARE_ __declspec(noinline)
#define MPS_RARELY_(condition) (condition)
#define MPS_NEVER_(condition) __assume(!(condition))
#else
#define MPS_INLINE_ inline
#define MPS_RARE_
#define MPS_RARELY_(condition) (condition)
#endif
// A loop that removes now and then is faster with the removal out of its way, where gcc puts what leads to a cold label.
#if defined(__GNUC__) && !defined(__clang__)
#define MPS_SELDOM_ seldom_: __attribute__((cold, unused));
#else
#define MPS_SELDOM_
#endif
// What readers write, when they find that the bits are behind.
#if defined(__GCC_ATOMIC_LLONG_LOCK_FREE) && __GCC_ATOMIC_LLONG_LOCK_FREE == 2
#define MPS_SHARED_
#define MPS_READ_(number, order) __atomic_load_n(&(number), (order))
#else
#define MPS_READ_(number, order) (number)
#endif
#if !defined(MPS_NEVER_)
#define MPS_NEVER_(condition) static_cast<void>(0)
#endif

#if defined(__SANITIZE_ADDRESS__)
#define MPS_ASAN_ 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MPS_ASAN_ 1
#endif
#endif
#if defined(MPS_ASAN_)
extern "C" void __asan_poison_memory_region(void const volatile *start, std::size_t bytes);
extern "C" void __asan_unpoison_memory_region(void const volatile *start, std::size_t bytes);
#endif

namespace mps {

// Names one lifetime of one slot of a pool of `T`. A default handle is 0, and names nothing.
template <typename T>
class handle {
  public:
    constexpr handle() noexcept = default;

    // Whether the handle is not 0. Only the pool knows whether its object is live.
    constexpr explicit operator bool() const noexcept { return bits_ != 0; }

    constexpr std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
    constexpr std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(bits_); }
    // For files and other languages: any bits make a handle, which the pool refuses unless they are those of a live object.
    constexpr std::uint64_t to_bits() const noexcept { return bits_; }
    static constexpr handle from_bits(std::uint64_t bits) noexcept { return handle(bits); }

    friend constexpr bool operator==(handle a, handle b) noexcept { return a.bits_ == b.bits_; }
    friend constexpr bool operator!=(handle a, handle b) noexcept { return a.bits_ != b.bits_; }
    friend constexpr bool operator<(handle a, handle b) noexcept { return a.bits_ < b.bits_; }

    std::uint64_t bits_ = 0; // private

  private:
    constexpr explicit handle(std::uint64_t bits) noexcept : bits_(bits) {}
};
static_assert(sizeof(handle<int>) == 8 && std::is_trivially_copyable_v<handle<int>>);

// What a pool is to be beside its capacity.
struct options {
    // Pools with different names refuse each other's handles, because their slots begin at different generations. The text
    // must outlive the pool: it is in messages. Handles equal those of a pool of this name of the library.
    const char *name = nullptr;
    // For finding writes to removed objects: their memory is filled with 0x1deadb0b. If it is something else when the slot
    // is used again, the program ends, with a message on stderr that says which slot and byte. Not for packed pools.
    bool fills_dead = false;
};

// What `emplace_or_evict` returns: the new value's handle, which is false if there is none, and that of the value that was
// removed for it, which is false if none was. For `auto [made, evicted] =`.
template <typename T>
struct emplaced {
    handle<T> made, evicted;
    constexpr explicit operator bool() const noexcept { return static_cast<bool>(made); }
};

// A value with its handle: what a loop over `each()` gives. For `auto [which, value] =`.
template <typename T, typename Value>
struct entry {
    handle<T> which;
    Value &value;
};

// Adjacent live values, 64 at most: what a loop over `runs()` gives.
template <typename Value>
struct run {
    Value *first;
    std::size_t count;
    Value *begin() const noexcept { return first; }
    Value *end() const noexcept { return first + count; }
    Value *data() const noexcept { return first; }
    std::size_t size() const noexcept { return count; }
};

MPS_INLINE_ std::size_t trailing_zeros_(std::uint64_t of) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    return static_cast<std::size_t>(__builtin_ctzll(of));
#elif defined(_MSC_VER) && defined(_WIN64)
    unsigned long found;
    _BitScanForward64(&found, of);
    return found;
#else
    std::size_t found = 0;
    for (; (of & 1) == 0; of >>= 1) {
        ++found;
    }
    return found;
#endif
}

// Whether 64 slots, some of them live, are visited faster one by one than run by run.
MPS_INLINE_ bool is_sparse_(std::uint64_t live) noexcept {
    std::uint64_t dead = ~live;
#if defined(__GNUC__) || defined(__clang__)
    dead <<= __builtin_clzll(live);
#endif
    return (dead & dead << 1 & dead << 2) != 0;
}

MPS_INLINE_ void close_([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MPS_ASAN_)
    __asan_poison_memory_region(memory, bytes);
#endif
}
MPS_INLINE_ void open_([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MPS_ASAN_)
    __asan_unpoison_memory_region(memory, bytes);
#endif
}

// Ends the program, because a removed object was written to.
[[noreturn]] MPS_RARE_ inline void written_to_(const char *name, std::uint32_t slot, std::size_t byte) noexcept {
    std::fprintf(stderr,
                 "millpond: pool%s%s%s: slot %u was written to while it was dead, at byte %llu. Something kept a pointer to "
                 "the object that was removed there: keep handles.\n",
                 name != nullptr ? " \"" : "", name != nullptr ? name : "", name != nullptr ? "\"" : "",
                 static_cast<unsigned>(slot), static_cast<unsigned long long>(byte));
    std::abort();
}

// The bytes of a state begin with this; the slots' words follow, the stack of those that were freed, and what else a slot has:
// of each as much as there are slots that were ever used.
struct state_head_ {
    char mark[8] = {'m', 'p', 's', '-', 'p', 'o', 'o', 'l'};
    std::uint32_t version = 2, byte_order = 0x01020304;
    std::uint64_t value_bytes = 0;
    std::uint32_t start = 0, used = 0, freed = 0, retired = 0, live = 0, is_packed = 0;
};
static_assert(sizeof(state_head_) == 48);

// Memory for a state. (`std::vector` would make the header twice as slow to compile.)
class bytes_ {
  public:
    bytes_() noexcept = default;
    bytes_(bytes_ &&other) noexcept : at(std::exchange(other.at, nullptr)), room(std::exchange(other.room, 0)) {}
    bytes_ &operator=(bytes_ &&other) noexcept {
        std::swap(at, other.at);
        std::swap(room, other.room);
        return *this;
    }
    ~bytes_() { give(); }
    bool make_room(std::size_t bytes) noexcept {
        if (bytes > room) {
            give();
            at = static_cast<unsigned char *>(MPS_TAKE(bytes, 64));
            room = at != nullptr ? bytes : 0;
        }
        return bytes <= room;
    }
    unsigned char *at = nullptr;
    std::size_t room = 0;

  private:
    void give() noexcept {
        if (at != nullptr) {
            MPS_GIVE(at, room, 64);
        }
        room = 0;
    }
};

// Which slots have come, for slots that may come once.
class seen_ {
  public:
    bool make_room(std::size_t slots) noexcept {
        if (slots != 0 && !bits_.make_room((slots + 7) / 8)) {
            return false;
        }
        if (slots != 0) {
            std::memset(bits_.at, 0, (slots + 7) / 8);
        }
        return true;
    }
    // False if it came before.
    bool see(std::uint32_t slot) noexcept {
        const auto bit = static_cast<unsigned char>(1u << (slot & 7));
        const bool is_new = (bits_.at[slot >> 3] & bit) == 0;
        bits_.at[slot >> 3] = static_cast<unsigned char>(bits_.at[slot >> 3] | bit);
        return is_new;
    }

  private:
    bytes_ bits_;
};

// The slots of a pool: numbers only.
//
// A live slot's word is the generation of its lifetime, which has 31 bits. A dead slot's word has the top bit set; below it is
// the generation of its next lifetime, or 0 if it has retired. The slots that were freed are on a stack.
class slots_ {
  public:
    static constexpr std::uint32_t no_slot = 0x7fffffff;
    static constexpr std::uint32_t last_generation = 0x7fffffff;
    static constexpr std::uint32_t dead = 0x80000000;

    slots_() noexcept = default;
    slots_(const char *called, bool fills_dead) noexcept : name(called), fills(fills_dead) {
        if (name != nullptr) {
            // As the library does: FNV-1a of a byte that says what follows, and of the name; then SplitMix64's finaliser.
            std::uint64_t hash = (0xcbf29ce484222325u ^ 1) * 0x100000001b3u;
            for (const char *at = name; *at != 0; ++at) {
                hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3u;
            }
            hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
            hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
            start = static_cast<std::uint32_t>((hash ^ hash >> 31) % last_generation) + 1;
        }
        plain = fills ? 0 : last_generation;
    }
    ~slots_() { give(); }
    slots_(slots_ &&other) noexcept { swap(other); }
    slots_ &operator=(slots_ &&) = delete;

    void swap(slots_ &other) noexcept {
        std::swap(words, other.words);
        std::swap(stack, other.stack);
        std::swap(bits, other.bits);
        std::swap(count, other.count);
        std::swap(used, other.used);
        std::swap(counts, other.counts);
        std::swap(noted, other.noted);
        std::swap(filled, other.filled);
        std::swap(retired, other.retired);
        std::swap(absent, other.absent);
        std::swap(start, other.start);
        std::swap(plain, other.plain);
        std::swap(name, other.name);
        std::swap(fills, other.fills);
    }

    // Makes it so many slots, at least as many as there are. False, and nothing happens, if there is no memory.
    bool grow(std::size_t to) noexcept {
        void *memory = to > max ? nullptr : MPS_TAKE(bytes_of(to), 64);
        if (memory == nullptr) {
            return false;
        }
        auto *const grown_bits = static_cast<std::uint64_t *>(memory);
        auto *const grown = static_cast<std::uint32_t *>(static_cast<void *>(grown_bits + groups(to)));
        std::uint32_t *const grown_stack = grown + groups(to) * 64;
        const std::size_t groups_now = groups(count);
        if (count != 0) {
            std::memcpy(grown_bits, bits, groups_now * sizeof *bits);
            std::memcpy(grown, words, count * sizeof *words);
            std::memcpy(grown_stack, stack, on_stack() * sizeof *stack);
        }
        std::memset(grown_bits + groups_now, 0, (groups(to) - groups_now) * sizeof *bits);
        for (std::size_t slot = count; slot < groups(to) * 64; ++slot) {
            grown[slot] = dead | start;
        }
        give();
        bits = grown_bits;
        words = grown;
        stack = grown_stack;
        count = static_cast<std::uint32_t>(to);
        counts += one_removed; // loops take note
        return true;
    }

    // The generation after this one; 0: the slot retires.
    std::uint32_t after(std::uint32_t generation) const noexcept {
        if (generation == last_generation) {
            return start != 1 ? 1 : 0;
        }
        return generation + 1 != start ? generation + 1 : 0;
    }
    // A slot has begun anew: its last generation is the one before the first.
    MPS_RARE_ void anew() noexcept { plain = start - 1 < plain ? start - 1 : plain; }
    // A live slot is dead from here on, but not free before `free`.
    MPS_INLINE_ void end(std::uint32_t slot) noexcept {
        const std::uint32_t next = after(words[slot]);
        if (MPS_RARELY_(next - 1 < start - 1)) {
            anew();
        }
        words[slot] = dead | next;
        counts += one_removed;
    }
    MPS_INLINE_ void free(std::uint32_t slot) noexcept {
        if (MPS_RARELY_(words[slot] == dead)) {
            ++retired;
            return;
        }
        stack[on_stack()] = slot;
        fills ? static_cast<void>(++filled) : static_cast<void>(++counts);
    }
    // The same of a slot that is not live in the bits any more, like all on the stack from here on.
    MPS_INLINE_ void free_noted(std::uint32_t slot) noexcept {
        note_freed();
        free(slot);
        noted = freed();
    }
    // Both at once, with `between` between them, for a handle that may be any, and without a note in the bits. False, and
    // nothing happens, if it is refused; and what `otherwise` returns if the handle cannot be told from others by one
    // comparison, or the slot is to be filled. The counts are read first and written last: until the next insertion they stay
    // in a register. Nothing else is written, because a pair takes as long as its writes to different lines of the cache.
    template <typename Between, typename Otherwise>
    MPS_INLINE_ bool end_and_free(std::uint64_t which, Between between, Otherwise otherwise) noexcept {
        const std::uint32_t slot = static_cast<std::uint32_t>(which >> 32), generation = static_cast<std::uint32_t>(which);
        std::uint32_t *const all = words, *const free_slots = stack;
        const std::uint64_t counted = counts;
        if (slot >= count || all[slot] != generation) {
            return false;
        }
        // A generation that has the top bit set is not below `plain` either.
        if (MPS_RARELY_(generation >= plain)) {
            return otherwise();
        }
        all[slot] = dead | (generation + 1);
        between();
        free_slots[static_cast<std::uint32_t>(counted)] = slot;
        counts = counted + (one_removed + 1);
        return true;
    }
    // A dead slot that is neither free nor retired from here on. There must be a freed one.
    MPS_INLINE_ std::uint32_t take_freed() noexcept {
        counts -= 1;
        return stack[freed()];
    }
    // The same, and the slot is live in the bits: it still is if they do not know yet that it was freed.
    MPS_INLINE_ std::uint32_t take_live() noexcept {
        const std::uint32_t slot = take_freed();
        if (freed() < noted) {
            noted = freed();
            flip(slot);
        }
        return slot;
    }
    // The same if there is none; `no_slot` if there is no other either.
    std::uint32_t take_other() noexcept {
        if (filled != 0) {
            return stack[--filled];
        }
        return used < count ? used++ : no_slot;
    }
    // The same, and the slot is not.
    MPS_INLINE_ std::uint32_t take_dead() noexcept {
        note_freed();
        const std::uint32_t slot = take_freed();
        noted = freed();
        return slot;
    }
    // The slot lives from here on.
    MPS_INLINE_ std::uint64_t begin(std::uint32_t slot) noexcept {
        const std::uint32_t generation = words[slot] & ~dead;
        words[slot] = generation;
        return bits_of(slot, generation);
    }
    // Notes in the bits that a slot lives, or that it does not any more.
    MPS_INLINE_ void flip(std::uint32_t slot) noexcept { bits[slot >> 6] ^= std::uint64_t(1) << (slot & 63); }
    // Notes what was freed since the last time.
    MPS_INLINE_ void note_freed() noexcept {
        for (; noted < freed(); ++noted) {
            flip(stack[noted]);
        }
    }
    // The same in several threads at once, if the compiler has numbers for them: each clears the bits of all, for good.
    MPS_INLINE_ void note_freed() const noexcept {
#if defined(MPS_SHARED_)
        if (MPS_RARELY_(MPS_READ_(noted, __ATOMIC_ACQUIRE) < freed())) {
            note_freed_shared();
        }
#endif
    }
#if defined(MPS_SHARED_)
    MPS_RARE_ void note_freed_shared() const noexcept {
        for (std::uint32_t at = MPS_READ_(noted, __ATOMIC_RELAXED); at < freed(); ++at) {
            const std::uint64_t others = ~(std::uint64_t(1) << (stack[at] & 63));
            __atomic_fetch_and(bits + (stack[at] >> 6), others, __ATOMIC_RELAXED);
        }
        __atomic_store_n(&noted, freed(), __ATOMIC_RELEASE);
    }
#endif
    // Which of 64 slots are live, whether the bits know it or not.
    MPS_INLINE_ std::uint64_t live_in(std::size_t group) const noexcept {
        return MPS_RARELY_(MPS_READ_(noted, __ATOMIC_RELAXED) < freed()) ? live_by_words(group)
                                                                         : MPS_READ_(bits[group], __ATOMIC_RELAXED);
    }
    MPS_RARE_ std::uint64_t live_by_words(std::size_t group) const noexcept {
        std::uint64_t live_now = 0;
        for (std::size_t slot = 0; slot < 64; ++slot) {
            live_now |= std::uint64_t((words[group * 64 + slot] & dead) == 0) << slot;
        }
        return live_now;
    }

    static MPS_INLINE_ std::uint64_t bits_of(std::size_t slot, std::uint32_t generation) noexcept {
        return std::uint64_t(slot) << 32 | generation;
    }
    MPS_INLINE_ bool is_live(std::uint64_t which) const noexcept {
        const std::uint32_t *const all = words;
        const std::uint32_t slot = static_cast<std::uint32_t>(which >> 32), generation = static_cast<std::uint32_t>(which);
        return slot < count && all[slot] == generation && static_cast<std::int32_t>(generation) >= 0;
    }
    // The handle of what lives in a slot; 0 if nothing does.
    std::uint64_t handle_at(std::size_t slot) const noexcept {
        return slot < count && (words[slot] & dead) == 0 ? bits_of(slot, words[slot]) : 0;
    }

    const char *why_refused(std::uint64_t which) const noexcept {
        const std::uint32_t slot = static_cast<std::uint32_t>(which >> 32);
        const std::uint32_t generation = static_cast<std::uint32_t>(which);
        if (is_live(which)) {
            return nullptr;
        }
        if (which == 0) {
            return "the handle is 0, which names nothing";
        }
        if (slot >= count) {
            return "out of range: the pool has no such slot";
        }
        // How many lifetimes the slot has had, of which this would be one.
        const auto age = [&](std::uint32_t of) { return of >= start ? of - start : of + (last_generation - start); };
        const std::uint32_t now = words[slot] & ~dead;
        const bool was_issued = generation != 0 && generation <= last_generation &&
                                (now == 0 || age(generation) < age(now));
        return was_issued ? "stale: its object was removed" : "never issued by this pool";
    }

    // Whether everything is as it must be. O(slots).
    bool is_sound() const noexcept {
        std::uint32_t living = 0, gone = 0;
        for (std::uint32_t slot = 0; slot < groups(count) * 64; ++slot) {
            const bool lives = (words[slot] & dead) == 0;
            living += lives;
            gone += words[slot] == dead;
            if ((lives && (slot >= used || words[slot] == 0)) || (slot >= used && words[slot] != (dead | start))) {
                return false;
            }
        }
        for (std::uint32_t at = 0; at < on_stack(); ++at) {
            const std::uint32_t slot = stack[at];
            if (slot >= used || words[slot] <= dead) {
                return false;
            }
        }
        return living == live() && gone == retired && used <= count && (freed() == 0 || filled == 0);
    }
    // The same of the bits: they are those of what lives, and of what was freed since they were noted.
    bool has_sound_bits() const noexcept {
        std::uint32_t behind = 0;
        for (std::uint32_t slot = 0; slot < groups(count) * 64; ++slot) {
            const bool lives = (words[slot] & dead) == 0, is_noted = (bits[slot >> 6] >> (slot & 63) & 1) != 0;
            behind += is_noted && !lives;
            if (lives && !is_noted) {
                return false;
            }
        }
        for (std::uint32_t at = noted; at < freed(); ++at) {
            if ((bits[stack[at] >> 6] >> (stack[at] & 63) & 1) == 0) {
                return false;
            }
        }
        return noted <= freed() && behind == freed() - noted;
    }

    // Writes the head of the state, the words and the stack; returns the end.
    unsigned char *write(unsigned char *out, std::size_t value_bytes, std::uint32_t is_packed) const noexcept {
        state_head_ head;
        head.value_bytes = value_bytes;
        head.start = start;
        head.used = used;
        head.freed = on_stack();
        head.retired = retired;
        head.live = live();
        head.is_packed = is_packed;
        std::memcpy(out, &head, sizeof head);
        out += sizeof head;
        if (used != 0) {
            std::memcpy(out, words, used * sizeof *words);
            out += used * sizeof *words;
            std::memset(out, 0, used * sizeof *stack);
            std::memcpy(out, stack, on_stack() * sizeof *stack);
            out += used * sizeof *stack;
        }
        return out;
    }
    static std::uint32_t number_in(const unsigned char *numbers, std::size_t at) noexcept {
        std::uint32_t number;
        std::memcpy(&number, numbers + at * sizeof number, sizeof number);
        return number;
    }
    // What a state has behind its words and its stack.
    static const unsigned char *behind(const state_head_ &head, const unsigned char *numbers) noexcept {
        return numbers + head.used * 2 * sizeof(std::uint32_t);
    }
    // Whether these bytes, which may be any, are the state of slots of this name, and of values of this size. `head` is then
    // theirs. Behind it are the words, the stack, and as many bytes as `slot_bytes` says for each slot. False as well if there
    // is no memory.
    bool can_become(state_head_ &head, const void *from, std::size_t bytes, std::size_t value_bytes, std::size_t slot_bytes,
                    std::uint32_t is_packed) const noexcept {
        const state_head_ expected;
        if (from == nullptr || bytes < sizeof head || absent != 0) {
            return false;
        }
        const auto *const numbers = static_cast<const unsigned char *>(from) + sizeof head;
        std::memcpy(&head, from, sizeof head);
        slot_bytes += 2 * sizeof(std::uint32_t);
        if (std::memcmp(head.mark, expected.mark, sizeof head.mark) != 0 || head.version != expected.version ||
            head.byte_order != expected.byte_order || head.value_bytes != value_bytes || head.start != start ||
            head.used > max || head.used != (bytes - sizeof head) / slot_bytes || (bytes - sizeof head) % slot_bytes != 0 ||
            head.is_packed != is_packed) {
            return false;
        }
        std::uint32_t living = 0, gone = 0;
        for (std::uint32_t slot = 0; slot < head.used; ++slot) {
            const std::uint32_t word = number_in(numbers, slot);
            if (word == 0) {
                return false;
            }
            living += (word & dead) == 0;
            gone += word == dead;
        }
        if (living != head.live || gone != head.retired || head.freed != head.used - living - gone) {
            return false;
        }
        seen_ freed_once;
        if (!freed_once.make_room(head.used)) {
            return false;
        }
        for (std::uint32_t at = 0; at < head.freed; ++at) {
            const std::uint32_t slot = number_in(numbers, head.used + at);
            if (slot >= head.used || number_in(numbers, slot) <= dead || !freed_once.see(slot)) {
                return false;
            }
        }
        return true;
    }
    // Takes over a state that has been tested, and for which there are slots enough.
    void become(const state_head_ &head, const unsigned char *numbers) noexcept {
        if (head.used != 0) {
            std::memcpy(words, numbers, head.used * sizeof *words);
            std::memcpy(stack, numbers + head.used * sizeof *words, head.freed * sizeof *stack);
        }
        // What was never used is as it was at first.
        for (std::uint32_t slot = head.used; slot < used; ++slot) {
            words[slot] = dead | start;
        }
        used = head.used;
        noted = fills ? 0 : head.freed;
        filled = fills ? head.freed : 0;
        counts = (counts >> 32 << 32) + one_removed + noted;
        for (std::uint32_t slot = 0; start != 1 && slot < used; ++slot) {
            if (words[slot] != dead && (words[slot] & ~dead) < start) {
                anew();
            }
        }
        retired = head.retired;
    }
    // Makes the bits of so many slots what the words say.
    void renew_bits(std::uint32_t slots) noexcept {
        for (std::size_t group = 0; group < groups(slots); ++group) {
            bits[group] = live_by_words(group);
        }
    }

    MPS_INLINE_ std::uint32_t live() const noexcept { return used - on_stack() - retired - absent; }
    MPS_INLINE_ bool is_full() const noexcept { return on_stack() == 0 && used == count; }
    MPS_INLINE_ std::uint32_t on_stack() const noexcept { return freed() + filled; }
    MPS_INLINE_ std::uint32_t freed() const noexcept { return static_cast<std::uint32_t>(counts); }
    static constexpr std::size_t groups(std::size_t slots) noexcept { return (slots + 63) / 64; }

    static constexpr std::size_t max = 0x7ffffff0;
    std::uint32_t *words = nullptr; // a multiple of 64; those behind the last slot are dead
    std::uint32_t *stack = nullptr; // of the slots that were freed, of which the last one is used first
    std::uint64_t *bits = nullptr;  // one for each slot: whether it is live, but for `noted`; not of packed pools
    std::uint32_t count = 0;
    std::uint32_t used = 0; // how many slots were ever used: the lowest ones
    // Below, how many are on the stack if slots are not filled; above, how often something was removed, as 32 bits count it,
    // so that a loop sees it. In one field, because a removal writes both.
    std::uint64_t counts = 0;
    static constexpr std::uint64_t one_removed = std::uint64_t(1) << 32;
    // How many of those on the stack, from the lowest, are not live in the bits. The others still are, until a loop begins:
    // a slot that is used again before that costs its bit no write.
    mutable std::uint32_t noted = 0;
    std::uint32_t filled = 0; // how many are on the stack if slots are filled, so that the usual way need not ask
    std::uint32_t retired = 0;
    std::uint32_t absent = 0; // slots whose constructor or destructor runs
    std::uint32_t start = 1;  // the first generation of every slot
    // Below it, generations have a next one that is one more, and nothing else to be done at their end.
    std::uint32_t plain = last_generation;
    const char *name = nullptr;
    bool fills = false;

  private:
    static std::size_t bytes_of(std::size_t slots) noexcept {
        return groups(slots) * (sizeof(std::uint64_t) + 64 * sizeof(std::uint32_t)) + slots * sizeof(std::uint32_t);
    }
    void give() noexcept {
        if (bits != nullptr) {
            MPS_GIVE(bits, bytes_of(count), 64);
        }
    }
};

// Ends the program, because `pool[handle]` was called with a handle that the pool refuses.
[[noreturn]] MPS_RARE_ inline void refuse_(const slots_ &of, std::uint64_t which) noexcept {
    std::fprintf(stderr,
                 "millpond: pool%s%s%s refuses the handle %uv%u: %s. pool[handle] is for handles that are known to be good: "
                 "for others, use get(handle), which returns null if the object is gone.\n",
                 of.name != nullptr ? " \"" : "", of.name != nullptr ? of.name : "", of.name != nullptr ? "\"" : "",
                 static_cast<unsigned>(which >> 32), static_cast<unsigned>(which & 0xffffffff), of.why_refused(which));
    std::abort();
}

template <typename P>
class snapshot;

// How many slots a chunk of a pool that grows has, a power of two: 16 KiB, unless values are large.
constexpr std::size_t chunk_slots_(std::size_t value_bytes) noexcept {
    std::size_t slots = 64;
    while (slots * 2 * value_bytes <= 16384 && slots < 4096) {
        slots *= 2;
    }
    return slots;
}

// What `pool` and `growing_pool` are. Where the values are is the only difference.
template <typename T, bool Grows>
class stable_pool_ {
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                  "a pool has values of a class or of a plain type");
    static_assert(std::is_nothrow_destructible_v<T>, "a destructor must not throw");

    static constexpr std::size_t chunk_ = chunk_slots_(sizeof(T)); // of a pool that grows
    static constexpr std::size_t align_ = alignof(T) > 64 ? alignof(T) : 64;

  public:
    using value_type = T;

    std::size_t size() const noexcept { return slots_of_.live(); }
    bool empty() const noexcept { return slots_of_.live() == 0; }
    // How many slots there are now. 0 if there was no memory.
    std::size_t capacity() const noexcept { return slots_of_.count; }
    // The most slots that were ever in use at once: what to make a pool of that does not grow.
    std::size_t peak() const noexcept { return slots_of_.used; }
    // How many slots have used up their lifetimes.
    std::size_t retired() const noexcept { return slots_of_.retired; }
    const char *name() const noexcept { return slots_of_.name; }

    // Constructs a value in the next slot, with a constructor, or as an aggregate if no constructor takes these arguments.
    // Returns its handle, which is false if the pool is full; then no constructor is called. O(1). The slot freed last
    // comes first.
    template <typename... Arguments>
    MPS_INLINE_ handle<T> emplace(Arguments &&...arguments) {
        constexpr bool is_trivial = std::is_trivially_constructible_v<T, Arguments &&...>;
        std::uint32_t slot;
        if (MPS_RARELY_(slots_of_.freed() == 0)) {
            slot = take_other();
            if (slot == slots_::no_slot) {
                return handle<T>();
            }
            if constexpr (is_trivial) {
                slots_of_.flip(slot);
            }
        } else if constexpr (is_trivial) {
            slot = slots_of_.take_live();
        } else {
            slot = slots_of_.take_dead();
        }
        void *const place = at(slot);
        open_(place, sizeof(T));
        if constexpr (is_trivial) {
            ::new (place) T(std::forward<Arguments>(arguments)...);
        } else {
            taken back{this, slot};
            ++slots_of_.absent;
            if constexpr (std::is_constructible_v<T, Arguments &&...>) {
                ::new (place) T(std::forward<Arguments>(arguments)...);
            } else {
                ::new (place) T{std::forward<Arguments>(arguments)...};
            }
            back.pool = nullptr;
            --slots_of_.absent;
            slots_of_.flip(slot);
        }
        return handle<T>::from_bits(slots_of_.begin(slot));
    }

    // Destroys the handle's value. False, and nothing happens, if the handle is refused. O(1).
    MPS_INLINE_ bool remove(handle<T> which) noexcept {
        MPS_SELDOM_
        if constexpr (std::is_trivially_destructible_v<T>) {
            const auto slot = static_cast<std::uint32_t>(which.bits_ >> 32);
            return slots_of_.end_and_free(
                which.bits_,
                [this, slot] { close_(at(slot), sizeof(T)); },
                [this, which] { return remove_rarely(which); });
        } else {
            return remove_any(which);
        }
    }

    // The value, or null if the handle is refused. O(1).
    MPS_INLINE_ T *get(handle<T> which) noexcept { return find(which.bits_); }
    MPS_INLINE_ const T *get(handle<T> which) const noexcept { return find(which.bits_); }
    bool contains(handle<T> which) const noexcept { return slots_of_.is_live(which.bits_); }
    // The value of a handle that is known to be good. Another one ends the program, in release builds as well, and says why.
    T &operator[](handle<T> which) noexcept {
        T *const found = get(which);
        if (MPS_RARELY_(found == nullptr)) {
            refuse_(slots_of_, which.to_bits());
        }
        return *found;
    }
    const T &operator[](handle<T> which) const noexcept {
        const T *const found = get(which);
        if (MPS_RARELY_(found == nullptr)) {
            refuse_(slots_of_, which.to_bits());
        }
        return *found;
    }
    // Why a handle is refused, as static text; null if it is not.
    const char *why_refused(handle<T> which) const noexcept { return slots_of_.why_refused(which.bits_); }

    // The handle of the value in a slot, which is false if there is none.
    handle<T> handle_at(std::size_t slot) const noexcept {
        return handle<T>::from_bits(slots_of_.handle_at(slot));
    }
    // The handle of a value of this pool, which is false for any other address. O(1); O(chunks) if the pool grows.
    handle<T> handle_of(const T &value) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(&reinterpret_cast<const unsigned char &>(value));
        const std::size_t blocks = Grows ? slots_of_.count / chunk_ : 1;
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t slots = Grows ? chunk_ : slots_of_.count;
            const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(block_at(block));
            if (offset < slots * sizeof(T)) {
                return offset % sizeof(T) == 0 ? handle_at(block * chunk_ + offset / sizeof(T)) : handle<T>();
            }
        }
        return handle<T>();
    }

    // Destroys all values; destructors may remove and insert, and what they insert is destroyed, too. The lowest slot comes
    // first then. O(capacity).
    void clear() noexcept {
        while (slots_of_.live() != 0) {
            slots_of_.note_freed();
            for (std::size_t group = slots_::groups(slots_of_.used); group-- > 0;) {
                while (const std::uint64_t left = slots_of_.live_in(group)) {
                    std::uint32_t at_most = 63;
                    while ((left >> at_most & 1) == 0) {
                        --at_most;
                    }
                    remove(handle_at(group * 64 + at_most));
                    slots_of_.note_freed();
                }
            }
        }
    }

    // Emplaces a value. If the pool is full, first removes the one with the smallest key, whose handle is returned as well:
    // `auto [made, evicted] = pool.emplace_or_evict(key, x, y)`. `key(value)` is called once for each value, and must not
    // change the pool. Values whose slots retire after them are skipped. The arguments must not refer to what is removed.
    // O(size) if the pool is full.
    template <typename Key, typename... Arguments>
    emplaced<T> emplace_or_evict(Key &&key, Arguments &&...arguments) {
        static_assert(!Grows, "a pool that grows evicts nothing");
        handle<T> evicted;
        if (slots_of_.is_full()) {
            evicted = least_by(key);
            remove(evicted);
        }
        return {emplace(std::forward<Arguments>(arguments)...), evicted};
    }

    // Destroys the values for which `keep(value)` is false.
    template <typename Keep>
    void retain(Keep &&keep) {
        for (auto [which, value] : each()) {
            if (!keep(value)) {
                remove(which);
            }
        }
    }

    // Goes over the values in slot order; with `Handles`, over each with its handle.
    template <bool Const, bool Handles>
    class walk {
        using pool_type = std::conditional_t<Const, const stable_pool_, stable_pool_>;
        using element = std::conditional_t<Const, const T, T>;

      public:
        using iterator_category = std::conditional_t<Handles, std::input_iterator_tag, std::forward_iterator_tag>;
        using value_type = std::conditional_t<Handles, entry<T, element>, T>;
        using difference_type = std::ptrdiff_t;
        using reference = std::conditional_t<Handles, entry<T, element>, element &>;
        using pointer = std::conditional_t<Handles, void, element *>;

        walk() noexcept = default;
        MPS_INLINE_ walk(pool_type *of, std::size_t groups) noexcept
            : of_(of), groups_(groups) {
            take_note();
            next_group();
        }
        MPS_INLINE_ reference operator*() const noexcept {
            if constexpr (Handles) {
                return {mps::handle<T>::from_bits(std::uint64_t(slot_) << 32 | words_[slot_]), *at_};
            } else {
                return *at_;
            }
        }
        template <bool Plain = !Handles, typename = std::enable_if_t<Plain>>
        MPS_INLINE_ element *operator->() const noexcept {
            return at_;
        }
        // The handle of the value, which is false once it is removed. Not for the end.
        mps::handle<T> handle() const noexcept {
            return of_->handle_at((group_ - 1) * 64 + static_cast<std::size_t>(at_ - first_));
        }
        MPS_INLINE_ walk &operator++() noexcept {
            ++at_;
            if constexpr (Handles) {
                ++slot_;
            }
            if (MPS_RARELY_(of_->slots_of_.counts != counts_)) {
                // What is left of the 64 slots, as they are now.
                take_note();
                left_ = live_in(group_ - 1) & (~std::uint64_t(0) << 1 << (at_ - first_ - 1));
                left_ != 0 ? start_group() : next_group();
            } else if (at_ == end_) {
                left_ != 0 ? (is_sparse_ ? take_one() : take_run()) : next_group();
            }
            return *this;
        }
        walk operator++(int) noexcept {
            walk before = *this;
            ++*this;
            return before;
        }
        friend MPS_INLINE_ bool operator==(const walk &a, const walk &b) noexcept { return a.at_ == b.at_; }
        friend MPS_INLINE_ bool operator!=(const walk &a, const walk &b) noexcept { return a.at_ != b.at_; }

      private:
        // The counts are read last: compilers know then that a loop that removes nothing need not compare them.
        MPS_INLINE_ void take_note() noexcept {
            of_->slots_of_.note_freed();
            counts_ = of_->slots_of_.counts;
        }
        MPS_INLINE_ std::uint64_t live_in(std::size_t group) const noexcept {
            if constexpr (Const) {
                return of_->slots_of_.live_in(group);
            } else {
                return of_->slots_of_.bits[group];
            }
        }
        MPS_INLINE_ void next_group() noexcept {
            do {
                if (group_ >= groups_) {
                    at_ = nullptr;
                    return;
                }
                left_ = live_in(group_++);
            } while (left_ == 0);
            start_group();
        }
        MPS_INLINE_ void start_group() noexcept {
            first_ = of_->at((group_ - 1) * 64);
            if constexpr (Handles) {
                words_ = of_->slots_of_.words;
            }
            is_sparse_ = mps::is_sparse_(left_);
            is_sparse_ ? take_one() : take_run();
        }
        MPS_INLINE_ void take_one() noexcept {
            go_to(trailing_zeros_(left_));
            end_ = at_ + 1;
            left_ &= left_ - 1;
        }
        MPS_INLINE_ void take_run() noexcept {
            go_to(trailing_zeros_(left_));
            // The carry goes through the run's bits, to the first 0 behind them.
            const std::uint64_t behind = left_ + (left_ & (0 - left_));
            end_ = first_ + (behind != 0 ? trailing_zeros_(behind) : 64);
            left_ &= behind;
        }
        MPS_INLINE_ void go_to(std::size_t in_group) noexcept {
            at_ = first_ + in_group;
            if constexpr (Handles) {
                slot_ = (group_ - 1) * 64 + in_group;
            }
        }

        pool_type *of_ = nullptr;
        element *at_ = nullptr;
        element *end_ = nullptr;   // of the run
        element *first_ = nullptr; // of the 64 slots, of which `left_` are left, one by one or run by run
        std::uint64_t left_ = 0;
        std::size_t slot_ = 0;                 // the value's, for its handle
        const std::uint32_t *words_ = nullptr; // the generations of all
        std::size_t group_ = 0; // the next one
        std::size_t groups_ = 0;
        std::uint64_t counts_ = 0;
        bool is_sparse_ = false;
    };
    using iterator = walk<false, false>;
    using const_iterator = walk<true, false>;

    MPS_INLINE_ iterator begin() noexcept { return {this, slots_::groups(slots_of_.used)}; }
    MPS_INLINE_ iterator end() noexcept { return {}; }
    MPS_INLINE_ const_iterator begin() const noexcept { return {this, slots_::groups(slots_of_.used)}; }
    MPS_INLINE_ const_iterator end() const noexcept { return {}; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }

    template <typename Iterator>
    struct range {
        Iterator first;
        MPS_INLINE_ Iterator begin() const noexcept { return first; }
        MPS_INLINE_ Iterator end() const noexcept { return {}; }
    };
    // The values with their handles: `for (auto [which, bullet] : bullets.each())`, where `bullet` is a reference.
    MPS_INLINE_ range<walk<false, true>> each() noexcept { return {{this, slots_::groups(slots_of_.used)}}; }
    MPS_INLINE_ range<walk<true, true>> each() const noexcept { return {{this, slots_::groups(slots_of_.used)}}; }

    // Calls `f(run)` with each run of adjacent values, 64 at most. `f` must not remove others than those of its run.
    template <typename F>
    void for_each_run(F &&f) {
        each_run(*this, f);
    }
    template <typename F>
    void for_each_run(F &&f) const {
        each_run(*this, f);
    }

    // Whether everything is as it must be: for tests. O(capacity).
    bool is_sound() const noexcept { return slots_of_.is_sound() && slots_of_.has_sound_bits(); }

    // How many bytes `write_state` writes.
    std::size_t state_bytes() const noexcept {
        return sizeof(state_head_) + slots_of_.used * (2 * sizeof(std::uint32_t) + sizeof(T));
    }
    // Writes the state of the pool: which handles are good, which slots come next, and the values, as they lie in memory.
    // False if there is too little room. The bytes are for the same program on the same kind of machine. O(peak).
    bool write_state(void *to, std::size_t room) const noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "values are saved as the bytes that they consist of");
        if (room < state_bytes() || slots_of_.absent != 0) {
            return false;
        }
        slots_of_.note_freed();
        unsigned char *const out = slots_of_.write(static_cast<unsigned char *>(to), sizeof(T), 0);
        for (std::size_t group = 0; group < slots_::groups(slots_of_.used); ++group) {
            unsigned char *const values = out + group * 64 * sizeof(T);
            const std::size_t slots = slots_of_.used - group * 64 < 64 ? slots_of_.used - group * 64 : 64;
            std::uint64_t left = slots_of_.live_in(group);
            if (left == ~std::uint64_t(0)) {
                std::memcpy(values, at(group * 64), 64 * sizeof(T));
                continue;
            }
            std::memset(values, 0, slots * sizeof(T));
            for (; left != 0; left &= left - 1) {
                const std::size_t slot = trailing_zeros_(left);
                std::memcpy(values + slot * sizeof(T), at(group * 64 + slot), sizeof(T));
            }
        }
        return true;
    }
    // Makes the pool what it was when the bytes were written. They may be any: those that are not the state of such a pool
    // (of this name, with values of this size, and no more slots than this one has, unless it grows) are refused: `false`,
    // and nothing has happened. `is_good(value)` can refuse values that make no sense. O(peak).
    template <typename Good>
    bool read_state(const void *from, std::size_t bytes, Good &&is_good) noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "values are saved as the bytes that they consist of");
        state_head_ head;
        if (!slots_of_.can_become(head, from, bytes, sizeof(T), sizeof(T), 0) || !can_hold(head)) {
            return false;
        }
        const auto *const numbers = static_cast<const unsigned char *>(from) + sizeof head;
        const unsigned char *const values = slots_::behind(head, numbers);
        for (std::size_t slot = 0; slot < head.used; ++slot) {
            alignas(T) unsigned char copy[sizeof(T)];
            if ((slots_::number_in(numbers, slot) & slots_::dead) == 0) {
                std::memcpy(copy, values + slot * sizeof(T), sizeof(T));
                if (!is_good(*std::launder(reinterpret_cast<const T *>(copy)))) {
                    return false;
                }
            }
        }
        return become(head, numbers);
    }
    bool read_state(const void *from, std::size_t bytes) noexcept {
        return read_state(from, bytes, [](const T &) { return true; });
    }

  protected:
    stable_pool_() noexcept = default;
    explicit stable_pool_(const options &with) noexcept : slots_of_(with.name, with.fills_dead) {}
    stable_pool_(std::size_t capacity, const options &with) noexcept : slots_of_(with.name, with.fills_dead) {
        if constexpr (!Grows) {
            if (capacity == 0 || capacity > slots_::max || capacity > PTRDIFF_MAX / sizeof(T)) {
                return;
            }
            values_ = static_cast<T *>(MPS_TAKE(capacity * sizeof(T), align_));
            if (values_ != nullptr && !slots_of_.grow(capacity)) {
                MPS_GIVE(values_, capacity * sizeof(T), align_);
                values_ = nullptr;
            }
            make_dead(0, slots_of_.count);
        } else {
            grow_to(capacity);
        }
    }
    stable_pool_(stable_pool_ &&other) noexcept { swap_all(other); }
    ~stable_pool_() {
        assert(slots_of_.absent == 0 && "a constructor or destructor of the pool's values destroys the pool");
        clear();
        for (std::size_t slot = 0; slot < slots_of_.count; slot += chunk_) {
            open_(at(slot), sizeof(T) * (Grows ? chunk_ : slots_of_.count));
            if (!Grows) {
                break;
            }
        }
        if constexpr (Grows) {
            for (std::size_t chunk = 0; chunk < slots_of_.count / chunk_; ++chunk) {
                MPS_GIVE(values_[chunk], chunk_ * sizeof(T), align_);
            }
            if (values_ != nullptr) {
                MPS_GIVE(values_, chunk_room_ * sizeof(T *), alignof(T *));
            }
        } else if (values_ != nullptr) {
            MPS_GIVE(values_, slots_of_.count * sizeof(T), align_);
        }
    }
    void swap_all(stable_pool_ &other) noexcept {
        assert(slots_of_.absent + other.slots_of_.absent == 0 && "a constructor or destructor of a pool's values moves it");
        slots_of_.swap(other.slots_of_);
        std::swap(values_, other.values_);
        std::swap(chunk_room_, other.chunk_room_);
    }

    // Makes it so many slots at least. False, and nothing happens, if there is no memory.
    bool grow_to(std::size_t slots) noexcept {
        const std::size_t chunks_now = slots_of_.count / chunk_;
        if (slots > slots_::max - chunk_) {
            return false;
        }
        const std::size_t chunks = (slots + chunk_ - 1) / chunk_;
        if (chunks <= chunks_now) {
            return true;
        }
        if (chunks > chunk_room_) {
            const std::size_t room = chunks > 2 * chunk_room_ ? chunks : 2 * chunk_room_;
            auto *table = static_cast<T **>(MPS_TAKE(room * sizeof(T *), alignof(T *)));
            if (table == nullptr) {
                return false;
            }
            if (values_ != nullptr) {
                std::memcpy(table, values_, chunks_now * sizeof(T *));
                MPS_GIVE(values_, chunk_room_ * sizeof(T *), alignof(T *));
            }
            values_ = table;
            chunk_room_ = room;
        }
        std::size_t made = chunks_now;
        for (; made < chunks; ++made) {
            values_[made] = static_cast<T *>(MPS_TAKE(chunk_ * sizeof(T), align_));
            if (values_[made] == nullptr) {
                break;
            }
        }
        if (made < chunks || !slots_of_.grow(chunks * chunk_)) {
            while (made > chunks_now) {
                --made;
                MPS_GIVE(values_[made], chunk_ * sizeof(T), align_);
            }
            return false;
        }
        make_dead(chunks_now * chunk_, chunks * chunk_);
        return true;
    }

    slots_ slots_of_;

  private:
    template <typename>
    friend class snapshot;

    // A slot that is on no list and has no object; it goes back if the constructor throws.
    struct taken {
        stable_pool_ *pool;
        std::uint32_t slot;
        ~taken() {
            if (pool != nullptr) {
                --pool->slots_of_.absent;
                pool->vacate(slot);
                pool->slots_of_.free_noted(slot);
            }
        }
    };

    using values_type = std::conditional_t<Grows, T **, T *>;

    static MPS_INLINE_ T *at(values_type values, std::size_t slot) noexcept {
        if constexpr (Grows) {
            return values[slot / chunk_] + slot % chunk_;
        } else {
            return values + slot;
        }
    }
    MPS_INLINE_ T *at(std::size_t slot) const noexcept { return at(values_, slot); }
    MPS_INLINE_ T *find(std::uint64_t which) const noexcept {
        auto *const values = values_;
        if (!slots_of_.is_live(which)) {
            return nullptr;
        }
        T *const found = at(values, static_cast<std::uint32_t>(which >> 32));
        MPS_NEVER_(found == nullptr);
        return found;
    }
    const T *block_at(std::size_t block) const noexcept { return at(block * chunk_); }

    // A slot to use if none is on the stack, or if they are filled; `no_slot` if there is none.
    MPS_RARE_ std::uint32_t take_other() noexcept {
        std::uint32_t slot = slots_of_.take_other();
        if constexpr (Grows) {
            // Half as many again: the table of slots moves, and values do not.
            if (slot == slots_::no_slot && grow_to(slots_of_.count + slots_of_.count / 2 + 1)) {
                slot = slots_of_.take_other();
            }
        }
        if (slots_of_.fills && slot != slots_::no_slot) {
            inspect(slot);
        }
        return slot;
    }
    // The same for plain values, of which few need it.
    MPS_RARE_ bool remove_rarely(handle<T> which) noexcept { return remove_any(which); }
    MPS_INLINE_ bool remove_any(handle<T> which) noexcept {
        if (!slots_of_.is_live(which.bits_)) {
            return false;
        }
        const auto slot = static_cast<std::uint32_t>(which.bits_ >> 32);
        slots_of_.end(slot);
        slots_of_.flip(slot);
        ++slots_of_.absent;
        std::launder(at(slot))->~T();
        --slots_of_.absent;
        vacate(slot);
        slots_of_.free_noted(slot);
        return true;
    }

    template <typename Key>
    handle<T> least_by(Key &key) {
        handle<T> least;
        alignas(std::decay_t<decltype(key(std::declval<T &>()))>) unsigned char least_key[sizeof(key(std::declval<T &>()))];
        using key_type = std::decay_t<decltype(key(std::declval<T &>()))>;
        static_assert(std::is_trivially_copyable_v<key_type>, "a key is a number, or another plain value");
        for (auto [which, value] : each()) {
            if (slots_of_.after(which.generation()) == 0) {
                continue;
            }
            key_type its_key = key(value);
            if (!least || its_key < *std::launder(reinterpret_cast<key_type *>(least_key))) {
                least = which;
                ::new (static_cast<void *>(least_key)) key_type(its_key);
            }
        }
        return least;
    }

    template <typename Pool, typename F>
    static void each_run(Pool &of, F &f) {
        using element = std::conditional_t<std::is_const_v<Pool>, const T, T>;
        const std::size_t groups = slots_::groups(of.slots_of_.used);
        of.slots_of_.note_freed();
        for (std::size_t group = 0; group < groups; ++group) {
            for (std::uint64_t left = of.slots_of_.live_in(group); left != 0;) {
                const std::size_t first = trailing_zeros_(left);
                const std::uint64_t behind = left + (left & (0 - left));
                const std::size_t end = behind != 0 ? trailing_zeros_(behind) : 64;
                left &= behind;
                f(run<element>{of.at(group * 64) + first, end - first});
                of.slots_of_.note_freed();
                left &= of.slots_of_.live_in(group);
            }
        }
    }

    // ---- Debug fills -------------------------------------------------------------------------------------------------

    static constexpr unsigned char fill_[4] = {0x0b, 0xdb, 0xea, 0x1d};

    // What was in a slot is gone.
    MPS_INLINE_ void vacate(std::uint32_t slot) noexcept {
        if (MPS_RARELY_(slots_of_.fills)) {
            fill(slot);
        }
        close_(at(slot), sizeof(T));
    }
    MPS_RARE_ void fill(std::uint32_t slot) noexcept {
        auto *const bytes = reinterpret_cast<unsigned char *>(at(slot));
        std::size_t byte = 0;
        // A byte may be part of anything, so of a pointer; after numbers, compilers need not read the pool's pointers again.
        if constexpr (alignof(T) >= sizeof(std::uint32_t)) {
            std::uint32_t number;
            std::memcpy(&number, fill_, sizeof number);
            for (; byte < sizeof(T); byte += sizeof number) {
                ::new (static_cast<void *>(bytes + byte)) std::uint32_t(number);
            }
        } else {
            for (; byte < sizeof(T); ++byte) {
                bytes[byte] = fill_[byte % 4];
            }
        }
    }
    MPS_RARE_ void inspect(std::uint32_t slot) noexcept {
        open_(at(slot), sizeof(T));
        const auto *const bytes = reinterpret_cast<const unsigned char *>(at(slot));
        for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
            if (bytes[byte] != fill_[byte % 4]) {
                written_to_(name(), slot, byte);
            }
        }
    }
    void make_dead(std::size_t from, std::size_t to) noexcept {
        for (std::size_t slot = from; slot < to; ++slot) {
            if (slots_of_.fills) {
                fill(static_cast<std::uint32_t>(slot));
            }
#if defined(MPS_ASAN_)
            close_(at(slot), sizeof(T));
#endif
        }
    }

    // The state that these bytes are, of which everything has been tested. False if there is no memory.
    bool can_hold(const state_head_ &head) const noexcept { return Grows || head.used <= slots_of_.count; }
    bool become(const state_head_ &head, const unsigned char *numbers) noexcept {
        if constexpr (Grows) {
            if (!grow_to(head.used)) {
                return false;
            }
        }
        const unsigned char *const values = slots_::behind(head, numbers);
        const std::uint32_t in_use = head.used > slots_of_.used ? head.used : slots_of_.used;
        slots_of_.become(head, numbers);
        slots_of_.renew_bits(in_use);
        for (std::size_t group = 0; group < slots_::groups(in_use); ++group) {
            const std::size_t slots = in_use - group * 64 < 64 ? in_use - group * 64 : 64;
            const std::uint64_t live = slots_of_.bits[group];
            if (live == ~std::uint64_t(0)) {
                open_(at(group * 64), 64 * sizeof(T));
                std::memcpy(static_cast<void *>(at(group * 64)), values + group * 64 * sizeof(T), 64 * sizeof(T));
                continue;
            }
            for (std::size_t slot = group * 64; slot < group * 64 + slots; ++slot) {
                open_(at(slot), sizeof(T));
                if ((live >> (slot & 63) & 1) != 0) {
                    std::memcpy(static_cast<void *>(at(slot)), values + slot * sizeof(T), sizeof(T));
                    continue;
                }
                if (slots_of_.fills) {
                    fill(static_cast<std::uint32_t>(slot));
                }
                close_(at(slot), sizeof(T));
            }
        }
        return true;
    }

    values_type values_ = nullptr;
    std::size_t chunk_room_ = 0; // of a pool that grows: how many chunks the table has room for
};

// A pool with a fixed number of slots for values of `T`. A value is constructed when it is emplaced, and destroyed when it is
// removed, or when the pool is cleared or destroyed. Values never move, and need not be movable.
template <typename T>
class pool : public stable_pool_<T, false> {
  public:
    // A pool without slots.
    pool() noexcept = default;
    // Takes all memory: the values' and 8.125 bytes for each slot. `capacity()` is 0 if there is none, or if it is 0.
    explicit pool(std::size_t capacity, const options &with = options{}) noexcept
        : stable_pool_<T, false>(capacity, with) {}
    pool(pool &&other) noexcept = default;
    pool &operator=(pool &&other) noexcept {
        pool(std::move(other)).swap(*this);
        return *this;
    }
    void swap(pool &other) noexcept { this->swap_all(other); }
    bool is_full() const noexcept { return this->size() + this->retired() == this->capacity(); }
};

// A pool that grows, in chunks of 16 KiB (of 64 slots at least): values never move, so pointers to them are good until they
// are removed. The table of slots is copied when it grows, half as large again each time. What is taken is kept until the
// pool is destroyed. A lookup reads one address more than in a `pool`.
template <typename T>
class growing_pool : public stable_pool_<T, true> {
  public:
    // Takes memory when the first value is inserted.
    growing_pool() noexcept = default;
    explicit growing_pool(const options &with) noexcept : stable_pool_<T, true>(with) {}
    // Room for so many values.
    explicit growing_pool(std::size_t capacity, const options &with = options{}) noexcept
        : stable_pool_<T, true>(capacity, with) {}
    growing_pool(growing_pool &&other) noexcept = default;
    growing_pool &operator=(growing_pool &&other) noexcept {
        growing_pool(std::move(other)).swap(*this);
        return *this;
    }
    void swap(growing_pool &other) noexcept { this->swap_all(other); }
    // Makes room for so many values more, so that nothing is taken in play. False if there is no memory.
    bool reserve(std::size_t additional) noexcept {
        const std::size_t in_use = this->size() + this->retired() + this->slots_of_.absent;
        return additional <= slots_::max && this->grow_to(in_use + additional);
    }
};

// A pool whose values lie in one array without holes: the fastest to loop over. A removal moves the last value into the gap,
// so handles stay good, but neither addresses nor the order; `T` must be movable without an exception. For what is looped
// over more often than it is looked up by handle. The values may be changed, but neither sorted nor swapped (`std::sort`).
//
// Loops go from the last value to the first. In a loop, everything may be removed and inserted: nothing that was removed is
// visited, but what moves into the gap of another value than the visited one may come twice. A constructor and a destructor
// may use the pool: the value is not in the array yet, or has left it. A move constructor, and the destructor of a value
// that was moved from, must not: an assertion says so, and without assertions they are refused.
template <typename T>
class packed_pool {
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T>,
                  "a pool has values of a class or of a plain type");
    static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>, "a removal moves a value");

    static constexpr std::size_t align_ = alignof(T) > 64 ? alignof(T) : 64;

  public:
    using value_type = T;

    // A pool without slots.
    packed_pool() noexcept = default;
    // Takes all memory: the values' and 20.125 bytes for each slot. `capacity()` is 0 if there is none, or if it is 0.
    explicit packed_pool(std::size_t capacity, const options &with = options{}) noexcept : slots_of_(with.name, false) {
        if (capacity == 0 || capacity > slots_::max || capacity > PTRDIFF_MAX / sizeof(T)) {
            return;
        }
        values_ = static_cast<T *>(MPS_TAKE(capacity * sizeof(T), align_));
        owners_ = static_cast<std::uint64_t *>(MPS_TAKE(capacity * sizeof *owners_, 64));
        places_ = static_cast<std::uint32_t *>(MPS_TAKE(capacity * sizeof *places_, 64));
        if (values_ == nullptr || owners_ == nullptr || places_ == nullptr || !slots_of_.grow(capacity)) {
            give(capacity);
            values_ = nullptr;
            owners_ = nullptr;
            places_ = nullptr;
        }
    }
    packed_pool(packed_pool &&other) noexcept { swap(other); }
    packed_pool &operator=(packed_pool &&other) noexcept {
        packed_pool(std::move(other)).swap(*this);
        return *this;
    }
    ~packed_pool() {
        clear();
        give(slots_of_.count);
    }
    void swap(packed_pool &other) noexcept {
        assert(!is_moving_ && !other.is_moving_ && "a value that changes its place swaps the pool");
        slots_of_.swap(other.slots_of_);
        std::swap(values_, other.values_);
        std::swap(owners_, other.owners_);
        std::swap(places_, other.places_);
        std::swap(live_, other.live_);
    }

    std::size_t size() const noexcept { return live_; }
    bool empty() const noexcept { return live_ == 0; }
    std::size_t capacity() const noexcept { return slots_of_.count; }
    std::size_t peak() const noexcept { return slots_of_.used; }
    std::size_t retired() const noexcept { return slots_of_.retired; }
    bool is_full() const noexcept { return slots_of_.is_full(); }
    const char *name() const noexcept { return slots_of_.name; }

    // The array of values. A loop over it must neither insert nor remove: that is for the loops below.
    T *data() noexcept { return values_; }
    const T *data() const noexcept { return values_; }

    // Constructs a value behind the others, with a constructor, or as an aggregate. Returns its handle, which is false if the
    // pool is full; then no constructor is called. O(1).
    template <typename... Arguments>
    MPS_INLINE_ handle<T> emplace(Arguments &&...arguments) {
        if (!may_change()) {
            return handle<T>();
        }
        if constexpr (std::is_trivially_constructible_v<T, Arguments &&...>) {
            const std::uint32_t slot = take();
            if (slot == slots_::no_slot) {
                return handle<T>();
            }
            ::new (static_cast<void *>(values_ + live_)) T(std::forward<Arguments>(arguments)...);
            return enter(slot);
        } else if (is_full()) {
            return handle<T>();
        } else if constexpr (std::is_constructible_v<T, Arguments &&...>) {
            T value(std::forward<Arguments>(arguments)...);
            return add(value);
        } else {
            T value{std::forward<Arguments>(arguments)...};
            return add(value);
        }
    }
    // Destroys the handle's value, and moves the last one into the gap. False, and nothing happens, if the handle is
    // refused. O(1).
    MPS_INLINE_ bool remove(handle<T> which) noexcept {
        MPS_SELDOM_
        const auto slot = static_cast<std::uint32_t>(which.bits_ >> 32);
        if constexpr (std::is_trivially_copyable_v<T>) {
            return slots_of_.end_and_free(which.bits_, [this, slot] { close_gap(slot); },
                                          [this, which] { return remove_rarely(which); });
        } else {
            if (!may_change() || !slots_of_.is_live(which.bits_)) {
                return false;
            }
            const std::uint32_t place = places_[slot];
            T *const value = values_ + place;
            is_moving_ = true;
            T gone(std::move(*value));
            value->~T();
            slots_of_.end(slot);
            --live_;
            if (place != live_) {
                ::new (static_cast<void *>(value)) T(std::move(values_[live_]));
                values_[live_].~T();
                follow(place);
            }
            slots_of_.free(slot);
            is_moving_ = false;
            return true; // the value is destroyed here, when the pool is whole again
        }
    }

    // The value, or null if the handle is refused. O(1).
    MPS_INLINE_ T *get(handle<T> which) noexcept { return find(which.bits_); }
    MPS_INLINE_ const T *get(handle<T> which) const noexcept { return find(which.bits_); }
    bool contains(handle<T> which) const noexcept { return slots_of_.is_live(which.bits_); }
    // The value of a handle that is known to be good. Another one ends the program, in release builds as well, and says why.
    T &operator[](handle<T> which) noexcept {
        T *const found = get(which);
        if (MPS_RARELY_(found == nullptr)) {
            refuse_(slots_of_, which.to_bits());
        }
        return *found;
    }
    const T &operator[](handle<T> which) const noexcept {
        const T *const found = get(which);
        if (MPS_RARELY_(found == nullptr)) {
            refuse_(slots_of_, which.to_bits());
        }
        return *found;
    }
    // Why a handle is refused, as static text; null if it is not.
    const char *why_refused(handle<T> which) const noexcept { return slots_of_.why_refused(which.bits_); }
    // The handle of a value of this pool, which is false for any other address. O(1).
    handle<T> handle_of(const T &value) const noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(&reinterpret_cast<const unsigned char &>(value));
        const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(values_);
        const bool is_ours = offset / sizeof(T) < live_ && offset % sizeof(T) == 0;
        return is_ours ? handle<T>::from_bits(owners_[offset / sizeof(T)]) : handle<T>();
    }

    // Destroys all values, those that destructors insert, too. O(size).
    void clear() noexcept {
        while (live_ != 0 && remove(handle<T>::from_bits(owners_[live_ - 1]))) {
        }
    }

    // Emplaces a value. If the pool is full, first removes the one with the smallest key: see `pool`. The new value is made
    // before the other is destroyed.
    template <typename Key, typename... Arguments>
    emplaced<T> emplace_or_evict(Key &&key, Arguments &&...arguments) {
        if (!may_change()) {
            return {};
        }
        if (!is_full()) {
            return {emplace(std::forward<Arguments>(arguments)...), {}};
        }
        using key_type = std::decay_t<decltype(key(*values_))>;
        static_assert(std::is_trivially_copyable_v<key_type>, "a key is a number, or another plain value");
        std::size_t least = live_;
        for (std::size_t place = 0; place < live_; ++place) {
            const bool retires = slots_of_.after(static_cast<std::uint32_t>(owners_[place])) == 0;
            if (!retires && (least == live_ || key_type(key(values_[place])) < key_type(key(values_[least])))) {
                least = place;
            }
        }
        if (least == live_) {
            return {};
        }
        const handle<T> evicted = handle<T>::from_bits(owners_[least]);
        if constexpr (std::is_constructible_v<T, Arguments &&...>) {
            T value(std::forward<Arguments>(arguments)...);
            const bool is_gone = is_full() && remove(evicted);
            return {add(value), is_gone ? evicted : handle<T>()};
        } else {
            T value{std::forward<Arguments>(arguments)...};
            const bool is_gone = is_full() && remove(evicted);
            return {add(value), is_gone ? evicted : handle<T>()};
        }
    }

    // Destroys the values for which `keep(value)` is false, from the last one to the first.
    template <typename Keep>
    void retain(Keep &&keep) {
        for (auto [which, value] : each()) {
            if (!keep(value)) {
                remove(which);
            }
        }
    }

    // Goes over the values from the last to the first; with `Handles`, over each with its handle.
    template <bool Const, bool Handles>
    class walk {
        using pool_type = std::conditional_t<Const, const packed_pool, packed_pool>;
        using element = std::conditional_t<Const, const T, T>;

      public:
        using iterator_category = std::conditional_t<Handles, std::input_iterator_tag, std::forward_iterator_tag>;
        using value_type = std::conditional_t<Handles, entry<T, element>, T>;
        using difference_type = std::ptrdiff_t;
        using reference = std::conditional_t<Handles, entry<T, element>, element &>;
        using pointer = std::conditional_t<Handles, void, element *>;

        walk() noexcept = default;
        MPS_INLINE_ walk(pool_type *of, std::size_t left) noexcept
            : of_(of), behind_(of->values_ + left), owners_(of->owners_), left_(left),
              live_(of->live_) {}
        MPS_INLINE_ reference operator*() const noexcept {
            if constexpr (Handles) {
                return {mps::handle<T>::from_bits(owners_[left_ - 1]), behind_[-1]};
            } else {
                return behind_[-1];
            }
        }
        template <bool Plain = !Handles, typename = std::enable_if_t<Plain>>
        MPS_INLINE_ element *operator->() const noexcept {
            return behind_ - 1;
        }
        MPS_INLINE_ walk &operator++() noexcept {
            --left_;
            --behind_;
            if (MPS_RARELY_(of_->live_ < live_) && left_ > of_->live_) { // the loop has removed others
                left_ = of_->live_;
                behind_ = of_->values_ + left_;
            }
            return *this;
        }
        walk operator++(int) noexcept {
            walk before = *this;
            ++*this;
            return before;
        }
        friend MPS_INLINE_ bool operator==(const walk &a, const walk &b) noexcept { return a.left_ == b.left_; }
        friend MPS_INLINE_ bool operator!=(const walk &a, const walk &b) noexcept { return a.left_ != b.left_; }

      private:
        pool_type *of_ = nullptr;
        element *behind_ = nullptr; // the value is before it
        const std::uint64_t *owners_ = nullptr;
        std::size_t left_ = 0;   // this one included
        std::uint32_t live_ = 0; // at the beginning
    };
    using iterator = walk<false, false>;
    using const_iterator = walk<true, false>;
    MPS_INLINE_ iterator begin() noexcept { return {this, live_}; }
    MPS_INLINE_ iterator end() noexcept { return {this, 0}; }
    MPS_INLINE_ const_iterator begin() const noexcept { return {this, live_}; }
    MPS_INLINE_ const_iterator end() const noexcept { return {this, 0}; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }

    template <typename Iterator>
    struct range {
        Iterator first, last;
        MPS_INLINE_ Iterator begin() const noexcept { return first; }
        MPS_INLINE_ Iterator end() const noexcept { return last; }
    };
    // The values with their handles: `for (auto [which, spark] : sparks.each())`, where `spark` is a reference.
    MPS_INLINE_ range<walk<false, true>> each() noexcept { return {{this, live_}, {this, 0}}; }
    MPS_INLINE_ range<walk<true, true>> each() const noexcept { return {{this, live_}, {this, 0}}; }

    // Whether everything is as it must be: for tests. O(capacity).
    bool is_sound() const noexcept {
        for (std::size_t place = 0; place < live_; ++place) {
            if (!slots_of_.is_live(owners_[place]) || places_[owners_[place] >> 32] != place) {
                return false;
            }
        }
        return slots_of_.is_sound() && slots_of_.live() == live_;
    }

    // The state as bytes, the order of the values included: see `pool`.
    std::size_t state_bytes() const noexcept {
        return sizeof(state_head_) + slots_of_.used * (2 * sizeof(std::uint32_t) + slot_bytes_);
    }
    bool write_state(void *to, std::size_t room) const noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "values are saved as the bytes that they consist of");
        if (room < state_bytes()) {
            return false;
        }
        unsigned char *const out = slots_of_.write(static_cast<unsigned char *>(to), sizeof(T), is_packed_);
        if (slots_of_.used == 0) {
            return true;
        }
        std::memset(out, 0, slots_of_.used * slot_bytes_);
        for (std::uint32_t place = 0; place < live_; ++place) {
            const std::uint32_t slot = static_cast<std::uint32_t>(owners_[place] >> 32);
            std::memcpy(out + place * sizeof slot, &slot, sizeof slot);
        }
        if (live_ != 0) {
            std::memcpy(out + slots_of_.used * sizeof(std::uint32_t), values_, live_ * sizeof(T));
        }
        return true;
    }
    template <typename Good>
    bool read_state(const void *from, std::size_t bytes, Good &&is_good) noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "values are saved as the bytes that they consist of");
        state_head_ head;
        if (!slots_of_.can_become(head, from, bytes, sizeof(T), slot_bytes_, is_packed_) || !can_hold(head)) {
            return false;
        }
        const auto *const numbers = static_cast<const unsigned char *>(from) + sizeof head;
        const unsigned char *const owners = slots_::behind(head, numbers);
        const unsigned char *const values = owners + head.used * sizeof(std::uint32_t);
        seen_ owned_once;
        if (!owned_once.make_room(head.used)) {
            return false;
        }
        for (std::uint32_t place = 0; place < head.live; ++place) {
            const std::uint32_t slot = slots_::number_in(owners, place);
            alignas(T) unsigned char copy[sizeof(T)];
            std::memcpy(copy, values + place * sizeof(T), sizeof(T));
            if (slot >= head.used || (slots_::number_in(numbers, slot) & slots_::dead) != 0 || !owned_once.see(slot) ||
                !is_good(*std::launder(reinterpret_cast<const T *>(copy)))) {
                return false;
            }
        }
        become(head, numbers);
        return true;
    }
    bool read_state(const void *from, std::size_t bytes) noexcept {
        return read_state(from, bytes, [](const T &) { return true; });
    }

  private:
    template <typename>
    friend class snapshot;

    static constexpr std::uint32_t is_packed_ = 1;
    static constexpr std::size_t slot_bytes_ = sizeof(std::uint32_t) + sizeof(T); // of the state: who owns a place, and a value

    bool can_hold(const state_head_ &head) const noexcept { return head.used <= slots_of_.count; }
    bool become(const state_head_ &head, const unsigned char *numbers) noexcept {
        const unsigned char *const owners = slots_::behind(head, numbers);
        slots_of_.become(head, numbers);
        live_ = head.live;
        for (std::uint32_t place = 0; place < head.live; ++place) {
            const std::uint32_t slot = slots_::number_in(owners, place);
            owners_[place] = slots_::bits_of(slot, slots_of_.words[slot]);
            places_[slot] = place;
        }
        if (head.live != 0) {
            std::memcpy(static_cast<void *>(values_), owners + head.used * sizeof(std::uint32_t), head.live * sizeof(T));
        }
        return true;
    }

    // Whether no value is changing its place.
    bool may_change() const noexcept {
        if constexpr (!std::is_trivially_copyable_v<T>) {
            assert(!is_moving_ && "a value that changes its place changes the pool");
            return !is_moving_;
        }
        return true;
    }
    MPS_INLINE_ T *find(std::uint64_t which) const noexcept {
        auto *const values = values_;
        if (!slots_of_.is_live(which)) {
            return nullptr;
        }
        T *const found = values + places_[which >> 32];
        MPS_NEVER_(found == nullptr);
        return found;
    }
    MPS_INLINE_ handle<T> enter(std::uint32_t slot) noexcept {
        const std::uint32_t place = live_++;
        places_[slot] = place;
        return handle<T>::from_bits(owners_[place] = slots_of_.begin(slot));
    }
    // Moves a value behind the others; its constructor may have filled the pool.
    MPS_INLINE_ handle<T> add(T &value) noexcept {
        const std::uint32_t slot = take();
        if (slot == slots_::no_slot) {
            return handle<T>();
        }
        is_moving_ = true;
        ::new (static_cast<void *>(values_ + live_)) T(std::move(value));
        is_moving_ = false;
        return enter(slot);
    }
    // Of a slot that is used up, or a handle of no lifetime.
    MPS_RARE_ bool remove_rarely(handle<T> which) noexcept {
        if (!slots_of_.is_live(which.bits_)) {
            return false;
        }
        slots_of_.end(which.index());
        close_gap(which.index());
        slots_of_.free(which.index());
        return true;
    }
    // The plain value of a slot is gone: the last one takes its place.
    MPS_INLINE_ void close_gap(std::uint32_t slot) noexcept {
        const std::uint32_t place = places_[slot], last = --live_;
        if (place != last) {
            std::memcpy(static_cast<void *>(values_ + place), values_ + last, sizeof(T));
            follow(place);
        }
    }
    MPS_INLINE_ std::uint32_t take() noexcept {
        return slots_of_.freed() != 0 ? slots_of_.take_freed() : slots_of_.take_other();
    }
    // The last value has moved to this place.
    MPS_INLINE_ void follow(std::uint32_t place) noexcept {
        owners_[place] = owners_[live_];
        places_[owners_[place] >> 32] = place;
    }
    void give([[maybe_unused]] std::size_t capacity) noexcept {
        if (values_ != nullptr) {
            MPS_GIVE(values_, capacity * sizeof(T), align_);
        }
        if (owners_ != nullptr) {
            MPS_GIVE(owners_, capacity * sizeof *owners_, 64);
        }
        if (places_ != nullptr) {
            MPS_GIVE(places_, capacity * sizeof *places_, 64);
        }
    }

    slots_ slots_of_;
    T *values_ = nullptr;
    std::uint64_t *owners_ = nullptr;  // the handle of the value at each place
    std::uint32_t *places_ = nullptr;  // where the value of each slot is
    std::uint32_t live_ = 0;
    bool is_moving_ = false;
};

// The state of a pool of trivially copyable values, to go back to: saved and restored at the speed of memcpy. Handles that
// were good when it was saved are good again afterwards, and those of objects that began later are given out again.
//
//     mps::snapshot<mps::pool<Bullet>> past;
//     past.save(bullets);        // takes memory the first time, and when more slots are in use than ever
//     past.restore(bullets);     // false if nothing was saved, or of a pool with another name or more slots
template <typename P>
class snapshot {
  public:
    // False if there is no memory; then nothing is saved.
    bool save(const P &from) noexcept {
        is_saved_ = bytes_of_.make_room(from.state_bytes()) && from.write_state(bytes_of_.at, bytes_of_.room);
        return is_saved_;
    }
    bool restore(P &to) const noexcept {
        state_head_ head;
        if (!is_saved_) {
            return false;
        }
        std::memcpy(&head, bytes_of_.at, sizeof head);
        const bool fits = head.start == to.slots_of_.start && to.slots_of_.absent == 0 && to.can_hold(head);
        return fits && to.become(head, bytes_of_.at + sizeof head);
    }

  private:
    bytes_ bytes_of_;
    bool is_saved_ = false;
};

// A pool with a lock, for several threads: a `Lock` is what has `lock()` and `unlock()`, as `std::mutex` has.
//
//     mps::locked<mps::pool<Shot>, std::mutex> shots(1000);
//     mps::handle<Shot> shot = shots.emplace(x, y);                    // each call takes the lock
//     shots.visit(shot, [](Shot &found) { found.move(); });            // under the lock; false if it is gone
//     { auto all = shots.lock(); for (Shot &each : *all) each.move(); }
//
// There is no `get`, because another thread could remove the object while a pointer to it is held. What a constructor, a
// destructor or a visit calls of the same pool needs a lock that one thread may take twice: `std::recursive_mutex`.
template <typename P, typename Lock>
class locked {
  public:
    using value_type = typename P::value_type;

    explicit locked(std::size_t capacity, const options &with = options{}) noexcept : pool_(capacity, with) {}
    locked(const locked &) = delete;
    locked &operator=(const locked &) = delete;

    // The pool, for as long as this object is there: nobody else has it.
    class guard {
      public:
        guard(const guard &) = delete;
        guard &operator=(const guard &) = delete;
        ~guard() { of_.lock_.unlock(); }
        P &operator*() const noexcept { return of_.pool_; }
        P *operator->() const noexcept { return &of_.pool_; }

      private:
        friend class locked;
        explicit guard(locked &of) : of_(of) { of_.lock_.lock(); }
        locked &of_;
    };
    [[nodiscard]] guard lock() { return guard(*this); }

    template <typename... Arguments>
    handle<value_type> emplace(Arguments &&...arguments) {
        const guard held(*this);
        return pool_.emplace(std::forward<Arguments>(arguments)...);
    }
    bool remove(handle<value_type> which) {
        const guard held(*this);
        return pool_.remove(which);
    }
    bool contains(handle<value_type> which) {
        const guard held(*this);
        return pool_.contains(which);
    }
    std::size_t size() {
        const guard held(*this);
        return pool_.size();
    }
    // Calls `f(value)` while nobody else has the pool. False, and nothing is called, if the handle is refused.
    template <typename F>
    bool visit(handle<value_type> which, F &&f) {
        const guard held(*this);
        value_type *const found = pool_.get(which);
        if (found == nullptr) {
            return false;
        }
        f(*found);
        return true;
    }

  private:
    P pool_;
    Lock lock_;
};

} // namespace mps

template <typename T>
struct std::hash<mps::handle<T>> {
    std::size_t operator()(mps::handle<T> which) const noexcept {
        const std::uint64_t mixed = which.to_bits() * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }
};

#undef MPS_INLINE_
#undef MPS_RARE_
#undef MPS_RARELY_
#undef MPS_NEVER_
#undef MPS_SELDOM_
#undef MPS_SHARED_
#undef MPS_READ_

#endif
