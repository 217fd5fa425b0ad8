/* Who may ask: whoever knows the token, from a page of this server alone. Other pages that a
 * browser has open cannot know the token; a name that is made to lead to loopback (DNS rebinding)
 * is seen by its Host, a foreign page by its Origin. */
#ifndef CAIRN_SERVE_GUARD_H
#define CAIRN_SERVE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum { GUARD_TOKEN = 32 }; /* characters of a token: 128 random bits */

struct guard {
    char token[GUARD_TOKEN + 1];
    uint16_t port;
};

/* With a new token. False: the system has no random numbers. */
bool guard_init(struct guard *guard, uint16_t port);

/* Each takes what the request says, or NULL when it says nothing. The time that a comparison of
 * tokens takes does not depend on where they differ. */
bool guard_knows_token(const struct guard *guard, const char *token);
bool guard_is_host(const struct guard *guard, const char *host);
bool guard_may_origin(const struct guard *guard, const char *origin); /* none may, too */
bool guard_may_site(const char *sec_fetch_site);                      /* the same */

#endif
