// A saved game in C++: the state of a pool as bytes, in a file that is written next to the old one and then takes its place.
// What is read may be anything: bytes that are not a state of this pool are refused, and the pool stays as it is.
//
//     saved_game FILE
#include <millpond.hpp>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

struct Rocket {
    float x, speed;
    int frames_left;
};

// States are read and written by the C functions, of values that are trivially copyable.
static bool save(const millpond::pool<Rocket> &rockets, const std::string &path) {
    std::vector<unsigned char> bytes(mp_pool_state_bytes(rockets.raw()));
    if (mp_pool_write_state(rockets.raw(), bytes.data(), bytes.size()) != MP_OK) {
        return false;
    }
    const std::string beside = path + ".new";
    std::FILE *file = std::fopen(beside.c_str(), "wb");
    if (file == nullptr) {
        return false;
    }
    const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    if (std::fclose(file) != 0 || !is_written) {
        return false;
    }
    // On Windows, `std::rename` of C replaces no file.
    std::error_code failed;
    std::filesystem::rename(beside, path, failed);
    return !failed;
}

static mp_status load(millpond::pool<Rocket> &rockets, const std::string &path) {
    std::vector<unsigned char> bytes;
    if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
        unsigned char part[4096];
        while (const std::size_t count = std::fread(part, 1, sizeof part, file)) {
            bytes.insert(bytes.end(), part, part + count);
        }
        std::fclose(file);
    }
    return mp_pool_read_state(rockets.raw(), bytes.data(), bytes.size());
}

int main(int count, char **arguments) {
    const std::string path = count > 1 ? arguments[1] : "rockets.state";
    millpond::options with;
    with.name = "rockets"; // the state of another pool is refused
    millpond::pool<Rocket> rockets(100, with);
    const auto first = rockets.emplace(Rocket{0, 1.5f, 60}), second = rockets.emplace(Rocket{5, 2.5f, 60});
    rockets.remove(first);
    if (!save(rockets, path)) {
        std::fprintf(stderr, "%s cannot be written\n", path.c_str());
        return 1;
    }

    millpond::pool<Rocket> loaded(100, with);
    mp_status status = load(loaded, path);
    std::printf("%s: %zu rocket, the second is at %.1f, the first is %s\n", mp_status_text(status), loaded.size(),
                static_cast<double>(loaded[second].x), loaded.contains(first) ? "there" : "gone");

    if (std::FILE *file = std::fopen(path.c_str(), "r+b")) { // somebody damages it
        std::fputs("what", file);
        std::fclose(file);
    }
    status = load(loaded, path);
    std::printf("%s: %zu rocket\n", mp_status_text(status), loaded.size());
}
