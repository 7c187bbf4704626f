// An arena for libxml2: the nodes, attributes and texts of a document are taken one after the other, and none is freed
// before the program ends. Blocks of other sizes are the system's. Loaded before the program:
// LD_PRELOAD=libarena.so xmllint …
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// libxml2's hook for a program's own memory.
extern int xmlMemSetup(void (*)(void *), void *(*)(size_t), void *(*)(void *, size_t), char *(*)(const char *));

// Address space only: a page takes memory when it is first written.
#define ARENA_BYTES ((size_t)1 << 32)
#define BLOCK_BYTES_MAX 120

static char *arena, *next, *end;

static int is_of_arena(const void *block) { return (const char *)block >= arena && (const char *)block < end; }

static void *take(size_t bytes) {
    size_t rounded = (bytes + 15) & ~(size_t)15;
    if (bytes > BLOCK_BYTES_MAX || rounded > (size_t)(end - next)) return malloc(bytes);
    void *block = next;
    next += rounded;
    return block;
}

static void give_back(void *block) {
    if (!is_of_arena(block)) free(block);
}

static void *resize(void *block, size_t bytes) {
    if (!is_of_arena(block)) return realloc(block, bytes);
    void *larger = take(bytes);
    // A block's size is not known; it has at most this many bytes, and all of them are the arena's.
    size_t copied = bytes < BLOCK_BYTES_MAX ? bytes : BLOCK_BYTES_MAX;
    if (copied > (size_t)(end - (char *)block)) copied = end - (char *)block;
    if (larger) memmove(larger, block, copied);
    return larger;
}

static char *copy_text(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = take(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

__attribute__((constructor)) static void begin(void) {
    void *pages = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return;
    arena = next = pages;
    end = arena + ARENA_BYTES;
    xmlMemSetup(give_back, take, resize, copy_text);
}
