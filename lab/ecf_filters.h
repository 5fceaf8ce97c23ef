/* The filters of the ECF experiments: buckets of 4 slots (the paper says cells), no automatic resizing. */
#ifndef GUIRA_LAB_ECF_FILTERS_H
#define GUIRA_LAB_ECF_FILTERS_H

#include "lab.h"

enum { CELLS = 4 };

guira *ecf_filter(const struct lab *lab, uint64_t buckets, unsigned bits); /* GUIRA_ELASTIC */
guira *cf_filter(const struct lab *lab, uint64_t buckets, unsigned bits);  /* GUIRA_DYNAMIC limited to one filter */

/* GUIRA_TIDAL with this many slots; max_load 0.98, so that it does not grow at the loads of the experiments. */
guira *tidal_filter(const struct lab *lab, uint64_t slots, unsigned bits);

/* Inserts members from..to-1 until one fails or makes the filter grow. Returns the number of members then. */
uint64_t fill_in_place(guira *f, uint64_t from, uint64_t to);

#endif
