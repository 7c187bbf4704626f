// A scene of unknown size: a pool that grows, whose handles are good whatever moves, and loops with handles.
//
//     c++ -std=c++17 growing.cpp -I../../include libmillpond.a -o growing && ./growing
#include <millpond.hpp>

#include <cstdio>
#include <string>
#include <vector>

struct Node {
    std::string name;
    millpond::handle<Node> parent;
};

int main() {
    millpond::vec_pool<Node> nodes;
    const millpond::handle<Node> root = nodes.emplace("root", millpond::handle<Node>());
    std::vector<millpond::handle<Node>> all{root};
    while (nodes.size() < 1000) {
        // The parent may move as its child is inserted: the arguments are read before.
        all.push_back(nodes.emplace(nodes[all[all.size() / 2]].name + "/", all[all.size() / 2]));
    }
    std::size_t orphans = 0, longest = 0;
    nodes.remove(all[1]);
    for (auto [which, node] : nodes.each()) {
        orphans += which != root && !nodes.contains(node.parent);
        longest = node.name.size() > longest ? node.name.size() : longest;
    }
    std::printf("%zu nodes, %zu of them orphans, the longest name has %zu letters\n", nodes.size(), orphans, longest);

    // A pool that is full replaces what matters least.
    millpond::pool<int> voices(2);
    voices.emplace(90);
    voices.emplace(5);
    const auto [made, evicted] = voices.emplace_or_evict([](int loudness) { return loudness; }, 50);
    std::printf("%d plays, slot %u was taken from another\n", voices[made], evicted.index());
}
