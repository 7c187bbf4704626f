/* Bakes one asset: text in, bytes or a C header out.
 *
 *     bake palette-rgba|palette-565|sprite-rgba|sprite-565|level [--premultiply] IN OUT DEPFILE
 *
 * The output is whole or absent: it is written under another name and renamed; if baking fails, an earlier
 * run's output is removed. An output that would not change is not written, so that Ninja's `restat` stops there.
 * The depfile lists every file that was read. A line that starts with `;` is a comment. Pipes, devices and folders are
 * neither read nor written over: Ninja could not see them change, and a pipe keeps who opens it waiting. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BYTES_READ_MAX = 1 << 24, INCLUDE_DEPTH_MAX = 8, NAME_MAX_ = 64, POOLS_MAX = 64, NUMBER_MAX = 9999999 };

typedef struct { char *at; size_t len, room; } buffer;
typedef struct { char *path, *next, *end; unsigned line; } source;

static const char *output_path;
static buffer baked, depfile;
static size_t bytes_read;
static int premultiply;
static char name[NAME_MAX_ + 1]; /* of the asset, in C */

/* Whether something has this name that is not a file. */
static int is_no_file(const char *path) {
    struct stat is;
    return stat(path, &is) == 0 && !S_ISREG(is.st_mode);
}

static void discard(const char *path) {
    if (!is_no_file(path)) remove(path);
}

static void fail(const source *in, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%u: ", in->path, in->line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    discard(output_path);
    exit(1);
}

static void put(buffer *to, const void *bytes, size_t len) {
    if (to->room - to->len < len) {
        to->room = 2 * (to->len + len);
        to->at = realloc(to->at, to->room);
        if (to->at == NULL) fail(&(source){ (char *)output_path, NULL, NULL, 0 }, "out of memory");
    }
    memcpy(to->at + to->len, bytes, len);
    to->len += len;
}

static void print(buffer *to, const char *format, ...) {
    char text[512]; /* four names and some words */
    va_list args;
    va_start(args, format);
    put(to, text, (size_t)vsnprintf(text, sizeof text, format, args));
    va_end(args);
}

/* Adds a path, escaped, to the depfile. */
static void depend(const char *path, const char *after) {
    for (; *path != '\0'; path++) {
        if (strchr(" #\\", *path) != NULL) put(&depfile, "\\", 1);
        put(&depfile, *path == '$' ? "$$" : path, *path == '$' ? 2 : 1);
    }
    print(&depfile, "%s ", after);
}

/* Reads a file whole; `from`, if not null, is the file that includes it. */
static source open_source(char *path, const source *from) {
    source in = { path, NULL, NULL, 0 };
    buffer text = { NULL, 0, 0 };
    char part[4096];
    size_t len;
    if (is_no_file(path)) fail(from != NULL ? from : &in, "%s is a pipe, a device or a folder, not a file", path);
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail(from != NULL ? from : &in, "no file %s", path);
    while ((len = fread(part, 1, sizeof part, file)) != 0) {
        if ((bytes_read += len) > BYTES_READ_MAX) fail(&in, "more than %d bytes to read", BYTES_READ_MAX);
        put(&text, part, len);
    }
    if (ferror(file)) fail(&in, "cannot be read");
    fclose(file);
    put(&text, "", 1);
    if (strlen(text.at) + 1 != text.len) fail(&in, "not a text: it has a zero byte");
    depend(path, "");
    in.next = text.at, in.end = text.at + text.len - 1;
    return in;
}

/* Opens the file that `in` names, relative to the folder of `in`. */
static source open_beside(const source *in, const char *relative) {
    const char *slash = strrchr(in->path, '/');
    buffer path = { NULL, 0, 0 };
    if (slash != NULL) put(&path, in->path, (size_t)(slash - in->path) + 1);
    put(&path, relative, strlen(relative) + 1);
    return open_source(path.at, in);
}

/* The next line that is neither empty nor a comment, or null. */
static char *next_line(source *in) {
    while (in->next < in->end) {
        char *line = in->next, *end = line + strcspn(line, "\n");
        in->next = end + 1, in->line++, *end = '\0';
        while (end > line && isspace((unsigned char)end[-1])) *--end = '\0';
        if (*line != '\0' && *line != ';') return line;
    }
    return NULL;
}

static unsigned char colours[128][4], known[128]; /* by letter */

/* Four bytes; or 16 bits, as two bytes or, if `separator` is not null, as C. */
static void put_colour(const unsigned char *rgba, int wide, const char *separator) {
    unsigned char c[4];
    for (int i = 0; i < 4; i++) c[i] = (unsigned char)(premultiply && i < 3 ? rgba[i] * rgba[3] / 255 : rgba[i]);
    unsigned packed = (unsigned)(c[0] >> 3 << 11 | c[1] >> 2 << 5 | c[2] >> 3);
    unsigned char two[2] = { packed & 255, packed >> 8 & 255 };
    if (separator != NULL) print(&baked, "0x%04x%s", packed, separator);
    else put(&baked, wide ? c : two, wide ? 4 : 2);
}

/* Each line is a letter and its colour: `w ffffffff`. */
static void palette(source in, int write, int wide) {
    for (char *line; (line = next_line(&in)) != NULL;) {
        unsigned long letter = (unsigned char)line[0], rgba;
        if (letter > 127 || strlen(line) != 10 || line[1] != ' ' || strspn(line + 2, "0123456789abcdef") != 8)
            fail(&in, "expected a letter and a colour, such as \"w ffffffff\"");
        if (known[letter]) fail(&in, "the letter %c has a colour already", line[0]);
        known[letter] = 1, rgba = strtoul(line + 2, NULL, 16);
        for (int i = 0; i < 4; i++) colours[letter][i] = (unsigned char)(rgba >> (24 - 8 * i) & 255);
        if (write) put_colour(colours[letter], wide, NULL);
    }
}

/* The line `palette FILE`, then rows of letters. */
static void sprite(source in, int wide) {
    buffer rows = { NULL, 0, 0 };
    size_t width = 0;
    char *line = next_line(&in);
    if (line == NULL || strncmp(line, "palette ", 8) != 0) fail(&in, "expected \"palette FILE\"");
    palette(open_beside(&in, line + 8), 0, 0);
    while ((line = next_line(&in)) != NULL) {
        size_t len = strlen(line);
        if (rows.len == 0) width = len;
        if (len != width) fail(&in, "a row of %u letters; the first has %u", (unsigned)len, (unsigned)width);
        for (size_t i = 0; i < len; i++)
            if ((unsigned char)line[i] > 127 || !known[(unsigned char)line[i]])
                fail(&in, "column %u: the palette lacks this letter", (unsigned)i + 1);
        put(&rows, line, len);
    }
    if (rows.len == 0 || width > 65535 || rows.len / width > 65535) fail(&in, "expected 1 to 65535 rows and columns");
    unsigned w = (unsigned)width, h = (unsigned)(rows.len / width);
    unsigned char size[4] = { w & 255, w >> 8 & 255, h & 255, h >> 8 & 255 };
    if (wide) put(&baked, size, sizeof size);
    else print(&baked, "#pragma once\nenum { %s_width = %u, %s_height = %u };\n", name, w, name, h);
    if (!wide) print(&baked, "static const unsigned short %s_pixels[] = {\n", name);
    for (size_t i = 0; i < rows.len; i++)
        put_colour(colours[(unsigned char)rows.at[i]], wide, wide ? NULL : (i + 1) % width == 0 ? ",\n" : ", ");
    if (!wide) print(&baked, "};\n");
}

static char pools[POOLS_MAX][NAME_MAX_ + 1];
static unsigned slots[POOLS_MAX], pool_count;
static buffer waves;

/* Lines `include FILE`, `pool NAME SLOTS` and `wave FRAME POOL COUNT`. */
static void level_lines(source in, int depth) {
    for (char *line; (line = next_line(&in)) != NULL;) {
        char pool[NAME_MAX_ + 1], excess;
        unsigned frame = 0, count = 0, i = 0;
        int is_include = strncmp(line, "include ", 8) == 0;
        int is_pool = sscanf(line, "pool %64[a-z_] %7u %c", pool, &count, &excess) == 2;
        int is_wave = sscanf(line, "wave %7u %64[a-z_] %7u %c", &frame, pool, &count, &excess) == 3;
        if (!is_include && !is_pool && !is_wave)
            fail(&in, "expected \"include FILE\", \"pool NAME SLOTS\" or \"wave FRAME POOL COUNT\"");
        if (is_include && depth == INCLUDE_DEPTH_MAX) fail(&in, "includes more than %d deep", INCLUDE_DEPTH_MAX);
        if (is_include) level_lines(open_beside(&in, line + 8), depth + 1);
        if (is_include) continue;
        if (frame > NUMBER_MAX || count > NUMBER_MAX) fail(&in, "expected a number from 0 to %d", NUMBER_MAX);
        while (i < pool_count && strcmp(pools[i], pool) != 0) i++;
        if (is_pool && i < pool_count) fail(&in, "the pool %s is there already", pool);
        if (is_pool && i == POOLS_MAX) fail(&in, "more than %d pools", POOLS_MAX);
        if (is_pool) strcpy(pools[i], pool), slots[i] = count, pool_count++;
        if (is_wave && i == pool_count) fail(&in, "no pool has the name %s so far", pool);
        if (is_wave && count > slots[i]) fail(&in, "%u at once; %s has %u slots", count, pool, slots[i]);
        if (is_wave) print(&waves, "    { %u, %u, %u },\n", frame, i, count);
    }
}

static void level(source in) {
    level_lines(in, 0);
    if (waves.len == 0) fail(&in, "expected at least one wave");
    print(&baked, "/* A wave is a frame, a pool and a count. */\n#pragma once\nenum {\n");
    for (unsigned i = 0; i < pool_count; i++)
        print(&baked, "    %s_%s = %u, %s_%s_slots = %u,\n", name, pools[i], i, name, pools[i], slots[i]);
    print(&baked, "    %s_pools = %u\n};\nstatic const unsigned %s_waves[][3] = {\n", name, pool_count, name);
    put(&baked, waves.at, waves.len);
    print(&baked, "};\n");
}

/* Checks that the file's name without its extension can be a C name. */
static void take_name(const source *in) {
    const char *slash = strrchr(in->path, '/'), *start = slash == NULL ? in->path : slash + 1;
    size_t len = strcspn(start, ".");
    int is_name = len != 0 && len <= NAME_MAX_ && !isdigit((unsigned char)*start);
    for (size_t i = 0; i < len; i++) is_name &= isalnum((unsigned char)start[i]) || start[i] == '_';
    if (!is_name) fail(in, "the file's name is to be a C name of at most %d letters", NAME_MAX_);
    memcpy(name, start, len);
}

static int is_up_to_date(void) {
    FILE *file = fopen(output_path, "rb");
    size_t same = 0;
    if (file == NULL) return 0;
    while (same < baked.len && getc(file) == (unsigned char)baked.at[same]) same++;
    same += getc(file) == EOF;
    fclose(file);
    return same == baked.len + 1;
}

static int write_file(const char *path, const buffer *from) {
    FILE *file = is_no_file(path) ? NULL : fopen(path, "wb");
    if (file == NULL) return 0;
    const size_t written = fwrite(from->at, 1, from->len, file);
    return fclose(file) == 0 && written == from->len;
}

int main(int argc, char **argv) {
    premultiply = argc == 6 && strcmp(argv[2], "--premultiply") == 0;
    if (argc != 5 + premultiply) return fputs("usage: bake FORMAT [--premultiply] IN OUT DEPFILE\n", stderr), 2;
    const char *format = argv[1];
    output_path = argv[3 + premultiply];
    depend(output_path, ":");
    source in = open_source(argv[2 + premultiply], NULL);
    take_name(&in);
    if (strcmp(format, "palette-rgba") == 0) palette(in, 1, 1);
    else if (strcmp(format, "palette-565") == 0) palette(in, 1, 0);
    else if (strcmp(format, "sprite-rgba") == 0) sprite(in, 1);
    else if (strcmp(format, "sprite-565") == 0) sprite(in, 0);
    else if (strcmp(format, "level") == 0) level(in);
    else fail(&in, "no format %s", format);
    if (baked.len == 0) fail(&in, "nothing to bake");
    buffer part = { NULL, 0, 0 };
    put(&part, output_path, strlen(output_path));
    put(&part, ".part", sizeof ".part");
    put(&depfile, "\n", 1);
    int written = !is_no_file(output_path) && write_file(argv[4 + premultiply], &depfile);
    if (written && is_up_to_date()) return 0;
    if (written && write_file(part.at, &baked) && rename(part.at, output_path) == 0) return 0;
    discard(part.at);
    discard(argv[4 + premultiply]);
    fail(&in, "%s cannot be written", output_path);
}
