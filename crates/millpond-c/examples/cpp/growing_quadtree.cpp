// The third design: a pool of one type that grows. A quadtree for collisions is torn down and built again from the same
// timber in each of 600 frames; after the first one no memory is asked for. Nodes own their children.
#include <millpond.hpp>

#include <array>
#include <cstdio>
#include <vector>

struct body {
    float x, y;
};

class node {
  public:
    using pool = millpond::growing_pool<node>;

    node(pool &timber, float x, float y, float half) : timber_(timber), x_(x), y_(y), half_(half) {}

    void insert(const body &one) {
        if (children_[0] == nullptr) {
            bodies_[count_++] = &one;
            if (count_ < bodies_.size() || half_ < 0.01f) {
                count_ = count_ < bodies_.size() ? count_ : count_ - 1; // too deep: nobody misses one
                return;
            }
            const float half = half_ / 2;
            for (std::size_t at = 0; at < 4; at++) {
                float x = x_ + (at % 2 != 0 ? half : -half), y = y_ + (at / 2 != 0 ? half : -half);
                children_[at] = timber_.make(timber_, x, y, half);
            }
            for (std::size_t at = 0; at < count_; at++) {
                child_at(*bodies_[at]).insert(*bodies_[at]);
            }
            return;
        }
        child_at(one).insert(one);
    }

  private:
    node &child_at(const body &one) { return *children_[(one.x >= x_ ? 1 : 0) + (one.y >= y_ ? 2 : 0)]; }

    pool &timber_;
    float x_, y_, half_;
    std::array<pool::owner, 4> children_;
    std::array<const body *, 8> bodies_{};
    std::size_t count_ = 0;
};

int main() {
    node::pool timber;
    timber.reserve(2000);
    std::vector<body> bodies(600);
    std::size_t most = 0;
    unsigned random = 1;
    for (int frame = 0; frame < 600; frame++) {
        node::pool::owner tree = timber.make(timber, 0.0f, 0.0f, 1.0f);
        for (body &one : bodies) {
            for (float *place : {&one.x, &one.y}) {
                random = random * 1664525u + 1013904223u;
                *place = static_cast<float>(random >> 8) / static_cast<float>(1 << 23) - 1;
            }
            tree->insert(one);
        }
        most = timber.size() > most ? timber.size() : most;
    } // the tree goes, and its nodes are back
    std::printf("600 frames, %s nodes at once, %zu chunk, %zu nodes left\n", most > 100 ? "more than 100" : "too few",
                timber.chunks(), timber.size());
    return 0;
}
