/* What to try next. A row of the table has a condition on what is known of the model and of the
 * search that ended, the reason in words, and a change of the request as options. The change is
 * made twice: of the ask, which the table of combinations then judges, and of the words of the
 * command, which the user gets.
 *
 * What must be asked of the model (which rules may be taken alone, which steps divide it, whether
 * there is one without code) is asked with little time, and what is not answered then is not
 * advised. After a signal nothing is asked.
 *
 * Invariants: (1) what is advised is not refused by run/combine; (2) it asks for the same
 * properties, or for some of them; (3) it is not what was just done. */
#include "run/advice.h"

#include "reduce/process_model.h"
#include "run/combine.h"
#include "run/deadline.h"
#include "run/engines.h"
#include "run/session.h"
#include "search/points.h"

#include <assert.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ADVICE = 4, MOST_NAMED = 3, MOST_FOLDERS = 100 };
static const double question_seconds = 0.3; /* for one question about the model */

/* ---- the request, changed ---- */

struct request {
    struct mem *mem;
    struct ask ask;
    VEC(const char *) words; /* none: the door has no command line */
    VEC(const char *) added; /* the options that were set, for such a door */
    bool differs;
};

static void set_engine(struct ask *ask, const char *value)
{
    ask->engine = ENGINE_AUTO;
    for (unsigned i = 0; value && engines[i].name; i++)
        if (!strcmp(engines[i].name, value)) ask->engine = engines[i].id;
    assert(!value || ask->engine != ENGINE_AUTO);
}

static void set_order(struct ask *ask, const char *value)
{
    ask->order = ORDER_DEFAULT;
    for (unsigned i = 0; value && i < ORDER_COUNT; i++)
        if (!strcmp(search_order_name[i], value)) ask->order = (enum search_order)i;
    assert(!value || ask->order != ORDER_DEFAULT);
}

static void set_split(struct ask *ask, const char *value)
{
    ask->split = value ? SPLIT_AUTO : SPLIT_NEVER;
}

static void set_reduce(struct ask *ask, const char *value)
{
    ask->reduction = !value ? REDUCE_NONE : !strcmp(value, "steps") ? REDUCE_STEPS : REDUCE_POR;
    ask->two_phase = false;
}

static void set_number(uint64_t *number, const char *value)
{
    *number = value ? strtoull(value, NULL, 10) : 0;
}

static void set_threads(struct ask *ask, const char *value) { set_number(&ask->threads, value); }
static void set_depth(struct ask *ask, const char *value) { set_number(&ask->split_depth, value); }
static void set_partition(struct ask *ask, const char *value) { ask->partition = value; }
static void set_hidden(struct ask *ask, const char *value) { ask->partition_hidden = value; }
static void set_freeze(struct ask *ask, const char *value) { ask->freeze = value; }
static void set_results(struct ask *ask, const char *value) { ask->results = value; }
static void set_resume(struct ask *ask, const char *value) { ask->resume = value; }
static void set_zones(struct ask *ask, const char *value)
{
    assert(!value); /* it is only left out */
    ask->has_zones = false;
    ask->zones = ZONES_BY_SIMULATION;
}
/* Limits and names go with everything, so that the ask need not have them. */
static void set_nothing(struct ask *ask, const char *value) { (void)ask, (void)value; }

static const struct change {
    const char *option;
    bool is_flag;
    void (*set)(struct ask *ask, const char *value); /* NULL: left out */
} options[] = {
    {"--engine", false, set_engine},       {"--order", false, set_order},
    {"--split", false, set_split},         {"--split-depth", false, set_depth},
    {"--reduce", false, set_reduce},       {"--threads", false, set_threads},
    {"--partition", false, set_partition}, {"--partition-hidden", true, set_hidden},
    {"--freeze", false, set_freeze},       {"--results", false, set_results},
    {"--resume", true, set_resume},        {"--zones", false, set_zones},
    {"--memory", false, set_nothing},      {"--time", false, set_nothing},
    {"--context", false, set_nothing},     {"--guide", false, set_nothing},
    {"--guide-part", false, set_nothing},  {"--property", false, set_nothing},
};

static const struct change *find_option(const char *option, size_t length)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].option) == length && !strncmp(options[i].option, option, length))
            return &options[i];
    return NULL;
}

/* How many words the option takes at this place; 0: it is not there. -p is --property. */
static unsigned words_of(const struct request *request, uint32_t at, const struct change *change)
{
    const char *word = request->words.data[at];
    const size_t length = strlen(change->option);
    if (!strcmp(change->option, "--property") && !strncmp(word, "-p", 2)) return word[2] ? 1 : 2;
    if (strncmp(word, change->option, length) != 0) return 0;
    return word[length] == '=' ? 1 : word[length] ? 0 : change->is_flag ? 1 : 2;
}

/* Options stand behind the command, and before "--". */
static uint32_t option_end(const struct request *request)
{
    uint32_t end = request->words.len < 2 ? request->words.len : 2;
    while (end < request->words.len && strcmp(request->words.data[end], "--") != 0) end++;
    return end;
}

static bool has_option(const struct request *request, const char *option)
{
    const struct change *change = find_option(option, strlen(option));
    for (uint32_t i = 2; i < option_end(request); i++)
        if (words_of(request, i, change)) return true;
    return false;
}

static void leave_out(struct request *request, const struct change *change)
{
    uint32_t kept = request->words.len < 2 ? request->words.len : 2;
    const uint32_t end = option_end(request);
    for (uint32_t i = kept; i < request->words.len;) {
        unsigned count = i < end ? words_of(request, i, change) : 0;
        if (!count) request->words.data[kept++] = request->words.data[i++];
        else request->differs = true;
        i += count;
    }
    request->words.len = kept;
}

static void add_word(struct request *request, const char *word)
{
    const uint32_t end = option_end(request), behind = request->words.len - end;
    vec_push(request->mem, &request->added, word);
    if (!request->words.len) return;
    vec_push(request->mem, &request->words, word);
    const char **at = request->words.data + end;
    memmove(at + 1, at, behind * sizeof *at);
    *at = word;
}

static void add_words(struct request *request, const struct change *change, const char *value)
{
    add_word(request, change->option);
    if (!change->is_flag) add_word(request, value);
}

/* value NULL: the option is left out. */
static void set_option(struct request *request, const struct change *change, const char *value)
{
    leave_out(request, change);
    change->set(&request->ask, value);
    if (value) add_words(request, change, value);
    request->differs |= value != NULL;
}

/* The request as it was made: what followed from others (run/combine, run/plan) is taken back. */
static void begin_request(struct request *request, struct mem *mem, const struct ask *ask)
{
    *request = (struct request){.mem = mem, .ask = *ask};
    for (uint32_t i = 0; i < ask->line_length; i++) vec_push(mem, &request->words, ask->line[i]);
    if (ask->guide) {
        request->ask.bound = ask->guide_bound;
        request->ask.bound_auto = ask->guide_auto;
        request->ask.guide_bound = 0;
        request->ask.guide_auto = false;
    }
    if (!has_option(request, "--order")) request->ask.order = ORDER_DEFAULT;
    if (ask->line_length && !has_option(request, "--engine")) request->ask.engine = ENGINE_AUTO;
}

/* One of several contexts or guides: its words are those of all of them. */
static void name_part(struct request *request, const struct ask *ask)
{
    static const char *const shared[] = {"--context", "--guide", "--freeze"};
    const char *const own[] = {ask->context, ask->guide, ask->freeze};
    if (!ask->some_properties) return;
    for (unsigned i = 0; i < 3; i++)
        if (own[i] && has_option(request, shared[i]))
            set_option(request, find_option(shared[i], strlen(shared[i])), own[i]);
    set_option(request, find_option("--results", strlen("--results")), NULL);
    set_option(request, find_option("--threads", strlen("--threads")), NULL);
}

/* "--order past-freeze !--engine": sets one, leaves the other out. */
static void change_request(struct request *request, const char *changes)
{
    while (*changes) {
        const bool leaves = *changes == '!';
        const char *option = changes + leaves;
        const size_t length = strcspn(option, " ");
        const struct change *change = find_option(option, length);
        assert(change); /* the table below names only what is above */
        changes = option + length + (option[length] == ' ');
        if (leaves || change->is_flag) {
            set_option(request, change, leaves ? NULL : change->option);
            continue;
        }
        const size_t size = strcspn(changes, " ");
        char *value = mem_alloc(request->mem, size + 1);
        memcpy(value, changes, size);
        set_option(request, change, value);
        changes += size + (changes[size] == ' ');
    }
}

/* For a shell. */
static void quote(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=,+%@";
    if (*word && strspn(word, plain) == strlen(word)) {
        text_add(text, "%s", word);
        return;
    }
    text_add(text, "'");
    for (; *word; word++) text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_add(text, "'");
}

static const char *command_of(const struct request *request)
{
    struct text text;
    const bool whole = request->words.len;
    text_init(&text, request->mem);
    for (uint32_t i = 0; i < (whole ? request->words.len : request->added.len); i++) {
        if (i) text_add(&text, " ");
        quote(&text, whole ? request->words.data[i] : request->added.data[i]);
    }
    return text.len ? text.data : "";
}

/* ---- what is known ---- */

struct facts {
    struct session *session;
    const struct ask *ask;
    const struct task *task;
    const struct result *result;
    struct model *model;
    enum stop_reason stop;
    bool is_timed;
    bool needs_graph; /* something open is decided on the whole graph only */
    bool in_states;   /* something open is decided in single states */
    bool branches;    /* CTL is open */
    bool has_next;    /* ... or a formula with X */
    bool folder_kept; /* a folder of this run can be resumed */
    uint64_t cpus;    /* that could be used */
    uint64_t memory;  /* that the machine has free, in MiB */
    struct points points;
    uint32_t safe; /* rules that may be taken alone, for what is open */
    bool has_flat;
};

static bool has_time(const struct facts *facts)
{
    return model_is_timed(facts->model) || !strcmp(facts->result->engine, "timed");
}

/* Whether this engine has searched. */
static bool was_tried(const struct facts *facts, const char *engine)
{
    bool found = !strcmp(facts->result->engine, engine);
    for (uint32_t i = 0; i < facts->result->search_count; i++)
        found |= !strcmp(facts->result->searches[i].engine, engine);
    return found;
}

static bool lists_states(const struct facts *facts)
{
    return !facts->result->symbolic && !facts->result->bounded;
}

static void look_at_properties(struct facts *facts)
{
    for (uint32_t i = 0; i < facts->task->property_count; i++) {
        const struct property_result *entry = &facts->task->properties[i];
        if (entry->watched_only || entry->verdict != VERDICT_UNKNOWN) continue;
        *(entry->in_each_state ? &facts->in_states : &facts->needs_graph) = true;
        facts->branches |= entry->kind == PROPERTY_CTL && !entry->in_each_state;
        if (entry->kind == PROPERTY_CTL || entry->kind == PROPERTY_LTL)
            facts->has_next |= process_model_has_next(facts->model, entry->property->root);
    }
}

/* ---- questions about the model ---- */

static void ask_points(struct facts *facts) { points_choose(&facts->points, facts->model); }

static void ask_safe(struct facts *facts)
{
    struct process_model found;
    struct mem *mem = facts->session->mem;
    bool *visible = mem_alloc(mem, facts->model->vars.len + UINT64_C(1));
    for (uint32_t i = 0; i < facts->task->property_count; i++) {
        const struct property_result *entry = &facts->task->properties[i];
        if (entry->kind == PROPERTY_DEADLOCK || entry->kind == PROPERTY_RUNTIME_ERROR
            || entry->kind == PROPERTY_QUERY)
            continue;
        process_model_see(facts->model, entry->property->root, visible);
    }
    process_model_init(&found, facts->model, visible);
    facts->safe = facts->branches ? found.linear : found.safe;
    process_model_release(&found);
    mem_free(mem, visible);
}

static void ask_flat(struct facts *facts)
{
    facts->has_flat = session_flat(facts->session, false) != NULL;
}

/* With little time; false: there was no answer. */
static void ask_model(struct facts *facts, void (*question)(struct facts *facts))
{
    struct mem *mem = facts->session->mem;
    jmp_buf refused, *const outer = mem->recover;
    if (limits_interrupted) return;
    deadline_search(question_seconds);
    if (!setjmp(refused)) {
        mem->recover = &refused;
        question(facts);
    }
    mem->recover = outer;
}

static void ask_questions(struct facts *facts)
{
    const struct ask *ask = facts->ask;
    if (facts->is_timed) return;
    if (!flatten_is_needed(facts->model)) facts->has_flat = true;
    else if (!facts->session->refusal.reason) ask_model(facts, ask_flat);
    if (!lists_states(facts)) return;
    if (!ask->partition && facts->stop == STOP_MEMORY && !facts->needs_graph)
        ask_model(facts, ask_points);
    if (ask->reduction == REDUCE_NONE && !facts->has_next) ask_model(facts, ask_safe);
}

/* ---- the table: conditions and reasons ---- */

/* What does not go with another way of searching. */
#define ALONE                                                                                      \
    "!--order !--partition !--partition-hidden !--freeze !--resume !--threads !--split "           \
    "!--split-depth "

enum { MEMORY = 1 << STOP_MEMORY, TIME = 1 << STOP_TIME, SIGNAL = 1 << STOP_INTERRUPT };

static bool can_resume(const struct facts *facts) { return facts->folder_kept; }
static void say_resume(const struct facts *facts, struct text *why)
{
    text_add(why, "what this run has finished is in %s: the same search goes on from there",
             facts->ask->freeze);
}

static bool can_go_by_rank(const struct facts *facts)
{
    return facts->model->rank != MODEL_NONE && lists_states(facts) && !facts->needs_graph
           && !facts->result->clusters && !facts->ask->split_by;
}
static void say_rank(const struct facts *facts, struct text *why)
{
    text_add(why,
             "the %s only goes forward: past-freeze order gives back the memory of what no later "
             "step can meet again",
             facts->model->guide ? "guide" : "context");
}

static bool can_split(const struct facts *facts)
{
    return facts->result->clusters && !facts->result->parts && !facts->ask->split_by
           && !facts->needs_graph;
}
static void say_split(const struct facts *facts, struct text *why)
{
    (void)facts;
    text_add(why, "even the clusters that wait do not fit: they can be searched one after the "
                  "other, each with all the memory");
}

static bool has_points(const struct facts *facts)
{
    return facts->points.count && !facts->ask->partition && !facts->needs_graph;
}
static void say_points(const struct facts *facts, struct text *why)
{
    const struct points *points = &facts->points;
    text_add(why, "the order in which ");
    for (uint32_t i = 0; i < points->count && i < MOST_NAMED; i++)
        text_add(why, "%s%s", i ? i + 1 == points->count ? " and " : ", " : "", points->names[i]);
    text_add(why,
             "%s are taken divides the runs of this model: path by path it needs less "
             "memory, and disk instead",
             points->count > MOST_NAMED ? ", ..." : "");
}

static bool has_safe_rules(const struct facts *facts)
{
    return facts->safe && lists_states(facts) && facts->ask->reduction == REDUCE_NONE;
}
static void say_safe(const struct facts *facts, struct text *why)
{
    text_add(why,
             "%u of %u rules can be taken alone: a reduction leaves out orders of steps that make "
             "no difference, and keeps %s",
             facts->safe, facts->model->rules.len,
             facts->task->property_count ? "what is asked" : "LTL without X");
}

static bool has_idle_cores(const struct facts *facts)
{
    return lists_states(facts) && facts->cpus > (facts->ask->threads ? facts->ask->threads : 1)
           && !facts->result->parts;
}
static void say_idle(const struct facts *facts, struct text *why)
{
    const uint64_t idle = facts->cpus - (facts->ask->threads ? facts->ask->threads : 1);
    text_add(why, "%" PRIu64 " of %" PRIu64 " cores %s idle: threads can search together", idle,
             facts->cpus, idle == 1 ? "was" : "were");
}

static bool fits_symbolic(const struct facts *facts)
{
    return facts->has_flat && !was_tried(facts, "symbolic");
}
static void say_symbolic(const struct facts *facts, struct text *why)
{
    text_add(why,
             "the %u variables may have regular sets of values: decision diagrams do not "
             "list states one by one",
             facts->model->vars.len);
}

static bool fits_bounded(const struct facts *facts)
{
    return facts->has_flat && facts->task->property_count && !facts->branches
           && !was_tried(facts, "bounded");
}
static void say_bounded(const struct facts *facts, struct text *why)
{
    (void)facts;
    text_add(why, "a SAT solver finds what is not deep without keeping states, and proves what "
                  "induction can");
}

static bool can_take_steps(const struct facts *facts)
{
    return facts->result->bounded && facts->ask->reduction == REDUCE_NONE && !facts->has_next;
}
static void say_steps(const struct facts *facts, struct text *why)
{
    (void)facts;
    text_add(why, "independent rules can be taken in one step of the unrolling, which then goes "
                  "deeper");
}

static bool can_be_automatic(const struct facts *facts)
{
    return facts->ask->engine == ENGINE_SYMBOLIC || facts->ask->engine == ENGINE_BOUNDED;
}
static void say_automatic(const struct facts *facts, struct text *why)
{
    text_add(why, "what the %s engine cannot do another may: without --engine they take turns",
             facts->result->engine);
}

static bool is_mixed(const struct facts *facts)
{
    return facts->needs_graph && facts->in_states && lists_states(facts);
}
static void say_mixed(const struct facts *facts, struct text *why)
{
    (void)facts;
    text_add(why, "temporal formulas need the whole graph in memory, and these properties do not: "
                  "alone they may be decided");
}

static bool can_keep_levels(const struct facts *facts)
{
    return lists_states(facts) && !facts->ask->freeze;
}
static void say_levels(const struct facts *facts, struct text *why)
{
    (void)facts;
    text_add(why, "nothing of this run was kept: in a folder it could be resumed (--resume)");
}

static bool has_zones(const struct facts *facts)
{
    return facts->ask->has_zones && facts->ask->zones != ZONES_BY_SIMULATION;
}
static void say_zones(const struct facts *facts, struct text *why)
{
    text_add(why, "--zones %s keeps more symbolic states than what is asked may need",
             zone_storage_name[facts->ask->zones]);
}

static bool has_more_memory(const struct facts *facts)
{
    return facts->ask->memory && facts->memory / 4 * 3 > facts->ask->memory >> 20;
}
/* As options have it, rounded down. */
static void add_size(struct text *text, uint64_t mebibytes)
{
    if (mebibytes >= 4096) text_add(text, "%" PRIu64 "G", mebibytes >> 10);
    else text_add(text, "%" PRIu64 "M", mebibytes);
}
static void say_memory(const struct facts *facts, struct text *why)
{
    text_add(why, "the machine has ");
    add_size(why, facts->memory);
    text_add(why, " of memory free");
}

static bool is_far(const struct facts *facts)
{
    return facts->ask->time > 0 && facts->result->clusters && facts->result->clusters->ranks
           && result_progress(facts->result) >= 0.1;
}
static void say_far(const struct facts *facts, struct text *why)
{
    text_add(why, "%.0f%% of the ranks were done", 100 * result_progress(facts->result));
}

static const struct row {
    unsigned stops; /* why it ended */
    bool goes_on;   /* it is the same search, so that its folder is resumed */
    bool (*fits)(const struct facts *facts);
    void (*say)(const struct facts *facts, struct text *why);
    /* {cpus}, {folder}, {memory}, {time}, {engine}: "--engine explicit " where one must be named;
     * NULL: names of properties */
    const char *changes;
} rows[] = {
    {TIME | SIGNAL, true, can_resume, say_resume, "--resume"},
    {MEMORY, false, can_go_by_rank, say_rank, "!--partition !--reduce --order past-freeze"},
    {MEMORY, false, can_split, say_split, "--split auto"},
    {TIME | SIGNAL, true, has_idle_cores, say_idle, "{engine}--threads {cpus}"},
    {MEMORY | TIME | SIGNAL, false, has_safe_rules, say_safe, ALONE "--reduce por"},
    {MEMORY, false, has_points, say_points, ALONE "--partition auto"},
    {MEMORY, false, is_mixed, say_mixed, NULL},
    {MEMORY | TIME, false, has_zones, say_zones, "!--zones"},
    {TIME | SIGNAL, false, can_take_steps, say_steps, "--reduce steps"},
    {MEMORY | TIME, false, can_be_automatic, say_automatic, "!--engine !--order !--reduce"},
    {MEMORY | TIME, false, fits_symbolic, say_symbolic, ALONE "!--reduce --engine symbolic"},
    {MEMORY | TIME, false, fits_bounded, say_bounded, ALONE "!--reduce --engine bounded"},
    {TIME, true, is_far, say_far, "--time {time}"},
    {TIME | SIGNAL, false, can_keep_levels, say_levels, "--freeze {folder}"},
    {MEMORY, true, has_more_memory, say_memory, "--memory {memory}"},
};

/* ---- making it ---- */

/* One that is not there. */
static void add_folder(struct text *text)
{
    char name[32] = "frozen";
    struct stat there;
    for (unsigned i = 2; i < MOST_FOLDERS && !stat(name, &there); i++)
        snprintf(name, sizeof name, "frozen-%u", i);
    text_add(text, "%s", name);
}

static void fill_change(const struct facts *facts, const char *changes, struct text *text)
{
    const bool named = facts->is_timed || facts->ask->engine != ENGINE_AUTO;
    for (const char *at = changes; *at;) {
        const size_t plain = strcspn(at, "{"), name = strcspn(at + plain, "}");
        text_add(text, "%.*s", (int)plain, at);
        at += plain;
        if (!*at) return;
        if (at[1] == 'c') text_add(text, "%" PRIu64, facts->cpus);
        else if (at[1] == 'f') add_folder(text);
        else if (at[1] == 'm') add_size(text, facts->memory / 4 * 3);
        else if (at[1] == 't')
            text_add(text, "%.0f", 1 + 2 * facts->ask->time / result_progress(facts->result));
        else text_add(text, "%s", named ? "" : "--engine explicit ");
        at += name + 1;
    }
}

/* Those that are decided in single states. */
static void name_properties(const struct facts *facts, struct request *request)
{
    const struct change *change = find_option("--property", strlen("--property"));
    leave_out(request, change);
    for (uint32_t i = 0; i < facts->task->property_count; i++) {
        const struct property_result *entry = &facts->task->properties[i];
        if (entry->in_each_state && !entry->watched_only && entry->verdict == VERDICT_UNKNOWN
            && entry->kind != PROPERTY_RUNTIME_ERROR)
            add_words(request, change, entry->property->name);
    }
    request->differs = true;
}

/* (1): whatever the rows say, the table of combinations decides. */
static bool is_accepted(const struct facts *facts, const struct request *request)
{
    struct ask ask = request->ask;
    struct text complaint, names;
    struct diag diag;
    text_init(&complaint, request->mem);
    text_init(&names, request->mem);
    diag_init(&diag, request->mem);
    const struct combine_model model = {.file = facts->model->file,
                                        .is_timed = facts->is_timed,
                                        .is_influenced =
                                            session_is_influenced(facts->session, &names),
                                        .names = names.data,
                                        .has_rank = facts->model->rank != MODEL_NONE};
    const bool searches_together =
        ask.threads > 1 && (ask.engine != ENGINE_AUTO || facts->is_timed);
    return combine_check(&ask, &(struct combine_words){"", ""}, &complaint)
           && combine_check_model(&ask, &model, &diag)
           && !(searches_together && combine_one_thread(&ask, &model));
}

static void advise(const struct facts *facts, const struct row *row, struct advice_list *list)
{
    struct mem *mem = facts->session->mem;
    struct request request;
    struct text changes, why;
    begin_request(&request, mem, facts->ask);
    name_part(&request, facts->ask);
    request.differs = false;
    text_init(&changes, mem);
    text_init(&why, mem);
    if (row->changes) fill_change(facts, row->changes, &changes);
    if (row->changes) change_request(&request, changes.data);
    else name_properties(facts, &request);
    if (request.ask.freeze && !row->goes_on) { /* the folder is that of another search */
        struct text folder;
        text_init(&folder, mem);
        text_add(&folder, "!--resume --freeze ");
        add_folder(&folder);
        change_request(&request, folder.data);
    } else if (request.ask.freeze && facts->folder_kept) change_request(&request, "--resume");
    if (!request.differs || !is_accepted(facts, &request)) return; /* (1), (3) */
    row->say(facts, &why);
    assert(why.len);
    vec_push(mem, list, ((struct advice){why.data, command_of(&request)}));
}

static void look(struct facts *facts, struct session *session, const struct task *task,
                 const struct result *result)
{
    *facts = (struct facts){.session = session,
                            .ask = session->ask,
                            .task = task,
                            .result = result,
                            .model = session->model,
                            .stop = result->stop,
                            .cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
                            .memory = mem_available() >> 20,
                            .folder_kept = session->ask->freeze != NULL};
    look_at_properties(facts);
    facts->is_timed = has_time(facts);
}

static void read_table(const struct facts *facts, struct advice_list *list)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows && list->len < MOST_ADVICE; i++)
        if (rows[i].stops >> facts->stop & 1 && rows[i].fits(facts)) advise(facts, &rows[i], list);
}

void advice_make(struct session *session, const struct task *task, const struct result *result)
{
    struct facts facts;
    if (result->complete || result->refused || result->broken || !result->engine) return;
    look(&facts, session, task, result);
    if (facts.stop == STOP_PARTS) facts.stop = limits_interrupted ? STOP_INTERRUPT : STOP_TIME;
    if (task->property_count && !facts.needs_graph && !facts.in_states) return;
    ask_questions(&facts);
    read_table(&facts, &session->advice);
}

void advice_soon(struct session *session, enum stop_reason stop,
                 const struct search_progress *progress)
{
    struct mem *mem = session->mem;
    jmp_buf refused, *const outer = mem->recover;
    struct cluster_statistics clusters = {.rank = progress->rank, .ranks = progress->ranks};
    const struct result result = {.engine = model_is_timed(session->model) ? "timed" : "explicit",
                                  .stop = stop,
                                  .clusters = progress->ranks ? &clusters : NULL};
    if (!session->task || progress->nodes || progress->is_bounded) return;
    if (!setjmp(refused)) {
        struct facts facts;
        mem->recover = &refused;
        look(&facts, session, session->task, &result);
        facts.has_flat = !facts.is_timed && !flatten_is_needed(facts.model);
        read_table(&facts, &session->soon);
    }
    mem->recover = outer;
}
