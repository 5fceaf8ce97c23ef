/* The kinds of the papers that guira comes from: DCF, ECF and CCF. */
#ifndef GUIRA_PAPERS_PAPERS_H
#define GUIRA_PAPERS_PAPERS_H

#include "filter/filter.h"

extern const struct guira__kind guira__dcf_kind, guira__ecf_kind, guira__ccf_kind;

#endif
