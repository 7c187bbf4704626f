/* Gives a target of libFuzzer inputs that are the same in each run, with any compiler: what a test may depend on. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int main(void) {
    static uint8_t bytes[600];
    uint64_t random = 1;
    int run;
    for (run = 0; run < 20000; run++) {
        size_t count, i;
        for (i = 0; i < sizeof bytes; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (uint8_t)(random >> 56);
        }
        bytes[0] = (uint8_t)run; /* what most targets choose a pool by */
        count = (size_t)(random >> 33) % (sizeof bytes + 1);
        LLVMFuzzerTestOneInput(bytes, count);
    }
    puts("all is well");
    return 0;
}
