#define XXH_INLINE_ALL
#include "run/wire.h"

#include "result/tables.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { BUFFER = 4096, NUMBER_ROOM = 64, RELAY_BYTES = 1 << 14 };
const uint64_t wire_most_bytes = UINT64_C(1) << 36;

#define ROW(owner, kind_, member, ...)                                                             \
    {                                                                                              \
        .name = #member, .kind = MEMBER_##kind_, .at = offsetof(struct owner, member), __VA_ARGS__ \
    }
static const struct member shape_rows[] = {
    ROW(member_shape, NUMBER, variables),
    ROW(member_shape, NUMBER, rules),
    ROW(member_shape, NUMBER, processes),
    ROW(member_shape, COUNT, reached),
};
const struct members wire_shape_members = {.name = "shape",
                                           .size = sizeof(struct member_shape),
                                           .rows = shape_rows,
                                           .count = sizeof shape_rows / sizeof *shape_rows};
static const struct member wire_rows[] = {
    ROW(wire, NUMBER, status),
    ROW(wire, INSIDE, shape, .table = &wire_shape_members),
    ROW(wire, INSIDE, result, .table = &tables_result),
    ROW(wire, NUMBER, property_count),
    ROW(wire, LIST, properties, .table = &tables_property_result, .length = LENGTH_NUMBER,
        .length_at = offsetof(struct wire, property_count)),
    ROW(wire, TEXT, told),
};
const struct members wire_members = {.name = "wire",
                                     .size = sizeof(struct wire),
                                     .rows = wire_rows,
                                     .count = sizeof wire_rows / sizeof *wire_rows};

struct wire wire_of(const struct model *model, const struct task *task, const struct result *result)
{
    return (struct wire){.shape = result_shape(model),
                         .result = *result,
                         .property_count = task->property_count,
                         .properties = task->properties};
}

/* ---- bytes ---- */

bool wire_read_all(int from, void *to, size_t bytes)
{
    for (char *at = to; bytes;) {
        ssize_t got = read(from, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = 0;
        if (got <= 0) return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

bool wire_write_all(int to, const void *from, size_t bytes)
{
    for (const char *at = from; bytes;) {
        ssize_t put = write(to, at, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        at += put;
        bytes -= (size_t)put;
    }
    return true;
}

/* ---- writing ---- */

/* Counts bytes; with `put` it also passes them on. */
struct sink {
    const struct member_shape *shape;
    wire_put *put;
    void *context;
    XXH3_state_t hash;
    uint64_t length;
    size_t used;
    bool good;
    char buffer[BUFFER];
};

static void flush(struct sink *sink)
{
    if (sink->put && sink->used) {
        XXH3_128bits_update(&sink->hash, sink->buffer, sink->used);
        sink->good = sink->good && sink->put(sink->context, sink->buffer, sink->used);
    }
    sink->used = 0;
}

static void put_bytes(struct sink *sink, const char *bytes, size_t size)
{
    sink->length += size;
    while (size) {
        if (sink->used == BUFFER) flush(sink);
        size_t some = size < BUFFER - sink->used ? size : BUFFER - sink->used;
        if (sink->put) memcpy(sink->buffer + sink->used, bytes, some);
        sink->used += some;
        bytes += some;
        size -= some;
    }
}

static void put_word(struct sink *sink, const char *word) { put_bytes(sink, word, strlen(word)); }

static void put_count(struct sink *sink, uint64_t count)
{
    char digits[NUMBER_ROOM];
    put_bytes(sink, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count));
}

static void put_text(struct sink *sink, const char *text)
{
    if (!text) return put_word(sink, "-");
    put_count(sink, strlen(text));
    put_word(sink, ":");
    put_word(sink, text);
}

static void put_reason(struct sink *sink, const char *text)
{
    const enum reason reason = text ? result_reason(text) : REASON_OTHER;
    if (reason == REASON_OTHER) return put_text(sink, text);
    put_word(sink, "#");
    put_count(sink, reason);
}

static void put_struct(struct sink *sink, const struct members *table, const void *owner,
                       bool named);

static void put_list(struct sink *sink, const struct member *row, const void *owner)
{
    const char *element = member_target(row, owner);
    if (!element) return put_word(sink, "-");
    const uint64_t length = member_length(row, owner, sink->shape);
    put_count(sink, length);
    for (uint64_t i = 0; i < length; i++, element += row->table->size)
        put_struct(sink, row->table, element, false);
}

static void put_part(struct sink *sink, const struct member *row, const void *owner)
{
    const void *part = member_target(row, owner);
    if (!part) return put_word(sink, "-");
    put_word(sink, "{");
    put_struct(sink, row->table, part, true);
    put_word(sink, "\n}");
}

static void put_value(struct sink *sink, const struct member *row, const void *owner)
{
    const void *at = member_place(row, owner);
    char digits[NUMBER_ROOM];
    switch (row->kind) {
    case MEMBER_COUNT: put_count(sink, *(const uint64_t *)at); break;
    case MEMBER_NUMBER: put_count(sink, *(const uint32_t *)at); break;
    case MEMBER_BYTE: put_count(sink, *(const uint8_t *)at); break;
    case MEMBER_TRUTH: put_count(sink, *(const bool *)at); break;
    case MEMBER_CHOICE: put_count(sink, *(const unsigned *)at); break;
    case MEMBER_INTEGER:
        snprintf(digits, sizeof digits, "%" PRId64, *(const int64_t *)at);
        put_word(sink, digits);
        break;
    case MEMBER_REAL:
        snprintf(digits, sizeof digits, "%a", *(const double *)at);
        put_word(sink, digits);
        break;
    case MEMBER_TEXT: put_text(sink, *(const char *const *)at); break;
    case MEMBER_REASON: put_reason(sink, *(const char *const *)at); break;
    case MEMBER_LIST: put_list(sink, row, owner); break;
    case MEMBER_ONE:
    case MEMBER_INSIDE: put_part(sink, row, owner); break;
    default: assert(false);
    }
}

static bool is_written(const struct member *row) { return row->kind < MEMBER_ROOM; }

static void put_struct(struct sink *sink, const struct members *table, const void *owner,
                       bool named)
{
    for (unsigned i = 0; i < table->count; i++) {
        const struct member *row = &table->rows[i];
        if (!is_written(row)) continue;
        if (named) {
            put_word(sink, "\n");
            put_word(sink, row->name);
        }
        put_word(sink, " ");
        put_value(sink, row, owner);
    }
}

static void put_body(struct sink *sink, const struct wire *message)
{
    put_struct(sink, &wire_members, message, true);
    put_word(sink, "\n");
}

static void make_head(char head[WIRE_HEAD + 1], const uint64_t identity[2], uint64_t length)
{
    int size = snprintf(head, WIRE_HEAD + 1,
                        "cairn result %d %016" PRIx64 "%016" PRIx64 " %016" PRIx64 "\n",
                        WIRE_VERSION, identity[0], identity[1], length);
    assert(size == WIRE_HEAD);
    (void)size;
}

static void make_check(char check[WIRE_CHECK + 1], XXH128_hash_t hash)
{
    int size = snprintf(check, WIRE_CHECK + 1, "check %016" PRIx64 "%016" PRIx64 "\n",
                        (uint64_t)hash.high64, (uint64_t)hash.low64);
    assert(size == WIRE_CHECK);
    (void)size;
}

bool wire_write(const struct wire *message, const uint64_t identity[2], wire_put *put,
                void *context)
{
    struct sink sink; /* written twice: its length is in its head */
    char head[WIRE_HEAD + 1], check[WIRE_CHECK + 1];
    sink.shape = &message->shape;
    sink.put = NULL;
    sink.length = sink.used = 0;
    put_body(&sink, message);
    const uint64_t length = sink.length;
    make_head(head, identity, length);
    sink.put = put;
    sink.context = context;
    sink.length = sink.used = 0;
    sink.good = true;
    XXH3_128bits_reset(&sink.hash);
    put_bytes(&sink, head, WIRE_HEAD);
    put_body(&sink, message);
    assert(sink.length == WIRE_HEAD + length);
    flush(&sink);
    make_check(check, XXH3_128bits_digest(&sink.hash));
    return sink.good && put(context, check, WIRE_CHECK);
}

static bool put_to_file(void *context, const void *bytes, size_t size)
{
    return wire_write_all(*(const int *)context, bytes, size);
}

bool wire_send(const struct wire *message, const uint64_t identity[2], int to)
{
    return wire_write(message, identity, put_to_file, &to);
}

/* Whether it is a file that may be removed: never a device. */
static bool is_plain_file(int file)
{
    struct stat status;
    return !fstat(file, &status) && S_ISREG(status.st_mode);
}

const char *wire_save(const struct wire *message, const uint64_t identity[2], const char *path,
                      const char *new_path)
{
    int file = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return strerror(errno);
    bool good = wire_send(message, identity, file) && !fsync(file);
    int reason = errno;
    const bool is_plain = is_plain_file(file);
    if (close(file) && good) good = false, reason = errno;
    if (good && !rename(new_path, path)) return NULL;
    if (good) reason = errno;
    else if (is_plain) unlink(new_path);
    return strerror(reason);
}

/* ---- reading ---- */

/* What is left to read. After a mistake nothing more is. */
struct input {
    const char *at, *end;
    struct mem *mem;
    const struct member_shape *shape;
    bool good;
};

static void expect(struct input *input, const char *word)
{
    const size_t length = strlen(word);
    input->good = input->good && (size_t)(input->end - input->at) >= length
                  && !memcmp(input->at, word, length);
    if (input->good) input->at += length;
}

static bool is_next(struct input *input, char character)
{
    if (!input->good || input->at == input->end || *input->at != character) return false;
    input->at++;
    return true;
}

static uint64_t get_count(struct input *input, uint64_t most)
{
    uint64_t value = 0;
    const char *begin = input->at;
    for (; input->good && input->at < input->end && *input->at >= '0' && *input->at <= '9';
         input->at++)
        if (__builtin_mul_overflow(value, 10, &value)
            || __builtin_add_overflow(value, (uint64_t)(*input->at - '0'), &value))
            input->good = false;
    input->good = input->good && input->at > begin && value <= most;
    return input->good ? value : 0;
}

static int64_t get_integer(struct input *input)
{
    const bool negative = is_next(input, '-');
    uint64_t size = get_count(input, (uint64_t)INT64_MAX + negative);
    return negative ? (int64_t)(0 - size) : (int64_t)size;
}

static double get_real(struct input *input)
{
    char digits[NUMBER_ROOM], *end = digits;
    size_t length = 0;
    while (input->good && length < NUMBER_ROOM - 1 && input->at + length < input->end
           && !strchr(" \n", input->at[length]))
        length++;
    memcpy(digits, input->at, length);
    digits[length] = 0;
    double value = length ? strtod(digits, &end) : 0;
    input->good = input->good && length && end == digits + length;
    input->at += length;
    return value;
}

static char *get_text(struct input *input)
{
    if (is_next(input, '-')) return NULL;
    const uint64_t length = get_count(input, (uint64_t)(input->end - input->at));
    expect(input, ":");
    input->good = input->good && (uint64_t)(input->end - input->at) >= length
                  && !memchr(input->at, 0, length);
    if (!input->good) return NULL;
    char *text = mem_alloc(input->mem, length + 1);
    memcpy(text, input->at, length);
    input->at += length;
    return text;
}

static const char *get_reason(struct input *input)
{
    if (!is_next(input, '#')) return get_text(input);
    enum reason reason = (enum reason)get_count(input, REASON_COUNT - 1);
    input->good = input->good && reason != REASON_OTHER;
    return input->good ? result_reason_text(reason) : NULL;
}

static void get_struct(struct input *input, const struct members *table, void *owner, bool named);

/* An element has at least two characters, so that no length makes us ask for much more memory than
 * the message has bytes. */
static void *get_list(struct input *input, const struct member *row, const void *owner)
{
    if (is_next(input, '-')) return NULL;
    const uint64_t length =
        get_count(input, (uint64_t)(input->end - input->at) / 2); /* its own digits, too */
    input->good = input->good && length == member_length(row, owner, input->shape);
    if (!input->good) return NULL;
    return mem_alloc(input->mem, (length + 1) * row->table->size);
}

static void get_value(struct input *input, const struct member *row, void *owner)
{
    void *at = (char *)owner + row->at;
    char *element;
    switch (row->kind) {
    case MEMBER_COUNT: *(uint64_t *)at = get_count(input, UINT64_MAX); break;
    case MEMBER_NUMBER: *(uint32_t *)at = (uint32_t)get_count(input, UINT32_MAX); break;
    case MEMBER_BYTE: *(uint8_t *)at = (uint8_t)get_count(input, UINT8_MAX); break;
    case MEMBER_TRUTH: *(bool *)at = get_count(input, 1); break;
    case MEMBER_CHOICE: *(unsigned *)at = (unsigned)get_count(input, row->choices - 1); break;
    case MEMBER_INTEGER: *(int64_t *)at = get_integer(input); break;
    case MEMBER_REAL: *(double *)at = get_real(input); break;
    case MEMBER_TEXT: *(char **)at = get_text(input); break;
    case MEMBER_REASON: *(const char **)at = get_reason(input); break;
    case MEMBER_LIST:
        *(void **)at = element = get_list(input, row, owner);
        for (uint64_t i = 0; input->good && element && i < member_length(row, owner, input->shape);
             i++, element += row->table->size)
            get_struct(input, row->table, element, false);
        break;
    case MEMBER_ONE:
        if (is_next(input, '-')) break;
        *(void **)at = mem_alloc(input->mem, row->table->size); /* fall through */
    case MEMBER_INSIDE:
        expect(input, "{");
        get_struct(input, row->table, row->kind == MEMBER_ONE ? *(void **)at : at, true);
        expect(input, "\n}");
        break;
    case MEMBER_ROOM:
        if (row->length == LENGTH_NUMBER)
            *(uint32_t *)at = *(uint32_t *)((char *)owner + row->length_at);
        else *(uint64_t *)at = *(uint64_t *)((char *)owner + row->length_at);
        break;
    default: break;
    }
}

static void get_struct(struct input *input, const struct members *table, void *owner, bool named)
{
    for (unsigned i = 0; input->good && i < table->count; i++) {
        const struct member *row = &table->rows[i];
        if (is_written(row) && named) {
            expect(input, "\n");
            expect(input, row->name);
        }
        if (is_written(row)) expect(input, " ");
        if (input->good) get_value(input, row, owner);
    }
}

static void free_struct(struct mem *mem, const struct members *table, void *owner,
                        const struct member_shape *shape)
{
    for (unsigned i = 0; i < table->count; i++) {
        const struct member *row = &table->rows[i];
        void *at = (char *)owner + row->at;
        if (row->kind == MEMBER_INSIDE) free_struct(mem, row->table, at, shape);
        if (row->kind == MEMBER_REASON && result_reason(*(char **)at) != REASON_OTHER) continue;
        if (row->kind == MEMBER_LIST || row->kind == MEMBER_ONE) {
            char *part = *(char **)at;
            uint64_t length = !part                      ? 0
                              : row->kind == MEMBER_LIST ? member_length(row, owner, shape)
                                                         : 1;
            for (uint64_t k = 0; k < length; k++)
                free_struct(mem, row->table, part + k * row->table->size, shape);
            mem_free(mem, part);
        }
        if (row->kind == MEMBER_TEXT || row->kind == MEMBER_REASON) mem_free(mem, *(char **)at);
    }
}

void wire_free(struct wire *message, struct mem *mem)
{
    const struct member_shape shape = message->shape;
    free_struct(mem, &wire_members, message, &shape);
    memset(message, 0, sizeof *message);
}

bool wire_fits(const struct wire *message, const struct model *model, const struct task *task)
{
    const struct member_shape shape = result_shape(model), *its = &message->shape;
    bool good = its->variables == shape.variables && its->rules == shape.rules
                && its->processes == shape.processes && its->reached == shape.reached
                && message->property_count == task->property_count;
    for (uint32_t i = 0; good && i < task->property_count; i++)
        good =
            message->properties[i].kind == task->properties[i].kind
            && !strcmp(message->properties[i].property->name, task->properties[i].property->name);
    return good;
}

/* Whether the head is whole, of this version and, unless that is NULL, of this run. */
static bool read_head(const char *head, const uint64_t identity[2], uint64_t *length)
{
    char same[WIRE_HEAD + 1], digits[17];
    uint64_t its[2];
    memcpy(digits, head + WIRE_HEAD - 17, 16);
    digits[16] = 0;
    *length = strtoull(digits, NULL, 16);
    if (identity) make_head(same, identity, *length);
    else if (sscanf(head, "cairn result %*d %16" SCNx64 "%16" SCNx64, &its[0], &its[1]) == 2)
        make_head(same, its, *length);
    else return false;
    return !memcmp(head, same, WIRE_HEAD) && *length <= wire_most_bytes - WIRE_HEAD - WIRE_CHECK;
}

static bool is_sound(const struct wire *message)
{
    bool good = !result_check(&message->result, &message->shape);
    for (uint32_t i = 0; good && i < message->property_count; i++)
        good =
            message->properties && !result_check_property(&message->properties[i], &message->shape);
    return good;
}

bool wire_read(struct wire *message, const uint64_t identity[2], struct mem *mem, const void *bytes,
               uint64_t size)
{
    const char *all = bytes;
    char check[WIRE_CHECK + 1];
    uint64_t length;
    memset(message, 0, sizeof *message);
    if (size < WIRE_HEAD + WIRE_CHECK || !read_head(all, identity, &length)
        || size != WIRE_HEAD + length + WIRE_CHECK)
        return false;
    make_check(check, XXH3_128bits(all, size - WIRE_CHECK));
    if (memcmp(all + size - WIRE_CHECK, check, WIRE_CHECK)) return false;
    struct input input = {all + WIRE_HEAD, all + size - WIRE_CHECK, mem, &message->shape, true};
    get_struct(&input, &wire_members, message, true);
    expect(&input, "\n");
    if (input.good && input.at == input.end && is_sound(message)) return true;
    wire_free(message, mem);
    return false;
}

void wire_sum(void *bytes, uint64_t size)
{
    char check[WIRE_CHECK + 1], *end = (char *)bytes + size - WIRE_CHECK;
    make_check(check, XXH3_128bits(bytes, size - WIRE_CHECK));
    memcpy(end, check, WIRE_CHECK);
}

/* The rest of a message, after its head. NULL: it is not whole, or much too long. */
static char *receive_rest(struct mem *mem, int from, const char head[WIRE_HEAD], uint64_t size)
{
    char *bytes = mem_alloc(mem, size);
    memcpy(bytes, head, WIRE_HEAD);
    if (wire_read_all(from, bytes + WIRE_HEAD, size - WIRE_HEAD)) return bytes;
    mem_free(mem, bytes);
    return NULL;
}

bool wire_receive(struct wire *message, const uint64_t identity[2], struct mem *mem, int from)
{
    char head[WIRE_HEAD];
    uint64_t length;
    memset(message, 0, sizeof *message);
    if (!wire_read_all(from, head, WIRE_HEAD) || !read_head(head, identity, &length)) return false;
    const uint64_t size = WIRE_HEAD + length + WIRE_CHECK;
    char *bytes = receive_rest(mem, from, head, size);
    bool good = bytes && wire_read(message, identity, mem, bytes, size);
    mem_free(mem, bytes);
    return good;
}

/* A file whose size is not what its head says is not asked for more memory than it has bytes. */
bool wire_load(struct wire *message, const uint64_t identity[2], struct mem *mem, const char *path)
{
    struct stat status;
    char head[WIRE_HEAD], *bytes = NULL;
    uint64_t length;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    memset(message, 0, sizeof *message);
    if (file < 0) return false;
    if (!fstat(file, &status) && wire_read_all(file, head, WIRE_HEAD)
        && read_head(head, identity, &length)
        && (uint64_t)status.st_size == WIRE_HEAD + length + WIRE_CHECK)
        bytes = receive_rest(mem, file, head, (uint64_t)status.st_size);
    close(file);
    bool good = bytes && wire_read(message, identity, mem, bytes, (uint64_t)status.st_size);
    mem_free(mem, bytes);
    return good;
}

bool wire_relay(int from, int to)
{
    char buffer[RELAY_BYTES];
    uint64_t left = 0;
    bool good = wire_read_all(from, buffer, WIRE_HEAD) && read_head(buffer, NULL, &left)
                && wire_write_all(to, buffer, WIRE_HEAD);
    for (left += WIRE_CHECK; good && left;) {
        size_t piece = left < sizeof buffer ? (size_t)left : sizeof buffer;
        good = wire_read_all(from, buffer, piece) && wire_write_all(to, buffer, piece);
        left -= piece;
    }
    return good;
}
