/* See names.h. */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const canonical[SENT_COMMANDS] = {
    [CF_ADD] = "CF.ADD",        [CF_INSERT] = "CF.INSERT",       [CF_CREATE] = "CF._CREATE",
    [CF_SEED] = "CF._SEED",     [CF_LOADCHUNK] = "CF.LOADCHUNK", [CFW_CREATE] = "CFW._CREATE",
    [CFW_SEEN] = "CFW._SEEN",   [CFW_TICK] = "CFW._TICK",        [CFW_LOADCHUNK] = "CFW._LOADCHUNK",
    [BF_CREATE] = "BF._CREATE", [BF_MADD] = "BF.MADD",           [BF_LOADCHUNK] = "BF.LOADCHUNK",
};

static const struct { const char *family, *suffix; } families[] = {{"CF.", "."}, {"CFW.", "W."}, {"BF.", "B."}};

static char prefix_text[MAX_PREFIX + 1]; /* empty: none */
static char sent[SENT_COMMANDS][MAX_NAME];

void name_of_command(const char *name, char out[MAX_NAME]) {
    snprintf(out, MAX_NAME, "%s", name);
    if (prefix_text[0] == '\0') return;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t n = strlen(families[i].family);
        if (strncmp(name, families[i].family, n) == 0)
            snprintf(out, MAX_NAME, "%s%s%s", prefix_text, families[i].suffix, name + n);
    }
}

static bool is_prefix(const char *prefix, size_t n) {
    if (n == 0 || n > MAX_PREFIX) return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)prefix[i]) && prefix[i] != '_' && prefix[i] != '-') return false;
    return true;
}

bool names_set_prefix(const char *prefix, size_t n) {
    if (prefix != NULL && !is_prefix(prefix, n)) return false;
    memset(prefix_text, 0, sizeof prefix_text);
    if (prefix != NULL) memcpy(prefix_text, prefix, n);
    for (int i = 0; i < SENT_COMMANDS; i++) name_of_command(canonical[i], sent[i]);
    return true;
}

bool names_have_prefix(void) { return prefix_text[0] != '\0'; }

const char *sent_name(enum sent_command c) { return sent[c]; }
