/* lab-errata N --out DIR ...: runs the demonstration of erratum N. */
#include "errata.h"

#include <stdlib.h>

static erratum *const errata[] = {
    erratum_01, erratum_02, erratum_03, erratum_04, erratum_05, erratum_06, erratum_07, erratum_08,
    erratum_09, erratum_10, erratum_11, erratum_12, erratum_13, erratum_14, erratum_15, erratum_16,
    erratum_17, erratum_18, erratum_19, erratum_20, erratum_21, erratum_22, erratum_23,
};
enum { ERRATA = sizeof errata / sizeof errata[0] };

int main(int argc, char **argv) {
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (n < 1 || n > ERRATA) lab_fatal("usage: lab-errata 1..%d --out DIR [--quick] [--seed N]", (int)ERRATA);
    char name[32]; /* text() would be overwritten */
    snprintf(name, sizeof name, "erratum-%02lu", n);
    struct lab lab = lab_open(argc - 1, argv + 1, name);
    errata[n - 1](&lab);
    return lab_close(&lab);
}
