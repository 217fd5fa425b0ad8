/* Contexts and properties as a matrix, for people. It is made of a result object as `cairn check
 * --json` prints it, of several contexts ("contexts", a list of such objects that each have a
 * "context"). */
#ifndef CAIRN_REPORT_MATRIX_H
#define CAIRN_REPORT_MATRIX_H

#include "report/text.h"

#include <stdio.h>

struct json_t;

void matrix_show(const struct report_style *style, const struct json_t *all);

#endif
