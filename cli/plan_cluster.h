/* What a filter over a cluster costs: the part of guira plan for --nodes. docs/capacity.md explains the model. */
#ifndef GUIRA_CLI_PLAN_CLUSTER_H
#define GUIRA_CLI_PLAN_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

/* The request. */
struct cluster_options {
    uint64_t nodes;      /* servers, replicas included; 0: no cluster */
    uint64_t replicas;   /* of each master */
    uint64_t item_bytes; /* length of an item */
};

#define DEFAULT_ITEM_BYTES "20"

/* Prints the plan, as text or as one line of JSON. Exits if the request is impossible. */
void plan_cluster(const struct cluster_options *o, uint64_t items, double fpr, bool json);

#endif
