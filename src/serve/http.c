/* One connection, one request: every answer closes its connection. A connection is a `peer` from
 * the moment it is accepted, and is cut when it does not bring its request, or does not take its
 * answer, in time, however busy it seems; when there are many, those that are idle go first, the
 * oldest of them at once.
 *
 * Invariants: (1) a peer is in the list until its connection is closed, oldest first; (2) an
 * exchange is answered at most once; (3) bodies take at most MOST_BODIES bytes together. */
#include "serve/http.h"

#if __has_include(<microhttpd.h>) && !defined CAIRN_WITHOUT_HTTP

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    MOST_PEERS = 200,        /* connections; more wait to be accepted */
    CROWD = 100,             /* more idle ones than these are cut */
    HEAD_BYTES = 16 << 10,   /* of the head of a request */
    MOST_BODIES = 64 << 20,  /* of all that are being read or answered */
    IDLE_SECONDS = 10,       /* without any traffic */
    REQUEST_SECONDS = 15,    /* until a request is there, */
    ANSWER_SECONDS = 60,     /* and until an answer is taken */
    LOOK_MILLISECONDS = 200, /* between looks at the clock */
};
static const double crowd_seconds = 0.5; /* the time of an idle connection in a crowd */

struct http_peer {
    struct http_peer *before, *behind;
    int socket;
    double begun; /* what it is given time for: its request, or its answer */
    bool is_answered;
    bool is_busy; /* its request is there, and is worked on */
    bool is_cut;
};

struct http_exchange {
    struct http *http;
    struct MHD_Connection *connection;
    struct http_peer *peer;
    const char *act;
    char *body;
    size_t length, room;
    struct MHD_Response *response;
    unsigned status;
    bool is_asked, is_suspended;
};

struct http {
    struct http_plan plan;
    struct MHD_Daemon *daemon;
    struct guard guard;
    int descriptor;
    struct http_peer first; /* the ring of peers begins and ends here */
    size_t bodies;          /* bytes */
    bool has_resumed;       /* there is something to do without traffic */
};

/* ---- answers ---- */

static const struct {
    const char *name, *value;
} common_headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
     "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
};

static struct MHD_Response *make_response(const void *bytes, size_t length, const char *type,
                                          bool lives_on)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        length, (void *)bytes, lives_on ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_COPY);
    if (!response) return NULL;
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof common_headers / sizeof *common_headers; i++)
        MHD_add_response_header(response, common_headers[i].name, common_headers[i].value);
    return response;
}

static enum MHD_Result queue(struct MHD_Connection *connection, struct http_peer *peer,
                             unsigned status, struct MHD_Response *response)
{
    if (!response) return MHD_NO;
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    peer->is_answered = true;
    peer->begun = clock_now();
    return queued;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, struct http_peer *peer,
                              unsigned status)
{
    static const struct {
        unsigned status;
        const char *words;
    } reasons[] = {{400, "this is no request that is known here\n"},
                   {403, "the token of the address that cairn serve has printed is needed, and "
                         "requests of other pages are refused\n"},
                   {404, "there is nothing under this name\n"},
                   {405, "pages are asked for with GET, everything else with POST\n"},
                   {411, "a request needs its length\n"},
                   {413, "a request has at most 4 MiB\n"},
                   {415, "a request is JSON\n"},
                   {503, "too much is asked at the same time\n"}};
    const char *words = "";
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status) words = reasons[i].words;
    assert(*words);
    return queue(connection, peer, status,
                 make_response(words, strlen(words), "text/plain; charset=utf-8", true));
}

void http_answer(struct http_exchange *exchange, unsigned status, const char *text, size_t length)
{
    assert(!exchange->response && exchange->is_asked); /* (2) */
    exchange->response = make_response(text, length, "application/json; charset=utf-8", false);
    exchange->status = status;
    exchange->peer->is_busy = false;
    exchange->http->has_resumed = true;
    if (exchange->is_suspended) MHD_resume_connection(exchange->connection);
    exchange->is_suspended = false;
}

/* ---- requests ---- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* A header that is there twice could mean one thing here and another one elsewhere. */
struct counting {
    const char *name;
    unsigned count;
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    struct counting *counting = context;
    (void)kind, (void)value;
    counting->count += !strcasecmp(name, counting->name);
    return MHD_YES;
}

static bool is_once(struct MHD_Connection *connection, const char *name)
{
    struct counting counting = {.name = name};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &counting);
    return counting.count <= 1;
}

/* Whether it comes from here: 0, or the status of a refusal. */
static unsigned judge_origin(const struct http *http, struct MHD_Connection *connection)
{
    static const char *const names[] = {"Host", "Origin", "Sec-Fetch-Site", "X-Cairn-Token",
                                        "Content-Length"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!is_once(connection, names[i])) return 400;
    return guard_is_host(&http->guard, header(connection, "Host"))
                   && guard_may_origin(&http->guard, header(connection, "Origin"))
               ? 0
               : 403;
}

/* A length in decimal digits; false: it is none. */
static bool read_length(const char *text, size_t *length)
{
    char *end;
    if (!text || *text < '0' || *text > '9') return false;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    *length = errno || number > SIZE_MAX ? SIZE_MAX : (size_t)number;
    return !*end;
}

/* Of a request to do something, before its body is read. */
static unsigned judge_request(const struct http *http, struct MHD_Connection *connection,
                              size_t *length)
{
    static const char json[] = "application/json";
    const char *type = header(connection, "Content-Type");
    if (!guard_knows_token(&http->guard, header(connection, "X-Cairn-Token"))
        || !guard_may_site(header(connection, "Sec-Fetch-Site")))
        return 403;
    if (!type || strncmp(type, json, sizeof json - 1)) return 415;
    if (header(connection, "Transfer-Encoding")
        || !read_length(header(connection, "Content-Length"), length))
        return 411;
    if (*length > HTTP_MOST_BYTES) return 413;
    return http->bodies + *length > MOST_BODIES ? 503 : 0;
}

static enum MHD_Result send_page(const struct http *http, struct MHD_Connection *connection,
                                 struct http_peer *peer, const char *path)
{
    for (unsigned i = 0; i < http->plan.page_count; i++) {
        const struct http_page *page = &http->plan.pages[i];
        if (strcmp(page->path, path)) continue;
        const char *token = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
        if (page->needs_token && !guard_knows_token(&http->guard, token))
            return refuse(connection, peer, 403);
        return queue(connection, peer, 200,
                     make_response(page->bytes, page->length, page->type, true));
    }
    return refuse(connection, peer, 404);
}

/* The head of a request is there. */
static enum MHD_Result begin(struct http *http, struct MHD_Connection *connection,
                             struct http_peer *peer, const char *path, const char *method,
                             void **own)
{
    static const char api[] = "/api/";
    size_t length = 0;
    unsigned status = judge_origin(http, connection);
    if (status) return refuse(connection, peer, status);
    if (!strcmp(method, "GET")) return send_page(http, connection, peer, path);
    if (strcmp(method, "POST")) return refuse(connection, peer, 405);
    if (strncmp(path, api, sizeof api - 1)) return refuse(connection, peer, 404);
    status = judge_request(http, connection, &length);
    if (status) return refuse(connection, peer, status);
    struct http_exchange *exchange = mem_try_alloc(http->plan.mem, sizeof *exchange);
    char *body = exchange ? mem_try_alloc(http->plan.mem, length + 1) : NULL;
    if (!body) return mem_free(http->plan.mem, exchange), refuse(connection, peer, 503);
    *exchange = (struct http_exchange){.http = http,
                                       .connection = connection,
                                       .peer = peer,
                                       .act = path + sizeof api - 1,
                                       .body = body,
                                       .room = length};
    http->bodies += length;
    assert(http->bodies <= MOST_BODIES); /* (3) */
    *own = exchange;
    return MHD_YES;
}

static struct http_peer *peer_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Its body is there: whoever opened this is asked. */
static enum MHD_Result ask(struct http_exchange *exchange)
{
    struct http *http = exchange->http;
    exchange->is_asked = exchange->peer->is_busy = true;
    http->plan.ask(http->plan.context, exchange, exchange->act, exchange->body, exchange->length);
    if (exchange->response) return MHD_YES; /* it is sent when this is called again */
    MHD_suspend_connection(exchange->connection);
    exchange->is_suspended = true;
    return MHD_YES;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **own)
{
    struct http *http = context;
    struct http_peer *peer = peer_of(connection);
    struct http_exchange *exchange = *own;
    (void)version;
    if (!peer) return MHD_NO; /* memory was refused when it came */
    if (!exchange) return begin(http, connection, peer, path, method, own);
    if (*size) {
        if (*size > exchange->room - exchange->length) return MHD_NO;
        memcpy(exchange->body + exchange->length, data, *size);
        exchange->length += *size;
        *size = 0;
        return MHD_YES;
    }
    if (!exchange->is_asked && ask(exchange) != MHD_YES) return MHD_NO;
    if (!exchange->response) return MHD_YES;
    struct MHD_Response *response = exchange->response;
    exchange->response = NULL;
    return queue(connection, peer, exchange->status, response);
}

uint64_t http_number(const struct http_exchange *exchange, const char *key)
{
    size_t number = 0;
    const char *text =
        MHD_lookup_connection_value(exchange->connection, MHD_GET_ARGUMENT_KIND, key);
    return read_length(text, &number) ? number : 0;
}

static void complete(void *context, struct MHD_Connection *connection, void **own,
                     enum MHD_RequestTerminationCode code)
{
    struct http *http = context;
    struct http_exchange *exchange = *own;
    (void)connection, (void)code;
    if (!exchange) return;
    *own = NULL;
    if (exchange->response) MHD_destroy_response(exchange->response);
    http->bodies -= exchange->room;
    mem_free(http->plan.mem, exchange->body);
    mem_free(http->plan.mem, exchange);
}

/* ---- connections ---- */

static void note_peer(void *context, struct MHD_Connection *connection, void **own,
                      enum MHD_ConnectionNotificationCode code)
{
    struct http *http = context;
    struct http_peer *peer = *own;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED && peer) {
        peer->before->behind = peer->behind;
        peer->behind->before = peer->before;
        mem_free(http->plan.mem, peer);
        *own = NULL;
    }
    if (code != MHD_CONNECTION_NOTIFY_STARTED) return;
    peer = mem_try_alloc(http->plan.mem, sizeof *peer);
    *own = peer;
    if (!peer) return;
    *peer = (struct http_peer){
        .before = http->first.before,
        .behind = &http->first,
        .socket =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
        .begun = clock_now()};
    peer->before->behind = peer->behind->before = peer; /* (1) */
}

/* Cuts who takes too long; in a crowd that is soon. */
static void cut_slow(struct http *http)
{
    const double now = clock_now();
    unsigned idle = 0;
    for (struct http_peer *peer = http->first.behind; peer != &http->first; peer = peer->behind)
        idle += !peer->is_busy && !peer->is_cut;
    for (struct http_peer *peer = http->first.behind; peer != &http->first; peer = peer->behind) {
        const double seconds = peer->is_answered ? ANSWER_SECONDS
                               : idle > CROWD    ? crowd_seconds
                                                 : REQUEST_SECONDS;
        if (peer->is_busy || peer->is_cut || now - peer->begun < seconds) continue;
        shutdown(peer->socket, SHUT_RDWR); /* it is seen as closed, then */
        peer->is_cut = true;
        idle--;
    }
}

/* ---- the server ---- */

struct http *http_open(const struct http_plan *plan, const char **why)
{
    struct http *http = mem_alloc(plan->mem, sizeof *http);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(plan->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    *http = (struct http){.plan = *plan};
    http->first.before = http->first.behind = &http->first;
    errno = 0;
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, http, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_PEERS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEAD_BYTES, MHD_OPTION_NOTIFY_COMPLETED, complete, http,
        MHD_OPTION_NOTIFY_CONNECTION, note_peer, http, MHD_OPTION_END);
    if (!http->daemon) {
        *why = errno ? strerror(errno) : "there is no free port";
        return NULL;
    }
    const uint16_t port = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    http->descriptor = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    if (guard_init(&http->guard, port)) return http;
    *why = "the system has no random numbers";
    MHD_stop_daemon(http->daemon);
    return NULL;
}

const struct guard *http_guard(const struct http *http) { return &http->guard; }

int http_descriptor(const struct http *http) { return http->descriptor; }

int http_run(struct http *http)
{
    MHD_UNSIGNED_LONG_LONG wanted;
    http->has_resumed = false;
    MHD_run(http->daemon);
    cut_slow(http);
    if (http->has_resumed) return 0;
    int wait = http->first.behind == &http->first ? 10000 : LOOK_MILLISECONDS;
    if (MHD_get_timeout(http->daemon, &wanted) == MHD_YES && wanted < (unsigned)wait)
        wait = (int)wanted;
    return wait;
}

void http_close(struct http *http) { MHD_stop_daemon(http->daemon); }

bool http_is_there(void) { return true; }

#else /* the program is built without the library */

struct http *http_open(const struct http_plan *plan, const char **why)
{
    (void)plan;
    *why = "this cairn was built without libmicrohttpd: install it (on Debian: apt-get install "
           "libmicrohttpd-dev) and run make again";
    return NULL;
}

const struct guard *http_guard(const struct http *http) { return (void)http, NULL; }
void http_close(struct http *http) { (void)http; }
int http_descriptor(const struct http *http) { return (void)http, -1; }
int http_run(struct http *http) { return (void)http, 0; }
bool http_is_there(void) { return false; }

uint64_t http_number(const struct http_exchange *exchange, const char *key)
{
    return (void)exchange, (void)key, 0;
}

void http_answer(struct http_exchange *exchange, unsigned status, const char *text, size_t length)
{
    (void)exchange, (void)status, (void)text, (void)length;
}

#endif
