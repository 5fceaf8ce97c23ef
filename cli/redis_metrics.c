/* guira metrics --redis: prints the metrics of all filters and windows of a server, or of all masters of a cluster.
 *
 *     SCAN ... TYPE guira-flt, guira-win, ...    -> names of keys, from each master
 *     CF.STATS, CFW.INFO                         -> values, from the server that has the key
 *     INFO guira                                 -> totals, from each master
 *
 * The text format of Prometheus is grouped by metric, so all values are collected before the first line is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis_calls.h"
#include "redis.h"
#include "report.h"

enum { KEYS_PER_RUN = 1000 }; /* sent to the servers together */

struct key {
    char *name;
    size_t n; /* length of name */
    const char *kind;
    const char *server;
    redisReply *stats; /* names and values */
};

struct master {
    struct node *node;
    redisReply *info;
};

struct collection {
    struct cluster cluster;
    struct master master[SLOTS];
    size_t masters;
    struct key *key;
    size_t n, room;
};

/* ------------------------------------------------------------------------------------------------------------ names */

/* Appends a key to the collection. Names can contain any bytes, including NUL. */
static void add_key(struct collection *s, const redisReply *name, const char *kind) {
    if (s->n == s->room) {
        s->room = s->room == 0 ? 64 : 2 * s->room;
        s->key = alloc_or_die(s->key, s->room * sizeof *s->key);
    }
    char *copy = alloc_or_die(NULL, name->len + 1);
    memcpy(copy, name->str, name->len);
    s->key[s->n++] = (struct key){.name = copy, .n = name->len, .kind = kind};
}

/* Exits if the server cannot be reached or replies with an error. */
static redisReply *command_or_exit(struct collection *s, struct node *n, const char *format, const char *a,
                                   const char *b) {
    redisReply *r = cluster_connect(&s->cluster, n) ? node_command(n, format, a, b) : NULL;
    if (r == NULL) trouble("%s", n->error);
    if (r->type == REDIS_REPLY_ERROR) trouble("%s: %s", n->name, r->str);
    return r;
}

/* Adds all keys of a type. */
static void scan(struct collection *s, struct node *n, const char *type, const char *kind) {
    char cursor[32] = "0";
    do {
        redisReply *r = command_or_exit(s, n, "SCAN %s COUNT 1000 TYPE %s", cursor, type);
        if (r->type != REDIS_REPLY_ARRAY || r->elements != 2) trouble("%s: unexpected reply to SCAN", n->name);
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

/* Sorts the keys and drops duplicates: SCAN can return a key twice, and while a slot moves two servers can have it. */
static void sort_keys(struct collection *s) {
    size_t kept = 0;
    if (s->n > 1) qsort(s->key, s->n, sizeof *s->key, by_name);
    for (size_t i = 0; i < s->n; i++) {
        bool duplicate = kept > 0 && by_name(&s->key[kept - 1], &s->key[i]) == 0;
        if (duplicate) free(s->key[i].name);
        else s->key[kept++] = s->key[i];
    }
    s->n = kept;
}

/* Lists each master once. */
static void find_masters(struct collection *s) {
    struct node *const *owner = s->cluster.owner;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        size_t i = 0;
        while (i < s->masters && s->master[i].node != owner[slot]) i++;
        if (i == s->masters && owner[slot] != NULL) s->master[s->masters++].node = owner[slot];
    }
}

/* Gets the totals and the names of all keys of a master. */
static void collect_from(struct collection *s, struct master *m) {
    m->info = command_or_exit(s, m->node, "INFO %s", "guira", NULL);
    if (strstr(m->info->str, "guira_filters:") == NULL)
        trouble("%s: the server does not have the guira module (redis-server --loadmodule guira.so)", m->node->name);
    scan(s, m->node, "guira-flt", "filter");
    scan(s, m->node, MOVED_TYPE, "filter");
    scan(s, m->node, "guira-blm", "filter");
    scan(s, m->node, "guira-win", "window");
}

/* ----------------------------------------------------------------------------------------------------------- values */

/* Gets the values of n keys. */
static void collect_values(struct collection *s, size_t from, size_t n) {
    static struct call call[KEYS_PER_RUN];
    static const char *arg[KEYS_PER_RUN][2];
    static size_t length[KEYS_PER_RUN][2];
    const char *error;
    for (size_t i = 0; i < n; i++) {
        const struct key *k = &s->key[from + i];
        arg[i][0] = strcmp(k->kind, "window") == 0 ? "CFW.INFO" : "CF.STATS";
        arg[i][1] = k->name;
        length[i][0] = strlen(arg[i][0]);
        length[i][1] = k->n;
        call[i] = (struct call){.args = {2, arg[i], length[i]}, .slot = slot_of(k->name, k->n)};
    }
    if (!calls_run(&s->cluster, call, n, &error)) trouble("%s", error);
    for (size_t i = 0; i < n; i++) {
        s->key[from + i].stats = call[i].reply;
        s->key[from + i].server = call[i].node->name;
    }
}

/* CF.STATS replies the name that guira_metrics_write uses for the kind; CFW.INFO has no kind. */
static const char *kind_of(const struct key *k) {
    const redisReply *kind = reply_field(k->stats, "kind");
    return kind == NULL || kind->str == NULL ? k->kind : kind->str;
}

/* ------------------------------------------------------------------------------------------------------------- text */

/* The length of the UTF-8 character at s, which has n bytes; 0: invalid. */
static size_t utf8_length(const unsigned char *s, size_t n) {
    static const unsigned min_code[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*s < 0x80) return 1;
    size_t length = *s >= 0xf0 && *s < 0xf8 ? 4 : *s >= 0xe0 ? 3 : 2;
    unsigned code = *s & (0xffU >> (length + 1));
    if (*s < 0xc0 || *s >= 0xf8 || length > n) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < min_code[length] || code > 0x10ffff || surrogate ? 0 : length;
}

/* A key can have any bytes. Invalid UTF-8, control characters and the backslash are printed as \\xNN, so that two keys
 * never look the same. */
static void print_label(const char *name, size_t n) {
    const unsigned char *s = (const unsigned char *)name;
    for (size_t i = 0; i < n;) {
        size_t length = utf8_length(s + i, n - i);
        if (length == 0 || s[i] == '\\' || s[i] < ' ') printf("\\\\x%02x", s[i]);
        else if (s[i] == '"') fputs("\\\"", stdout);
        else fwrite(s + i, 1, length, stdout);
        i += length > 0 ? length : 1;
    }
}

static const struct family {
    const char *name, *type, *help, *field;
    bool skip_zero; /* omitted if the value is 0 */
} families[] = {
    {"guira_items", "gauge", "Members, copies counted.", "items", false},
    {"guira_slots", "gauge", "Slots in all buckets.", "slots", false},
    {"guira_memory_bytes", "gauge", "Memory held, everything included.", "bytes", false},
    {"guira_load_ratio", "gauge", "Members per slot.", "load", false},
    {"guira_stash_items", "gauge", "Members in the stash, outside the table.", "stash", false},
    {"guira_elder_items", "gauge", "Members that can be split no further, kept outside the table.", "elders", false},
    {"guira_false_positive_ratio", "gauge", "False-positive rate to expect now, computed from the entries.",
     "false_positive_rate", false},
    {"guira_false_positive_target_ratio", "gauge", "False-positive rate that was requested.",
     "requested_false_positive_rate", true},
    {"guira_insert_failures_total", "counter", "Insertions refused.", "refused", false},
    {"guira_kicks_total", "counter", "Entries moved to make room for others.", "kicks", false},
    {"guira_evictions_total", "counter", "Times entries were moved to make room for one.", "evictions", false},
    {"guira_grows_total", "counter", "Buckets added.", "buckets_added", false},
    {"guira_shrinks_total", "counter", "Buckets removed.", "buckets_removed", false},
};

static void print_heading(const char *name, const char *type, const char *help) {
    printf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Prints a metric for all keys that have it. Integers are printed exactly, other values as the server wrote them. */
static void print_family(const struct collection *s, const struct family *f) {
    bool has_heading = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct key *k = &s->key[i];
        const redisReply *v = reply_field(k->stats, f->field);
        bool integer = v != NULL && v->type == REDIS_REPLY_INTEGER;
        if (v == NULL || (f->skip_zero && !integer && strtod(v->str, NULL) == 0)) continue;
        if (!has_heading) print_heading(f->name, f->type, f->help);
        has_heading = true;
        printf("%s{name=\"", f->name);
        print_label(k->name, k->n);
        printf("\",kind=\"%s\",server=\"%s\"} ", kind_of(k), k->server);
        if (integer) printf("%lld\n", v->integer);
        else printf("%s\n", v->str);
    }
}

/* ----------------------------------------------------------------------------------------------------------- totals */

/* The fields of `INFO guira`. */
static const struct total {
    const char *field, *name, *type, *help;
} totals[] = {
    {"filters", "guira_server_filters", "gauge", "Filters, in all databases."},
    {"windows", "guira_server_windows", "gauge", "Windows, in all databases."},
    {"loads_in_progress", "guira_server_loads_in_progress", "gauge",
     "Filters whose loading (CF.LOADCHUNK) is not complete."},
    {"memory_bytes", "guira_server_memory_bytes", "gauge", "Memory of all filters and windows."},
    {"items_looked_up", "guira_server_items_looked_up_total", "counter", "Items looked up."},
    {"items_found", "guira_server_items_found_total", "counter", "Items looked up and found."},
    {"items_added", "guira_server_items_added_total", "counter", "Items added."},
    {"items_refused", "guira_server_items_refused_total", "counter", "Items not added for lack of room."},
    {"items_present", "guira_server_items_present_total", "counter", "Items not added because they were present."},
    {"items_deleted", "guira_server_items_deleted_total", "counter", "Items deleted."},
    {"items_not_deleted", "guira_server_items_not_deleted_total", "counter",
     "Items to be deleted that were not found."},
    {"window_sightings", "guira_server_window_sightings_total", "counter", "Items looked up in windows."},
    {"window_repeats", "guira_server_window_repeats_total", "counter", "Items that a window had already seen."},
    {"window_ticks", "guira_server_window_ticks_total", "counter",
     "Runs of the timer that expires entries of a window."},
};

/* Prints a total of each master. */
static void print_total(const struct collection *s, const struct total *t) {
    char field[64];
    snprintf(field, sizeof field, "guira_%s:", t->field);
    print_heading(t->name, t->type, t->help);
    for (size_t i = 0; i < s->masters; i++) {
        const char *server = s->master[i].node->name, *at = strstr(s->master[i].info->str, field);
        if (at != NULL) printf("%s{server=\"%s\"} %llu\n", t->name, server, strtoull(at + strlen(field), NULL, 10));
    }
}

int redis_metrics(const struct redis_options *redis) {
    static struct collection s;
    cluster_open(&s.cluster, redis);
    find_masters(&s);
    for (size_t i = 0; i < s.masters; i++) collect_from(&s, &s.master[i]);
    sort_keys(&s);
    for (size_t from = 0; from < s.n; from += KEYS_PER_RUN)
        collect_values(&s, from, s.n - from < KEYS_PER_RUN ? s.n - from : KEYS_PER_RUN);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) print_family(&s, &families[i]);
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) print_total(&s, &totals[i]);
    return EXIT_YES;
}
