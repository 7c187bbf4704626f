// Checks the baked assets; run in the build directory.
#include "root.unity.h"

int main() {
    check_palettes();
    check_sprites();
    check_levels();
    std::printf("%d checks failed\n", failures());
    return failures() == 0 ? 0 : 1;
}
