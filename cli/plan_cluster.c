/* See plan_cluster.h.
 *
 *     items --/ shards--> items of a key --guira_plan--> bytes of a key --* keys of a master--> bytes of a server
 *
 * The number of shards is a multiple of that of the masters, at least four for each, so that new masters can take over some of
 * them, and large enough that no key exceeds 256 MiB: a key moves to another server as one argument of a command, which can
 * have 512 MiB. */
#include "plan_cluster.h"

#include <guira.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report.h"
#include "units.h"

enum { TIDAL = 0, MAX_SHARDS = 16384, SHARDS_PER_MASTER = 4, BATCH = 1000, KEY_NAME = 16 };

static const double max_key = 0x1p28, max_movable_key = 0x1p29;

static const uint64_t max_items_of_key = UINT64_C(1) << 30; /* the largest capacity of CF.RESERVE */

/* Measured: see docs/capacity.md. */
static const double overhead_of_key = 450; /* bytes: the key, and the filter beside its table */
static const double unused_share = 1.02;   /* the last segment of a table is used in part */
static const double node_timeout = 15; /* seconds, the default of Redis: a server that is silent for so long is lost */
static const double election = 5;      /* seconds from there to the first answer of the replica */
static const double bits_per_second = 1e9; /* network */

struct cluster_plan {
    const struct cluster_options *o;
    uint64_t items, masters, shards, items_per_shard, shards_per_master;
    double fpr, key_bytes, server_bytes; /* of memory */
    double saved_bytes;                  /* of the keys of a server, in files and on the network */
    guira_plan_row row;
};

/* --------------------------------------------------------------------------------------------------------------- model */

static uint64_t divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* A table is made of segments of 2^n buckets, and a bucket of w-bit slots has w bytes. The allocator of Redis (jemalloc) has four
 * sizes between two powers of two, so slots of 17 and 18 bits take the memory of 20. */
static double allocated_share(unsigned w) {
    unsigned step = w > 16 ? 4 : w > 8 ? 2 : 1;
    return (double)((w + step - 1) / step * step) / w;
}

static void set_shards(struct cluster_plan *p, uint64_t shards) {
    guira_plan_row row[GUIRA_PLAN_ROWS] = {0};
    size_t smallest;
    p->shards_per_master = divide_up(shards, p->masters);
    p->shards = p->shards_per_master * p->masters;
    p->items_per_shard = divide_up(p->items, p->shards);
    if (guira_plan(p->items_per_shard, p->fpr, 0, row, &smallest) != GUIRA_OK) trouble("--items: too many");
    p->row = row[TIDAL];
    p->key_bytes = (double)p->row.bytes * allocated_share(p->row.bits) * unused_share + overhead_of_key;
    p->server_bytes = (double)p->shards_per_master * p->key_bytes;
    p->saved_bytes = (double)p->shards_per_master * (double)p->row.bytes;
}

static void choose_shards(struct cluster_plan *p) {
    set_shards(p, SHARDS_PER_MASTER * p->masters);
    /* not in one step: keys that are smaller at first need wider slots to keep their rate */
    while (p->key_bytes > max_key && p->shards < MAX_SHARDS)
        set_shards(p, (uint64_t)ceil((double)p->shards * p->key_bytes / max_key));
    if (p->shards > MAX_SHARDS) set_shards(p, MAX_SHARDS / p->masters * p->masters);
    if (p->items_per_shard > max_items_of_key)
        trouble("--items: a filter over a cluster has at most %d keys with 2^30 items each, which is 17.6T",
                MAX_SHARDS);
}

static unsigned digits(uint64_t n) {
    unsigned count = 1;
    for (; n >= 10; n /= 10) count++;
    return count;
}

/* Bytes of a string of n bytes in the protocol: $n, line end, the bytes, line end. */
static double bulk(uint64_t n) { return 1 + digits(n) + 2 + (double)n + 2; }

/* Bytes to a server for one question, if each CF.MEXISTS has `batch` of them; and back. */
static double bytes_to(const struct cluster_plan *p, uint64_t batch) {
    double head = 1 + digits(batch + 2) + 2 + bulk(10) + bulk(KEY_NAME);
    return head / (double)batch + bulk(p->o->item_bytes);
}
static double bytes_back(uint64_t batch) { return 4 + (1 + digits(batch) + 2) / (double)batch; }

static double seconds_to_send(double bytes) { return 8 * bytes / bits_per_second; }

/* ------------------------------------------------------------------------------------------------------------- printing */

static void print_memory(const struct cluster_plan *p) {
    char each[UNIT_TEXT], key[UNIT_TEXT], server[UNIT_TEXT], all[UNIT_TEXT];
    write_count((double)p->items_per_shard, each);
    write_size(p->key_bytes, key);
    printf("shards         %" PRIu64 " keys (--shards %" PRIu64 ") with %s items and %s each\n", p->shards, p->shards,
           each, key);
    printf("memory         %s per server: %" PRIu64 " keys; %s in all\n", write_size(p->server_bytes, server),
           p->shards_per_master, write_size(p->server_bytes * (double)(p->masters * (1 + p->o->replicas)), all));
    if (p->key_bytes > max_movable_key)
        printf("               a key is larger than 512 MiB: slots cannot be moved to other servers\n");
}

static void print_network(const struct cluster_plan *p) {
    const uint64_t batches[] = {BATCH, 1};
    printf("network        per million questions a second, with items of %" PRIu64 " bytes:\n", p->o->item_bytes);
    for (size_t i = 0; i < 2; i++)
        printf("               %.1f MB/s to the servers, %.1f MB/s back, with %" PRIu64 " per command\n",
               bytes_to(p, batches[i]), bytes_back(batches[i]), batches[i]);
}

/* "70.4 GiB (10:04 at 1 Gbit/s)" */
static const char *write_transfer(double bytes, char *to, size_t n) {
    char size[UNIT_TEXT], time[UNIT_TEXT];
    write_size(bytes, size);
    write_elapsed(seconds_to_send(bytes), time);
    snprintf(to, n, "%s (%s at 1 Gbit/s)", size, time);
    return to;
}

static void print_loss(const struct cluster_plan *p) {
    char copy[3 * UNIT_TEXT], again[3 * UNIT_TEXT], share[UNIT_TEXT], items[UNIT_TEXT];
    double per_master = (double)p->items / (double)p->masters;
    write_transfer(p->saved_bytes, copy, sizeof copy);
    write_rate(1 / (double)p->masters, share);
    if (p->o->replicas > 0) {
        printf("lost server    a replica takes over after about %.0f s; until then %s of the questions wait\n",
               node_timeout + election, share);
        printf("               no items are lost, except for writes of the last moment that were not replicated yet\n");
        printf("               a new replica gets %s\n", copy);
        return;
    }
    printf("lost server    %s of the items are lost: %s\n", share, write_count(per_master, items));
    printf("               to restore them from a file or a copy takes %s\n", copy);
    printf("               to add them again takes %s\n",
           write_transfer(bytes_to(p, BATCH) * per_master, again, sizeof again));
}

static void print_text(const struct cluster_plan *p) {
    char items[UNIT_TEXT], rate[UNIT_TEXT], replicas[UNIT_TEXT], masters[UNIT_TEXT];
    printf("%s items, false-positive rate at most %s, on %" PRIu64 " servers: %s with %s each\n\n",
           write_count((double)p->items, items), write_rate(p->fpr, rate), p->o->nodes,
           write_number(p->masters, "master", masters), write_number(p->o->replicas, "replica", replicas));
    print_memory(p);
    print_network(p);
    print_loss(p);
    if (p->masters < 3) printf("\nRedis Cluster needs three masters or more for a failover.\n");
    if (p->o->nodes % (1 + p->o->replicas) != 0)
        printf("\n%s left over: %" PRIu64 " is not a multiple of %" PRIu64 ".\n",
               write_number(p->o->nodes % (1 + p->o->replicas), "server", masters), p->o->nodes, 1 + p->o->replicas);
}

static void print_json(const struct cluster_plan *p) {
    printf("{\"items\":%" PRIu64 ",\"fpr\":%.6g,\"nodes\":%" PRIu64 ",\"masters\":%" PRIu64 ",\"replicas\":%" PRIu64
           ",\"shards\":%" PRIu64 ",\"slot_bits\":%u,\"key_bytes\":%.0f,\"server_bytes\":%.0f"
           ",\"bytes_to_server\":%.2f,\"bytes_back\":%.2f,\"bytes_to_server_single\":%.2f,\"bytes_back_single\":%.2f"
           ",\"share_of_a_server\":%.6g,\"sync_bytes\":%.0f}\n",
           p->items, p->fpr, p->o->nodes, p->masters, p->o->replicas, p->shards, p->row.bits, p->key_bytes,
           p->server_bytes, bytes_to(p, BATCH), bytes_back(BATCH), bytes_to(p, 1), bytes_back(1),
           1 / (double)p->masters, p->saved_bytes);
}

void plan_cluster(const struct cluster_options *o, uint64_t items, double fpr, bool json) {
    struct cluster_plan p = {.o = o, .items = items, .fpr = fpr};
    if (o->replicas >= o->nodes) trouble("--replicas: %" PRIu64 " replicas of a master need more nodes", o->replicas);
    p.masters = o->nodes / (1 + o->replicas);
    if (p.masters > 1000) trouble("--nodes: Redis Cluster is made for up to 1000 masters, not %" PRIu64, p.masters);
    choose_shards(&p);
    if (!p.row.meets)
        trouble("--fpr: no tidal filter reaches this rate; 'guira plan' without --nodes has alternatives");
    if (json) print_json(&p);
    else print_text(&p);
}
