/* Diagnostics for machines: a JSON object per line, or one SARIF document for systems that review
 * code (OASIS, version 2.1.0). */
#ifndef CAIRN_REPORT_RECORDS_H
#define CAIRN_REPORT_RECORDS_H

#include "base/out.h"
#include "base/diag.h"

/* Where they go. It outlives the diagnostics that it listens to. */
struct records {
    FILE *out;
    bool is_sarif;
    long process;     /* the one that began, and ends: others may come out of it */
    struct out sarif; /* the document, which stays open until records_end */
};

/* Begins, and ends: a SARIF document is there even when nothing was wrong. */
void records_begin(struct records *records, FILE *out, bool is_sarif);
void records_end(struct records *records);

/* Whatever is made in `diag` from now on goes there at once. */
void records_open(struct records *records, struct diag *diag);

#endif
