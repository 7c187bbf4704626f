// Reads a file of JSON, and prints each value of its list as text, as servers do: print FILE [ROUNDS].
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cJSON.h"

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)bytes + 1);
    if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) text[0] = 0;
    fclose(file);
    return text;
}

int main(int argc, char **argv) {
    char *text = argc > 1 ? read_file(argv[1]) : NULL;
    cJSON *all = text ? cJSON_Parse(text) : NULL;
    if (!all) return 1;
    int rounds = argc > 2 ? atoi(argv[2]) : 1;
    unsigned long sum = 0, bytes = 0;
    for (int round = 0; round < rounds; round++) {
        const cJSON *one;
        cJSON_ArrayForEach(one, all) {
            char *printed = cJSON_PrintUnformatted(one);
            if (!printed) return 1;
            for (const char *byte = printed; *byte; byte++) sum = sum * 31 + (unsigned char)*byte;
            bytes += strlen(printed);
            free(printed);
        }
    }
    cJSON_Delete(all);
    free(text);
    printf("%lu bytes, sum %lx\n", bytes, sum);
    return 0;
}
