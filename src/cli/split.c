/* The work folder (--freeze, or a temporary one) has
 *
 *   parts          the journal: a line per part (`part NUMBER PARENT FIRST-RANK LAST-RANK`) and per part that is done (`done NUMBER`), each with a checksum; appended and synced
 *   NUMBER/        the folder of a part: what it finished (engine/explicit/frozen.c), `rest/`: what it handed on, `outcome`: what it found
 *
 * An outcome is written whole, under another name, and then renamed; only then `done` is written. So after a crash everything that is in the journal is there, parts that had begun
 * are resumed from their own folders, and parts that were not yet known are found again because the part that hands them on is not done. A part is some of its parent's
 * clusters and nothing else, so the answer does not depend on when, in which order or how often parts are run.
 *
 * What is violated in a part is violated: its run is made by the part itself, through the folders of the parts that it comes from. What holds in all parts holds: every waiting
 * cluster is a part, so together they visit every state. */
#define XXH_INLINE_ALL
#include "cli/split.h"

#include "base/clock.h"
#include "cli/workers.h"
#include "engine/explicit/explicit.h"
#include "engine/explicit/net.h"
#include "solver/freezer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { NO_PART = 0xFFFFFFFF, LINE_ROOM = 256, MOST_GROUPS = 256 };

enum part_state { PART_WAITING, PART_RUNNING, PART_DONE, PART_FAILED };

struct part {
    uint32_t parent; /* or NO_PART: the first one */
    uint64_t rank, last_rank;
    enum part_state state;
    bool has_outcome, handed_on;
    enum stop_reason stop;
    uint64_t states, transitions, initial_states, deadlocks, ends, runtime_errors, expanded, peak_bytes, frozen_bytes, live_peak, peak_states;
    double seconds;
};

struct division {
    struct session *session;
    struct task *task;
    struct result *result;
    const char *folder;
    bool is_temporary;
    int journal;
    VEC(struct part) parts;
    uint32_t next; /* parts before it have been started */
    uint32_t done, running;
    uint64_t limit; /* bytes for each part */
    bool broken, stopping;
    double started, shown;
};

/* ---- names ---- */

static const char *name_of(const struct division *split, uint32_t part, const char *file)
{
    struct text text;
    text_init(&text, split->session->mem);
    text_add(&text, "%s/%06u%s%s", split->folder, part, file ? "/" : "", file ? file : "");
    return text.data;
}

/* The folders of the parts that it comes from, the first one first. */
static const char **folders_of(const struct division *split, uint32_t part, uint32_t *count)
{
    *count = 0;
    for (uint32_t at = split->parts.data[part].parent; at != NO_PART; at = split->parts.data[at].parent) ++*count;
    const char **folders = mem_alloc(split->session->mem, (*count + UINT64_C(1)) * sizeof *folders);
    uint32_t i = *count;
    for (uint32_t at = split->parts.data[part].parent; at != NO_PART; at = split->parts.data[at].parent) folders[--i] = name_of(split, at, NULL);
    return folders;
}

/* ---- the journal ---- */

static bool complain(struct division *split, const char *what)
{
    fprintf(stderr, "cairn: error: cannot %s the folder '%.200s': %s\n", what, split->folder, strerror(errno));
    split->broken = true;
    return false;
}

static bool note(struct division *split, const char *line)
{
    char checked[LINE_ROOM + 32];
    int length = snprintf(checked, sizeof checked, "%s #%016" PRIx64 "\n", line, (uint64_t)XXH3_64bits(line, strlen(line)));
    if (write(split->journal, checked, (size_t)length) != length || fdatasync(split->journal)) return complain(split, "write to");
    return true;
}

static bool add_part(struct division *split, uint32_t parent, uint64_t rank, uint64_t last_rank, bool to_journal)
{
    char line[LINE_ROOM];
    struct part part = {.parent = parent, .rank = rank, .last_rank = last_rank};
    snprintf(line, sizeof line, "part %u %u %" PRIu64 " %" PRIu64, split->parts.len, parent, rank, last_rank);
    vec_push(split->session->mem, &split->parts, part);
    return !to_journal || note(split, line);
}

/* False: the line is not whole. */
static bool is_checked(char *line)
{
    char *mark = strrchr(line, '#'), *end;
    if (!mark || mark == line) return false;
    uint64_t sum = strtoull(mark + 1, &end, 16);
    mark[-1] = 0;
    return *end == '\n' && sum == XXH3_64bits(line, strlen(line));
}

static bool read_outcome(struct division *split, uint32_t number);

/* Takes over what an earlier run has noted; what is not whole, and all after it, does not count. */
static bool read_journal(struct division *split, const char *path)
{
    char line[LINE_ROOM + 64], head[LINE_ROOM];
    long good = 0;
    FILE *file = fopen(path, "r+");
    if (!file) return complain(split, "read");
    snprintf(head, sizeof head, "cairn parts 1 %016" PRIx64 "%016" PRIx64, split->task->freeze_hash[0], split->task->freeze_hash[1]);
    bool same = fgets(line, sizeof line, file) && is_checked(line) && !strcmp(line, head);
    if (!same) fprintf(stderr, "cairn: error: the folder '%.200s' has parts of another model, or of a search that asked something else\n", split->folder);
    for (good = ftell(file); same && fgets(line, sizeof line, file) && is_checked(line); good = ftell(file)) {
        uint32_t number, parent;
        uint64_t rank, last;
        if (sscanf(line, "part %u %u %" SCNu64 "%" SCNu64, &number, &parent, &rank, &last) == 4 && number == split->parts.len) add_part(split, parent, rank, last, false);
        else if (sscanf(line, "done %u", &number) == 1 && number < split->parts.len && read_outcome(split, number)) {
            split->parts.data[number].state = PART_DONE;
            split->done++;
        } else break;
    }
    if (same && ftruncate(fileno(file), good)) same = complain(split, "write to");
    fclose(file);
    return same;
}

static bool open_journal(struct division *split)
{
    const struct options *options = split->session->options;
    struct text path;
    char head[LINE_ROOM];
    text_init(&path, split->session->mem);
    text_add(&path, "%s/parts", split->folder);
    bool exists = !access(path.data, F_OK);
    if (exists && !options->resume) {
        fprintf(stderr, "cairn: error: the folder '%.200s' has an earlier run: --resume continues it; to begin again, remove the folder\n", split->folder);
        return false;
    }
    if (exists && !read_journal(split, path.data)) return false;
    split->journal = open(path.data, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (split->journal < 0) return complain(split, "write to");
    if (exists) return true;
    snprintf(head, sizeof head, "cairn parts 1 %016" PRIx64 "%016" PRIx64, split->task->freeze_hash[0], split->task->freeze_hash[1]);
    return note(split, head) && add_part(split, NO_PART, 0, 0, true);
}

/* ---- a part, in its own process ---- */

static void write_trace(FILE *out, const struct model *model, uint32_t property, const struct trace *trace)
{
    fprintf(out, "trace %u %u %u\n", property, trace->steps, trace->failed_rule);
    for (uint32_t v = 0; v < model->vars.len; v++) fprintf(out, "%" PRId64 " ", trace->initial[v]);
    for (uint32_t i = 0; i < trace->steps; i++) fprintf(out, "%u ", trace->rules[i]);
    fputc('\n', out);
}

static void write_outcome(FILE *out, const struct task *task, const struct result *result)
{
    const struct cluster_statistics *clusters = result->clusters;
    fprintf(out, "stop %u %u\n", (unsigned)result->stop, clusters && clusters->handed_on);
    fprintf(out, "counts %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", result->states, result->transitions, result->initial_states, result->deadlocks, result->ends,
            result->runtime_errors, result->expanded);
    fprintf(out, "costs %.6f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", result->seconds, result->peak_bytes, clusters ? clusters->frozen_bytes : 0, clusters ? clusters->live_peak : 0,
            clusters ? clusters->peak_states : 0);
    for (uint64_t i = 0; clusters && clusters->handed_on && i < clusters->rest_count; i++)
        fprintf(out, "rest %" PRId64 " %" PRIu64 "\n", clusters->rest[i].rank - clusters->lowest, clusters->rest[i].states);
    for (uint32_t i = 0; i < task->property_count; i++) {
        const struct property_result *entry = &task->properties[i];
        fprintf(out, "property %u %u %u\n", i, (unsigned)entry->verdict, entry->reason == result_cannot_evaluate);
        if (entry->trace) write_trace(out, task->model, i, entry->trace);
    }
    fputs("end\n", out);
}

static int run_part(void *context, uint32_t number)
{
    struct division *split = context;
    struct session *session = split->session;
    const struct options *options = session->options;
    struct task task = *split->task;
    struct result result;
    uint32_t count;
    const char *const *folders = folders_of(split, number, &count);
    struct search_part part = {.folders = folders, .folder_count = count, .rank = split->parts.data[number].rank, .last_rank = split->parts.data[number].last_rank, .hands_on = true};
    if (options->split == SPLIT_ALWAYS && !count) { /* the parts of that are split only when they do not fit */
        part.depths = session->depths;
        part.depth = options->split_depth ? (uint32_t)options->split_depth : 1;
    }
    task.part = &part;
    task.freeze = name_of(split, number, NULL);
    task.resume = true;
    task.progress = NULL;
    session->mem->limit = split->limit;
    explicit_run(&task, NULL, &result);
    session->mem->limit = 0;
    if (result.refused || result.broken) {
        fprintf(stderr, "cairn: %s: %s\n", result.refused ? "error" : "BUG", result.refused ? result.refused : result.broken);
        return result.refused ? EXIT_USAGE : EXIT_INTERNAL;
    }
    if (result.stop_detail) fprintf(stderr, "cairn: part %u: %s\n", number, result.stop_detail);
    FILE *file = fopen(name_of(split, number, "outcome.new"), "w");
    if (!file) return EXIT_INCONCLUSIVE;
    write_outcome(file, &task, &result);
    bool written = !fflush(file) && !fsync(fileno(file));
    if (fclose(file)) written = false;
    return written && !rename(name_of(split, number, "outcome.new"), name_of(split, number, "outcome")) ? EXIT_HOLDS : EXIT_INCONCLUSIVE;
}

/* ---- outcomes ---- */

static struct trace *read_trace(struct division *split, FILE *file, uint32_t steps, uint32_t failed_rule)
{
    const struct model *model = split->session->model;
    struct trace *trace = trace_new(model, steps);
    trace->failed_rule = failed_rule;
    for (uint32_t v = 0; v < model->vars.len; v++)
        if (fscanf(file, "%" SCNd64, &trace->initial[v]) != 1) return NULL;
    for (uint32_t i = 0; i < steps; i++)
        if (fscanf(file, "%u", &trace->rules[i]) != 1 || trace->rules[i] >= model->rules.len) return NULL;
    return trace;
}

/* Verdicts of a part go into those of all: one violation is enough, and every part must say that it holds. */
static void take_verdict(struct division *split, uint32_t property, unsigned verdict, bool cannot)
{
    struct property_result *entry = &split->task->properties[property];
    if (verdict == VERDICT_VIOLATED) entry->verdict = VERDICT_VIOLATED;
    else if (verdict == VERDICT_UNKNOWN && cannot) entry->reason = result_cannot_evaluate;
}

static bool read_lines(struct division *split, uint32_t number, FILE *file)
{
    struct part *part = &split->parts.data[number];
    char word[16];
    uint32_t a, b, c;
    while (fscanf(file, "%15s", word) == 1) {
        if (!strcmp(word, "end")) return true;
        if (!strcmp(word, "stop")) {
            if (fscanf(file, "%u %u", &a, &b) != 2) return false;
            part->stop = (enum stop_reason)a;
            part->handed_on = b;
        } else if (!strcmp(word, "counts")) {
            if (fscanf(file, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &part->states, &part->transitions, &part->initial_states, &part->deadlocks, &part->ends,
                       &part->runtime_errors, &part->expanded) != 7) return false;
        } else if (!strcmp(word, "costs")) {
            if (fscanf(file, "%lf" "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &part->seconds, &part->peak_bytes, &part->frozen_bytes, &part->live_peak, &part->peak_states) != 5) return false;
        } else if (!strcmp(word, "rest")) {
            uint64_t rank, states;
            if (fscanf(file, "%" SCNu64 "%" SCNu64, &rank, &states) != 2) return false;
        } else if (!strcmp(word, "property")) {
            if (fscanf(file, "%u %u %u", &a, &b, &c) != 3 || a >= split->task->property_count) return false;
            take_verdict(split, a, b, c);
        } else if (!strcmp(word, "trace")) {
            if (fscanf(file, "%u %u %u", &a, &b, &c) != 3 || a >= split->task->property_count) return false;
            struct trace *trace = read_trace(split, file, b, c);
            if (!trace) return false;
            if (!split->task->properties[a].trace) split->task->properties[a].trace = trace;
        } else return false;
    }
    return false;
}

static bool read_outcome(struct division *split, uint32_t number)
{
    FILE *file = fopen(name_of(split, number, "outcome"), "r");
    bool good = file && read_lines(split, number, file);
    if (file) fclose(file);
    split->parts.data[number].has_outcome = good;
    return good;
}

/* The clusters that this one leaves, as few parts of about the same number of states: clusters of neighbouring ranks have much of their future in common, and parts visit that each for itself. With
 * --split always the first part is split as it was asked for, a part for each cluster. */
static bool add_rest(struct division *split, uint32_t number)
{
    char word[16], line[LINE_ROOM];
    VEC(struct cluster_size) rest = {0};
    struct cluster_size one;
    uint64_t total = 0, sum = 0;
    const struct options *options = split->session->options;
    FILE *file = fopen(name_of(split, number, "outcome"), "r");
    while (file && fscanf(file, "%15s", word) == 1 && strcmp(word, "property") && strcmp(word, "end")) {
        if (!strcmp(word, "rest") && fscanf(file, "%" SCNd64 "%" SCNu64, &one.rank, &one.states) == 2) {
            vec_push(split->session->mem, &rest, one);
            total += one.states;
        } else if (!fgets(line, sizeof line, file)) break;
    }
    if (file) fclose(file);
    uint32_t groups = options->split == SPLIT_ALWAYS && split->parts.data[number].parent == NO_PART ? MOST_GROUPS : options->threads > 2 ? (uint32_t)options->threads : 2;
    if (groups > rest.len) groups = rest.len;
    bool good = rest.len > 0;
    for (uint32_t from = 0, group = 1; good && from < rest.len; group++) {
        uint32_t to = from;
        do sum += rest.data[to++].states;
        while (to < rest.len && rest.len - to > groups - group && sum * groups < total * group);
        if (group == groups) to = rest.len;
        good = add_part(split, number, (uint64_t)rest.data[from].rank, (uint64_t)rest.data[to - 1].rank, true);
        from = to;
    }
    vec_free(split->session->mem, &rest);
    return good;
}

/* ---- all parts ---- */

static bool next_part(void *context, uint32_t *job)
{
    struct division *split = context;
    if (split->stopping || split->broken) return false;
    for (; split->next < split->parts.len; split->next++)
        if (split->parts.data[split->next].state == PART_WAITING) {
            *job = split->next++;
            split->parts.data[*job].state = PART_RUNNING;
            return true;
        }
    return false;
}

static bool all_violated(const struct division *split)
{
    bool asked = false;
    for (uint32_t i = 0; i < split->task->property_count; i++) {
        const struct property_result *entry = &split->task->properties[i];
        if (entry->watched_only) continue;
        asked = true;
        if (entry->verdict != VERDICT_VIOLATED && !split->task->stop_at_first) return false;
        if (entry->verdict == VERDICT_VIOLATED && split->task->stop_at_first) return true;
    }
    return asked && !split->task->stop_at_first;
}

/* Parts are written to the journal before the one that leaves them is done, so that none is lost. */
static void part_done(void *context, uint32_t number, const struct text *output, int status)
{
    struct division *split = context;
    char line[LINE_ROOM];
    (void)output;
    split->parts.data[number].state = PART_FAILED;
    if (status != EXIT_HOLDS || !read_outcome(split, number)) {
        if (status < 0) fprintf(stderr, "cairn: part %u was killed by signal %d\n", number, -status);
        split->broken |= status == EXIT_USAGE || status == EXIT_INTERNAL;
        return;
    }
    struct part *part = &split->parts.data[number];
    bool is_over = part->handed_on || part->stop == STOP_NONE || part->stop == STOP_DECIDED || part->stop == STOP_FIRST;
    if (!is_over) return; /* a limit: it stays in its folder, to be resumed */
    if (part->handed_on && !add_rest(split, number)) return;
    snprintf(line, sizeof line, "done %u", number);
    if (!note(split, line)) return;
    split->parts.data[number].state = PART_DONE;
    split->done++;
    split->stopping |= all_violated(split);
}

static void look(void *context, uint32_t running)
{
    struct division *split = context;
    const struct options *options = split->session->options;
    bool wanted = options->progress == WHEN_ALWAYS || (options->progress == WHEN_AUTO && isatty(STDERR_FILENO) && !options->quiet);
    double now = clock_now();
    split->running = running;
    if (options->time > 0 && now - split->started > options->time) split->stopping = true;
    if (!wanted || now - split->shown < 0.5) return;
    split->shown = now;
    fprintf(stderr, "\r\033[K%u of %u parts are done, %u at work, %.0f s", split->done, split->parts.len, running, now - split->started);
    split->session->progress_shown = true;
}

/* ---- the result ---- */

static void add_counts(struct division *split, struct split_statistics *statistics)
{
    struct result *result = split->result;
    for (uint32_t i = 0; i < split->parts.len; i++) {
        const struct part *part = &split->parts.data[i];
        if (!part->has_outcome) continue;
        result->states += part->states;
        result->transitions += part->transitions;
        result->deadlocks += part->deadlocks;
        result->ends += part->ends;
        result->runtime_errors += part->runtime_errors;
        result->expanded += part->expanded;
        if (!i) result->initial_states = part->initial_states;
        if (part->peak_bytes > result->peak_bytes) result->peak_bytes = part->peak_bytes;
        statistics->parts++;
        statistics->split += part->handed_on;
        statistics->frozen_bytes += part->frozen_bytes;
        if (part->live_peak > statistics->live_peak) statistics->live_peak = part->live_peak;
    }
    statistics->waiting = split->parts.len - statistics->parts;
    statistics->gross_states = result->states;
    statistics->gross_transitions = result->transitions;
}

/* A refusal outside of the search for them must not end everything. */
static bool find_repeated(struct division *split, const char *const *folders, uint32_t count, struct net_counts *repeated, struct split_statistics *statistics)
{
    struct mem *mem = split->session->mem;
    jmp_buf *const outer = mem->recover;
    jmp_buf recover;
    if (setjmp(recover)) {
        statistics->is_net = false;
        statistics->why_gross = "there is too little memory";
    } else {
        mem->recover = &recover;
        mem->limit = split->limit;
        statistics->is_net = net_find_repeated(split->task, folders, count, repeated, &statistics->why_gross);
    }
    mem->recover = outer;
    mem->limit = 0;
    return statistics->is_net;
}

/* What several parts have counted counts once. */
static void make_net(struct division *split, struct split_statistics *statistics)
{
    struct result *result = split->result;
    struct net_counts repeated;
    uint32_t count = 0;
    const char **folders = mem_alloc(split->session->mem, (split->parts.len + UINT64_C(1)) * sizeof *folders);
    for (uint32_t i = 0; i < split->parts.len; i++)
        if (split->parts.data[i].has_outcome && split->parts.data[i].states) folders[count++] = name_of(split, i, NULL);
    if (!find_repeated(split, folders, count, &repeated, statistics)) return;
    result->states -= repeated.states;
    result->transitions -= repeated.transitions;
    result->deadlocks -= repeated.deadlocks;
    result->ends -= repeated.ends;
    result->runtime_errors -= repeated.runtime_errors;
    result->expanded -= repeated.states;
}

static enum stop_reason stop_of(const struct division *split)
{
    enum stop_reason stop = STOP_NONE;
    for (uint32_t i = 0; i < split->parts.len; i++) {
        const struct part *part = &split->parts.data[i];
        if (part->state == PART_DONE && (part->handed_on || part->stop == STOP_NONE)) continue;
        if (part->has_outcome && !part->handed_on) stop = part->stop;
        else if (part->state == PART_FAILED) stop = STOP_MEMORY; /* killed, most probably for that */
        else if (stop == STOP_NONE) stop = all_violated(split) ? split->task->stop_at_first ? STOP_FIRST : STOP_DECIDED : *session_interrupted() ? STOP_INTERRUPT : STOP_TIME;
    }
    return stop;
}

static void conclude(struct division *split)
{
    struct result *result = split->result;
    struct split_statistics *statistics = mem_alloc(split->session->mem, sizeof *statistics);
    result->engine = "explicit";
    result->parts = statistics;
    add_counts(split, statistics);
    make_net(split, statistics);
    result->stop = stop_of(split);
    result->complete = result->all_states = result->stop == STOP_NONE;
    result->seconds = clock_now() - split->started;
    for (uint32_t i = 0; i < split->task->property_count; i++) {
        struct property_result *entry = &split->task->properties[i];
        if (entry->verdict != VERDICT_UNKNOWN || entry->reason) continue;
        if (!entry->in_each_state) entry->reason = "it needs the whole graph: --order bfs";
        else if (result->complete) entry->verdict = VERDICT_HOLDS;
        else entry->reason = stop_reason_text[result->stop];
    }
}

/* Removes what was made in a temporary folder. */
static void clean(struct division *split)
{
    struct text path;
    if (split->journal >= 0) close(split->journal);
    if (!split->is_temporary) return;
    for (uint32_t i = 0; i < split->parts.len; i++) {
        freezer_clear(name_of(split, i, "rest"));
        unlink(name_of(split, i, "outcome"));
        unlink(name_of(split, i, "outcome.new"));
        freezer_clear(name_of(split, i, NULL));
    }
    text_init(&path, split->session->mem);
    text_add(&path, "%s/parts", split->folder);
    unlink(path.data);
    rmdir(split->folder);
}

static bool open_folder(struct division *split)
{
    const char *given = split->session->options->freeze, *temporary = getenv("TMPDIR");
    if (given) {
        split->folder = given;
        return !mkdir(given, 0777) || errno == EEXIST || complain(split, "make");
    }
    struct text name;
    text_init(&name, split->session->mem);
    text_add(&name, "%s/cairn-%.6s", temporary && *temporary ? temporary : "/tmp", "XX" "XX" "XX"); /* what mkdtemp replaces */
    split->folder = name.data;
    split->is_temporary = true;
    return mkdtemp(name.data) || complain(split, "make");
}

bool split_run(struct session *session, struct task *task, struct result *result)
{
    const struct options *options = session->options;
    uint32_t at_once = options->threads > 1 ? (uint32_t)options->threads : 1;
    struct division split = {.session = session, .task = task, .result = result, .journal = -1, .started = clock_now()};
    uint64_t given = session->mem->limit ? session->mem->limit : mem_available() / 5 * 4;
    memset(result, 0, sizeof *result);
    result->taken = mem_alloc(session->mem, (session->model->rules.len + UINT64_C(1)) * sizeof *result->taken);
    split.limit = given / at_once;
    session->mem->limit = 0;
    bool good = open_folder(&split) && open_journal(&split);
    if (good) {
        struct workers workers = {.mem = session->mem, .at_once = at_once, .next = next_part, .run = run_part, .done = part_done, .look = look, .context = &split, .interrupted = task->interrupted};
        good = workers_run(&workers) && !split.broken;
        session_end_progress(session);
        if (good) conclude(&split);
        else fputs("cairn: error: not all parts could be searched\n", stderr);
    }
    clean(&split);
    return good;
}
