/* Contexts and properties as a matrix: for people as text and as a page of HTML that stands alone.
 * Both are made of a result object as `cairn check --json` prints it: of one search, or of several
 * contexts (with "contexts", a list of such objects that each have a "context"). */
#ifndef CAIRN_REPORT_MATRIX_H
#define CAIRN_REPORT_MATRIX_H

#include "report/text.h"

#include <stdio.h>

struct json_t;

void matrix_show(const struct report_style *style, const struct json_t *all);
void matrix_html(FILE *out, const struct json_t *all);
/* The same of an object as text. False: memory was refused. */
bool matrix_page(FILE *out, const char *object, size_t length);

#endif
