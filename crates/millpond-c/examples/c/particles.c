/* The fourth design: the object pool of games. Particles with a position, a speed and the frames that they have left;
 * `animate` moves each, and one whose time is up goes back to the pool in the same pass. Draws the fireworks after two
 * seconds as a picture: `particles PICTURE.ppm`. */
#include <millpond.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct particle {
    float x, y, dx, dy;
    int frames_left, colour;
} particle;

MP_POOL(particles, particle)

#define WIDTH 320
#define HEIGHT 200

static unsigned char picture[HEIGHT][WIDTH][3];
static unsigned seed = 20;

static float between(float from, float to) {
    seed = seed * 1664525u + 1013904223u;
    return from + (to - from) * (float)(seed >> 8) / (float)(1 << 24);
}

/* The pool initialises; when it is full, nobody misses one spark among so many. */
static void burst(particles *all, float x, float y, int count, int colour) {
    particles_id id;
    while (count-- > 0) {
        particle *made = particles_insert(all, &id);
        if (made == NULL) {
            return;
        }
        made->x = x;
        made->y = y;
        do { /* any direction: a point in a circle */
            made->dx = between(-1, 1);
            made->dy = between(-1, 1);
        } while (made->dx * made->dx + made->dy * made->dy > 1);
        made->dx *= 1.4f;
        made->dy = made->dy * 1.4f - 0.5f;
        made->frames_left = (int)between(20, 70);
        made->colour = colour;
    }
}

static void animate(particles *all) {
    mp_run run = MP_RUN;
    particle *first;
    mp_pool_refresh(all->pool);
    while ((first = particles_next_run(all, &run)) != NULL) {
        size_t at;
        for (at = 0; at < run.count; at++) {
            particle *one = &first[at];
            one->x += one->dx;
            one->y += one->dy;
            one->dy += 0.03f;
            if (--one->frames_left == 0) {
                particles_remove(all, particles_id_at(all, run.first + at));
            }
        }
    }
}

static void draw(const particles *all) {
    mp_run run = MP_RUN;
    const particle *first;
    while ((first = particles_next_run(all, &run)) != NULL) {
        size_t at;
        for (at = 0; at < run.count; at++) {
            const particle *one = &first[at];
            int age, channel; /* with a tail of the last frames, ever darker */
            for (age = 3; age >= 0; age--) {
                int x = (int)(one->x - one->dx * (float)age), y = (int)(one->y - one->dy * (float)age);
                for (channel = 0; channel < 3 && x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT; channel++) {
                    picture[y][x][channel] = (unsigned char)((one->colour >> (8 * channel) & 0xff) >> age);
                }
            }
        }
    }
}

int main(int count, char **arguments) {
    static const int colours[3] = {0x40c0ff, 0xff8040, 0x60ff60};
    mp_options options = MP_OPTIONS(particle, 2000);
    mp_pool *pool;
    particles all;
    mp_stats stats;
    int frame;
    options.flags = MP_FILLED; /* the use of a dead particle would show */
    options.name = "particles";
    if (mp_pool_create(&options, &pool) != MP_OK) {
        return 1;
    }
    all = particles_of(pool);
    for (frame = 0; frame < 120; frame++) {
        if (frame % 12 == 0) {
            burst(&all, between(50, WIDTH - 50), between(40, 120), 500, colours[frame / 12 % 3]);
        }
        animate(&all);
    }
    draw(&all);
    stats = mp_pool_stats(pool);
    printf("%s particles live, %s were born, %s were refused, at most 2000 at once: %s\n",
           stats.live > 1000 ? "more than 1,000" : "too few", stats.inserted > 3000 ? "more than 3,000" : "too few",
           stats.refused > 0 ? "some" : "none", stats.peak <= 2000 ? "yes" : "no");
    mp_pool_clear(pool);
    if (mp_pool_validate(pool, NULL, 0) != MP_OK || mp_live(pool) != 0) {
        return 2;
    }
    mp_pool_destroy(pool);
    if (count > 1) {
        FILE *file = fopen(arguments[1], "wb");
        if (file == NULL || fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT) < 0 ||
            fwrite(picture, sizeof picture, 1, file) != 1 || fclose(file) != 0) {
            fprintf(stderr, "%s: cannot be written\n", arguments[1]);
            return 3;
        }
    }
    return 0;
}
