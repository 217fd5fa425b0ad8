/* Writes JSON to a stream, without allocating: a result can be told even when memory has run
 * out. */
#ifndef CAIRN_BASE_OUT_H
#define CAIRN_BASE_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 600 }; /* values nest as deeply as types do */

struct out {
    FILE *out;
    unsigned depth;
    bool has_items[JSON_DEPTH];   /* of the object or array at each depth */
    bool inline_from[JSON_DEPTH]; /* printed on one line */
    bool after_key;
};

void out_init(struct out *json, FILE *out);
void out_key(struct out *json, const char *key);
void out_open(struct out *json, char bracket);        /* '{' or '[' */
void out_open_inline(struct out *json, char bracket); /* on one line */
void out_close(struct out *json, char bracket);       /* '}' or ']' */
void out_string(struct out *json,
                const char *text);             /* bad UTF-8 becomes U+FFFD; NULL becomes null */
void out_int(struct out *json, int64_t value); /* 2^53 and more: a decimal string */
void out_uint(struct out *json, uint64_t value);
void out_real(struct out *json, double value);
void out_bool(struct out *json, bool value);
void out_null(struct out *json);

#endif
