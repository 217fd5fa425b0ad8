/* The written form of results: random results, made by the tables that write them, come back as
 * they were; whatever is cut off, damaged or foreign is refused, also when memory is; and the
 * tables have every member of every struct. Then: a result that breaks an invariant is found. */
#include "run/wire.h"
#include "base/random.h"
#include "base/text.h"
#include "result/tables.h"
#include "unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 4, MESSAGES = 400, DAMAGES = 6000 };
static const uint64_t identity[2] = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};

/* ---- tables ---- */

static size_t size_of(const struct member *row)
{
    switch (row->kind) {
    case MEMBER_COUNT:
    case MEMBER_INTEGER: return 8;
    case MEMBER_NUMBER:
    case MEMBER_CHOICE: return 4;
    case MEMBER_BYTE:
    case MEMBER_TRUTH: return 1;
    case MEMBER_REAL: return sizeof(double);
    case MEMBER_TEXT:
    case MEMBER_REASON:
    case MEMBER_LIST:
    case MEMBER_ONE:
    case MEMBER_ABSENT: return sizeof(void *);
    case MEMBER_INSIDE: return row->table->size;
    case MEMBER_ROOM: return row->length == LENGTH_NUMBER ? 4 : 8;
    case MEMBER_MADE:
    case MEMBER_SPECIAL: return 0;
    }
    return 0;
}

/* Invariants 1 and 3 of result/member.h: what no row covers is padding. */
static void test_cover(struct unit *unit, const struct members *table)
{
    unsigned char *covered = calloc(table->size, 1);
    bool good = true, ordered = true;
    for (unsigned i = 0; i < table->count; i++) {
        const struct member *row = &table->rows[i];
        for (size_t k = 0; k < size_of(row); k++) good &= !covered[row->at + k]++;
        if ((row->kind != MEMBER_LIST || !member_has_length(row)) && row->kind != MEMBER_ROOM)
            continue;
        bool found = false;
        for (unsigned k = 0; k < i; k++)
            found |= size_of(&table->rows[k]) && table->rows[k].at == row->length_at;
        ordered &= found;
    }
    for (size_t k = 0, gap = 0; k < table->size; k++) {
        gap = covered[k] ? 0 : gap + 1;
        if (gap == 0 || k + 1 == table->size || covered[k + 1]) {
            if (gap > 7 || (gap && (k + 1) % 4)) good = false;
        }
    }
    if (!good) printf("table %s\n", table->name);
    CHECK(unit, good);
    CHECK(unit, ordered);
    free(covered);
}

/* Invariant 4: {a.b:c} in a line. */
static bool refers(const struct members *table, const char *path, size_t length)
{
    const char *dot = memchr(path, '.', length);
    const size_t first = dot ? (size_t)(dot - path) : length;
    const struct member *row = member_find(table, path, first);
    if (!row || !dot) return row;
    return row->table && refers(row->table, dot + 1, length - first - 1);
}

static bool template_refers(const struct members *table, const char *text)
{
    while (text && (text = strchr(text, '{'))) {
        text++;
        if (!refers(table, text, strcspn(text, ":}"))) return false;
    }
    return true;
}

static bool condition_refers(const struct members *table, const char *text)
{
    while (text && *text) {
        text += strspn(text, " !");
        size_t length = strcspn(text, " ");
        if (length && !refers(table, text, length)) return false;
        text += length;
    }
    return true;
}

static void test_lines(struct unit *unit, const struct members *table)
{
    for (unsigned i = 0; i < table->line_count; i++) {
        const struct member_line *line = &table->lines[i];
        bool good = template_refers(table, line->value) && template_refers(table, line->note)
                    && condition_refers(table, line->when)
                    && (!line->lines_of || line->lines_of->table->line_count);
        if (!good) printf("table %s, line %u\n", table->name, i);
        CHECK(unit, good);
    }
}

/* Invariant 2, of names and, in JSON, of keys. */
static void test_names(struct unit *unit, const struct members *table)
{
    bool good = true;
    for (unsigned i = 0; i < table->count; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct member *a = &table->rows[i], *b = &table->rows[k];
            good &= strcmp(a->name, b->name) != 0;
            good &= !a->key || !b->key || !*a->key || strcmp(a->key, b->key);
        }
    CHECK(unit, good);
}

static void test_tables(struct unit *unit)
{
    for (unsigned i = 0; tables_all[i]; i++) {
        test_cover(unit, tables_all[i]);
        test_lines(unit, tables_all[i]);
        test_names(unit, tables_all[i]);
    }
    test_cover(unit, &wire_members);
    test_cover(unit, &wire_shape_members);
}

/* ---- random results ---- */

struct maker {
    struct random random;
    struct mem *mem;
    const struct member_shape *shape;
};

static uint64_t pick(struct maker *maker, uint64_t bound)
{
    return random_below(&maker->random, bound);
}

/* Small numbers, large ones, and those at the ends. */
static uint64_t any(struct maker *maker)
{
    switch (pick(maker, 4)) {
    case 0: return pick(maker, 5);
    case 1: return UINT64_MAX - pick(maker, 2);
    default: return random_next(&maker->random) >> pick(maker, 64);
    }
}

static double any_real(struct maker *maker)
{
    static const double odd[] = {0, -0.0, 1e308, 4.9e-324, 0.1};
    return pick(maker, 2) ? odd[pick(maker, 5)] : (double)any(maker) / 7;
}

/* Any bytes but 0. */
static char *any_text(struct maker *maker)
{
    size_t length = pick(maker, 8) ? pick(maker, 12) : pick(maker, 9000);
    char *text = mem_alloc(maker->mem, length + 1);
    for (size_t i = 0; i < length; i++) text[i] = (char)(1 + pick(maker, 255));
    return text;
}

static void fill(struct maker *maker, const struct members *table, void *owner);

static void *any_list(struct maker *maker, const struct member *row, void *owner)
{
    uint64_t length = member_length(row, owner, maker->shape);
    if (!member_has_length(row) && !pick(maker, 3)) return NULL;
    char *list = mem_alloc(maker->mem, (length + 1) * row->table->size);
    for (uint64_t i = 0; i < length; i++) fill(maker, row->table, list + i * row->table->size);
    return list;
}

/* Whether another row has its length here. */
static bool is_length(const struct members *table, const struct member *row)
{
    for (unsigned i = 0; i < table->count; i++)
        if (table->rows[i].kind == MEMBER_LIST && member_has_length(&table->rows[i])
            && table->rows[i].length_at == row->at)
            return true;
    return false;
}

static void fill(struct maker *maker, const struct members *table, void *owner)
{
    for (unsigned i = 0; i < table->count; i++) {
        const struct member *row = &table->rows[i];
        void *at = (char *)owner + row->at;
        switch (row->kind) {
        case MEMBER_COUNT:
            *(uint64_t *)at = is_length(table, row) ? pick(maker, MOST) : any(maker);
            break;
        case MEMBER_NUMBER:
            *(uint32_t *)at = (uint32_t)(is_length(table, row) ? pick(maker, MOST) : any(maker));
            break;
        case MEMBER_INTEGER: *(int64_t *)at = (int64_t)any(maker); break;
        case MEMBER_BYTE: *(uint8_t *)at = (uint8_t)any(maker); break;
        case MEMBER_TRUTH: *(bool *)at = pick(maker, 2); break;
        case MEMBER_REAL: *(double *)at = any_real(maker); break;
        case MEMBER_CHOICE: *(unsigned *)at = (unsigned)pick(maker, row->choices); break;
        case MEMBER_TEXT: *(char **)at = pick(maker, 3) ? any_text(maker) : NULL; break;
        case MEMBER_REASON:
            *(const char **)at = pick(maker, 2)
                                     ? any_text(maker)
                                     : result_reason_text((enum reason)pick(maker, REASON_COUNT));
            break;
        case MEMBER_LIST: *(void **)at = any_list(maker, row, owner); break;
        case MEMBER_ONE:
            if (!pick(maker, 2)) break;
            *(void **)at = mem_alloc(maker->mem, row->table->size);
            fill(maker, row->table, *(void **)at);
            break;
        case MEMBER_INSIDE: fill(maker, row->table, at); break;
        case MEMBER_ROOM:
            if (row->length == LENGTH_NUMBER)
                *(uint32_t *)at = *(uint32_t *)((char *)owner + row->length_at);
            else *(uint64_t *)at = *(uint64_t *)((char *)owner + row->length_at);
            break;
        case MEMBER_ABSENT:
        case MEMBER_MADE:
        case MEMBER_SPECIAL: break;
        }
    }
}

/* ---- so that it is one that an engine could have made ---- */

static void mend_trace(struct maker *maker, struct trace *trace)
{
    const uint32_t rules = maker->shape->rules;
    if (!trace->initial) trace->initial = mem_alloc(maker->mem, (maker->shape->variables + 1) * 8);
    for (uint32_t i = 0; i <= trace->steps; i++) trace->rules[i] %= rules;
    trace->loop = trace->loop & 1 ? MODEL_NONE : trace->loop % (trace->steps + 1);
    trace->failed_rule = trace->failed_rule & 1 ? MODEL_NONE : trace->failed_rule % rules;
    trace->denominator = trace->delays ? 1 + (int64_t)((uint64_t)trace->denominator >> 2) : 0;
}

static struct trace *need_trace(struct maker *maker, struct trace *trace)
{
    if (!trace) {
        trace = mem_alloc(maker->mem, sizeof *trace);
        fill(maker, &tables_trace, trace);
    }
    mend_trace(maker, trace);
    return trace;
}

static void mend_property(struct maker *maker, struct property_result *entry)
{
    if (!entry->property) {
        struct model_property *property = mem_alloc(maker->mem, sizeof *property);
        entry->property = property;
    }
    struct model_property *property = (struct model_property *)entry->property;
    if (!property->name) property->name = any_text(maker);
    property->kind = entry->kind;
    if (entry->antecedent_met) entry->antecedent_never = false;
    if (entry->verdict == VERDICT_UNKNOWN) {
        entry->trace = NULL;
        entry->last = NULL;
    }
    if (entry->trace) entry->trace = need_trace(maker, entry->trace);
    if (entry->trace || !entry->reason) entry->last = NULL;
    if (!entry->trace) entry->has_end = false;
    if (!entry->trace) entry->branch_count = entry->further_count = 0;
    for (uint32_t i = 0; i < entry->further_count; i++)
        entry->further[i].trace = need_trace(maker, entry->further[i].trace);
    for (uint32_t b = 0; b < entry->branch_count; b++) {
        struct trace_branch *branch = &entry->branches[b];
        branch->trace = need_trace(maker, branch->trace);
        branch->parent %= b + 1;
        const struct trace *parent =
            branch->parent ? entry->branches[branch->parent - 1].trace : entry->trace;
        branch->from %= parent->steps + 1;
        if (!branch->part) branch->part = any_text(maker);
    }
}

static const struct points *mend_points(struct maker *maker, const struct points *made)
{
    struct points *points = (struct points *)made;
    if (!points) {
        points = mem_alloc(maker->mem, sizeof *points);
        points->names = mem_alloc(maker->mem, 8);
    }
    for (uint32_t i = 0; i < points->count; i++)
        if (!points->names[i]) points->names[i] = any_text(maker);
    return points;
}

static void mend_orders(struct maker *maker, struct order_statistics *orders)
{
    const struct points *points = orders->points = mend_points(maker, orders->points);
    for (uint32_t i = 0; i < orders->counts.list_count; i++) {
        struct execution_order *order = &orders->counts.list[i];
        order->parent = i && points->count ? order->parent % i : MODEL_NONE;
        if (points->count) order->point %= points->count;
    }
}

static void mend_partition(struct maker *maker, struct partition_statistics *partition)
{
    const struct points *points = partition->points = mend_points(maker, partition->points);
    for (uint32_t i = 0; i < partition->path_count; i++) {
        struct p_path *path = &partition->paths[i];
        path->parent = i && points->count ? path->parent % i : MODEL_NONE;
        if (points->count) path->point %= points->count;
    }
}

static void mend_result(struct maker *maker, struct result *result)
{
    if (!result->engine) result->engine = any_text(maker);
    if (result->symbolic) result->bounded = NULL;
    if (result->symbolic || result->bounded) result->timed = NULL;
    if (result->stop != STOP_NONE) result->complete = false;
    if (result->complete && !result->bounded) result->all_states = true;
    result->states |= UINT64_C(1) << 62;
    result->initial_states >>= 2;
    result->deadlocks >>= 3;
    result->ends >>= 3;
    for (uint32_t i = 0; i < result->level_count; i++)
        result->levels[i] = i + result->levels[i] / (UINT64_C(1) << 63);
    struct cluster_statistics *clusters = result->clusters;
    if (clusters) {
        clusters->finished |= clusters->size_count;
        clusters->live >>= 1;
        clusters->live_peak |= UINT64_C(1) << 63;
        clusters->largest.states = UINT64_MAX;
    }
    if (result->partition) mend_partition(maker, result->partition);
    if (result->orders) mend_orders(maker, result->orders);
    for (uint32_t i = 0; result->parts && i < result->parts->list_count; i++) {
        uint32_t *parent = &result->parts->list[i].parent;
        *parent = i ? *parent % i : MODEL_NONE;
    }
    for (uint32_t p = 0; result->reached_first && p < maker->shape->processes; p++)
        result->reached_first[p] %= 8 * maker->shape->reached;
}

static void make(struct maker *maker, struct wire *message)
{
    memset(message, 0, sizeof *message);
    struct member_shape shape = {(uint32_t)pick(maker, MOST), 1 + (uint32_t)pick(maker, MOST),
                                 (uint32_t)pick(maker, MOST), 1 + pick(maker, MOST)};
    maker->shape = &shape;
    fill(maker, &wire_members, message);
    message->shape = shape;
    mend_result(maker, &message->result);
    for (uint32_t i = 0; i < message->property_count; i++)
        mend_property(maker, &message->properties[i]);
    maker->shape = NULL;
}

/* ---- comparison ---- */

static bool same(const struct members *table, const void *a, const void *b,
                 const struct member_shape *shape);

static bool same_texts(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_row(const struct member *row, const void *a, const void *b,
                     const struct member_shape *shape)
{
    const void *x = member_place(row, a), *y = member_place(row, b);
    const char *p, *q;
    switch (row->kind) {
    case MEMBER_MADE:
    case MEMBER_SPECIAL:
    case MEMBER_ABSENT: return true;
    case MEMBER_TEXT: return same_texts(*(char *const *)x, *(char *const *)y);
    case MEMBER_REASON:
        p = *(char *const *)x, q = *(char *const *)y;
        return p && result_reason(p) != REASON_OTHER ? p == q : same_texts(p, q);
    case MEMBER_LIST:
    case MEMBER_ONE:
    case MEMBER_INSIDE: {
        p = member_target(row, a), q = member_target(row, b);
        if (!p || !q) return p == q;
        uint64_t length = row->kind == MEMBER_LIST ? member_length(row, a, shape) : 1;
        for (uint64_t i = 0; i < length; i++)
            if (!same(row->table, p + i * row->table->size, q + i * row->table->size, shape))
                return false;
        return true;
    }
    default: return !memcmp(x, y, size_of(row));
    }
}

static bool same(const struct members *table, const void *a, const void *b,
                 const struct member_shape *shape)
{
    for (unsigned i = 0; i < table->count; i++)
        if (!same_row(&table->rows[i], a, b, shape)) {
            printf("%s.%s differs\n", table->name, table->rows[i].name);
            return false;
        }
    return true;
}

/* ---- bytes ---- */

struct bytes {
    struct mem *mem;
    unsigned char *data;
    size_t size, left; /* left: put says no after so many */
};

static bool put(void *context, const void *from, size_t size)
{
    struct bytes *bytes = context;
    if (size > bytes->left) return false;
    bytes->left -= size;
    bytes->data = mem_resize(bytes->mem, bytes->data, bytes->size + size);
    memcpy(bytes->data + bytes->size, from, size);
    bytes->size += size;
    return true;
}

static struct bytes write_message(struct mem *mem, const struct wire *message)
{
    struct bytes bytes = {.mem = mem, .left = SIZE_MAX};
    if (!wire_write(message, identity, put, &bytes)) abort();
    return bytes;
}

static void test_round_trip(struct unit *unit, struct maker *maker)
{
    struct wire message, copy;
    make(maker, &message);
    uint64_t allocations = maker->mem->allocations;
    struct bytes first = write_message(maker->mem, &message);
    bool read = wire_read(&copy, identity, maker->mem, first.data, first.size);
    CHECK(unit, maker->mem->allocations > allocations);
    CHECK(unit, read);
    if (!read) {
        const char *wrong = result_check(&message.result, &message.shape);
        for (uint32_t i = 0; !wrong && i < message.property_count; i++)
            wrong = result_check_property(&message.properties[i], &message.shape);
        printf("%s\n", wrong ? wrong : "not read");
        return;
    }
    CHECK(unit, same(&wire_members, &message, &copy, &message.shape));
    struct bytes second = write_message(maker->mem, &copy);
    CHECK(unit, first.size == second.size && !memcmp(first.data, second.data, first.size));
    const uint64_t used = maker->mem->used;
    wire_free(&copy, maker->mem);
    CHECK(unit, maker->mem->used < used);
}

/* A message of some length, with evidence. */
static void make_short(struct maker *maker, struct wire *message, struct bytes *bytes)
{
    do {
        make(maker, message);
        *bytes = write_message(maker->mem, message);
    } while (bytes->size > 6000 || !message->property_count || !message->properties[0].trace);
}

static void test_damage(struct unit *unit, struct maker *maker)
{
    struct wire message, copy;
    struct bytes bytes;
    make_short(maker, &message, &bytes);
    bool good = true;
    for (size_t size = 0; size < bytes.size; size++)
        good &= !wire_read(&copy, identity, maker->mem, bytes.data, size);
    CHECK(unit, good);
    for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        good &= !wire_read(&copy, identity, maker->mem, bytes.data, bytes.size);
        bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    CHECK(unit, good);
    CHECK(unit, wire_read(&copy, identity, maker->mem, bytes.data, bytes.size));
    CHECK(unit,
          !wire_read(&copy, (uint64_t[2]){identity[0], 1}, maker->mem, bytes.data, bytes.size));
    for (size_t left = 0; left < bytes.size; left += 1 + left / 16) {
        struct bytes cut = {.mem = maker->mem, .left = left};
        good &= !wire_write(&message, identity, put, &cut);
    }
    CHECK(unit, good);
}

/* A message whose sum is right, whatever it says: written by the real writer, as a text that is
 * put in the place of a piece of the body. */
static void test_nonsense(struct unit *unit, struct maker *maker)
{
    static const char characters[] = "0123456789-:#{} \nabc";
    struct wire message, copy;
    struct bytes bytes;
    unsigned read = 0;
    bool good = true;
    make_short(maker, &message, &bytes);
    unsigned char *body = mem_alloc(maker->mem, bytes.size + 1);
    for (unsigned i = 0; i < DAMAGES; i++) {
        memcpy(body, bytes.data, bytes.size);
        size_t size = bytes.size - WIRE_HEAD - WIRE_CHECK;
        for (uint64_t k = 1 + pick(maker, 3); k; k--)
            body[WIRE_HEAD + pick(maker, size)] =
                (unsigned char)characters[pick(maker, sizeof characters - 1)];
        wire_sum(body, bytes.size);
        if (!wire_read(&copy, identity, maker->mem, body, bytes.size)) continue;
        read++;
        struct bytes again = write_message(maker->mem, &copy);
        good &= again.size > WIRE_HEAD && !result_check(&copy.result, &copy.shape);
        mem_free(maker->mem, again.data);
        wire_free(&copy, maker->mem);
    }
    CHECK(unit, good);
    CHECK(unit, read && read < DAMAGES);
}

static void test_memory(struct unit *unit, struct maker *maker)
{
    struct wire message, copy;
    struct bytes bytes;
    jmp_buf recover;
    make_short(maker, &message, &bytes);
    volatile bool done = false, good = true;
    for (volatile unsigned n = 1; !done; n++) {
        struct mem mem;
        mem_init(&mem);
        mem.recover = &recover;
        mem.fail_at = n;
        if (!setjmp(recover)) {
            done = wire_read(&copy, identity, &mem, bytes.data, bytes.size);
            good &= done;
        }
        mem_release(&mem);
    }
    CHECK(unit, good);
}

/* ---- files and streams ---- */

/* A file that cannot grow: what was there before is still there, and nothing beside it. */
static void test_full(struct unit *unit, const struct wire *message, const char *path,
                      const char *new_path)
{
    struct rlimit usual;
    if (getrlimit(RLIMIT_FSIZE, &usual)) abort();
    const struct rlimit small = {.rlim_cur = 100, .rlim_max = usual.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &small)) abort();
    const char *why = wire_save(message, identity, path, new_path);
    if (setrlimit(RLIMIT_FSIZE, &usual)) abort();
    CHECK(unit, why && !access(path, F_OK) && access(new_path, F_OK));
}

static void test_streams(struct unit *unit, struct maker *maker)
{
    struct wire message, copy;
    struct bytes bytes;
    int near[2], far[2];
    char folder[] = "/tmp/cairn-wire-XXX"
                    "XXX",
         path[64], new_path[64];
    make_short(maker, &message, &bytes);
    if (pipe(near) || pipe(far) || !mkdtemp(folder)) abort();
    CHECK(unit, wire_send(&message, identity, near[1]));
    CHECK(unit, wire_relay(near[0], far[1]));
    CHECK(unit, wire_receive(&copy, identity, maker->mem, far[0]));
    CHECK(unit, same(&wire_members, &message, &copy, &message.shape));
    close(near[1]);
    CHECK(unit, !wire_relay(near[0], far[1]));
    CHECK(unit, !wire_receive(&copy, identity, maker->mem, near[0]));
    close(near[0]), close(far[0]), close(far[1]);
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(new_path, sizeof new_path, "%s/b", folder);
    CHECK(unit, !wire_load(&copy, identity, maker->mem, path));
    CHECK(unit, !wire_save(&message, identity, path, new_path));
    CHECK(unit, wire_load(&copy, identity, maker->mem, path));
    CHECK(unit, same(&wire_members, &message, &copy, &message.shape));
    if (truncate(path, (off_t)bytes.size - 1)) abort();
    CHECK(unit, !wire_load(&copy, identity, maker->mem, path));
    CHECK(unit, wire_save(&message, identity, "/nowhere/a", new_path));
    CHECK(unit, wire_save(&message, identity, path, "/nowhere/b"));
    test_full(unit, &message, path, new_path);
    unlink(path), unlink(new_path), rmdir(folder);
}

/* ---- what must hold of a result ---- */

static const struct member_shape tiny = {.variables = 1, .rules = 2, .processes = 1, .reached = 1};

#define SOUND .engine = "explicit", .states = 10
#define BREAKS(unit, number, ...)                                                                  \
    do {                                                                                           \
        const struct result result = {SOUND, __VA_ARGS__};                                         \
        const char *wrong = result_check(&result, &tiny);                                          \
        CHECK(unit, wrong &&atoi(wrong) == number);                                                \
    } while (0)

static void test_result(struct unit *unit)
{
    static struct symbolic_statistics symbolic;
    static struct timed_statistics timed;
    static struct bounded_statistics bounded = {.depth_count = 1};
    static uint64_t shrinking[] = {3, 2}, many[] = {3, 11};
    static struct cluster_size sizes[] = {{.states = 5}};
    static struct cluster_statistics more = {.sizes = sizes, .size_count = 1, .size_room = 1},
                                     larger = {.sizes = sizes,
                                               .size_count = 1,
                                               .size_room = 1,
                                               .finished = 1,
                                               .largest.states = 4};
    static struct points points;
    static struct p_path paths[] = {{.parent = 0}};
    static struct partition_statistics partition = {
        .points = &points, .paths = paths, .path_count = 1};
    static struct execution_order order[] = {{.parent = 0}};
    static struct order_statistics orders = {.points = &points,
                                             .counts = {.list = order, .list_count = 1}};
    static struct split_part list[] = {{.parent = 0}};
    static struct split_statistics parts = {.list = list, .list_count = 1};
    const struct result sound = {SOUND, .complete = true, .all_states = true};
    CHECK(unit, !result_check(&sound, &tiny));
    const struct result nobody = {0};
    CHECK(unit, atoi(result_check(&nobody, &tiny)) == 1);
    BREAKS(unit, 2, .complete = true, .all_states = true, .stop = STOP_TIME);
    BREAKS(unit, 2, .complete = true);
    BREAKS(unit, 3, .symbolic = &symbolic, .timed = &timed);
    BREAKS(unit, 4, .initial_states = 11);
    BREAKS(unit, 4, .deadlocks = 6, .ends = 5);
    BREAKS(unit, 5, .levels = shrinking, .level_count = 2);
    BREAKS(unit, 5, .levels = many, .level_count = 2);
    BREAKS(unit, 6, .clusters = &more);
    BREAKS(unit, 6, .clusters = &larger);
    BREAKS(unit, 7, .partition = &partition);
    BREAKS(unit, 7, .orders = &orders);
    BREAKS(unit, 7, .parts = &parts);
    BREAKS(unit, 8, .bounded = &bounded);
    BREAKS(unit, 8, .level_count = 1);
}

#define PROPERTY .property = &property, .kind = PROPERTY_INVARIANT
#define IS_WRONG(unit, number, ...)                                                                \
    do {                                                                                           \
        const struct property_result entry = {PROPERTY, __VA_ARGS__};                              \
        const char *wrong = result_check_property(&entry, &tiny);                                  \
        CHECK(unit, wrong &&atoi(wrong) == number);                                                \
    } while (0)
#define VIOLATED .verdict = VERDICT_VIOLATED

static void test_property(struct unit *unit)
{
    static const struct model_property property = {.name = "p", .kind = PROPERTY_INVARIANT};
    static int64_t values[2], delays[2];
    static uint32_t rules[] = {1, 0}, bad[] = {2, 0};
#define RUN .initial = values, .steps = 1, .failed_rule = MODEL_NONE
    static struct trace run = {RUN, .rules = rules, .loop = MODEL_NONE},
                        no_rule = {RUN, .rules = bad, .loop = MODEL_NONE},
                        no_loop = {RUN, .rules = rules, .loop = 2},
                        no_unit = {RUN, .rules = rules, .loop = MODEL_NONE, .delays = delays};
    static struct trace_branch late = {.trace = &run, .part = "q", .from = 2},
                               own = {.trace = &run, .part = "q", .parent = 1};
    const struct property_result sound = {PROPERTY, VIOLATED, .trace = &run};
    CHECK(unit, !result_check_property(&sound, &tiny));
    IS_WRONG(unit, 9, .trace = &run);
    IS_WRONG(unit, 9, VIOLATED, .last = values);
    IS_WRONG(unit, 10, VIOLATED, .has_end = true);
    IS_WRONG(unit, 10, VIOLATED, .trace = &run, .branches = &late, .branch_count = 1);
    IS_WRONG(unit, 10, VIOLATED, .trace = &run, .branches = &own, .branch_count = 1);
    IS_WRONG(unit, 11, VIOLATED, .trace = &no_rule);
    IS_WRONG(unit, 11, VIOLATED, .trace = &no_loop);
    IS_WRONG(unit, 11, VIOLATED, .trace = &no_unit);
    IS_WRONG(unit, 12, .antecedent_met = true, .antecedent_never = true);
    const struct property_result other = {.property = &property, .kind = PROPERTY_REACH};
    CHECK(unit, atoi(result_check_property(&other, &tiny)) == 13);
}

int main(void)
{
    struct unit unit = {0};
    struct mem mem;
    mem_init(&mem);
    test_tables(&unit);
    test_result(&unit);
    test_property(&unit);
    for (unsigned seed = 1; seed <= MESSAGES; seed++) {
        struct maker maker = {.random.state = seed, .mem = &mem};
        test_round_trip(&unit, &maker);
        if (seed <= 3) test_damage(&unit, &maker);
        if (seed <= 3) test_nonsense(&unit, &maker);
        if (seed <= 3) test_memory(&unit, &maker);
        if (seed <= 3) test_streams(&unit, &maker);
        mem_release(&mem);
    }
    return unit_finish(&unit);
}
