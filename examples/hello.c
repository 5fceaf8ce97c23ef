/* A minimal program: inserts two keys, removes one of them, and looks up both.
 *
 *     cc hello.c $(pkg-config --cflags --libs guira) -o hello */
#include <guira.h>
#include <stdio.h>

int main(void) {
    guira *f;
    guira_status s = guira_create(NULL, &f);
    if (s != GUIRA_OK) {
        fprintf(stderr, "hello: %s\n", guira_strerror(s));
        return 1;
    }
    guira_insert(f, "ana", 3);
    guira_insert(f, "bob", 3);
    guira_remove(f, "ana", 3);

    bool ana = guira_contains(f, "ana", 3); /* false, except for a rare false positive */
    bool bob = guira_contains(f, "bob", 3); /* always true */
    guira_stats stats = GUIRA_STATS_INIT;
    guira_stats_get(f, &stats);
    guira_destroy(f);

    printf("ana %s, bob %s\n", ana ? "may be here" : "is not here", bob ? "may be here" : "is not here");
    printf("guira %s: %llu item in %llu bytes\n", guira_version(), (unsigned long long)stats.items,
           (unsigned long long)stats.bytes);
    return bob ? 0 : 1;
}
