// Cleans a page of HTML with the library of HTML Tidy, and writes it. The library asks these functions for its memory.
#include <stdio.h>
#include <stdlib.h>
#include <tidy.h>
#include <tidybuffio.h>

static void *take(size_t bytes) { return malloc(bytes); }

static void *resize(void *block, size_t bytes) { return realloc(block, bytes); }

static void give_back(void *block) { free(block); }

int main(int count, char **words) {
    if (count != 2) return 2;
    tidySetMallocCall(take);
    tidySetReallocCall(resize);
    tidySetFreeCall(give_back);
    TidyBuffer page, messages;
    tidyBufInit(&page);
    tidyBufInit(&messages);
    TidyDoc document = tidyCreate();
    tidySetErrorBuffer(document, &messages);
    tidyOptSetBool(document, TidyForceOutput, yes);
    if (tidyParseFile(document, words[1]) < 0 || tidyCleanAndRepair(document) < 0) return 1;
    if (tidyRunDiagnostics(document) < 0 || tidySaveBuffer(document, &page) < 0) return 1;
    fwrite(page.bp, 1, page.size, stdout);
    fwrite(messages.bp, 1, messages.size, stdout);
    tidyBufFree(&page);
    tidyBufFree(&messages);
    tidyRelease(document);
    return 0;
}
