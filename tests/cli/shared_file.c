/* Writes a file of guira_shared with the keys "1" to "1000", for shared.txt.
 * usage: cli_shared_file FILE */
#include <guira_shared.h>
#include <stdio.h>

int main(int argc, char **argv) {
    guira_config c = {.fpr = 1e-6};
    guira_shared *g;
    if (argc != 2) return 2;
    guira_status s = guira_shared_create(&c, 4, &g);
    for (unsigned i = 1; s == GUIRA_OK && i <= 1000; i++) {
        char key[16];
        s = guira_shared_insert(g, key, (size_t)snprintf(key, sizeof key, "%u", i));
    }
    if (s == GUIRA_OK) s = guira_shared_save(g, argv[1]);
    if (s != GUIRA_OK) fprintf(stderr, "cli_shared_file: %s\n", guira_strerror(s));
    return s == GUIRA_OK ? 0 : 1;
}
