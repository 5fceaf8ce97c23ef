/* Runs a fuzzer once on every input of the packed corpora in its arguments (corpus.py). So all inputs that once failed are
 * tested also where there is no libFuzzer. */
#include "fuzz_input.h"

static bool read_exactly(FILE *file, void *to, size_t n) { return fread(to, 1, n, file) == n; }

/* Runs the next input. False: there is none. */
static bool replay_next(FILE *file) {
    uint8_t length[4];
    if (fgetc(file) == EOF) return false;
    CHECK(fseek(file, -1, SEEK_CUR) == 0 && read_exactly(file, length, 4));
    size_t n = (size_t)length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
    CHECK(n < 1 << 20);
    uint8_t *exact = malloc(n + 1); /* so that AddressSanitizer finds reads beyond the end */
    CHECK(exact != NULL && read_exactly(file, exact, n));
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return true;
}

int main(int argc, char **argv) {
    unsigned n = 0;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        CHECK(file != NULL);
        while (replay_next(file)) n++;
        CHECK(fclose(file) == 0);
    }
    printf("%u inputs\n", n);
    return n > 0 ? 0 : 1;
}
