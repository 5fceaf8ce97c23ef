/* The filters of ECF's experiments: buckets of 4 cells, never resized on their own. */
#ifndef GUIRA_LAB_ECF_FILTERS_H
#define GUIRA_LAB_ECF_FILTERS_H

#include "lab.h"

enum { CELLS = 4 };

guira *ecf_filter(const struct lab *lab, uint64_t buckets, unsigned bits); /* GUIRA_ELASTIC */
guira *cf_filter(const struct lab *lab, uint64_t buckets, unsigned bits);  /* a GUIRA_DYNAMIC of one filter */

/* Tidal with room for so many slots, at the loads the experiments ask for. */
guira *tidal_filter(const struct lab *lab, uint64_t slots, unsigned bits);

/* Inserts members until there are to of them or no room is left without growing; how many there are then. */
uint64_t fill_in_place(guira *f, uint64_t from, uint64_t to);

#endif
