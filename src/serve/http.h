/* HTTP on loopback (libmicrohttpd, in this one file): pages that are in the program, and requests
 * to do something, which whoever opened it answers, at once or later. Everything that a request
 * must be is looked at here: who asks (serve/guard.h), how large it is, how long it takes, how many
 * there are. There are no threads, so that processes may be forked at any time. */
#ifndef CAIRN_SERVE_HTTP_H
#define CAIRN_SERVE_HTTP_H

#include "base/mem.h"
#include "serve/guard.h"

enum { HTTP_MOST_BYTES = 4 << 20 }; /* of a request */

/* A file of the program. */
struct http_page {
    const char *path, *type;
    const unsigned char *bytes;
    size_t length;
    bool needs_token; /* in its address: ?token=... */
};

/* A request that is not answered yet. */
struct http_exchange;

struct http_plan {
    struct mem *mem;
    uint16_t port; /* 0: any that is free */
    const struct http_page *pages;
    unsigned page_count;
    /* POST /api/ACT with this body, which lives until it is answered. */
    void (*ask)(void *context, struct http_exchange *exchange, const char *act, const char *body,
                size_t length);
    void *context;
};

struct http;
/* Whether the program has the library for it. */
bool http_is_there(void);
/* NULL: *why says why not. */
struct http *http_open(const struct http_plan *plan, const char **why);
const struct guard *http_guard(const struct http *http);
/* Of requests that were not answered nobody hears any more. */
void http_close(struct http *http);

/* It can be read when there is something to do. */
int http_descriptor(const struct http *http);
/* Does what there is to do; in so many milliseconds at most it wants to be called again. */
int http_run(struct http *http);

/* A number of the address (?id=3); 0: it says none. */
uint64_t http_number(const struct http_exchange *exchange, const char *key);
/* Answers, once, with JSON that is copied; status: of HTTP. */
void http_answer(struct http_exchange *exchange, unsigned status, const char *text, size_t length);

#endif
