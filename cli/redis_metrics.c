/* guira metrics --redis: all filters and windows of a server, or of all masters of a cluster, as Prometheus sees them.
 *
 *     SCAN ... TYPE guira-flt, guira-win    -> names, from each master
 *     CF.STATS, CFW.INFO                    -> values, from whoever has the key by then
 *     INFO guira                            -> totals, of each master
 *
 * The text is by metric first, by key second, so all are asked before the first line is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis_calls.h"
#include "redis.h"
#include "report.h"

enum { AT_ONCE = 1000 };

struct key {
    char *name;
    size_t n;
    const char *kind;
    const char *server;
    redisReply *stats; /* names and values */
};

struct master {
    struct node *node;
    redisReply *info;
};

struct survey {
    struct cluster cluster;
    struct master master[SLOTS];
    size_t masters;
    struct key *key;
    size_t n, room;
};

/* ---------------------------------------------------------------------------------------------------------------- names */

static void add_key(struct survey *s, const redisReply *name, const char *kind) {
    if (s->n == s->room) {
        s->room = s->room == 0 ? 64 : 2 * s->room;
        s->key = must_alloc(s->key, s->room * sizeof *s->key);
    }
    char *copy = must_alloc(NULL, name->len + 1);
    memcpy(copy, name->str, name->len);
    s->key[s->n++] = (struct key){.name = copy, .n = name->len, .kind = kind};
}

static redisReply *must_ask(struct survey *s, struct node *n, const char *format, const char *a, const char *b) {
    redisReply *r = cluster_reach(&s->cluster, n) ? node_ask(n, format, a, b) : NULL;
    if (r == NULL) trouble("%s", n->why);
    if (r->type == REDIS_REPLY_ERROR) trouble("%s: %s", n->name, r->str);
    return r;
}

static void scan(struct survey *s, struct node *n, const char *type, const char *kind) {
    char cursor[32] = "0";
    do {
        redisReply *r = must_ask(s, n, "SCAN %s COUNT 1000 TYPE %s", cursor, type);
        if (r->type != REDIS_REPLY_ARRAY || r->elements != 2) trouble("%s: SCAN makes no sense", n->name);
        snprintf(cursor, sizeof cursor, "%s", r->element[0]->str);
        for (size_t i = 0; i < r->element[1]->elements; i++) add_key(s, r->element[1]->element[i], kind);
        freeReplyObject(r);
    } while (strcmp(cursor, "0") != 0);
}

static int by_name(const void *a, const void *b) {
    const struct key *x = a, *y = b;
    int order = memcmp(x->name, y->name, x->n < y->n ? x->n : y->n);
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* SCAN may tell a key twice, and while its slot is on its way two servers may have it. */
static void sort_keys(struct survey *s) {
    size_t kept = 0;
    if (s->n > 1) qsort(s->key, s->n, sizeof *s->key, by_name);
    for (size_t i = 0; i < s->n; i++) {
        bool again = kept > 0 && by_name(&s->key[kept - 1], &s->key[i]) == 0;
        if (again) free(s->key[i].name);
        else s->key[kept++] = s->key[i];
    }
    s->n = kept;
}

/* Each once. */
static void find_masters(struct survey *s) {
    struct node *const *at = s->cluster.at;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        size_t i = 0;
        while (i < s->masters && s->master[i].node != at[slot]) i++;
        if (i == s->masters && at[slot] != NULL) s->master[s->masters++].node = at[slot];
    }
}

/* Totals, and the names of all keys. */
static void visit(struct survey *s, struct master *m) {
    m->info = must_ask(s, m->node, "INFO %s", "guira", NULL);
    if (strstr(m->info->str, "guira_filters:") == NULL)
        trouble("%s: the server does not have the guira module (redis-server --loadmodule guira.so)", m->node->name);
    scan(s, m->node, "guira-flt", "filter");
    scan(s, m->node, "guira-win", "window");
}

/* --------------------------------------------------------------------------------------------------------------- values */

static void ask_some(struct survey *s, size_t from, size_t n) {
    static struct call call[AT_ONCE];
    static const char *word[AT_ONCE][2];
    static size_t length[AT_ONCE][2];
    const char *why;
    for (size_t i = 0; i < n; i++) {
        const struct key *k = &s->key[from + i];
        word[i][0] = strcmp(k->kind, "window") == 0 ? "CFW.INFO" : "CF.STATS";
        word[i][1] = k->name;
        length[i][0] = strlen(word[i][0]);
        length[i][1] = k->n;
        call[i] = (struct call){.words = {2, word[i], length[i]}, .slot = slot_of(k->name, k->n)};
    }
    if (!calls_run(&s->cluster, call, n, &why)) trouble("%s", why);
    for (size_t i = 0; i < n; i++) {
        s->key[from + i].stats = call[i].reply;
        s->key[from + i].server = call[i].by->name;
    }
}

/* As the library calls them. */
static const char *kind_of(const struct key *k) {
    const redisReply *kind = reply_field(k->stats, "kind");
    return kind == NULL ? k->kind : strcmp(kind->str, "fixed") == 0 ? "cuckoo" : "tidal";
}

/* ----------------------------------------------------------------------------------------------------------------- text */

/* How many bytes the character at s has, of at most n; 0: it is none. */
static size_t character(const unsigned char *s, size_t n) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*s < 0x80) return 1;
    size_t length = *s >= 0xf0 && *s < 0xf8 ? 4 : *s >= 0xe0 ? 3 : 2;
    unsigned code = *s & (0xffU >> (length + 1));
    if (*s < 0xc0 || *s >= 0xf8 || length > n) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

/* A key has any bytes. What is no text goes by number, and so does the backslash, so that two keys never look the same. */
static void print_label(const char *name, size_t n) {
    const unsigned char *s = (const unsigned char *)name;
    for (size_t i = 0; i < n;) {
        size_t length = character(s + i, n - i);
        if (length == 0 || s[i] == '\\' || s[i] < ' ') printf("\\\\x%02x", s[i]);
        else if (s[i] == '"') fputs("\\\"", stdout);
        else fwrite(s + i, 1, length, stdout);
        i += length > 0 ? length : 1;
    }
}

static const struct family {
    const char *name, *type, *help, *field;
    bool if_any; /* not there if it is 0 */
} families[] = {
    {"guira_items", "gauge", "Members, copies counted.", "items", false},
    {"guira_slots", "gauge", "Places in the buckets.", "slots", false},
    {"guira_memory_bytes", "gauge", "Memory held, everything included.", "bytes", false},
    {"guira_load_ratio", "gauge", "Members per slot.", "load", false},
    {"guira_stash_items", "gauge", "Members that wait beside the table.", "stash", false},
    {"guira_elder_items", "gauge", "Members too old to be split further, kept by name.", "elders", false},
    {"guira_false_positive_ratio", "gauge", "False-positive rate to expect now, computed from what is in it.",
     "false_positive_rate", false},
    {"guira_false_positive_target_ratio", "gauge", "False-positive rate that was asked for.",
     "wanted_false_positive_rate", true},
    {"guira_insert_failures_total", "counter", "Insertions refused.", "refused", false},
    {"guira_kicks_total", "counter", "Entries moved to make room for others.", "kicks", false},
    {"guira_evictions_total", "counter", "Times room had to be made for an entry.", "evictions", false},
    {"guira_grows_total", "counter", "Buckets added.", "buckets_added", false},
    {"guira_shrinks_total", "counter", "Buckets given back.", "buckets_given_back", false},
};

static void print_heading(const char *name, const char *type, const char *help) {
    printf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_family(const struct survey *s, const struct family *f) {
    bool headed = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct key *k = &s->key[i];
        const redisReply *v = reply_field(k->stats, f->field);
        bool whole = v != NULL && v->type == REDIS_REPLY_INTEGER;
        if (v == NULL || (f->if_any && !whole && strtod(v->str, NULL) == 0)) continue;
        if (!headed) print_heading(f->name, f->type, f->help);
        headed = true;
        printf("%s{name=\"", f->name);
        print_label(k->name, k->n);
        printf("\",kind=\"%s\",server=\"%s\"} ", kind_of(k), k->server);
        if (whole) printf("%lld\n", v->integer);
        else printf("%s\n", v->str);
    }
}

/* --------------------------------------------------------------------------------------------------------------- totals */

/* Of `INFO guira`. */
static const struct total {
    const char *field, *name, *type, *help;
} totals[] = {
    {"filters", "guira_server_filters", "gauge", "Filters, in all databases."},
    {"windows", "guira_server_windows", "gauge", "Windows, in all databases."},
    {"loads_in_progress", "guira_server_loads_in_progress", "gauge", "Filters of which chunks are missing."},
    {"memory_bytes", "guira_server_memory_bytes", "gauge", "Memory of all of them."},
    {"items_looked_up", "guira_server_items_looked_up_total", "counter", "Items that were asked for."},
    {"items_found", "guira_server_items_found_total", "counter", "Those that were there."},
    {"items_added", "guira_server_items_added_total", "counter", "Items added."},
    {"items_refused", "guira_server_items_refused_total", "counter", "Items that found no room."},
    {"items_present", "guira_server_items_present_total", "counter", "Items not added because they were there."},
    {"items_deleted", "guira_server_items_deleted_total", "counter", "Items deleted."},
    {"items_not_deleted", "guira_server_items_not_deleted_total", "counter", "Items not there to be deleted."},
    {"window_sightings", "guira_server_window_sightings_total", "counter", "Items that windows were asked for."},
    {"window_repeats", "guira_server_window_repeats_total", "counter", "Those that had been seen."},
    {"window_ticks", "guira_server_window_ticks_total", "counter", "Times a timer looked after a window."},
};

static void print_total(const struct survey *s, const struct total *t) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "guira_%s:", t->field);
    print_heading(t->name, t->type, t->help);
    for (size_t i = 0; i < s->masters; i++) {
        const char *server = s->master[i].node->name, *at = strstr(s->master[i].info->str, wanted);
        if (at != NULL) printf("%s{server=\"%s\"} %llu\n", t->name, server, strtoull(at + strlen(wanted), NULL, 10));
    }
}

int redis_metrics(const struct redis_options *redis) {
    static struct survey s;
    cluster_open(&s.cluster, redis->url, redis->timeout);
    find_masters(&s);
    for (size_t i = 0; i < s.masters; i++) visit(&s, &s.master[i]);
    sort_keys(&s);
    for (size_t from = 0; from < s.n; from += AT_ONCE) ask_some(&s, from, s.n - from < AT_ONCE ? s.n - from : AT_ONCE);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) print_family(&s, &families[i]);
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) print_total(&s, &totals[i]);
    return EXIT_YES;
}
