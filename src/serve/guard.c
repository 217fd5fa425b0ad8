#include "serve/guard.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

bool guard_init(struct guard *guard, uint16_t port)
{
    unsigned char random[GUARD_TOKEN / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
    for (unsigned i = 0; i < sizeof random; i++)
        snprintf(guard->token + 2 * i, 3, "%02x", random[i]);
    guard->port = port;
    return true;
}

bool guard_knows_token(const struct guard *guard, const char *token)
{
    unsigned char differs = 0;
    if (!token || strlen(token) != GUARD_TOKEN) return false;
    for (unsigned i = 0; i < GUARD_TOKEN; i++)
        differs |= (unsigned char)(guard->token[i] ^ token[i]);
    return !differs;
}

/* `before`127.0.0.1:PORT, or localhost. */
static bool is_here(const struct guard *guard, const char *before, const char *text)
{
    char expected[64];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(expected, sizeof expected, "%s%s:%u", before, i ? "localhost" : "127.0.0.1",
                 (unsigned)guard->port);
        if (!strcmp(expected, text)) return true;
    }
    return false;
}

bool guard_is_host(const struct guard *guard, const char *host)
{
    return host && is_here(guard, "", host);
}

bool guard_may_origin(const struct guard *guard, const char *origin)
{
    return !origin || is_here(guard, "http://", origin);
}

bool guard_may_site(const char *site)
{
    return !site || !strcmp(site, "same-origin") || !strcmp(site, "none");
}
