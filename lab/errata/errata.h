/* Errors in the documents, one file each: the rule as printed is run as a small model, and the corrected rule must
 * hold. NN-topic.c is the demonstration, NN-topic.txt the text, NN-topic.gp the plot if there is one. */
#ifndef GUIRA_LAB_ERRATA_H
#define GUIRA_LAB_ERRATA_H

#include "lab.h"

typedef void erratum(struct lab *lab);

/* CCF */
erratum erratum_01, erratum_02, erratum_03, erratum_04, erratum_05, erratum_06, erratum_07, erratum_08, erratum_09,
    erratum_10;
/* ECF */
erratum erratum_11, erratum_12, erratum_13, erratum_14, erratum_15, erratum_16, erratum_17, erratum_18;
/* guide, tutorial */
erratum erratum_19, erratum_20, erratum_21, erratum_22, erratum_23;

#endif
