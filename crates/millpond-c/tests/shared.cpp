// millpond_sync.hpp: guards that drop themselves, values of every kind, and threads. Ends with 0, or says which line is wrong.
#include "millpond_sync.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

std::atomic<int> alive{0};

struct job {
    std::string text;
    std::unique_ptr<int> number;
    explicit job(int of) : text("a text that is too long for the string itself"), number(new int(of)) { ++alive; }
    job(job &&other) noexcept : text(std::move(other.text)), number(std::move(other.number)) { ++alive; }
    ~job() { --alive; }
};
struct alignas(64) buffer {
    int uses = 0;
    std::vector<int> room;
};
struct plain {
    int x, y;
};

void guards_hold_what_is_removed() {
    millpond::sync_pool<job> jobs(2);
    CHECK(jobs.status() == MP_OK && jobs.capacity() == 2);
    const auto first = jobs.emplace(1), second = jobs.emplace(2);
    CHECK(first && second && !jobs.emplace(3) && alive == 2);
    {
        millpond::shared<job> held = jobs.get(first);
        CHECK(held && *held->number == 1 && jobs.remove(first) && !jobs.remove(first) && !jobs.get(first));
        millpond::shared<job> moved = std::move(held);
        CHECK(!held && moved && moved->text.size() == 45 && (*moved).number && alive == 2);
        held = std::move(moved);
        CHECK(held && !moved && jobs.size() == 1);
    }
    CHECK(alive == 1 && jobs.contains(second));
    int seen = 0;
    jobs.for_each([&](millpond::handle<job> which, const job &one) { seen += which == second ? *one.number : 100; });
    CHECK(seen == 2);
    millpond::sync_pool<plain> aggregates(1);
    CHECK(aggregates.get(aggregates.emplace(3, 4))->y == 4);
    millpond::sync_pool<plain> too_many(SIZE_MAX);
    CHECK(too_many.status() != MP_OK && !too_many.emplace(1, 1) && !too_many.get({}) && too_many.size() == 0);
}

void threads_share() {
    millpond::sync_pool<job> jobs(50);
    millpond::sync_recycler<buffer> buffers(3);
    CHECK(buffers.status() == MP_OK && buffers.capacity() == 3);
    std::vector<std::atomic<std::uint64_t>> board(16);
    std::vector<std::thread> threads;
    for (unsigned id = 0; id < 4; ++id) {
        threads.emplace_back([&, id] {
            unsigned random = id + 1;
            for (int step = 0; step < 2000; ++step) {
                random = random * 1664525u + 1013904223u;
                if (const auto made = jobs.emplace(step)) {
                    const auto old = board[random >> 28].exchange(made.to_bits());
                    jobs.remove(millpond::handle<job>::from_bits(old));
                }
                const auto other = millpond::handle<job>::from_bits(board[random >> 20 & 15].load());
                if (const auto held = jobs.get(other)) {
                    CHECK(*held->number >= 0 && held->text.back() == 'f');
                    if (step % 5 == 0) {
                        jobs.remove(other);
                    }
                }
                if (const auto one = buffers.acquire()) {
                    CHECK(reinterpret_cast<std::uintptr_t>(one.get()) % 64 == 0);
                    one->uses += 1;
                    one->room.push_back(step);
                    if (one->room.size() > 100) {
                        one->room.clear();
                    }
                }
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CHECK(static_cast<std::size_t>(alive) == jobs.size() && buffers.available() == 3);
}

} // namespace

int main() {
    guards_hold_what_is_removed();
    CHECK(alive == 0);
    threads_share();
    CHECK(alive == 0);
    std::puts("all is well");
}
