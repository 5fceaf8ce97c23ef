/* Writes filter files with problems that the tool itself does not cause, for doctor.txt.
 * usage: cli_bad_filter full|copies FILE */
#include <guira.h>
#include <stdio.h>
#include <string.h>

/* Inserts keys until an insertion fails because the filter is full. */
static guira_status fill_up(guira *f) {
    guira_status s = GUIRA_OK;
    for (unsigned i = 0; s == GUIRA_OK; i++) s = guira_insert(f, &i, sizeof i);
    return s == GUIRA_EFULL ? GUIRA_OK : s;
}

/* Inserts one key until an insertion fails because there are too many copies. */
static guira_status add_copies(guira *f) {
    guira_status s = GUIRA_OK;
    for (unsigned i = 0; i < 500; i++) guira_insert(f, &i, sizeof i);
    while (s == GUIRA_OK) s = guira_insert(f, "again", 5);
    return s == GUIRA_EDUPLICATE ? GUIRA_OK : s;
}

int main(int argc, char **argv) {
    guira_config c = {.kind = GUIRA_CUCKOO, .capacity = 1000};
    guira *f;
    if (argc != 3) return 2;
    guira_status s = guira_create(&c, &f);
    if (s == GUIRA_OK) s = strcmp(argv[1], "full") == 0 ? fill_up(f) : add_copies(f);
    if (s == GUIRA_OK) s = guira_save(f, argv[2]);
    if (s != GUIRA_OK) fprintf(stderr, "cli_bad_filter: %s\n", guira_strerror(s));
    return s == GUIRA_OK ? 0 : 1;
}
