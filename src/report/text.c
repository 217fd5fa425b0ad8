#include "report/text.h"

#include "report/explain.h"
#include "result/value.h"
#include "result/conclude.h"
#include "result/tables.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *report_bytes(char buffer[32], uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double amount = (double)bytes;
    unsigned unit = 0;
    while (amount >= 1024 && unit < 4) amount /= 1024, unit++;
    snprintf(buffer, 32, unit ? "%.1f %s" : "%.0f %s", amount, units[unit]);
    return buffer;
}

static const char *paint(const struct report_style *style, const char *code)
{
    return style->color ? code : "";
}
#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define GREEN "\033[1;32m"
#define YELLOW "\033[1;33m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/* ---- never taken, never reached ---- */

/* A command of the source, and one rule that it takes part in. */
struct use {
    struct place place;
    uint32_t rule;
};

static int by_place(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->place.source != y->place.source) return x->place.source < y->place.source ? -1 : 1;
    if (x->place.line != y->place.line) return x->place.line < y->place.line ? -1 : 1;
    if (x->place.column != y->place.column) return x->place.column < y->place.column ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

static void show_command(const struct report_style *style, const struct diag *diag,
                         struct place place, const char *label)
{
    size_t length = 0;
    const char *line = diag_line(diag, place, &length);
    while (length && (*line == ' ' || *line == '\t')) line++, length--;
    if (length > 80) length = 80;
    if (length && line[length - 1] == '\r') length--;
    fprintf(style->out, "  %s:%u: [%s]%s%.*s\n", diag_source_name(diag, place), place.line, label,
            length ? "   " : "", (int)length, length ? line : "");
}

/* Runs of a simulation say nothing about others. */
static void show_silent(const struct report_style *style, const struct result *result,
                        const char *what)
{
    fprintf(style->out, "%s%s %s%s:%s\n", paint(style, YELLOW),
            result->all_states ? "never" : "not", what, result->all_states ? "" : " in these runs",
            paint(style, PLAIN));
}

/* One entry per command of the source, however many processes and rules share it: never taken means
 * that none of its rules was. */
static void show_never_taken(const struct report_style *style, const struct model *model,
                             const struct diag *diag, const struct result *result)
{
    enum { SHOWN = 20 };
    struct use *uses = mem_alloc(model->mem, (model->parts.len + UINT64_C(1)) * sizeof *uses);
    uint32_t count = 0, silent = 0;
    for (uint32_t r = 0; r < model->rules.len; r++)
        for (uint32_t i = 0; i < model->rules.data[r].parts; i++)
            uses[count++] =
                (struct use){model->parts.data[model->rules.data[r].first_part + i].place, r};
    qsort(uses, count, sizeof *uses, by_place);
    for (uint32_t i = 0, next; i < count; i = next) {
        bool taken = false;
        for (next = i; next < count && uses[next].place.line == uses[i].place.line
                       && uses[next].place.column == uses[i].place.column
                       && uses[next].place.source == uses[i].place.source;
             next++)
            taken |= result->taken[uses[next].rule] != 0;
        if (taken || silent++ >= SHOWN) continue;
        if (silent == 1) show_silent(style, result, "taken");
        show_command(style, diag, uses[i].place, model->rules.data[uses[i].rule].label);
    }
    if (silent > SHOWN) fprintf(style->out, "  ... and %u more commands\n", silent - SHOWN);
    mem_free(model->mem, uses);
}

static void show_never_reached(const struct report_style *style, const struct model *model,
                               const struct diag *diag, const struct result *result)
{
    enum { SHOWN = 20 };
    uint32_t silent = 0;
    for (uint32_t p = 0; p < model->processes.len; p++) {
        const struct model_process *process = &model->processes.data[p];
        for (uint32_t l = 0; l < process->locations; l++) {
            if (result_location_reached(result, p, l) || process->location == MODEL_NONE
                || silent++ >= SHOWN)
                continue;
            const struct model_location *location =
                &model->locations.data[process->first_location + l];
            if (silent == 1) show_silent(style, result, "reached");
            fprintf(style->out, "  %s:%u: location ", diag_source_name(diag, location->place),
                    location->place.line);
            if (location->name) fprintf(style->out, "%s of %s\n", location->name, process->name);
            else fprintf(style->out, "%" PRId64 " of %s\n", location->value, process->name);
        }
    }
    if (silent > SHOWN) fprintf(style->out, "  ... and %u more locations\n", silent - SHOWN);
}

/* A command of the source, and how often its rules were taken. */
struct counted {
    struct use use;
    uint64_t count;
};

static int by_count(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return by_place(&x->use, &y->use);
}

void report_counts(const struct report_style *style, const struct model *model,
                   const struct diag *diag, const struct result *seen)
{
    enum { SHOWN = 20 };
    struct counted *list = mem_alloc(model->mem, (model->rules.len + UINT64_C(1)) * sizeof *list);
    uint32_t count = 0;
    if (!seen->taken) return;
    for (uint32_t r = 0; r < model->rules.len; r++) {
        const struct place place = model->parts.data[model->rules.data[r].first_part].place;
        list[r] = (struct counted){{place, r}, seen->taken[r]};
    }
    qsort(list, model->rules.len, sizeof *list, by_place);
    for (uint32_t r = 0; r < model->rules.len; r++) {
        if (count && !memcmp(&list[count - 1].use.place, &list[r].use.place, sizeof(struct place)))
            list[count - 1].count += list[r].count;
        else list[count++] = list[r];
    }
    qsort(list, count, sizeof *list, by_count);
    fprintf(style->out, "%ssteps taken:%s\n", paint(style, BOLD), paint(style, PLAIN));
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        if (!list[i].count) break;
        fprintf(style->out, "%9" PRIu64, list[i].count);
        show_command(style, diag, list[i].use.place, model->rules.data[list[i].use.rule].label);
    }
    if (count > SHOWN && list[SHOWN].count)
        fprintf(style->out, "           ... (JSON has all of them)\n");
    mem_free(model->mem, list);
    show_never_taken(style, model, diag, seen);
    show_never_reached(style, model, diag, seen);
}

static void show_silence(const struct report_style *style, const struct model *model,
                         const struct diag *diag, const struct result *result)
{
    if (!result->all_states || !result_knows_rules(result))
        return; /* what was not seen yet may still come */
    show_never_taken(style, model, diag, result);
    show_never_reached(style, model, diag, result);
}

/* ---- assurance ---- */

static void show_assurance(const struct report_style *style, const struct model *model,
                           const struct task *task, const struct result *result)
{
    struct text text;
    text_init(&text, model->mem);
    conclude_sentence(&text, model, task, result);
    text.data[0] = (char)(text.data[0] - 'a' + 'A');
    fprintf(style->out, "%s%s.%s\n", paint(style, result->complete ? "" : YELLOW), text.data,
            paint(style, PLAIN));
    text_free(&text);
}

/* ---- searches one after the other ---- */

/* With -v: whether rules were compiled; the figures above are of one of them, and these of each. */
static void show_searches(const struct report_style *style, const struct result *result)
{
    char a[TEXT_COUNT_ROOM];
    if (!style->verbose) return;
    if (result->native) fprintf(style->out, "  rules           %s\n", result->native);
    for (uint32_t i = 0; result->search_count > 1 && i < result->search_count; i++) {
        const struct search_brief *search = &result->searches[i];
        fprintf(style->out, "  search %u        %14s", i + 1, search->engine);
        if (search->has_states)
            fprintf(style->out, "  %s states", text_exact(a, search->states, search->digits));
        if (search->has_depth)
            fprintf(style->out, "%s depth %" PRIu64, search->has_states ? "," : " ", search->depth);
        fprintf(style->out, ", until %.2f s", search->seconds);
        if (search->stop != STOP_NONE) fprintf(style->out, ": %s", stop_reason_text[search->stop]);
        fputc('\n', style->out);
    }
}

/* ---- explore ---- */

/* As the thesis' Listing 6.4, one line per iteration. */
static void show_iterations(const struct report_style *style,
                            const struct symbolic_statistics *statistics)
{
    for (uint32_t i = 0; i < statistics->iteration_count; i++) {
        const struct iteration *iteration = &statistics->iterations[i];
        fprintf(style->out,
                "  iteration %u: %s states in %" PRIu64 " nodes, frontier %" PRIu64
                " nodes, table %" PRIu64 " nodes\n",
                i, iteration->states ? iteration->states : "?", iteration->set_nodes,
                iteration->frontier_nodes, iteration->table_nodes);
    }
}

/* One bar per column: the largest cluster among those of its ranks, on a scale of roots, so that
 * small ones are seen beside large ones. */
static void show_sizes(const struct report_style *style, const struct cluster_statistics *clusters)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { COLUMNS = 72 };
    uint64_t columns = clusters->size_count < COLUMNS ? clusters->size_count : COLUMNS;
    char a[32], b[32];
    if (!columns) return;
    fputs("  cluster sizes   |", style->out);
    for (uint64_t c = 0; c < columns; c++) {
        uint64_t most = 0, from = c * clusters->size_count / columns,
                 to = (c + 1) * clusters->size_count / columns;
        for (uint64_t i = from; i < to; i++)
            if (clusters->sizes[i].states > most) most = clusters->sizes[i].states;
        unsigned height = 0;
        while (height < 8 && most * 64 > clusters->largest.states * height * height) height++;
        fputs(bars[height], style->out);
    }
    fprintf(
        style->out,
        "|\n                  ranks %" PRId64 " to %" PRId64 ", largest %s states (rank %" PRId64
        "), mean %s\n",
        clusters->sizes[0].rank, clusters->sizes[clusters->size_count - 1].rank,
        text_count(a, clusters->largest.states), clusters->largest.rank,
        text_count(b, (clusters->freed_states + clusters->sizes[clusters->size_count - 1].states)
                          / clusters->size_count));
}

static void list_parts(const struct report_style *style, const struct split_statistics *parts)
{
    char a[32], b[32];
    fprintf(style->out, "  %6s %6s %21s %14s %14s %9s  %s\n", "part", "of",
            parts->points ? "first states" : "ranks", "states", "transitions", "time",
            parts->points ? "         p-path" : "");
    for (uint32_t i = 0; i < parts->list_count; i++) {
        const struct split_part *part = &parts->list[i];
        char parent[16] = "-", ranks[48], time[32] = "";
        if (part->parent != MODEL_NONE) snprintf(parent, sizeof parent, "%u", part->parent);
        if (part->parent == MODEL_NONE || parts->points) snprintf(ranks, sizeof ranks, "all");
        else if (part->rank == part->last_rank)
            snprintf(ranks, sizeof ranks, "%" PRId64, part->rank);
        else snprintf(ranks, sizeof ranks, "%" PRId64 " to %" PRId64, part->rank, part->last_rank);
        if (part->end && parts->points)
            snprintf(ranks, sizeof ranks, "[%" PRIu64 "..%" PRIu64 "]", part->begin, part->end - 1);
        else if (part->end)
            snprintf(ranks, sizeof ranks, "%" PRId64 " [%" PRIu64 "..%" PRIu64 "]", part->rank,
                     part->begin, part->end - 1);
        if (part->is_known) snprintf(time, sizeof time, "%.2f s", part->seconds);
        fprintf(style->out, "  %6u %6s %21s %14s %14s %9s  ", part->number, parent, ranks,
                part->is_known ? text_count(a, part->states) : "",
                part->is_known ? text_count(b, part->transitions) : "", time);
        if (part->p_path) fprintf(style->out, "%-8s %s\n", part->state, part->p_path);
        else fprintf(style->out, "%s\n", part->state);
    }
}

/* What each of several ranks did; of very many, the first ones. */
static void list_peers(const struct report_style *style, const struct result *result)
{
    enum { MOST = 64 };
    char a[32], b[32], c[32], d[32], e[32];
    fprintf(style->out, "  %6s %14s %14s %14s %10s %10s %9s %9s\n", "rank", "states", "transitions",
            "sent", "messages", "bytes", "memory", "waiting");
    for (uint32_t i = 0; i < result->peer_count && i < MOST; i++) {
        const struct peer_statistics *peer = &result->peers[i];
        char bytes[32], memory[32];
        fprintf(style->out, "  %6u %14s %14s %14s %10s %10s %9s %7.2f s\n", i,
                text_count(a, peer->states), text_count(b, peer->transitions),
                text_count(c, peer->sent), text_count(d, peer->messages),
                report_bytes(bytes, peer->bytes), report_bytes(memory, peer->memory),
                peer->waiting);
    }
    if (result->peer_count > MOST)
        fprintf(style->out, "  and %s more\n", text_count(e, result->peer_count - MOST));
}

/* P-paths with their sizes. Only so many p-points of a long one. */
static void list_paths(const struct report_style *style,
                       const struct partition_statistics *partition)
{
    enum { SHOWN = 20 };
    char a[32];
    fprintf(style->out, "  %14s  p-path\n", "states");
    for (uint32_t i = 0; i < partition->path_count && i < PARTITION_LISTED; i++) {
        uint32_t tail[SHOWN], length = 0;
        for (uint32_t at = i; partition->paths[at].parent != MODEL_NONE;
             at = partition->paths[at].parent) {
            assert(partition->paths[at].parent < at); /* invariant 7 of result.h: it ends */
            tail[length++ % SHOWN] = partition->paths[at].point;
        }
        fprintf(style->out, "  %14s  %s", text_count(a, partition->paths[i].states),
                length ? "" : "(none)");
        /* from the end on: the last entries of the ring are the first p-points */
        uint32_t shown = length < SHOWN ? length : SHOWN;
        for (uint32_t k = 0; k < shown; k++)
            fprintf(style->out, "%s%s", k ? " " : "",
                    partition->points->names[tail[(length - 1 - k) % SHOWN]]);
        fprintf(style->out, "%s\n", length > SHOWN ? " ..." : "");
    }
    uint64_t listed =
        partition->path_count < PARTITION_LISTED ? partition->path_count : PARTITION_LISTED;
    if (partition->partitions > listed)
        fprintf(style->out, "  %14s  (%s more)\n", "",
                text_count(a, partition->partitions - listed));
}

/* P-paths that were asked for. */
static void list_orders(const struct report_style *style, struct mem *mem,
                        const struct order_statistics *orders)
{
    const struct order_counts *counts = &orders->counts;
    uint32_t *path = mem_alloc(mem, (counts->list_count + UINT64_C(1)) * sizeof *path);
    for (uint32_t i = 0; i < counts->list_count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; counts->list[at].parent != MODEL_NONE; at = counts->list[at].parent)
            path[length++] = counts->list[at].point;
        fprintf(style->out, "  %14s  %s", counts->list[i].is_maximal ? "maximal" : "",
                length ? "" : "(none)");
        while (length)
            fprintf(style->out, "%s%s", orders->points->names[path[length - 1]],
                    length > 1 ? " " : ""),
                length--;
        fputc('\n', style->out);
    }
    mem_free(mem, path);
}

static void list_points(const struct report_style *style, const struct points *points, bool chosen)
{
    enum { SHOWN = 8 };
    char a[32];
    fprintf(style->out, "  p-points        %14s  (%s", text_count(a, points->count),
            points->count ? "" : "none that is ever taken");
    for (uint32_t i = 0; i < points->count && i < SHOWN; i++)
        fprintf(style->out, "%s%s", i ? ", " : "", points->names[i]);
    fprintf(style->out, "%s%s)\n", points->count > SHOWN ? ", ..." : "",
            chosen ? "; chosen automatically" : "");
}

static void show_special(const struct report_style *style, enum member_special special,
                         const struct member_view *view)
{
    const struct result *result = view->result;
    bool chosen;
    const struct points *points = result_points(result, &chosen);
    if (special == SPECIAL_POINTS) list_points(style, points, chosen);
    if (special == SPECIAL_PEERS) list_peers(style, result);
    if (special == SPECIAL_WORDS) list_orders(style, view->model->mem, result->orders);
    if (!style->verbose) return;
    switch (special) {
    case SPECIAL_ITERATIONS: show_iterations(style, result->symbolic); break;
    case SPECIAL_PARTS: list_parts(style, result->parts); break;
    case SPECIAL_PATHS: list_paths(style, result->partition); break;
    case SPECIAL_SIZES: show_sizes(style, result->clusters); break;
    default:
        assert(special == SPECIAL_POINTS || special == SPECIAL_WORDS
               || special == SPECIAL_PEERS); /* the others are of JSON */
    }
}

/* A struct whose lines are told, and its table. */
struct told {
    const struct members *table;
    const void *owner;
    struct member_view view;
};

/* One value: {name:format}, without its braces. */
static void add_value(struct text *text, const struct told *told, const char *name, size_t length)
{
    struct member_value value;
    char buffer[TEXT_COUNT_ROOM];
    const char *colon = memchr(name, ':', length), *format = colon ? colon + 1 : "";
    const size_t path = colon ? (size_t)(colon - name) : length;
    const struct member *row = member_find(told->table, name, path);
    if (!member_look(told->table, &told->view, told->owner, name, path, &value)) return;
    if (*format == 'u') text_add(text, "%" PRIu64, value.count);
    else if (value.kind == MEMBER_TEXT) text_add(text, "%s", value.text ? value.text : "");
    else if (value.kind == MEMBER_REAL)
        text_add(text, "%.*f", *format == '.' ? format[1] - '0' : 2, value.real);
    else if (row && row->unit == UNIT_BYTES)
        text_add(text, "%s", report_bytes(buffer, value.count));
    else text_add(text, "%s", text_exact(buffer, value.count, value.text));
}

/* Whether no value of an optional piece, from after its "[", is 0. */
static bool is_wanted(const struct told *told, const char *piece)
{
    for (; *piece != ']'; piece++) {
        if (*piece != '{') continue;
        if (!member_is_set(told->table, &told->view, told->owner, piece + 1,
                           strcspn(piece + 1, ":}")))
            return false;
    }
    return true;
}

static void fill_in(struct text *text, const struct told *told, const char *template)
{
    while (*template) {
        const size_t plain = strcspn(template, "{[]");
        text_add(text, "%.*s", (int)plain, template);
        template += plain;
        if (*template == '{') {
            const size_t length = strcspn(++template, "}");
            add_value(text, told, template, length);
            template += length + 1;
        } else if (*template == '[' && !is_wanted(told, template + 1)) {
            template = strchr(template, ']') + 1;
        } else if (*template) {
            template ++;
        }
    }
}

static bool line_is_told(const struct told *told, const char *when)
{
    while (when && *when) {
        when += strspn(when, " ");
        const bool negated = *when == '!';
        when += negated;
        const size_t length = strcspn(when, " ");
        if (member_is_set(told->table, &told->view, told->owner, when, length) == negated)
            return false;
        when += length;
    }
    return true;
}

static void show_line(const struct report_style *style, const struct told *told,
                      const struct member_line *line, struct text *text)
{
    text->len = 0;
    if (line->value) fill_in(text, told, line->value);
    if (line->label) fprintf(style->out, "  %-15s %14s", line->label, text->data);
    text->len = 0;
    if (line->note) fill_in(text, told, line->note);
    if (line->note) fprintf(style->out, line->label ? "  (%s)" : "  %s", text->data);
    fputc('\n', style->out);
}

static void show_lines(const struct report_style *style, const struct told *told)
{
    struct text text;
    text_init(&text, told->view.model->mem);
    for (unsigned i = 0; i < told->table->line_count; i++) {
        const struct member_line *line = &told->table->lines[i];
        struct told part = *told;
        if (!line_is_told(told, line->when)) continue;
        if (line->has_special) show_special(style, line->special, &told->view);
        else if (line->lines_of) {
            part.table = line->lines_of->table;
            part.owner = member_target(line->lines_of, told->owner);
            if (part.owner) show_lines(style, &part);
        } else show_line(style, told, line, &text);
    }
    text_free(&text);
}

void report_explore(const struct report_style *style, const struct model *model,
                    const struct diag *diag, const struct result *result)
{
    const struct task task = {0};
    fprintf(style->out, "%s%s%s: %u processes, %u variables, %u rules\n", paint(style, BOLD),
            model->file, paint(style, PLAIN), model->processes.len, model->vars.len,
            model->rules.len);
    if (result->search_count > 1)
        fprintf(style->out, "  searched by     %14s  (the one of %u searches that is told)\n",
                result->engine, result->search_count);
    show_lines(style, &(struct told){&tables_result, result, {.model = model, .result = result}});
    show_searches(style, result);
    if (style->verbose)
        for (uint64_t i = 0; i < result->level_count; i++)
            fprintf(style->out, "  level %" PRIu64 ": %" PRIu64 " states so far\n", i,
                    result->levels[i]);
    if (style->quiet) {
        if (!result->complete) show_assurance(style, model, &task, result); /* never left out */
        return;
    }
    show_silence(style, model, diag, result);
    show_assurance(style, model, &task, result);
}

/* ---- traces ---- */

void report_participants(const struct model *model, struct text *text, uint32_t r)
{
    const struct model_rule *rule = &model->rules.data[r];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < rule->parts; i++) {
        uint32_t process = model->parts.data[rule->first_part + i].process;
        if (process == MODEL_NONE) continue;
        text_add(text, "%s%s", shown++ ? ", " : "", model->processes.data[process].name);
    }
}

/* Words separated by ", ", indented, within 110 columns. */
struct listing {
    struct text *text;
    size_t column; /* 0: nothing yet */
};

enum { LIST_INDENT = 10, LIST_WIDTH = 110 };

/* A word that is longer than a line goes on in the next one, behind a space. */
static void add_long(struct listing *listing, const char *word)
{
    while (strlen(word) + LIST_INDENT > LIST_WIDTH) {
        size_t fits = LIST_WIDTH - LIST_INDENT;
        while (fits && word[fits] != ' ') fits--;
        if (!fits) fits = strcspn(word, " ");
        if (!word[fits]) break;
        text_add(listing->text, "%.*s\n%*s", (int)fits, word, LIST_INDENT, "");
        word += fits + 1;
    }
    text_add(listing->text, "%s", word);
    listing->column = LIST_INDENT + strlen(word);
}

static void add_wrapped(void *context, const char *word)
{
    struct listing *listing = context;
    size_t length = strlen(word);
    if (listing->column == 0 || listing->column + length + 2 > LIST_WIDTH) {
        text_add(listing->text, "%s%*s", listing->column ? ",\n" : "", LIST_INDENT, "");
        add_long(listing, word);
        return;
    }
    text_add(listing->text, ", %s", word);
    listing->column += length + 2;
}

void report_step(const struct report_style *style, const struct model *model,
                 const struct diag *diag, uint32_t number, uint32_t rule, const char *when,
                 const int64_t *before, const int64_t *after)
{
    struct text text, word;
    text_init(&text, model->mem);
    text_init(&word, model->mem);
    if (rule == MODEL_NONE) {
        text_add(&text, "  %4u  %s%s%s\n", number, paint(style, BOLD),
                 number ? "state" : "initial state", paint(style, PLAIN));
    } else {
        const struct model_rule *taken = &model->rules.data[rule];
        struct place place = model->parts.data[taken->first_part].place;
        text_add(&text, "  %4u  %s%s%s", number, paint(style, BOLD), taken->label,
                 paint(style, PLAIN));
        report_participants(model, &word, rule);
        if (word.len) text_add(&text, "  by %s", word.data);
        if (when) text_add(&text, "  at %s", when);
        text_add(&text, "  %s%s:%u%s\n", paint(style, DIM), diag_source_name(diag, place),
                 place.line, paint(style, PLAIN));
    }
    struct listing listing = {&text, 0};
    for (struct shown at = shown_first(model, style->raw); at.cells;
         at = shown_next(model, style->raw, &at)) {
        if (before && shown_differs(&at, before, after))
            value_changes(model, style->raw, &at, before, after, add_wrapped, &listing);
        else if (!before || style->full) {
            word.len = 0;
            text_add(&word, "%s = ", at.name);
            value_text(&word, model, style->raw, &at, after);
            add_wrapped(&listing, word.data);
        }
    }
    if (!listing.column)
        text_add(&text, "          %s",
                 rule == MODEL_NONE ? "(no variables)" : "(nothing changes)");
    fprintf(style->out, "%s\n", text.data);
    text_free(&text);
    text_free(&word);
}

void report_loop(const struct report_style *style, const struct model *model,
                 const struct diag *diag, const struct trace *trace)
{
    uint32_t rule = trace->rules[trace->steps];
    assert(trace->loop <= trace->steps);
    if (rule == MODEL_NONE) {
        fprintf(style->out, "        no rule %s: this state repeats for ever\n",
                trace->delays ? "can ever be taken again" : "is enabled");
        return;
    }
    struct text who;
    char when[TRACE_TIME_ROOM];
    text_init(&who, model->mem);
    report_participants(model, &who, rule);
    struct place place = model->parts.data[model->rules.data[rule].first_part].place;
    if (trace->delays) trace_time(when, model, trace, trace_date(trace, trace->steps + 1));
    fprintf(style->out,
            "        %s%s%s%s%s%s%s  %s:%u leads back to state %u, and so on for ever\n",
            paint(style, BOLD), model->rules.data[rule].label, paint(style, PLAIN),
            who.len ? "  by " : "", who.len ? who.data : "", trace->delays ? "  at " : "",
            trace->delays ? when : "", diag_source_name(diag, place), place.line, trace->loop);
    text_free(&who);
}

void report_wait(const struct report_style *style, const struct model *model,
                 const struct trace *trace)
{
    char time[TRACE_TIME_ROOM], date[TRACE_TIME_ROOM];
    bool closes =
        trace->loop != MODEL_NONE
        && trace->rules[trace->steps] != MODEL_NONE; /* then the date of that step says it */
    if (!trace->delays || !trace->delays[trace->steps] || closes) return;
    trace_time(time, model, trace, trace->delays[trace->steps]);
    fprintf(style->out, "        then %s passes, until %s\n", time,
            trace_time(date, model, trace, trace_date(trace, trace->steps + 1)));
}

/* The steps after state `from`. */
static void show_steps(const struct report_style *style, const struct model *model,
                       const struct diag *diag, const struct trace *trace, uint32_t from)
{
    enum { HEAD = 500, TAIL = 500 };
    struct trace_walk walk;
    char when[TRACE_TIME_ROOM];
    int64_t date = 0;
    trace_walk_start(&walk, model, trace);
    if (!from) report_step(style, model, diag, 0, MODEL_NONE, NULL, NULL, walk.state);
    while (walk.at < trace->steps && trace_walk_step(&walk)) {
        if (trace->delays) date += trace->delays[walk.at - 1];
        if (walk.at <= from) continue;
        bool hidden = !style->full && trace->steps > HEAD + TAIL && walk.at > HEAD
                      && walk.at <= trace->steps - TAIL;
        if (hidden && walk.at == HEAD + 1)
            fprintf(style->out,
                    "        ... %u steps left out (--full shows them, --trace FILE saves them)\n",
                    trace->steps - HEAD - TAIL);
        const char *shown = trace->delays ? trace_time(when, model, trace, date) : NULL;
        if (!hidden)
            report_step(style, model, diag, walk.at, trace->rules[walk.at - 1], shown,
                        walk.previous, walk.state);
    }
    report_wait(style, model, trace);
    if (trace->loop != MODEL_NONE) report_loop(style, model, diag, trace);
    trace_walk_end(&walk);
}

void report_trace(const struct report_style *style, const struct model *model,
                  const struct diag *diag, const struct trace *trace)
{
    show_steps(style, model, diag, trace, 0);
}

/* Runs that show other parts of a CTL formula, each from where it leaves the one before. */
static void show_branches(const struct report_style *style, const struct model *model,
                          const struct diag *diag, const struct property_result *entry)
{
    for (uint32_t i = 0; i < entry->branch_count; i++) {
        const struct trace_branch *branch = &entry->branches[i];
        assert(branch->parent <= i); /* invariant 10 of result.h */
        fprintf(style->out, "  %sbranch %u%s, from state %u of ", paint(style, BOLD), i + 1,
                paint(style, PLAIN), branch->from);
        if (branch->parent) fprintf(style->out, "branch %u", branch->parent);
        else fputs("this run", style->out);
        fprintf(style->out, ", where %s is %s:\n", branch->part, branch->value ? "true" : "false");
        if (branch->from == branch->trace->steps && branch->trace->loop == MODEL_NONE)
            fputs("        (nothing more to do: that state shows it)\n", style->out);
        else if (branch->from) show_steps(style, model, diag, branch->trace, branch->from);
        else show_steps(style, model, diag, branch->trace, 0);
        if (branch->open) fprintf(style->out, "  in its last state:\n    %s\n", branch->open);
    }
    if (entry->branches_cut) fputs("  (more branches are left out)\n", style->out);
}

/* ---- check ---- */

static void show_depths(const struct report_style *style,
                        const struct bounded_statistics *statistics)
{
    for (uint32_t i = 0; i < statistics->depth_count; i++) {
        const struct bounded_depth *depth = &statistics->depths[i];
        fprintf(style->out,
                "  depth %" PRIu64 ": %.3f s, %" PRIu64 " variables, %" PRIu64 " clauses, %" PRIu64
                " conflicts so far\n",
                depth->steps, depth->seconds, depth->variables, depth->clauses, depth->conflicts);
    }
}

static void show_bound(const struct report_style *style, const struct property_result *entry)
{
    if (entry->verdict == VERDICT_HOLDS)
        fprintf(style->out, "  (%s%s", entry->method, entry->has_bound ? "" : ")");
    if (entry->verdict == VERDICT_HOLDS && entry->has_bound)
        fprintf(style->out, ", k = %" PRIu64 ")", entry->bound);
    if (entry->verdict == VERDICT_UNKNOWN && entry->has_bound)
        fprintf(style->out, "  (not %s within %" PRIu64 " step%s)",
                entry->seeks ? "reached" : "violated", entry->bound, entry->bound == 1 ? "" : "s");
}

void report_reasons(const struct report_style *style, const struct model *model,
                    const struct diag *diag, const struct property_result *entry)
{
    struct text text;
    text_init(&text, model->mem);
    explain_violation(model, diag, &text, entry);
    for (const char *line = text.len ? text.data : ""; *line;) {
        size_t length = strcspn(line, "\n");
        fprintf(style->out, "  %.*s\n", (int)length, line);
        line += length + (line[length] != 0);
    }
    text_free(&text);
}

static void show_value(const struct report_style *style, const struct model *model,
                       const struct extent *extent)
{
    char buffer[EXTENT_ROOM];
    fprintf(style->out, "              %s:", extent->term);
    if (extent->sup.is_asked)
        fprintf(style->out, " sup %s", extent_text(buffer, model, extent, true));
    if (extent->sup.is_asked && extent->inf.is_asked) fputc(',', style->out);
    if (extent->inf.is_asked)
        fprintf(style->out, " inf %s", extent_text(buffer, model, extent, false));
    fputc('\n', style->out);
}

static void show_verdict(const struct report_style *style, const struct model *model,
                         const struct property_result *entry, const char *engine, int width)
{
    static const char *const colors[] = {YELLOW, GREEN, RED};
    const struct model_property *property = entry->property;
    enum verdict answer = result_answer(entry);
    bool built_in = entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR;
    fprintf(style->out, "  %s%-8s%s  %-*s", paint(style, colors[answer]), verdict_name[answer],
            paint(style, PLAIN), width, property->name);
    if (!built_in) fprintf(style->out, "  %s", property->text);
    else if (entry->kind == PROPERTY_DEADLOCK) fputs("  no reachable state is stuck", style->out);
    else
        fputs(explain_only_divides(model) ? "  no step divides by zero" : "  no step fails",
              style->out);
    if (entry->method && !strncmp(entry->method, "without", 7))
        fprintf(style->out, "  (%s)", entry->method);
    if (!strcmp(entry->engine ? entry->engine : engine, "bounded")) show_bound(style, entry);
    if (result_is_vacuous(entry))
        fprintf(style->out, "  %s(vacuously: its antecedent is never true)%s", paint(style, YELLOW),
                paint(style, PLAIN));
    if (entry->reason)
        fprintf(style->out, "  %s(%s)%s", paint(style, YELLOW), entry->reason, paint(style, PLAIN));
    fputc('\n', style->out);
    for (uint32_t i = 0; i < entry->value_count; i++) show_value(style, model, &entry->values[i]);
}

/* A violation without a run. */
static void show_last(const struct report_style *style, const struct model *model,
                      const struct diag *diag, const struct property_result *entry)
{
    fprintf(style->out, "\n%s%s is %s%s in this state:\n", paint(style, entry->seeks ? GREEN : RED),
            entry->property->name, entry->seeks ? "reached" : "violated", paint(style, PLAIN));
    assert(entry->reason && !entry->trace); /* invariant 9 of result.h */
    report_step(style, model, diag, 0, MODEL_NONE, NULL, NULL, entry->last);
    report_reasons(style, model, diag, entry);
    fprintf(style->out, "  (%s)\n", entry->reason);
}

static const char *how_shown(const struct model *model, const struct property_result *entry)
{
    if (!entry->seeks) return "violated";
    const bool keeps = entry->kind == PROPERTY_QUERY
                       && model->queries.data[entry->property->query].kind == QUERY_KEEPS;
    return keeps ? "kept" : "reached";
}

/* The run, and how it shows what. again: others were shown before. */
static void show_run(const struct report_style *style, const struct model *model,
                     const struct diag *diag, const struct property_result *entry, bool again)
{
    fprintf(style->out, "\n%s%s is %s%s%s %s %u step%s:\n",
            paint(style, entry->seeks ? GREEN : RED), entry->property->name, again ? "also " : "",
            how_shown(model, entry), paint(style, PLAIN),
            entry->trace->loop != MODEL_NONE ? "by a run that repeats, shown by"
            : entry->kind == PROPERTY_LTL && !entry->in_each_state ? "by every run that begins with"
                                                                   : "after",
            entry->trace->steps, entry->trace->steps == 1 ? "" : "s");
    report_trace(style, model, diag, entry->trace);
    report_reasons(style, model, diag, entry);
}

void report_check(const struct report_style *style, const struct model *model,
                  const struct diag *diag, const struct task *task, const struct result *result)
{
    char a[TEXT_COUNT_ROOM], b[TEXT_COUNT_ROOM];
    int width = 0;
    fprintf(style->out, "%s%s%s: ", paint(style, BOLD), model->file, paint(style, PLAIN));
    if (result->search_count > 1) fprintf(style->out, "%s engine: ", result->engine);
    if (result->bounded)
        fprintf(style->out, "depth %" PRIu64 ", %s clauses, %s conflicts, %.2f s\n",
                result->bounded->depth, text_count(a, result->bounded->clauses),
                text_count(b, result->bounded->conflicts), result->seconds);
    else
        fprintf(
            style->out, "%s %sstates, %s transitions, %.2f s\n",
            text_exact(a, result->states, result->exact.states), result->timed ? "symbolic " : "",
            result->no_transitions ? "?"
                                   : text_exact(b, result->transitions, result->exact.transitions),
            result->seconds);
    show_searches(style, result);
    if (result->bounded && style->verbose) show_depths(style, result->bounded);
    if (result->parts && style->verbose) list_parts(style, result->parts);
    if (result->partition && style->verbose)
        show_lines(style, &(struct told){&tables_partition,
                                         result->partition,
                                         {.model = model, .task = task, .result = result}});
    for (uint32_t i = 0; i < task->property_count; i++) {
        int length = (int)strlen(task->properties[i].property->name);
        if (length > width && length <= 30) width = length;
    }
    for (uint32_t i = 0; i < task->property_count; i++)
        if (!task->properties[i].watched_only || task->properties[i].verdict != VERDICT_UNKNOWN)
            show_verdict(style, model, &task->properties[i], result->engine, width);
    for (uint32_t i = 0; i < model->skipped.len; i++)
        fprintf(style->out, "  %s%-8s%s  %s  (%s)\n", paint(style, YELLOW), "skipped",
                paint(style, PLAIN), model->skipped.data[i].text, model->skipped.data[i].why);
    if (style->quiet) {
        if (!result->complete) show_assurance(style, model, task, result); /* never left out */
        return;
    }
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        if (entry->last) show_last(style, result->searched ? result->searched : model, diag, entry);
        if (!entry->trace) continue;
        show_run(style, model, diag, entry, false);
        show_branches(style, model, diag, entry);
        for (uint32_t k = 0; k < entry->further_count; k++) {
            struct property_result other = *entry;
            other.trace = entry->further[k].trace;
            show_run(style, model, diag, &other, true);
        }
    }
    if (task->property_count) fputc('\n', style->out);
    if (!result->bounded) show_silence(style, model, diag, result);
    show_assurance(style, model, task, result);
}

/* ---- what to try next ---- */

void report_advice(const struct report_style *style, const struct advice *advice, uint32_t count)
{
    if (!count || style->quiet) return;
    fprintf(style->out, "\n%sWhat to try next:%s\n", paint(style, BOLD), paint(style, PLAIN));
    for (uint32_t i = 0; i < count; i++)
        fprintf(style->out, "- %s\n    %s\n", advice[i].why, advice[i].command);
}
