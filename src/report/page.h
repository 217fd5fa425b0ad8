/* A result as a page that stands alone (src/page): the page's code and, as JSON, what it shows.
 *
 * The data is an object:
 *     whole     the object of a divided search (machine.h) without its contexts and runs, or null
 *     sources   lists of sources, each {name, text}
 *     results   a list of {context, arguments, sources, result}: `sources` is the number of a list;
 *               `result` is the object of one search as --json writes it, but for its runs, which
 *               say of each step only what changed, and with what pictures need besides:
 *               processes, variables, clocks, rules, automata, graph, samples.
 *
 * Whatever a model calls its things, the data stays data: no `<` is in the text, and the page makes
 * no markup of it. */
#ifndef CAIRN_REPORT_PAGE_H
#define CAIRN_REPORT_PAGE_H

#include "base/out.h"
#include "run/session.h"

#include <stdio.h>

struct json_t;

/* How far a search was at a time. */
struct page_samples {
    VEC(struct search_progress) list;
    uint32_t stride, skipped; /* one of so many is kept */
    uint64_t limit;           /* of memory; 0: none */
};
void page_note(struct page_samples *samples, struct mem *mem,
               const struct search_progress *progress);

struct page {
    const char *command;
    struct session *session;
    const struct task *task;
    const struct result *result;
    const struct page_samples *samples; /* or NULL */
    const char *trace_file;
    bool raw;
    bool with_cells;      /* runs have their first state also as plain numbers, "cells" */
    uint32_t known_steps; /* so many steps of a run are left out */
};

/* The whole page of one search, and its data alone. */
void page_one(FILE *out, const struct page *page);
void page_data(FILE *out, const struct page *page);

/* For a page without a search (its task and its result are NULL): as members of an object, what
 * pictures need of the model; a run, as a value. */
void page_model(struct out *json, const struct page *page);
void page_run(struct out *json, const struct page *page, const struct trace *trace);

/* For a search that is one of several: `result` and its sources, as texts. */
void page_result(FILE *out, const struct page *page);
void page_sources(FILE *out, const struct diag *diag);
/* The object of one of several, with_texts: with these two as strings under the keys below; then
 * the page of several, whose rows of all->contexts have them: they are taken out. */
void page_part(FILE *out, const struct page *page, bool with_texts);
#define PAGE_KEY "page"
#define PAGE_SOURCES_KEY "page_sources"
struct page_texts;
struct page_texts *page_take(struct mem *mem, struct json_t *all);
void page_several(FILE *out, const struct json_t *all, const struct page_texts *texts);
void page_several_data(FILE *out, const struct json_t *all, const struct page_texts *texts);
void page_texts_free(struct page_texts *texts);

#endif
