/* Huge pages of 2 MB, without which a lookup in a filter beyond the cache also misses in the TLB.
 *
 * guira's filters ask the system for them (madvise), most others leave memory to malloc. A comparison of the two measures
 * pages as much as filters. glibc's malloc asks for huge pages too if it is told so before the process starts:
 *
 *     glibc.malloc.hugetlb=1     madvise for everything that malloc takes from the system
 *     glibc.malloc.mmap_max=0    one heap for everything: a mapping of its own for each large block would start and end
 *                                between two huge pages, and up to 4 MB of it would stay on small ones
 *
 * Whether it worked is measured, not assumed: the kernel tells how many bytes are on huge pages.
 */
#include "huge.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TUNABLES "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0"

static bool is_requested(const char *tunables) { return tunables != NULL && strstr(tunables, TUNABLES) != NULL; }

static bool impossible(const char *why) {
    fprintf(stderr, "guira-bench: --huge-pages: %s\n", why);
    return false;
}

#ifdef __GLIBC__
static bool is_disabled(void) {
    char line[100] = "";
    FILE *in = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    bool known = in != NULL && fgets(line, sizeof line, in) != NULL;
    if (in != NULL) fclose(in);
    return !known || strstr(line, "[never]") != NULL;
}

bool huge_pages_request(char **argv) {
    const char *old = getenv("GLIBC_TUNABLES");
    char all[1024];
    if (is_requested(old)) return true;
    if (is_disabled())
        return impossible("the system has them switched off (/sys/kernel/mm/transparent_hugepage/enabled)");
    bool more = old != NULL && *old != '\0';
    int n = snprintf(all, sizeof all, "%s%s%s", more ? old : "", more ? ":" : "", TUNABLES);
    if (n < 0 || (size_t)n >= sizeof all) return impossible("GLIBC_TUNABLES is too long");
    if (setenv("GLIBC_TUNABLES", all, 1) != 0) return impossible(strerror(errno));
    execv("/proc/self/exe", argv);
    return impossible(strerror(errno));
}
#else
bool huge_pages_request(char **argv) {
    (void)argv;
    return impossible("needs Linux and glibc");
}
#endif

struct pages {
    unsigned long long all, huge; /* KiB of memory without a file behind it */
};

static struct pages pages_now(void) {
    FILE *in = fopen("/proc/self/smaps_rollup", "r");
    struct pages p = {0, 0};
    char line[256];
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        sscanf(line, "Anonymous: %llu kB", &p.all);
        sscanf(line, "AnonHugePages: %llu kB", &p.huge);
    }
    if (in != NULL) fclose(in);
    return p;
}

uint64_t huge_pages_bytes(void) { return pages_now().huge * 1024; }

/* Memory that malloc had before adds nothing, so there is a second bound: what is not on small pages. */
double huge_pages_percent(uint64_t before, uint64_t bytes) {
    struct pages p = pages_now();
    if (bytes < (uint64_t)2 << 20 || p.all == 0) return NAN;
    double added = (double)p.huge * 1024 - (double)before;
    double rest = (double)bytes - (double)(p.all - p.huge) * 1024;
    return 100 * fmin(fmax(fmax(added, rest) / (double)bytes, 0), 1);
}
