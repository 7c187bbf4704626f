// crates/millpond/examples/on_boxes.rs in C++, with the same objects and the same random numbers. CHANGE is a change made on
// purpose, for the tests of `millpond diff`.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifdef PACE_MS
#include <chrono>
#include <thread>
#endif

#include "millpond_record.h"

#ifndef CHANGE
#define CHANGE 0
#endif

struct Unit {
    float position[3];
    int32_t health;
    uint32_t ticks_to_shot;
    float path[9][2];
};

struct Shell {
    float position[3];
    float speed[3];
    uint32_t ticks_left;
    int32_t damage;
    uint64_t from;
};

struct Puff {
    float position[3];
    float size;
    uint32_t ticks_left;
    float colour[9];
#if CHANGE == 1
    float spin[2]; // a larger object
#endif
};

static uint64_t state = 1;

static uint32_t below(uint32_t limit)
{
    state = state * 6364136223846793005u + 1;
    return (uint32_t)(state >> 33) % limit;
}

#if CHANGE == 4
static void *spare() { return new Shell(); } // a new call site
#endif

int main()
{
    std::vector<Unit *> units;
    std::vector<Shell *> shells;
    std::vector<Puff *> puffs;
    units.reserve(4096);
    shells.reserve(4096);
    puffs.reserve(1 << 16);
    uint64_t fallen = 0, shots = 0;
    double smoke = 0;
    for (uint32_t tick = 0; tick < 1200; tick++) {
        millpond_record_frame();
#if CHANGE == 5
        bool attack = tick < 480 && tick % 4 == 0; // all waves at the beginning: the peak is elsewhere
#else
        bool attack = tick % 300 < 120 && tick % 4 == 0;
#endif
        if (attack) {
            auto unit = new Unit();
            unit->position[0] = (float)below(1000);
            unit->position[1] = (float)below(1000);
            unit->health = 100;
            unit->ticks_to_shot = 30 + below(90);
            units.push_back(unit);
        }
        for (auto unit : units) {
            unit->position[0] += 0.1f + unit->path[0][0];
            if (--unit->ticks_to_shot == 0) {
                unit->ticks_to_shot = 40 + below(60);
                shots++;
                auto shell = new Shell();
                shell->position[0] = unit->position[0];
                shell->speed[0] = 1;
                shell->ticks_left = 20 + below(40);
                shell->damage = 10;
                shell->from = shots;
                shells.push_back(shell);
            }
        }
        for (auto shell : shells) {
            shell->position[0] += shell->speed[0];
            if (--shell->ticks_left == 0) {
#if CHANGE == 2
                const int each = 9; // more objects
#else
                const int each = 6;
#endif
                for (int n = 0; n < each; n++) {
                    auto puff = new Puff();
                    puff->position[0] = shell->position[0];
                    puff->size = 1.0f + (float)(shell->from % 3);
                    uint32_t life = 30 + below(30);
#if CHANGE == 3
                    life *= 3; // a longer life
#endif
                    puff->ticks_left = life;
                    puffs.push_back(puff);
                }
                if (!units.empty()) units[below((uint32_t)units.size())]->health -= shell->damage;
            }
        }
        auto remove_if = [](auto &all, auto is_over) {
            size_t kept = 0;
            for (auto object : all) {
                if (is_over(object)) delete object;
                else all[kept++] = object;
            }
            all.resize(kept);
        };
        remove_if(shells, [](Shell *shell) { return shell->ticks_left == 0; });
        for (auto puff : puffs) {
            puff->ticks_left--;
            puff->size *= 1.01f;
            smoke += puff->size;
        }
        remove_if(puffs, [](Puff *puff) { return puff->ticks_left == 0; });
        size_t before = units.size();
        remove_if(units, [](Unit *unit) { return unit->health <= 0; });
        fallen += before - units.size();
#ifdef PACE_MS
        std::this_thread::sleep_for(std::chrono::milliseconds(PACE_MS));
#endif
#if CHANGE == 4
        delete static_cast<Shell *>(spare());
#endif
    }
    printf("%llu units have fallen to %llu shells, in %.0f of smoke\n", (unsigned long long)fallen,
           (unsigned long long)shots, smoke);
    for (auto unit : units) delete unit;
    for (auto shell : shells) delete shell;
    for (auto puff : puffs) delete puff;
}
