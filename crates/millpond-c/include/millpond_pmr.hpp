// millpond_pmr.hpp: memory in slots of several sizes, for the containers of `std::pmr`, over millpond.h.
// SPDX-License-Identifier: MIT OR Apache-2.0
//
//     millpond::size_classes memory;
//     std::pmr::vector<int> numbers(&memory);
//
// A file of its own, because <memory_resource> takes longer to compile than everything in millpond.hpp.
#ifndef MILLPOND_PMR_HPP
#define MILLPOND_PMR_HPP

#include "millpond.h"

#if defined(__has_include)
#if __has_include(<memory_resource>)
#include <memory_resource>
#endif
#endif
#include <cstdlib>
#include <new>

namespace millpond {

#if defined(__cpp_lib_memory_resource)
// Memory in slots of several sizes, for the containers of `std::pmr`. Used by one thread at a time.
class size_classes final : public std::pmr::memory_resource {
  public:
    // Creates classes of up to 1 KiB, which grow; larger requests go to the C library.
    size_classes() noexcept { status_ = mp_classes_create(nullptr, 0, MP_CLASSES_GROW, &raw_); }
    // Creates classes of these sizes, with the given numbers of reserved slots.
    size_classes(const mp_class *classes, std::size_t count, std::uint32_t overflow) noexcept {
        status_ = mp_classes_create(classes, count, overflow, &raw_);
    }
    size_classes(const size_classes &) = delete;
    size_classes &operator=(const size_classes &) = delete;
    ~size_classes() override { mp_classes_destroy(raw_); }

    mp_status status() const noexcept { return status_; }
    mp_classes_stats stats() const noexcept { return mp_classes_stats_of(raw_); }

  private:
    void *do_allocate(std::size_t bytes, std::size_t align) override {
        void *memory = mp_classes_take(raw_, bytes, align);
        if (memory == nullptr) {
#if defined(__cpp_exceptions)
            throw std::bad_alloc();
#else
            std::abort();
#endif
        }
        return memory;
    }
    void do_deallocate(void *memory, std::size_t bytes, std::size_t align) override {
        mp_classes_give(raw_, memory, bytes, align);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override { return this == &other; }

    mp_classes *raw_ = nullptr;
    mp_status status_ = MP_OK;
};
#endif

} // namespace millpond

#endif
