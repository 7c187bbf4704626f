#pragma once
#include "root.unity.h" // IWYU pragma: keep

namespace {

// Its own code changes the fleet that it is in.
template <template <typename> class Pool>
struct vessel {
    int boats;
    void launch(Pool<vessel> &fleet) {
        while (boats > 0) {
            --boats;
            CHECK(fleet.emplace(vessel{0}));
        }
    }
};

template <template <typename> class Pool>
void leave_and_come_back() {
    using ship = vessel<Pool>;
    Pool<ship> fleet(4);
    const auto first = fleet.emplace(ship{1}), flagship = fleet.emplace(ship{2});
    std::optional<ship> out = fleet.detach(flagship);
    CHECK(out && out->boats == 2 && fleet.size() == 1 && !fleet.contains(flagship) && fleet.get(flagship) == nullptr);
    CHECK(!fleet.detach(flagship) && !fleet.remove(flagship) && !fleet.detach(millpond::handle<ship>()));
    std::size_t visited = 0;
    for (auto [which, each] : fleet.each()) {
        CHECK(which == first && each.boats == 1);
        ++visited;
    }
    CHECK(visited == 1);
    out->launch(fleet);
    CHECK(fleet.size() == 3 && fleet.reattach(flagship, std::move(*out)));
    CHECK(fleet.size() == 4 && fleet[flagship].boats == 0 && !fleet.reattach(flagship, ship{7}));
    CHECK(!fleet.reattach(first, ship{7}) && !fleet.free_detached(first) && fleet[first].boats == 1);
    // It does not come back.
    CHECK(fleet.detach(flagship) && fleet.free_detached(flagship) && !fleet.free_detached(flagship));
    CHECK(!fleet.reattach(flagship, ship{7}) && !fleet.contains(flagship));
    const auto next = fleet.emplace(ship{5});
    CHECK(next && next != flagship && next.index() == flagship.index());
}

template <typename Pool>
void end_once_each() {
    const auto held = std::make_shared<int>(1);
    {
        Pool pool(3);
        const auto first = pool.emplace(held), second = pool.emplace(held), third = pool.emplace(held);
        CHECK(held.use_count() == 4);
        auto out = pool.detach(first);
        CHECK(out && held.use_count() == 4 && pool.size() == 2);
        std::shared_ptr<int> back = std::move(*out);
        CHECK(!pool.reattach(second, std::move(back)) && back != nullptr && "refused, it is as it was");
        CHECK(pool.reattach(first, std::move(back)) && back == nullptr && *pool[first] == 1);
        pool.detach(third).reset();
        CHECK(held.use_count() == 3);
        pool.clear();
        CHECK(held.use_count() == 1 && pool.reattach(third, std::shared_ptr<int>(held)) && pool.size() == 1);
        // Nobody puts it back.
        out = pool.detach(third);
        CHECK(pool.empty());
    }
    CHECK(held.use_count() == 1);
}

} // namespace

static void values_leave_and_come_back() {
    leave_and_come_back<millpond::pool>();
    leave_and_come_back<millpond::vec_pool>();
    leave_and_come_back<millpond::packed_pool>();
}

static void values_that_leave_end_once_each() {
    end_once_each<millpond::pool<std::shared_ptr<int>>>();
    end_once_each<millpond::vec_pool<std::shared_ptr<int>>>();
    end_once_each<millpond::packed_pool<std::shared_ptr<int>>>();
}

static void a_pool_without_slots_lets_nothing_out() {
    millpond::pool<int> none;
    millpond::packed_pool<int> none_packed;
    const auto other = millpond::handle<int>::from_bits(1);
    CHECK(!none.detach(other) && !none.reattach(other, 1) && !none.free_detached(other));
    CHECK(!none_packed.detach(other) && !none_packed.reattach(other, 1) && !none_packed.free_detached(other));
}
