/* New filters, from what a user knows: how many lines, how many wrong answers are all right. */
#ifndef GUIRA_CLI_FILTER_NEW_H
#define GUIRA_CLI_FILTER_NEW_H

#include <guira.h>

struct wish {
    unsigned kind;  /* of guira_kind */
    uint64_t items; /* expected; 0: nobody knows */
    double fpr;     /* 0: what the kind does by default */
    double load;    /* most of the slots to use; 0: the default */
};

/* The filter, or the end of the process with a sentence that says why not. */
guira *filter_new(const struct wish *w);

/* The slot width that keeps the rate, growth included. */
unsigned width_for(const struct wish *w);

#endif
