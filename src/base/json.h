/* Writes JSON to a stream, without allocating: a result can be told even when memory has run out. */
#ifndef CAIRN_BASE_JSON_H
#define CAIRN_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 32 };

struct json {
    FILE *out;
    unsigned depth;
    bool has_items[JSON_DEPTH]; /* of the object or array at each depth */
    bool inline_from[JSON_DEPTH]; /* printed on one line */
    bool after_key;
};

void json_init(struct json *json, FILE *out);
void json_key(struct json *json, const char *key);
void json_open(struct json *json, char bracket);        /* '{' or '[' */
void json_open_inline(struct json *json, char bracket); /* on one line */
void json_close(struct json *json, char bracket);       /* '}' or ']' */
void json_string(struct json *json, const char *text);  /* bad UTF-8 becomes U+FFFD; NULL becomes null */
void json_int(struct json *json, int64_t value);        /* 2^53 and more: a decimal string */
void json_uint(struct json *json, uint64_t value);
void json_real(struct json *json, double value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

#endif
