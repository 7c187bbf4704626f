// Checks the baked assets: `checks [FOLDER]`, where the folder is the build directory's `baked`.
#include "root.unity.h"

static std::string folder = "baked";

SHARED std::string baked_path(const std::string &name) { return folder + "/" + name; }

int main(int argc, char **argv) {
    if (argc > 1) folder = argv[1];
    check_palettes();
    check_sprites();
    check_levels();
    std::printf("%d checks failed\n", failures());
    return failures() == 0 ? 0 : 1;
}
