/* Runs a fuzzer once on every file in the directories of its arguments. So the corpus, with all inputs that once failed, is
 * tested also where there is no libFuzzer. */
#include "fuzz.h"

#include <dirent.h>

static void replay(const char *path) {
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t n = fread(data, 1, sizeof data, file);
    CHECK(n < sizeof data && fclose(file) == 0);
    uint8_t *exact = malloc(n + 1); /* so that AddressSanitizer finds reads beyond the end */
    CHECK(exact != NULL);
    memcpy(exact, data, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

int main(int argc, char **argv) {
    unsigned n = 0;
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        CHECK(d != NULL);
        for (struct dirent *e; (e = readdir(d)) != NULL;) {
            char path[4096];
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            replay(path);
            n++;
        }
        closedir(d);
    }
    printf("%u inputs\n", n);
    return n > 0 ? 0 : 1;
}
