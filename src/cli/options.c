#include "cli/options.h"

#include "run/load.h"
#include "run/combine.h"
#include "run/engines.h"
#include "run/guidefile.h"
#include "run/work.h"
#include "report/machine.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_id {
    OPTION_ENGINE,
    OPTION_ORDER,
    OPTION_FREEZE,
    OPTION_RESULTS,
    OPTION_RESUME,
    OPTION_BOUND,
    OPTION_REDUCE,
    OPTION_KEEP,
    OPTION_DIRECTION,
    OPTION_RELATION,
    OPTION_VARIANT,
    OPTION_NO_FRONTIER,
    OPTION_TABLEAU,
    OPTION_FAIR,
    OPTION_SHORTEST,
    OPTION_PHASE,
    OPTION_NO_INDUCTION,
    OPTION_STORE,
    OPTION_NATIVE,
    OPTION_ZONES,
    OPTION_MEMORY,
    OPTION_TIME,
    OPTION_THREADS,
    OPTION_PROPERTY,
    OPTION_NO_DEADLOCK,
    OPTION_LTL,
    OPTION_CTL,
    OPTION_INVARIANT,
    OPTION_FIND,
    OPTION_QUERY,
    OPTION_QUERIES,
    OPTION_SKIP,
    OPTION_FIRST,
    OPTION_TRACES,
    OPTION_SHOW,
    OPTION_STEPS,
    OPTION_RUNS,
    OPTION_SEED,
    OPTION_INTERACTIVE,
    OPTION_MODEL,
    OPTION_TO,
    OPTION_OUTPUT,
    OPTION_IMPLIES,
    OPTION_EQUIVALENT,
    OPTION_ACCEPTS,
    OPTION_BUCHI,
    OPTION_EQUAL,
    OPTION_WITHIN,
    OPTION_WORDS,
    OPTION_UNLOGGED,
    OPTION_GAPS,
    OPTION_TOLERANCE,
    OPTION_PORT,
    OPTION_DEFINE,
    OPTION_DIALECT,
    OPTION_CONTEXT,
    OPTION_GUIDE,
    OPTION_GUIDE_SEMANTICS,
    OPTION_GUIDE_PART,
    OPTION_JSON,
    OPTION_TRACE,
    OPTION_REPORT,
    OPTION_SPLIT,
    OPTION_SPLIT_DEPTH,
    OPTION_PART,
    OPTION_WORK,
    OPTION_PREPARE,
    OPTION_JOIN,
    OPTION_NO_WAIT,
    OPTION_TAKEOVER,
    OPTION_SLURM,
    OPTION_PARTITION,
    OPTION_PARTITION_HIDDEN,
    OPTION_FULL,
    OPTION_RAW,
    OPTION_HIDE,
    OPTION_SHOW_EXPR,
    OPTION_PROGRESS,
    OPTION_DIAGNOSTICS,
    OPTION_EXPECT,
    OPTION_COLOR,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_STDIO,
    OPTION_HELP
};

static const struct options_row rows[] = {
    {OPTION_DEFINE, 'D', "define", "NAME=VALUE", ASK_MODELS | ASK_GUIDE,
     "set a constant of the model"},
    {OPTION_DIALECT, 0, "dialect", "WHO", ASK_MODELS,
     "Fiacre: who takes part in a port: obp (all who are connected, the default) or frac (the "
     "interfaces of par)"},
    {OPTION_CONTEXT, 0, "context", "FILE[:NAME]", ASK_MODELS,
     "compose the model with this context (CDL): its scenario, assertions, properties and "
     "restrictions"},
    {OPTION_GUIDE, 0, "guide", "FILE[:NAME]", ASK_MODELS,
     "compose the model with this guide (xGDL), which says which interactions may happen"},
    {OPTION_GUIDE_SEMANTICS, 0, "guide-semantics", "HOW", ASK_MODELS,
     "disable (the default): what the guide forbids is not enabled, so that it holds nothing back; "
     "filter: the model keeps its own rules, what is forbidden keeps its priority and its "
     "deadline, and the guide lets some of the model's steps pass"},
    {OPTION_GUIDE_PART, 0, "guide-part", "N", ASK_MODELS,
     "with --guide and --split alternatives, permutations or position: only part N of the guide"},
    {OPTION_PROPERTY, 'p', "property", "NAME", ASK_SEARCH | ASK_SIMULATE | ASK_TRANSLATE,
     "check only this property (repeatable; also deadlock); translate: for aiger, aag and dimacs"},
    {OPTION_NO_DEADLOCK, 0, "no-deadlock", NULL, ASK_CHECK | ASK_SIMULATE,
     "do not look for deadlocks"},
    {OPTION_INVARIANT, 0, "invariant", "F", ASK_SEARCH | ASK_SIMULATE,
     "also check that F is true in every reachable state"},
    {OPTION_FIND, 0, "find", "F", ASK_SEARCH | ASK_SIMULATE,
     "find a run to a state in which F is true, or prove that there is none (repeatable)"},
    {OPTION_QUERY, 0, "query", "TEXT", ASK_SEARCH,
     "check this query about runs in dense time, in the language of the model, instead of those of "
     "the file (repeatable)"},
    {OPTION_QUERIES, 0, "queries", "FILE", ASK_SEARCH,
     "the same for the queries of a file, one per line"},
    {OPTION_SKIP, 0, "skip-unsupported", NULL, ASK_MODELS,
     "leave queries out that are not supported, and say so"},
    {OPTION_CTL, 0, "ctl", "F", ASK_SEARCH | ASK_SIMULATE, "also check the CTL formula F"},
    {OPTION_LTL, 0, "ltl", "F", ASK_SEARCH | ASK_SIMULATE | ASK_AUTOMATON,
     "also check the LTL formula F (automaton: take its automaton)"},
    {OPTION_IMPLIES, 0, "implies", "G", ASK_AUTOMATON,
     "does every word of the automaton satisfy the LTL formula G?"},
    {OPTION_EQUIVALENT, 0, "equivalent", "G", ASK_AUTOMATON,
     "is the formula of --ltl equivalent to the LTL formula G?"},
    {OPTION_ACCEPTS, 0, "accepts", "WORD", ASK_AUTOMATON,
     "does the automaton accept this word, such as 'a; !b; cycle{a & b}'?"},
    {OPTION_BUCHI, 0, "buchi", NULL, ASK_AUTOMATON,
     "with accepting states, instead of several acceptance sets on edges"},
    {OPTION_EQUAL, 0, "equal", "FILE[:NAME]", ASK_GUIDE,
     "does the guide (xGDL) allow the same as this one? Without :NAME, all guides of a file "
     "together"},
    {OPTION_WITHIN, 0, "within", "FILE[:NAME]", ASK_GUIDE,
     "does this guide allow all that the guide allows?"},
    {OPTION_WORDS, 0, "words", "K", ASK_GUIDE | ASK_EXPLORE,
     "list the first K sequences of interactions that the guide allows, or with --show orders the "
     "first K p-paths, the shortest first"},
    {OPTION_UNLOGGED, 0, "unlogged", "LABELS", ASK_CONFORM,
     "steps with these labels (or PROCESS.label) may happen without a line of the log"},
    {OPTION_GAPS, 0, "gaps", NULL, ASK_CONFORM, "anything may happen between lines of the log"},
    {OPTION_TOLERANCE, 0, "tolerance", "T", ASK_CONFORM,
     "times of the log may be wrong by as much: 1, 0.5 or 1/3"},
    {OPTION_PORT, 0, "port", "N", ASK_SERVE,
     "serve under this port of 127.0.0.1 (default: one that is free)"},
    {OPTION_FIRST, 0, "first", NULL, ASK_CHECK, "stop at the first violation"},
    {OPTION_TRACES, 0, "traces", "N", ASK_CHECK,
     "show up to N runs of a property that single states decide, different in more than order"},
    {OPTION_ENGINE, 0, "engine", "E", ASK_SEARCH,
     "auto (the default), explicit, symbolic, bounded or timed"},
    {OPTION_ORDER, 0, "order", "O", ASK_SEARCH | ASK_TRANSLATE,
     "bfs, dfs, past-freeze (by the rank of a context, freeing the past) or best-first (first what "
     "looks nearest to a violation, or to what --find asks for); symbolic: saturation (its "
     "default), bfs or chaining"},
    {OPTION_FREEZE, 0, "freeze", "DIR", ASK_SEARCH,
     "keep levels, or with past-freeze finished clusters, in files of this folder, for --resume"},
    {OPTION_SPLIT, 0, "split", "HOW", (ASK_MODELS & ~ASK_CONFORM) | ASK_GUIDE,
     "past-freeze: auto (split the context into parts when it does not fit in memory), always, or "
     "never (the default); always with --partition: a part for each beginning of a p-path; with a "
     "guide also alternatives, permutations or position[=N]: into "
     "guides that allow the same together, each searched by itself"},
    {OPTION_SPLIT_DEPTH, 0, "split-depth", "D", ASK_SEARCH,
     "split always: D steps of the context in each part, or D p-points on a p-path (default 1)"},
    {OPTION_PART, 0, "part", "N", ASK_SEARCH,
     "split: search only part N of the folder of --freeze (-v lists parts), and note it there; "
     "auto: parts of the folder of --work that nobody has, until none is left"},
    {OPTION_WORK, 0, "work", "DIR", ASK_SEARCH,
     "the folder of a search that is divided (contexts or guides of a file, parts of a guide, "
     "--split), which many processes may share, also over NFS"},
    {OPTION_PREPARE, 0, "prepare", NULL, ASK_SEARCH,
     "work: make the folder and the first parts, and leave the rest to --part auto"},
    {OPTION_JOIN, 0, "join", NULL, ASK_SEARCH,
     "work: put the answers together that are in the folder; nothing is searched"},
    {OPTION_NO_WAIT, 0, "no-wait", NULL, ASK_SEARCH,
     "work: leave when only parts are open that others do (they may leave new ones)"},
    {OPTION_TAKEOVER, 0, "takeover", "TIME", ASK_SEARCH | ASK_STATUS,
     "work: take parts over whose process has not been heard of for so long (default 2m; on one "
     "machine at once, when it is gone)"},
    {OPTION_SLURM, 0, "slurm", "OPTIONS", ASK_SEARCH,
     "work: submit it to Slurm with these options of sbatch ('--array=0-7 --mem=4G --time=60'), "
     "wait, and tell the answer"},
    {OPTION_PARTITION, 0, "partition", "LABELS", ASK_SEARCH,
     "divide the search by these rules (labels, PROCESS.label, or locations: entering them), or "
     "auto: path by path, within --memory"},
    {OPTION_PARTITION_HIDDEN, 0, "partition-hidden", NULL, ASK_SEARCH,
     "partition as in the paper, with a hidden position: finds violations, but coverage is not "
     "guaranteed"},
    {OPTION_RESULTS, 0, "results", "DIR", ASK_SEARCH,
     "several contexts, guides or parts of a guide: keep the result of each in this folder, for "
     "--resume"},
    {OPTION_RESUME, 0, "resume", NULL, ASK_SEARCH,
     "go on with the run that was frozen in the folder of --freeze, or whose results are kept in "
     "that of --results"},
    {OPTION_REDUCE, 0, "reduce", "R", ASK_SEARCH | ASK_TRANSLATE,
     "none, por (the best for what is to be kept), two-phase, deadlock, improviso or steps"},
    {OPTION_KEEP, 0, "keep", "WHAT", ASK_SEARCH | ASK_TRANSLATE,
     "with --reduce: ltl, ctl (both without X) or deadlock is preserved; default: what the "
     "properties need, otherwise ltl"},
    {OPTION_SHOW, 0, "show", "WHAT", ASK_EXPLORE,
     "process-model: which rules --reduce may take alone (with -p, --ctl, ...: for these "
     "properties); orders: how many orders of the p-points of --partition there are; "
     "enumerated-orders: the same one by one, for comparison"},
    {OPTION_VARIANT, 0, "variant", "N", ASK_SEARCH,
     "symbolic por: which states are expanded partially (1, 2 or 3)"},
    {OPTION_DIRECTION, 0, "direction", "D", ASK_CHECK,
     "symbolic: decide temporal properties forward or backward"},
    {OPTION_RELATION, 0, "relation", "R", ASK_SEARCH,
     "symbolic: per-rule (the default), monolithic or labelled"},
    {OPTION_TABLEAU, 0, "tableau", NULL, ASK_CHECK,
     "symbolic: LTL with a tableau instead of an automaton"},
    {OPTION_SHORTEST, 0, "shortest", NULL, ASK_CHECK,
     "runs that repeat are as short as can be, the way there and the loop together"},
    {OPTION_FAIR, 0, "fair", NULL, ASK_CHECK,
     "symbolic: LTL only on runs that are weakly fair to every process"},
    {OPTION_NO_FRONTIER, 0, "no-frontier", NULL, ASK_SEARCH,
     "symbolic bfs: every step starts from all states known"},
    {OPTION_PHASE, 0, "phase", "N", ASK_CHECK | ASK_TRANSLATE,
     "bounded: with --reduce, steps of safe rules per process before each full step, or auto"},
    {OPTION_NO_INDUCTION, 0, "no-induction", NULL, ASK_CHECK,
     "bounded: look for violations, try no proofs by induction"},
    {OPTION_STORE, 0, "store", "HOW", ASK_SEARCH,
     "explicit: how states are kept: auto (the default): small ones in the table itself, where "
     "nobody asks for them later, very many wide ones in a tree; flat: whole, in the order of "
     "their numbers; tree: wide ones in a tree of words as soon as there are some thousand"},
    {OPTION_NATIVE, 0, "native", "WHEN", ASK_SEARCH | ASK_CONFORM,
     "explicit, timed: rules as machine code, by the system's C compiler: auto (the default): in "
     "the background, when a search lasts some seconds; always: before it begins; never"},
    {OPTION_ZONES, 0, "zones", "HOW", ASK_SEARCH,
     "timed: simulation (the default) drops zones that others simulate, where that is enough; "
     "inclusion those that lie in others; equal keeps the whole zone graph"},
    {OPTION_BOUND, 0, "bound", "N", ASK_MODELS | ASK_GUIDE,
     "go at most N steps deep; the result is then incomplete unless all was decided (bounded: or "
     "auto, as deep as it takes); with a guide: unroll it to N interactions, or auto: find the "
     "least bound that is enough, and prove it"},
    {OPTION_MEMORY, 0, "memory", "SIZE", ASK_TOLD,
     "stop when this much memory is used (512M, 2G; default: 80% of what is free)"},
    {OPTION_TIME, 0, "time", "LIMIT", ASK_TOLD,
     "stop after this time (30s, 10m, 1.5h): the search, that of each context or part, and reading "
     "before it"},
    {OPTION_THREADS, 0, "threads", "N", ASK_SEARCH | ASK_CONFORM,
     "2 or more: with --engine auto, so many engines run at the same time and the first answer "
     "counts; explicit: so many threads (at most 64) search together, in every order but dfs"},
    {OPTION_STEPS, 0, "steps", "N", ASK_SIMULATE, "length of a random run (default 100)"},
    {OPTION_RUNS, 0, "runs", "N", ASK_SIMULATE, "number of random runs (default 1)"},
    {OPTION_SEED, 0, "seed", "N", ASK_MODELS & ~ASK_CONFORM, "seed of random choices (default 1)"},
    {OPTION_INTERACTIVE, 'i', "interactive", NULL, ASK_SIMULATE, "choose the steps yourself"},
    {OPTION_MODEL, 0, "model", "FILE", ASK_REPLAY,
     "the model, when it is no longer where the trace says"},
    {OPTION_TO, 0, "to", "FORMAT", ASK_TRANSLATE | ASK_AUTOMATON | ASK_GUIDE,
     "promela, smv, ord (SMV variable order), xta (UPPAAL), q (its queries), tck (TChecker), "
     "aiger, aag (AIGER as text), dimacs (-p and --bound say of what), dot, aut, cairn, observers "
     "(of --context) or observers-dot; automaton: hoa, never (claim), dot or text; guide: dot"},
    {OPTION_OUTPUT, 'o', "output", "FILE", ASK_TRANSLATE | ASK_AUTOMATON | ASK_GUIDE,
     "write to FILE (smv: also FILE with .ord; xta: with .q)"},
    {OPTION_JSON, 0, "json", "[=FILE]",
     ASK_SEARCH | ASK_SIMULATE | ASK_AUTOMATON | ASK_GUIDE | ASK_CONFORM | ASK_STATUS,
     "print the result as one JSON object, or write it to FILE"},
    {OPTION_TRACE, 0, "trace", "FILE", ASK_CHECK | ASK_SIMULATE | ASK_CONFORM,
     "save the first counterexample (or the run) as ITF, or as waves when FILE ends with .vcd"},
    {OPTION_REPORT, 0, "report", "FILE", ASK_SEARCH,
     "write the result as a page that stands alone: verdicts, runs with a slider and a chart, "
     "coverage on the source, pictures, plots"},
    {OPTION_FULL, 0, "full", NULL, ASK_CHECK | ASK_SIMULATE | ASK_REPLAY | ASK_CONFORM,
     "show all variables in every state of a trace"},
    {OPTION_RAW, 0, "raw", NULL, ASK_CHECK | ASK_SIMULATE | ASK_REPLAY | ASK_CONFORM,
     "show states as plain numbers, variable by variable, also in JSON and ITF"},
    {OPTION_HIDE, 0, "hide", "NAMES", ASK_CHECK | ASK_SIMULATE | ASK_REPLAY | ASK_CONFORM,
     "leave these variables out of states that are shown: NAME,... (also of a process; NAME* for "
     "all that begin so)"},
    {OPTION_SHOW_EXPR, 0, "show-expr", "'NAME = E'",
     ASK_CHECK | ASK_SIMULATE | ASK_REPLAY | ASK_CONFORM,
     "show an expression, in the language of the model, as if it were a variable"},
    {OPTION_PROGRESS, 0, "progress", "WHEN", ASK_SEARCH | ASK_TRANSLATE | ASK_CONFORM | ASK_STATUS,
     "auto, always, never, or json: an object per line on standard error; status: whether the "
     "table is shown again and again until all is done (auto: on a terminal)"},
    {OPTION_DIAGNOSTICS, 0, "diagnostics", "FORM[=FILE]", ASK_TOLD,
     "messages about files as text (the default), json (an object per line) or sarif, on standard "
     "error or in FILE"},
    {OPTION_EXPECT, 0, "expect", "FILE", ASK_CHECK,
     "compare verdicts with the expect lines of this file (it may be the model's): status 0 when "
     "all are as expected, 1 when not"},
    {OPTION_COLOR, 0, "color", "WHEN", ASK_TOLD | ASK_STATUS, "auto, always or never"},
    {OPTION_QUIET, 'q', "quiet", NULL, ASK_TOLD, "no progress, no warnings, and only verdicts"},
    {OPTION_VERBOSE, 'v', "verbose", NULL, ASK_TOLD, "more: states per level"},
    {OPTION_STDIO, 0, "stdio", NULL, ASK_LSP,
     "use standard input and output, as it does anyway: many editors say so"},
    {OPTION_HELP, 'h', "help", NULL, ASK_ALL, "this help"},
};
enum { ROWS = sizeof rows / sizeof *rows, MAX_PHASE = 1000, MAX_TRACES = 1000 };

static bool complain(const char *format, const char *a, const char *b)
{
    fputs("cairn: error: ", stderr);
    fprintf(stderr, format, a, b);
    fputs("\n", stderr);
    return false;
}

/* ---- values ---- */

static bool parse_number(const char *option, const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno)
        return complain("%s needs a natural number, not '%.40s'", option, text);
    return true;
}

static bool parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    double amount = strtod(text, &end);
    if (!isdigit((unsigned char)text[0]) || end == text || amount < 0)
        return complain("--memory needs a size such as 512M or 2G, not '%.40s'", text, "");
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        end++;
        for (const char *at = units; at <= unit; at++) amount *= 1024;
        if (*end == 'i') end++;
        if (*end == 'B' || *end == 'b') end++;
    }
    if (*end || amount < 1 || amount > 1e18)
        return complain("--memory needs a size such as 512M or 2G, not '%.40s'", text, "");
    *bytes = (uint64_t)amount;
    return true;
}

static bool parse_time(const char *option, const char *text, double *seconds)
{
    char *end;
    double amount = strtod(text, &end), unit = !strcmp(end, "") || !strcmp(end, "s") ? 1
                                               : !strcmp(end, "m")                   ? 60
                                               : !strcmp(end, "h")                   ? 3600
                                                                                     : 0;
    if (!isdigit((unsigned char)text[0]) || end == text || !unit || amount * unit > 1e9)
        return complain("%s needs a limit such as 30s, 10m or 1.5h, not '%.40s'", option, text);
    *seconds = amount * unit > 0 ? amount * unit : 1e-9;
    return true;
}

static bool parse_when(const char *option, const char *text, enum when *when)
{
    if (!strcmp(text, "auto")) *when = WHEN_AUTO;
    else if (!strcmp(text, "always")) *when = WHEN_ALWAYS;
    else if (!strcmp(text, "never")) *when = WHEN_NEVER;
    else return complain("%s is auto, always or never, not '%.40s'", option, text);
    return true;
}

static bool parse_define(struct options *options, struct mem *mem, const char *text)
{
    const char *equals = strchr(text, '=');
    char *end;
    if (!equals || equals == text) return complain("-D needs NAME=VALUE, not '%.40s'", text, "");
    errno = 0;
    long long value = strtoll(equals + 1, &end, 10);
    if (errno == ERANGE) return complain("-D %.60s: the value does not fit in 63 bits", text, "");
    if (*end || end == equals + 1) return complain("-D %.60s: the value is not a number", text, "");
    char *name = mem_alloc(mem, (size_t)(equals - text) + 1);
    memcpy(name, text, (size_t)(equals - text));
    vec_push(mem, &options->ask.defines, ((struct language_define){.name = name, .value = value}));
    return true;
}

/* One word of a list, as its number; `later` are words of the contract that this version does not
 * have. */
static bool parse_choice(const char *option, const char *text, const char *const *have,
                         const char *const *later, unsigned *number)
{
    for (unsigned i = 0; have[i]; i++)
        if (!strcmp(have[i], text)) return *number = i, true;
    for (; *later; later++)
        if (!strcmp(*later, text))
            return complain("%s %.40s is not available in this version", option, text);
    fprintf(stderr, "cairn: error: %s does not know '%.40s': it is", option, text);
    for (unsigned i = 0; have[i]; i++) fprintf(stderr, "%s %s", i ? " or" : "", have[i]);
    fputc('\n', stderr);
    return false;
}

/* One of the table of engines, or auto. */
static bool parse_engine(const char *text, enum engine *engine)
{
    enum { MOST_ENGINES = 16 };
    static const char *const none[] = {NULL};
    const char *names[MOST_ENGINES] = {"auto"};
    unsigned choice;
    for (unsigned i = 0; engines[i].name; i++) {
        assert(i + 2 < MOST_ENGINES);
        names[i + 1] = engines[i].name;
    }
    if (!parse_choice("--engine", text, names, none, &choice)) return false;
    *engine = choice ? engines[choice - 1].id : ENGINE_AUTO;
    return true;
}

/* text, json, sarif; json=FILE. */
static bool parse_diagnostics(struct options *options, struct mem *mem, const char *value)
{
    static const char *const forms[] = {"text", "json", "sarif", NULL}, *const none[] = {NULL};
    const char *file = strchr(value, '=');
    size_t length = file ? (size_t)(file - value) : strlen(value);
    unsigned choice;
    char *form = mem_alloc(mem, length + 1);
    memcpy(form, value, length);
    if (!parse_choice("--diagnostics", form, forms, none, &choice)) return false;
    options->records = choice > 0;
    options->sarif = choice == 2;
    options->records_file = file ? file + 1 : NULL;
    if (file && !choice) return complain("--diagnostics text is on standard error%s%s", "", "");
    return true;
}

static bool set_option(struct options *options, struct mem *mem, const struct options_row *row,
                       const char *value)
{
    static const char *const none[] = {NULL};
    static const char *const splits[] = {"never", "auto", "always", NULL};
    static const char *const shown[] = {"process-model", "orders", "enumerated-orders", NULL};
    static const char *const dialects[] = {"obp", "frac", NULL};
    static const char *const reductions[] = {"none",  "por",       "deadlock", "improviso",
                                             "steps", "two-phase", NULL};
    static const char *const keepings[] = {"ltl", "ctl", "deadlock", NULL};
    static const char *const directions[] = {"default", "forward", "backward", NULL};
    static const char *const forms[] = {"per-rule", "monolithic", "labelled", NULL};
    static const char *const variants[] = {"1", "2", "3", NULL};
    unsigned choice = 0;
    assert(value || !row->argument || row->argument[0] == '['); /* it was asked for */
    switch ((enum option_id)row->id) {
    case OPTION_ENGINE: return parse_engine(value, &options->ask.engine);
    case OPTION_REDUCE:
        if (!parse_choice("--reduce", value, reductions, none, &choice)) return false;
        options->ask.two_phase = choice > REDUCE_STEPS;
        options->ask.reduction = options->ask.two_phase ? REDUCE_POR : (enum reduction)choice;
        return true;
    case OPTION_KEEP:
        return parse_choice("--keep", value, keepings, none, &choice)
               && (options->ask.keep = (enum keeping)(KEEP_LTL + choice), true);
    case OPTION_ORDER:
        return parse_choice("--order", value, search_order_name, none, &choice)
               && (options->ask.order = (enum search_order)choice, true);
    case OPTION_DIRECTION:
        return parse_choice("--direction", value, directions, none, &choice)
               && (options->ask.direction = (enum search_direction)choice, true);
    case OPTION_RELATION:
        return parse_choice("--relation", value, forms, none, &choice)
               && (options->ask.relation = (enum relation_form)choice, true);
    case OPTION_VARIANT:
        return parse_choice("--variant", value, variants, none, &choice)
               && (options->ask.variant = choice + 1, true);
    case OPTION_FREEZE: options->ask.freeze = value; return true;
    case OPTION_RESULTS: options->ask.results = value; return true;
    case OPTION_PARTITION: options->ask.partition = value; return true;
    case OPTION_PARTITION_HIDDEN: options->ask.partition_hidden = true; return true;
    case OPTION_RESUME: options->ask.resume = true; return true;
    case OPTION_NO_FRONTIER: options->ask.no_frontier = true; return true;
    case OPTION_TABLEAU: options->ask.tableau = true; return true;
    case OPTION_SHORTEST: options->ask.shortest = true; return true;
    case OPTION_FAIR: options->ask.fair = true; return true;
    case OPTION_NO_INDUCTION: options->ask.no_induction = true; return true;
    case OPTION_ZONES:
        return parse_choice("--zones", value, zone_storage_name, none, &choice)
               && (options->ask.zones = (enum zone_storage)choice, options->ask.has_zones = true);
    case OPTION_STORE:
        return parse_choice("--store", value, state_sets_name, none, &choice)
               && (options->ask.sets = (enum state_sets)choice, true);
    case OPTION_NATIVE:
        return parse_choice("--native", value, native_mode_name, none, &choice)
               && (options->ask.native = (enum native_mode)choice, true);
    case OPTION_PHASE:
        options->ask.phase_auto = !strcmp(value, "auto");
        options->ask.has_phase = !options->ask.phase_auto;
        if (options->ask.phase_auto) return true;
        if (!parse_number("--phase", value, &options->ask.phase)) return false;
        return options->ask.phase <= MAX_PHASE || complain("--phase is at most 1000%s%s", "", "");
    case OPTION_BOUND:
        if (!strcmp(value, "auto"))
            return options->ask.bound_auto =
                       true; /* the bounded engine's default: deeper until all is decided */
        if (!parse_number("--bound", value, &options->ask.bound)) return false;
        return options->ask.bound || complain("--bound needs at least one step%s%s", "", "");
    case OPTION_MEMORY: return parse_size(value, &options->ask.memory);
    case OPTION_TIME: return parse_time("--time", value, &options->ask.time);
    case OPTION_THREADS:
        if (!parse_number("--threads", value, &options->ask.threads)) return false;
        return options->ask.threads || complain("--threads needs at least one%s%s", "", "");
    case OPTION_PROPERTY: vec_push(mem, &options->ask.properties, value); return true;
    case OPTION_NO_DEADLOCK: options->ask.no_deadlock = true; return true;
    case OPTION_LTL:
        vec_push(mem, &options->ask.formulas, ((struct ask_formula){PROPERTY_LTL, value}));
        return true;
    case OPTION_CTL:
        vec_push(mem, &options->ask.formulas, ((struct ask_formula){PROPERTY_CTL, value}));
        return true;
    case OPTION_INVARIANT:
        vec_push(mem, &options->ask.formulas, ((struct ask_formula){PROPERTY_INVARIANT, value}));
        return true;
    case OPTION_FIND:
        vec_push(mem, &options->ask.formulas, ((struct ask_formula){PROPERTY_REACH, value}));
        return true;
    case OPTION_QUERY: vec_push(mem, &options->ask.queries, value); return true;
    case OPTION_QUERIES: options->ask.queries_file = value; return true;
    case OPTION_SKIP: options->ask.skips = true; return true;
    case OPTION_FIRST: options->ask.first = true; return true;
    case OPTION_SHOW:
        if (!parse_choice("--show", value, shown, none, &choice)) return false;
        *(choice ? &options->ask.show_orders : &options->ask.show_process_model) = true;
        options->ask.enumerate_orders |= choice == 2;
        return true;
    case OPTION_STEPS: return parse_number("--steps", value, &options->ask.steps);
    case OPTION_RUNS: return parse_number("--runs", value, &options->ask.runs);
    case OPTION_SEED: return parse_number("--seed", value, &options->ask.seed);
    case OPTION_INTERACTIVE: options->interactive = options->ask.by_hand = true; return true;
    case OPTION_MODEL: options->ask.model = value; return true;
    case OPTION_TO: options->ask.to = value; return true;
    case OPTION_OUTPUT: options->output = value; return true;
    case OPTION_IMPLIES: options->ask.implies = value; return true;
    case OPTION_EQUIVALENT: options->ask.equivalent = value; return true;
    case OPTION_ACCEPTS: options->ask.accepts = value; return true;
    case OPTION_BUCHI: options->ask.buchi = true; return true;
    case OPTION_DIALECT:
        return parse_choice("--dialect", value, dialects, none, &choice)
               && (options->ask.dialect = dialects[choice], true);
    case OPTION_CONTEXT: options->ask.context = value; return true;
    case OPTION_GUIDE: options->ask.guide = value; return true;
    case OPTION_GUIDE_SEMANTICS:
        options->ask.guide_filters = !strcmp(value, "filter");
        options->ask.guide_semantics = true;
        if (options->ask.guide_filters || !strcmp(value, "disable")) return true;
        return complain("--guide-semantics is disable or filter, not '%.40s'%s", value, "");
    case OPTION_GUIDE_PART:
        return parse_number("--guide-part", value, &options->ask.guide_part)
               && (options->ask.guide_part
                   || complain("parts of guides are counted from 1%s%s", "", ""));
    case OPTION_REPORT: options->report_file = value; return true;
    case OPTION_EQUAL: options->ask.equal = value; return true;
    case OPTION_WITHIN: options->ask.within = value; return true;
    case OPTION_UNLOGGED: return options->ask.unlogged = value, true;
    case OPTION_GAPS: return options->ask.gaps = true;
    case OPTION_TOLERANCE: return options->ask.tolerance = value, true;
    case OPTION_PORT:
        return parse_number("--port", value, &options->port)
               && (options->port <= UINT16_MAX || complain("--port is at most 65535%s%s", "", ""));
    case OPTION_HIDE: vec_push(mem, &options->ask.hidden, value); return true;
    case OPTION_SHOW_EXPR: vec_push(mem, &options->ask.shown, value); return true;
    case OPTION_TRACES:
        return parse_number("--traces", value, &options->ask.traces)
               && ((options->ask.traces && options->ask.traces <= MAX_TRACES)
                   || complain("--traces needs a number from 1 to 1000%s%s", "", ""));
    case OPTION_WORDS:
        return parse_number("--words", value, &options->ask.words)
               && (options->ask.words || complain("--words needs at least one%s%s", "", ""));
    case OPTION_SPLIT:
        if (options->command->bit == ASK_GUIDE || guidefile_is_split(value))
            return options->ask.split_by = value, true;
        return parse_choice("--split", value, splits, none, &choice)
               && (options->ask.split = (enum split)choice, true);
    case OPTION_SPLIT_DEPTH:
        return parse_number("--split-depth", value, &options->ask.split_depth)
               && (options->ask.split_depth
                   || complain("--split-depth must be at least 1%s%s", "", ""));
    case OPTION_WORK: options->ask.work = value; return true;
    case OPTION_PREPARE: return options->ask.prepare = true;
    case OPTION_JOIN: return options->ask.join = true;
    case OPTION_NO_WAIT: return options->ask.no_wait = true;
    case OPTION_TAKEOVER: return parse_time("--takeover", value, &options->ask.takeover);
    case OPTION_SLURM: return options->slurm = value, true;
    case OPTION_PART:
        if (!strcmp(value, "auto")) return options->ask.part_auto = true;
        return parse_number("--part", value, &options->ask.part)
               && (options->ask.part < UINT32_MAX
                   || complain("there is no part %.40s%s", value, ""))
               && (options->ask.has_part = true);
    case OPTION_DEFINE: return parse_define(options, mem, value);
    case OPTION_JSON:
        options->json = true;
        options->json_file = value;
        return true;
    case OPTION_TRACE: options->trace_file = value; return true;
    case OPTION_FULL: options->full = true; return true;
    case OPTION_RAW: options->raw = true; return true;
    case OPTION_PROGRESS:
        if (!strcmp(value, "json")) return options->progress = WHEN_JSON, true;
        return parse_when("--progress", value, &options->progress);
    case OPTION_DIAGNOSTICS: return parse_diagnostics(options, mem, value);
    case OPTION_EXPECT: return options->expect_file = value, true;
    case OPTION_COLOR: return parse_when("--color", value, &options->color);
    case OPTION_QUIET: options->quiet = true; return true;
    case OPTION_VERBOSE: options->ask.verbose++; return true;
    case OPTION_STDIO: return true;
    case OPTION_HELP: options->help = true; return true;
    }
    return false;
}

/* ---- words ---- */

static bool unknown_option(const struct command *command, const char *word)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    for (unsigned i = 0; i < ROWS; i++)
        if (!command || rows[i].commands & command->bit)
            text_nearest(word, rows[i].name, &nearest, &distance);
    if (nearest) return complain("unknown option --%.40s: did you mean --%s?", word, nearest);
    return complain("unknown option --%.40s (cairn %s --help lists them)", word,
                    command ? command->name : "");
}

static const struct options_row *find_row(const char *name, size_t length, char letter)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (letter ? rows[i].letter == letter
                   : strlen(rows[i].name) == length && !strncmp(rows[i].name, name, length))
            return &rows[i];
    return NULL;
}

/* One option, at argv[*at]; the value may be the next word. */
static bool parse_option(struct options *options, struct mem *mem, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *value = NULL;
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(word + 2, "=") : 1;
    const struct options_row *row = find_row(word + 2, length, is_long ? 0 : word[1]);
    if (!row && !is_long)
        return complain("unknown option %.40s (cairn %s --help lists them)", word,
                        options->command->name);
    if (!row) return unknown_option(options->command, word + 2);
    if (!(row->commands & options->command->bit))
        return complain("--%s does not go with 'cairn %s'", row->name, options->command->name);
    if (is_long && word[2 + length] == '=') value = word + 2 + length + 1;
    else if (!is_long && word[2] && row->argument) value = word + 2;
    else if (!is_long && word[2]) return complain("-%.1s takes no value, in '%s'", word + 1, word);
    if (value && !row->argument) return complain("--%s takes no value%s", row->name, "");
    if (!value && row->argument && row->argument[0] != '[') {
        if (*at + 1 >= argc) return complain("--%s needs a value: %s", row->name, row->argument);
        value = argv[++*at];
    }
    return set_option(options, mem, row, value);
}

static bool find_command(struct options *options, const char *word)
{
    const char *nearest = NULL;
    unsigned distance = 0;
    for (const struct command *command = commands; command->name; command++) {
        if (!strcmp(command->name, word)) return options->command = command, true;
        text_nearest(word, command->name, &nearest, &distance);
    }
    if (nearest) return complain("there is no command '%.40s': did you mean '%s'?", word, nearest);
    if (!access(word, R_OK))
        return complain("a command comes first: try 'cairn check %.60s'%s", word, "");
    return complain("there is no command '%.40s' (cairn --help lists them)%s", word, "");
}

/* Choices that do not go together (run/combine.h). */
static bool check_together(struct options *options, struct mem *mem)
{
    struct text why;
    const struct combine_words words = {options->command->name, options->command->argument};
    text_init(&why, mem);
    work_complete(&options->ask, mem);
    if (options->slurm && !options->ask.work)
        return complain("--slurm goes with --work DIR, a folder that all machines see%s%s", "", "");
    if (options->slurm && (options->ask.prepare || options->ask.part_auto || options->ask.join))
        return complain("--slurm submits all of the work: --prepare, --part auto and --join are "
                        "for single jobs%s%s",
                        "", "");
    if (options->help || options->ask.command == ASK_LSP
        || combine_check(&options->ask, &words, &why))
        return true;
    assert(why.len); /* what is refused has a reason */
    return complain("%s%s", why.data, "");
}

/* Options that say where a result goes, or how much it may cost, and not what it is. */
static bool is_aside(const struct options_row *row, bool shares)
{
    static const enum option_id always[] = {OPTION_RESUME, OPTION_QUIET, OPTION_VERBOSE};
    static const enum option_id shared[] = {
        OPTION_WORK,    OPTION_PREPARE,    OPTION_JOIN,   OPTION_PART,  OPTION_NO_WAIT,
        OPTION_SLURM,   OPTION_TAKEOVER,   OPTION_REPORT, OPTION_TRACE, OPTION_PROGRESS,
        OPTION_COLOR,   OPTION_THREADS,    OPTION_MEMORY, OPTION_TIME,  OPTION_FREEZE,
        OPTION_RESULTS, OPTION_DIAGNOSTICS};
    bool aside = false;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) aside |= row->id == (int)always[i];
    for (size_t i = 0; shares && i < sizeof shared / sizeof *shared; i++)
        aside |= row->id == (int)shared[i];
    return aside;
}

/* The words of the command that matter for its result, so that kept results are known as its own:
 * those who share a folder may have other memory and put their answers elsewhere. */
static void note_words(struct options *options, struct mem *mem)
{
    struct text words;
    const bool shares = options->ask.work;
    bool only_files = false;
    text_init(&words, mem);
    for (int i = 1; i < options->argc; i++) {
        const char *word = options->argv[i];
        only_files |= !strcmp(word, "--");
        const bool is_option = !only_files && word[0] == '-' && word[1];
        const size_t length = is_option && word[1] == '-' ? strcspn(word + 2, "=") : 1;
        const struct options_row *row =
            is_option ? find_row(word + 2, length, word[1] == '-' ? 0 : word[1]) : NULL;
        const bool has_next = row && row->argument && row->argument[0] != '['
                              && (word[1] == '-' ? !word[2 + length] : !word[2]);
        const bool is_json = row && row->id == OPTION_JSON && (shares || !word[2 + length]);
        if (row && (is_json || is_aside(row, shares))) {
            i += has_next;
            continue;
        }
        text_add(&words, "%s\n", word);
        if (has_next && i + 1 < options->argc) text_add(&words, "%s\n", options->argv[++i]);
    }
    options->ask.words_said = words.data;
}

bool options_parse(struct options *options, struct mem *mem, int argc, char **argv)
{
    struct peers *const peers = options->ask.peers; /* they are there before */
    memset(options, 0, sizeof *options);
    ask_init(&options->ask);
    options->ask.peers = peers;
    options->argc = argc;
    options->argv = argv;
    options->ask.line = (const char *const *)argv;
    options->ask.line_length = (uint32_t)argc;
    if (argc < 2) return complain("no command (try 'cairn --help')%s%s", "", "");
    if (!find_command(options, argv[1])) return false;
    options->ask.command = (enum ask_command)options->command->bit;
    bool only_files = false;
    for (int at = 2; at < argc; at++) {
        const char *word = argv[at];
        if (!only_files && !strcmp(word, "--")) only_files = true;
        else if (!only_files && word[0] == '-' && word[1]) {
            if (!parse_option(options, mem, argc, argv, &at)) return false;
        } else if (options->ask.file && options->ask.command == ASK_CONFORM && !options->ask.log)
            options->ask.log = word;
        else if (options->ask.command == ASK_LSP)
            return complain("lsp takes no file: the editor opens them ('%.60s')%s", word, "");
        else if (options->ask.file)
            return complain("one %s is enough: '%.60s' is a second one", options->command->argument,
                            word);
        else options->ask.file = word;
    }
    if (options->ask.results || options->ask.work) note_words(options, mem);
    return check_together(options, mem);
}

const struct options_row *options_row(unsigned number)
{
    return number < ROWS ? &rows[number] : NULL;
}
