// Prints a baked sprite, a letter for each pixel that can be seen: `show baked/sprites/rocket.rgba`.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char **argv) {
    if (argc != 2) return std::fputs("usage: show SPRITE\n", stderr), 2;
    std::ifstream file(argv[1], std::ios::binary);
    const std::vector<unsigned char> bytes{ std::istreambuf_iterator<char>(file), {} };
    const std::size_t width = bytes.size() < 4 ? 0 : bytes[0] + 256u * bytes[1];
    const std::size_t height = bytes.size() < 4 ? 0 : bytes[2] + 256u * bytes[3];
    if (width * height == 0 || bytes.size() != 4 + 4 * width * height)
        return std::fprintf(stderr, "%s: not a sprite\n", argv[1]), 2;
    for (std::size_t pixel = 0; pixel < width * height; pixel++) {
        const unsigned char alpha = bytes[4 + 4 * pixel + 3];
        std::putchar(alpha == 0 ? ' ' : alpha < 255 ? '+' : '*');
        if ((pixel + 1) % width == 0) std::putchar('\n');
    }
}
