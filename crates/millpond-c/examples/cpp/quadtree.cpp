// A quadtree that is torn down and rebuilt in every frame, its containers in size classes by std::pmr: after the first
// frames no memory comes from the C library any more. Draws the tree of the last frame: `quadtree PICTURE.ppm`.
#include <millpond_pmr.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

struct body {
    float x, y, dx, dy;
};

struct node {
    using allocator_type = std::pmr::polymorphic_allocator<node>;
    float x, y, half;
    std::pmr::vector<node> children;
    std::pmr::vector<const body *> bodies;

    node(float at_x, float at_y, float of_half, allocator_type memory)
        : x(at_x), y(at_y), half(of_half), children(memory), bodies(memory) {}
    node(node &&other, allocator_type memory)
        : x(other.x), y(other.y), half(other.half), children(std::move(other.children), memory),
          bodies(std::move(other.bodies), memory) {}

    void insert(const body &one) {
        if (!children.empty()) {
            std::size_t quarter = (one.x >= x ? 1u : 0u) + (one.y >= y ? 2u : 0u);
            children[quarter].insert(one);
            return;
        }
        bodies.push_back(&one);
        if (bodies.size() > 8 && half > 0.01f) {
            const float part = half / 2;
            children.reserve(4);
            for (unsigned at = 0; at < 4; ++at) {
                children.emplace_back(x + (at % 2 != 0 ? part : -part), y + (at / 2 != 0 ? part : -part), part);
            }
            std::pmr::vector<const body *> moved(std::move(bodies));
            for (const body *each : moved) {
                insert(*each);
            }
        }
    }
    std::size_t nodes() const {
        std::size_t count = 1;
        for (const node &child : children) {
            count += child.nodes();
        }
        return count;
    }
};

constexpr int side = 256;
using picture = std::array<std::array<unsigned char, side>, side>;

void draw(const node &tree, picture &into) {
    auto pixel = [](float at) { return static_cast<int>((at + 1) * (side - 1) / 2); };
    auto dot = [&](int x, int y, unsigned char light) {
        if (x >= 0 && y >= 0 && x < side && y < side) {
            into[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] = light;
        }
    };
    for (int at = pixel(tree.x - tree.half); at <= pixel(tree.x + tree.half); ++at) {
        dot(at, pixel(tree.y - tree.half), 90);
    }
    for (int at = pixel(tree.y - tree.half); at <= pixel(tree.y + tree.half); ++at) {
        dot(pixel(tree.x - tree.half), at, 90);
    }
    for (const node &child : tree.children) {
        draw(child, into);
    }
    for (const body *one : tree.bodies) {
        dot(pixel(one->x), pixel(one->y), 255);
    }
}

int main(int count, char **arguments) {
    std::vector<body> bodies(600);
    unsigned random = 1;
    for (body &one : bodies) {
        for (float body::*field : {&body::x, &body::y, &body::dx, &body::dy}) {
            random = random * 1664525u + 1013904223u;
            one.*field = static_cast<float>(random >> 8) / static_cast<float>(1 << 23) - 1;
        }
    }
    millpond::size_classes timber;
    picture pixels{};
    std::uint64_t blocks_then = 0;
    std::size_t nodes = 0;
    for (int frame = 0; frame < 600; ++frame) {
        node tree(0, 0, 1, &timber);
        for (body &one : bodies) {
            one.x += one.dx / 60;
            one.y += one.dy / 60;
            one.dx = one.x < -1 || one.x > 1 ? -one.dx : one.dx;
            one.dy = one.y < -1 || one.y > 1 ? -one.dy : one.dy;
            tree.insert(one);
        }
        nodes += tree.nodes();
        if (frame == 60) {
            blocks_then = timber.stats().blocks_peak;
        }
        if (frame == 599) {
            draw(tree, pixels);
        }
    }
    std::printf("600 frames, %s nodes, %s after the first second\n", nodes > 60000 ? "more than 60,000" : "too few",
                timber.stats().blocks_peak <= blocks_then + 8 ? "no growth" : "growth");
    if (count > 1) {
        std::FILE *file = std::fopen(arguments[1], "wb");
        if (file == nullptr || std::fprintf(file, "P5\n%d %d\n255\n", side, side) < 0 ||
            std::fwrite(pixels.data(), sizeof pixels, 1, file) != 1 || std::fclose(file) != 0) {
            std::fprintf(stderr, "%s: cannot be written\n", arguments[1]);
            return 3;
        }
    }
    return 0;
}
