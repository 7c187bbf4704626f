/* millpond_record.h: records the heap of a C or C++ program, for `millpond plan`. One file, no library.
 *
 * Without the macro MILLPOND_RECORD, this header is empty, and the program as it was. With it, in every file of the program
 * or in those that count:
 *
 *     #define MILLPOND_RECORD                    // or the compiler's option -DMILLPOND_RECORD
 *     #include "millpond_record.h"               // after all other headers
 *
 * and in one of them, before that line:
 *
 *     #define MILLPOND_RECORD_IMPLEMENTATION
 *
 * In C, malloc, calloc, realloc, aligned_alloc, posix_memalign, strdup and free are recorded where this header is included,
 * each with its function, file and line. In C++, the whole program's operators new and delete are recorded, aligned and sized
 * ones too. Each block has a call site there as well, by the address of the caller; where MILLPOND_RECORD_NEW is defined before
 * this header, `new` also says the type, the function, the file and the line. (Then the files must not declare an `operator
 * new` of their own after this header.) MILLPOND_RECORD_MALLOC also records malloc and the others in C++.
 *
 * The recording is in `millpond.heap`, or where the environment variable MILLPOND_RECORD_FILE says. It begins with the first
 * block and ends with the program; `millpond_record_end()` ends it sooner. `millpond_record_frame()` marks the frames of a
 * game. Then:
 *
 *     millpond plan millpond.heap
 *
 * Threads have buffers of their own; what they say is put in order when one of them is full. What is freed elsewhere, by a
 * library that does not include this, is not seen: its block lives until another one is at its address. The program must be
 * linked with threads (`-pthread`) where that is not the default.
 *
 * It is for C11 and C++11 or later. GCC and Clang were tried, and MinGW's GCC for Windows; it is written for MSVC, too.
 *
 * Licence: MIT or Apache-2.0, as millpond.
 */
#ifndef MILLPOND_RECORD_H
#define MILLPOND_RECORD_H

#ifdef MILLPOND_RECORD

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the beginning of a frame. */
void millpond_record_frame(void);

/* Ends the recording, which then has all that has happened so far. */
void millpond_record_end(void);

/* What the macros below call. */
void *millpond_record_malloc(size_t bytes, const char *file, int line, const char *function);
void *millpond_record_calloc(size_t count, size_t bytes, const char *file, int line, const char *function);
void *millpond_record_realloc(void *block, size_t bytes, const char *file, int line, const char *function);
void *millpond_record_aligned_alloc(size_t alignment, size_t bytes, const char *file, int line, const char *function);
int millpond_record_posix_memalign(void **block, size_t alignment, size_t bytes, const char *file, int line,
                                   const char *function);
char *millpond_record_strdup(const char *text, const char *file, int line, const char *function);
void millpond_record_free(void *block);

/* The call site of the next `new` in this thread, and the type of the block that it made. */
void millpond_record_at(const char *file, int line, const char *function);
void millpond_record_type(void *block, const char *type);

#ifdef __cplusplus
}

/* `new T(...)` becomes `millpond_record_site(...) ->* new T(...)`, which is the pointer that it would be, and tells the type. */
struct millpond_record_site {
    millpond_record_site(const char *file, int line, const char *function) { millpond_record_at(file, line, function); }
};

template <class T> const char *millpond_record_type_name()
{
#if defined(_MSC_VER) && !defined(__clang__)
    return __FUNCSIG__;
#else
    return __PRETTY_FUNCTION__;
#endif
}

template <class T> inline T *operator->*(const millpond_record_site &, T *block)
{
    millpond_record_type((void *)block, millpond_record_type_name<T>());
    return block;
}
#endif

/* ------------------------------------------------------------------------------------------------------------------------ */
#ifdef MILLPOND_RECORD_IMPLEMENTATION

#include <stdint.h>
#include <stdio.h>

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <malloc.h>
#include <windows.h>
#else
#include <pthread.h>
#include <time.h>
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#define MPR_THREAD_LOCAL __declspec(thread)
#define MPR_NOINLINE __declspec(noinline)
#define MPR_CALLER() _ReturnAddress()
#define MPR_LOAD(place) ((uint64_t)_InterlockedOr64((volatile long long *)(place), 0))
#define MPR_STORE(place, value) ((void)_InterlockedExchange64((volatile long long *)(place), (long long)(value)))
#define MPR_LOAD32(place) ((uint32_t)_InterlockedOr((volatile long *)(place), 0))
#define MPR_STORE32(place, value) ((void)_InterlockedExchange((volatile long *)(place), (long)(value)))
#define MPR_NEXT(place) ((uint64_t)_InterlockedExchangeAdd64((volatile long long *)(place), 1))
#else
#define MPR_THREAD_LOCAL __thread
#define MPR_NOINLINE __attribute__((noinline))
#define MPR_CALLER() __builtin_return_address(0)
#define MPR_LOAD(place) __atomic_load_n((place), __ATOMIC_ACQUIRE)
#define MPR_STORE(place, value) __atomic_store_n((place), (value), __ATOMIC_RELEASE)
#define MPR_LOAD32(place) __atomic_load_n((place), __ATOMIC_RELAXED)
#define MPR_STORE32(place, value) __atomic_store_n((place), (value), __ATOMIC_RELAXED)
#define MPR_NEXT(place) __atomic_fetch_add((place), 1, __ATOMIC_RELAXED)
#endif

/* How many events a thread's buffer has, and how many recent blocks of a thread may still get a type. Powers of two. */
#define MPR_EVENTS 4096u
#define MPR_RECENT 16u
/* How many call sites a thread finds without the lock. */
#define MPR_CACHED 256u

/* What an event is that is no birth, in place of its call site. */
#define MPR_DEATH 0xffffffffu
#define MPR_FRAME 0xfffffffeu

typedef struct {
    uint64_t order; /* of all events of all threads */
    uint64_t block;
    uint64_t bytes;
    uint32_t ms;
    uint32_t site; /* the owner may write it a second time while another thread reads it */
} mpr_event;

/* A call site: a file and a line, or an address; and the type that is made there, if it is known. */
typedef struct {
    const void *place;
    const char *type;
    uint32_t line;
    uint32_t number;
} mpr_site;

/* The buffer of one thread. Only its owner writes events and `head`; whoever has the lock writes `tail`. */
typedef struct mpr_buffer {
    mpr_event events[MPR_EVENTS];
    uint64_t head, tail;
    struct mpr_buffer *next;
    int is_taken; /* with the lock */
    mpr_site cached[MPR_CACHED];
    mpr_site pending; /* the call site that `new` is about to have */
    const char *pending_function;
    struct {
        uint64_t block, event;
        mpr_site site;
        const char *function;
    } recent[MPR_RECENT];
    uint32_t recents;
} mpr_buffer;

static struct {
    FILE *file;
    int is_over;
    mpr_buffer *buffers;
    mpr_site *sites; /* a table of hashes, half empty */
    uint32_t sites_room, sites_used;
    uint32_t ms;      /* the time of the last event that was written */
    uint64_t begun;   /* the clock when the recording began */
    uint64_t order;
    char text[1 << 16];
    size_t used;
} mpr;

static MPR_THREAD_LOCAL mpr_buffer *mpr_mine;

#ifdef _WIN32
static SRWLOCK mpr_lock_ = SRWLOCK_INIT;
static DWORD mpr_key = FLS_OUT_OF_INDEXES;
static void mpr_lock(void) { AcquireSRWLockExclusive(&mpr_lock_); }
static void mpr_unlock(void) { ReleaseSRWLockExclusive(&mpr_lock_); }
static uint64_t mpr_clock(void) { return GetTickCount64(); }
#else
static pthread_mutex_t mpr_lock_ = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t mpr_key;
static void mpr_lock(void) { pthread_mutex_lock(&mpr_lock_); }
static void mpr_unlock(void) { pthread_mutex_unlock(&mpr_lock_); }
static uint64_t mpr_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
#endif

static uint32_t mpr_now(void) { return (uint32_t)(mpr_clock() - MPR_LOAD(&mpr.begun)); }

/* What follows until `mpr_event_at` is called with the lock. */

static void mpr_flush_text(void)
{
    if (mpr.file && mpr.used && fwrite(mpr.text, 1, mpr.used, mpr.file) != mpr.used) {
        fclose(mpr.file); /* the disk is full: the recording ends here, and says by its missing end that it is not whole */
        mpr.file = NULL;
    }
    mpr.used = 0;
}

static void mpr_byte(char byte)
{
    if (mpr.used == sizeof mpr.text) mpr_flush_text();
    mpr.text[mpr.used++] = byte;
}

static void mpr_number(uint64_t number)
{
    char digits[16];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number);
    mpr_byte(' ');
    while (count) mpr_byte(digits[--count]);
}

/* Text without what separates fields and lines, and not longer than a line may be. */
static void mpr_words(const char *text, size_t bytes)
{
    size_t at;
    for (at = 0; at < bytes && at < 4000 && text[at]; at++) mpr_byte((unsigned char)text[at] < ' ' ? ' ' : text[at]);
}

static void mpr_name(uint64_t address, const char *name, size_t name_bytes, const char *file, uint32_t line)
{
    char number[16];
    mpr_byte('n');
    mpr_number(address);
    mpr_byte('\t');
    mpr_words(name, name_bytes);
    mpr_byte('\t');
    if (file) {
        mpr_words(file, 4000);
        snprintf(number, sizeof number, ":%u", (unsigned)line);
        mpr_words(number, sizeof number);
    }
    mpr_byte('\t');
    mpr_byte('\n');
}

/* The name of a type within the name of the function that is made for it. */
static const char *mpr_type_in(const char *function, size_t *bytes)
{
    const char *begin = strstr(function, "T = "), *end;
    if (begin) {
        begin += 4;
        end = strpbrk(begin, ";]");
        /* `T = int[3]; ...` is not met: arrays come as a pointer to their first element. */
    } else if ((begin = strstr(function, "type_name<"))) {
        begin += 10;
        end = strstr(begin, ">(");
        if (!strncmp(begin, "struct ", 7)) begin += 7;
        else if (!strncmp(begin, "class ", 6)) begin += 6;
    } else {
        begin = function;
        end = NULL;
    }
    *bytes = end ? (size_t)(end - begin) : strlen(begin);
    return begin;
}

static size_t mpr_hash(const mpr_site *site)
{
    uint64_t hash = (uint64_t)(uintptr_t)site->place * 0x9e3779b97f4a7c15u + site->line;
    hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9u + (uint64_t)(uintptr_t)site->type;
    return (size_t)(hash ^ (hash >> 32));
}

static int mpr_same(const mpr_site *a, const mpr_site *b)
{
    return a->place == b->place && a->line == b->line && a->type == b->type;
}

/* The number of a call site, which is written when it is new; 0 if there is no memory for it. */
static uint32_t mpr_site_number(mpr_site site, const char *function)
{
    size_t at;
    uint32_t old;
    if (mpr.sites_used * 2 >= mpr.sites_room) {
        uint32_t room = mpr.sites_room ? mpr.sites_room * 2 : 1024;
        mpr_site *before = mpr.sites, *sites = (mpr_site *)(calloc)(room, sizeof *sites);
        if (!sites || room > 1u << 21) {
            (free)(sites);
            return 0;
        }
        mpr.sites = sites;
        for (old = 0; old < mpr.sites_room; old++) {
            if (!before[old].number) continue;
            for (at = mpr_hash(&before[old]) & (room - 1); sites[at].number;) at = (at + 1) & (room - 1);
            sites[at] = before[old];
        }
        mpr.sites_room = room;
        (free)(before);
    }
    at = mpr_hash(&site) & (mpr.sites_room - 1);
    for (; mpr.sites[at].number; at = (at + 1) & (mpr.sites_room - 1))
        if (mpr_same(&mpr.sites[at], &site)) return mpr.sites[at].number;
    site.number = ++mpr.sites_used;
    mpr.sites[at] = site;
    /* Its stack: the type, if it is known, and the function. Both have the number of the site as an address, which no code
     * has, or the address of the code. */
    {
        uint64_t caller = site.line ? (uint64_t)site.number * 2 : (uint64_t)(uintptr_t)site.place;
        mpr_byte('t');
        mpr_number(site.number);
        if (site.type) mpr_number((uint64_t)site.number * 2 + 1);
        mpr_number(caller);
        mpr_byte('\n');
        if (site.type) {
            size_t bytes;
            const char *type = mpr_type_in(site.type, &bytes);
            char name[512];
            int length = snprintf(name, sizeof name, "new<%.*s>", (int)(bytes < 500 ? bytes : 500), type);
            mpr_name((uint64_t)site.number * 2 + 1, name, (size_t)length, NULL, 0);
        }
        if (site.line) mpr_name(caller, function ? function : "", 4000, (const char *)site.place, site.line);
    }
    return site.number;
}

/* Writes the events of all threads, in their order. */
static void mpr_write_all(void)
{
    for (;;) {
        mpr_buffer *buffer, *first = NULL;
        mpr_event *event;
        uint32_t site;
        for (buffer = mpr.buffers; buffer; buffer = buffer->next) {
            if (buffer->tail == MPR_LOAD(&buffer->head)) continue;
            if (!first || buffer->events[buffer->tail % MPR_EVENTS].order < first->events[first->tail % MPR_EVENTS].order)
                first = buffer;
        }
        if (!first) return;
        event = &first->events[first->tail % MPR_EVENTS];
        site = MPR_LOAD32(&event->site);
        if (site != MPR_FRAME && (event->ms > mpr.ms || !mpr.ms)) {
            mpr.ms = event->ms > mpr.ms ? event->ms : mpr.ms;
            mpr_byte('c');
            mpr_number(mpr.ms);
            mpr_byte('\n');
        }
        mpr_byte(site == MPR_FRAME ? 'f' : site == MPR_DEATH ? '-' : '+');
        mpr_number(site == MPR_FRAME ? (event->ms > mpr.ms ? event->ms : mpr.ms) : event->block);
        if (site < MPR_FRAME) {
            mpr_number(event->bytes);
            mpr_number(site);
        }
        mpr_byte('\n');
        MPR_STORE(&first->tail, first->tail + 1);
    }
}

#ifdef _WIN32
static void WINAPI mpr_give_back(void *buffer)
#else
static void mpr_give_back(void *buffer)
#endif
{
    mpr_lock();
    ((mpr_buffer *)buffer)->is_taken = 0;
    mpr_unlock();
    mpr_mine = NULL;
}

static void mpr_end_at_exit(void) { millpond_record_end(); }

static void mpr_begin(void)
{
    const char *path = getenv("MILLPOND_RECORD_FILE"), *name = "program";
    MPR_STORE(&mpr.begun, mpr_clock());
    mpr.file = fopen(path && *path ? path : "millpond.heap", "wb");
    if (!mpr.file) {
        fprintf(stderr, "millpond_record: cannot write %s\n", path && *path ? path : "millpond.heap");
        mpr.is_over = 1;
        return;
    }
#if defined(__GLIBC__)
    {
        extern char *program_invocation_name;
        name = program_invocation_name;
    }
#endif
    setvbuf(mpr.file, NULL, _IONBF, 0);
    {
        const char *head = "millpond heap 1 header\nx ";
        while (*head) mpr_byte(*head++);
        mpr_words(name, 4000);
        mpr_byte('\n');
    }
#ifdef _WIN32
    mpr_key = FlsAlloc(mpr_give_back);
#else
    pthread_key_create(&mpr_key, mpr_give_back);
#endif
    atexit(mpr_end_at_exit);
}

/* The buffer of this thread: one of a thread that has ended, or a new one. */
static mpr_buffer *mpr_buffer_here(void)
{
    mpr_buffer *buffer = mpr_mine;
    if (buffer) return buffer;
    mpr_lock();
    if (!mpr.file && !mpr.is_over) mpr_begin();
    if (!mpr.is_over) {
        for (buffer = mpr.buffers; buffer && buffer->is_taken;) buffer = buffer->next;
        if (!buffer && (buffer = (mpr_buffer *)(calloc)(1, sizeof *buffer))) {
            buffer->next = mpr.buffers;
            mpr.buffers = buffer;
        }
        if (buffer) buffer->is_taken = 1;
    }
    mpr_mine = buffer;
    mpr_unlock();
#ifdef _WIN32
    if (buffer) FlsSetValue(mpr_key, buffer);
#else
    if (buffer) pthread_setspecific(mpr_key, buffer);
#endif
    return buffer;
}

static uint32_t mpr_site_here(mpr_buffer *mine, mpr_site site, const char *function)
{
    mpr_site *cached = &mine->cached[mpr_hash(&site) % MPR_CACHED];
    if (cached->number && mpr_same(cached, &site)) return cached->number;
    mpr_lock();
    site.number = mpr.is_over ? 0 : mpr_site_number(site, function);
    mpr_unlock();
    *cached = site;
    return site.number;
}

/* Adds an event; returns its number in the buffer. */
static uint64_t mpr_event_at(mpr_buffer *mine, void *block, size_t bytes, uint32_t site)
{
    uint64_t head = mine->head;
    mpr_event *event;
    if (head - MPR_LOAD(&mine->tail) == MPR_EVENTS) {
        mpr_lock();
        mpr_write_all();
        mpr_unlock();
    }
    event = &mine->events[head % MPR_EVENTS];
    event->order = MPR_NEXT(&mpr.order);
    event->block = (uint64_t)(uintptr_t)block;
    event->bytes = bytes;
    event->ms = mpr_now();
    MPR_STORE32(&event->site, site);
    MPR_STORE(&mine->head, head + 1);
    return head;
}

static void mpr_birth(void *block, size_t bytes, mpr_site site, const char *function)
{
    mpr_buffer *mine = block ? mpr_buffer_here() : NULL;
    uint32_t slot;
    if (!mine) return;
    if (mine->pending.place) {
        site = mine->pending;
        function = mine->pending_function;
        mine->pending.place = NULL;
    }
    slot = mine->recents++ % MPR_RECENT;
    mine->recent[slot].block = (uint64_t)(uintptr_t)block;
    mine->recent[slot].site = site;
    mine->recent[slot].function = function;
    mine->recent[slot].event = mpr_event_at(mine, block, bytes, mpr_site_here(mine, site, function));
}

/* The death is told before the block is free, so that its address is not told as born before. */
static void mpr_death(void *block)
{
    mpr_buffer *mine = block ? mpr_buffer_here() : NULL;
    if (mine) mpr_event_at(mine, block, 0, MPR_DEATH);
}

static mpr_site mpr_line(const char *file, int line)
{
    mpr_site site = {file, NULL, (uint32_t)line, 0};
    return site;
}

#ifdef __cplusplus
extern "C" {
#endif

void millpond_record_frame(void)
{
    mpr_buffer *mine = mpr_buffer_here();
    if (mine) mpr_event_at(mine, NULL, 0, MPR_FRAME);
}

void millpond_record_end(void)
{
    mpr_lock();
    if (mpr.file) {
        mpr_write_all();
        mpr_byte('e');
        mpr_number(0);
        mpr_byte('\n');
        mpr_flush_text();
        if (mpr.file) fclose(mpr.file);
        mpr.file = NULL;
    }
    mpr.is_over = 1;
    mpr_unlock();
}

void millpond_record_at(const char *file, int line, const char *function)
{
    mpr_buffer *mine = mpr_buffer_here();
    if (!mine) return;
    mine->pending = mpr_line(file, line);
    mine->pending_function = function;
}

void millpond_record_type(void *block, const char *type)
{
    mpr_buffer *mine = mpr_buffer_here();
    uint32_t back;
    if (!mine) return;
    mine->pending.place = NULL; /* a placement `new` has used no memory */
    for (back = 1; back <= MPR_RECENT && back <= mine->recents; back++) {
        uint32_t slot = (mine->recents - back) % MPR_RECENT;
        uint64_t begin = mine->recent[slot].block;
        mpr_site site = mine->recent[slot].site;
        /* An array with a destructor begins with its length. */
        if (begin != (uint64_t)(uintptr_t)block && begin + sizeof(size_t) != (uint64_t)(uintptr_t)block) continue;
        site.type = type;
        /* If the event is in the file already, it stays as it is there. */
        if (mine->head - mine->recent[slot].event <= MPR_EVENTS) {
            uint32_t number = mpr_site_here(mine, site, mine->recent[slot].function);
            MPR_STORE32(&mine->events[mine->recent[slot].event % MPR_EVENTS].site, number);
        }
        return;
    }
}

void *millpond_record_malloc(size_t bytes, const char *file, int line, const char *function)
{
    void *block = (malloc)(bytes);
    mpr_birth(block, bytes, mpr_line(file, line), function);
    return block;
}

void *millpond_record_calloc(size_t count, size_t bytes, const char *file, int line, const char *function)
{
    void *block = (calloc)(count, bytes);
    mpr_birth(block, count * bytes, mpr_line(file, line), function);
    return block;
}

void *millpond_record_realloc(void *block, size_t bytes, const char *file, int line, const char *function)
{
    void *moved;
    mpr_death(block);
    moved = (realloc)(block, bytes);
    if (moved) mpr_birth(moved, bytes, mpr_line(file, line), function);
    else if (bytes) mpr_birth(block, bytes, mpr_line(file, line), function);
    return moved;
}

void *millpond_record_aligned_alloc(size_t alignment, size_t bytes, const char *file, int line, const char *function)
{
#ifdef _WIN32
    /* Windows frees such blocks by another function, so they cannot be told from others: not recorded. */
    (void)file, (void)line, (void)function;
    return _aligned_malloc(bytes, alignment);
#else
    void *block = NULL;
    if (posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes)) return NULL;
    mpr_birth(block, bytes, mpr_line(file, line), function);
    return block;
#endif
}

#ifndef _WIN32
int millpond_record_posix_memalign(void **block, size_t alignment, size_t bytes, const char *file, int line,
                                   const char *function)
{
    int error = posix_memalign(block, alignment, bytes);
    if (!error) mpr_birth(*block, bytes, mpr_line(file, line), function);
    return error;
}
#endif

char *millpond_record_strdup(const char *text, const char *file, int line, const char *function)
{
    size_t bytes = strlen(text) + 1;
    char *copy = (char *)millpond_record_malloc(bytes, file, line, function);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

void millpond_record_free(void *block)
{
    mpr_death(block);
    (free)(block);
}

#ifdef __cplusplus
}

#include <new>

static void *mpr_new(size_t bytes, size_t alignment, const void *caller)
{
    mpr_site site = {caller, NULL, 0, 0};
    void *block;
    if (!bytes) bytes = 1;
    for (;;) {
#ifdef _WIN32
        block = alignment ? _aligned_malloc(bytes, alignment) : (malloc)(bytes);
#else
        if (!alignment) block = (malloc)(bytes);
        else if (posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes)) block = NULL;
#endif
        if (block) break;
        std::new_handler handler = std::get_new_handler();
        if (!handler) return NULL;
        handler();
    }
    mpr_birth(block, bytes, site, NULL);
    return block;
}

static void *mpr_new_or_throw(size_t bytes, size_t alignment, const void *caller)
{
    void *block = mpr_new(bytes, alignment, caller);
    if (!block) {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
        throw std::bad_alloc();
#else
        abort();
#endif
    }
    return block;
}

static void *mpr_new_or_null(size_t bytes, size_t alignment, const void *caller) noexcept
{
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    try {
        return mpr_new(bytes, alignment, caller);
    } catch (...) {
        return NULL;
    }
#else
    return mpr_new(bytes, alignment, caller);
#endif
}

static void mpr_delete(void *block, bool is_aligned) noexcept
{
    mpr_death(block);
#ifdef _WIN32
    if (is_aligned) _aligned_free(block);
    else (free)(block);
#else
    (void)is_aligned;
    (free)(block);
#endif
}

MPR_NOINLINE void *operator new(size_t bytes) { return mpr_new_or_throw(bytes, 0, MPR_CALLER()); }
MPR_NOINLINE void *operator new[](size_t bytes) { return mpr_new_or_throw(bytes, 0, MPR_CALLER()); }
MPR_NOINLINE void *operator new(size_t bytes, const std::nothrow_t &) noexcept
{
    return mpr_new_or_null(bytes, 0, MPR_CALLER());
}
MPR_NOINLINE void *operator new[](size_t bytes, const std::nothrow_t &) noexcept
{
    return mpr_new_or_null(bytes, 0, MPR_CALLER());
}
MPR_NOINLINE void operator delete(void *block) noexcept { mpr_delete(block, false); }
MPR_NOINLINE void operator delete[](void *block) noexcept { mpr_delete(block, false); }
MPR_NOINLINE void operator delete(void *block, const std::nothrow_t &) noexcept { mpr_delete(block, false); }
MPR_NOINLINE void operator delete[](void *block, const std::nothrow_t &) noexcept { mpr_delete(block, false); }
MPR_NOINLINE void operator delete(void *block, size_t) noexcept { mpr_delete(block, false); }
MPR_NOINLINE void operator delete[](void *block, size_t) noexcept { mpr_delete(block, false); }
#if defined(__cpp_aligned_new)
MPR_NOINLINE void *operator new(size_t bytes, std::align_val_t alignment)
{
    return mpr_new_or_throw(bytes, (size_t)alignment, MPR_CALLER());
}
MPR_NOINLINE void *operator new[](size_t bytes, std::align_val_t alignment)
{
    return mpr_new_or_throw(bytes, (size_t)alignment, MPR_CALLER());
}
MPR_NOINLINE void *operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return mpr_new_or_null(bytes, (size_t)alignment, MPR_CALLER());
}
MPR_NOINLINE void *operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
    return mpr_new_or_null(bytes, (size_t)alignment, MPR_CALLER());
}
MPR_NOINLINE void operator delete(void *block, std::align_val_t) noexcept { mpr_delete(block, true); }
MPR_NOINLINE void operator delete[](void *block, std::align_val_t) noexcept { mpr_delete(block, true); }
MPR_NOINLINE void operator delete(void *block, size_t, std::align_val_t) noexcept { mpr_delete(block, true); }
MPR_NOINLINE void operator delete[](void *block, size_t, std::align_val_t) noexcept { mpr_delete(block, true); }
MPR_NOINLINE void operator delete(void *block, std::align_val_t, const std::nothrow_t &) noexcept { mpr_delete(block, true); }
MPR_NOINLINE void operator delete[](void *block, std::align_val_t, const std::nothrow_t &) noexcept { mpr_delete(block, true); }
#endif
#endif /* __cplusplus */
#endif /* MILLPOND_RECORD_IMPLEMENTATION */

/* ------------------------------------------------------------------------------------------------------------------------ */

#if !defined(__cplusplus) || defined(MILLPOND_RECORD_MALLOC)
#undef strdup
#define malloc(bytes) millpond_record_malloc((bytes), __FILE__, __LINE__, __func__)
#define calloc(count, bytes) millpond_record_calloc((count), (bytes), __FILE__, __LINE__, __func__)
#define realloc(block, bytes) millpond_record_realloc((block), (bytes), __FILE__, __LINE__, __func__)
#ifndef _WIN32
#define aligned_alloc(alignment, bytes) millpond_record_aligned_alloc((alignment), (bytes), __FILE__, __LINE__, __func__)
#define posix_memalign(block, alignment, bytes) \
    millpond_record_posix_memalign((block), (alignment), (bytes), __FILE__, __LINE__, __func__)
#endif
#define strdup(text) millpond_record_strdup((text), __FILE__, __LINE__, __func__)
#define free(block) millpond_record_free(block)
#endif

#if defined(__cplusplus) && defined(MILLPOND_RECORD_NEW)
#define new millpond_record_site(__FILE__, __LINE__, __func__)->*new
#endif

#else /* without MILLPOND_RECORD */

#define millpond_record_frame() ((void)0)
#define millpond_record_end() ((void)0)

#endif
#endif
