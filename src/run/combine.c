#include "run/combine.h"

#include "run/message.h"

#include <assert.h>
#include <string.h>

/* ---- choices ---- */

/* The name in code, how it is written, and whether the ask has it (or the model, when it is
 * known). */
#define CHOICES(X)                                                                                 \
    X(EXPLORE, "`cairn explore`", ask->command == ASK_EXPLORE)                                     \
    X(TRANSLATE, "`cairn translate`", ask->command == ASK_TRANSLATE)                               \
    X(AUTOMATON, "`cairn automaton`", ask->command == ASK_AUTOMATON)                               \
    X(SEARCH, "a search", ask->command &ASK_SEARCH)                                                \
    X(MODELS, "a model", ask->command &ASK_MODELS)                                                 \
    X(CONFORM, "`cairn conform`", ask->command == ASK_CONFORM)                                     \
    X(SERVE, "`cairn serve`", ask->command == ASK_SERVE)                                           \
    X(LOG, "a log", ask->log)                                                                      \
    X(FILE, "a file", ask->file)                                                                   \
    X(AUTO, "no `--engine`", ask->engine == ENGINE_AUTO)                                           \
    X(EXPLICIT, "`--engine explicit`", ask->engine == ENGINE_EXPLICIT)                             \
    X(SYMBOLIC, "`--engine symbolic`", ask->engine == ENGINE_SYMBOLIC)                             \
    X(BOUNDED, "`--engine bounded`", ask->engine == ENGINE_BOUNDED)                                \
    X(TIMED, "`--engine timed`", ask->engine == ENGINE_TIMED)                                      \
    X(ORDER, "`--order`", ask->order != ORDER_DEFAULT)                                             \
    X(BFS, "`--order bfs`", ask->order == ORDER_BFS)                                               \
    X(DFS, "`--order dfs`", ask->order == ORDER_DFS)                                               \
    X(SATURATION, "`--order saturation`", ask->order == ORDER_SATURATION)                          \
    X(CHAINING, "`--order chaining`", ask->order == ORDER_CHAINING)                                \
    X(PAST, "`--order past-freeze`", ask->order == ORDER_PAST_FREEZE)                              \
    X(BEST, "`--order best-first`", ask->order == ORDER_BEST_FIRST)                                \
    X(RELATION, "`--relation`", ask->relation != RELATION_PER_RULE)                                \
    X(DIRECTION, "`--direction`", ask->direction != DIRECTION_DEFAULT)                             \
    X(NO_FRONTIER, "`--no-frontier`", ask->no_frontier)                                            \
    X(TABLEAU, "`--tableau`", ask->tableau)                                                        \
    X(FAIR, "`--fair`", ask->fair)                                                                 \
    X(VARIANT, "`--variant`", ask->variant)                                                        \
    X(REDUCE, "`--reduce`", ask->reduction != REDUCE_NONE)                                         \
    X(TWO_PHASE, "`--reduce two-phase`", ask->two_phase)                                           \
    X(REDUCE_DEADLOCKS, "`--reduce deadlock`", ask->reduction == REDUCE_DEADLOCK)                  \
    X(IMPROVISO, "`--reduce improviso`", ask->reduction == REDUCE_IMPROVISO)                       \
    X(STEPS, "`--reduce steps`", ask->reduction == REDUCE_STEPS)                                   \
    X(KEEP_LTL, "`--keep ltl`", ask->keep == KEEP_LTL)                                             \
    X(KEEP_CTL, "`--keep ctl`", ask->keep == KEEP_CTL)                                             \
    X(KEEP_DEADLOCKS, "`--keep deadlock`", ask->keep == KEEP_DEADLOCK)                             \
    X(PHASE, "`--phase`", ask->has_phase || ask->phase_auto)                                       \
    X(NO_INDUCTION, "`--no-induction`", ask->no_induction)                                         \
    X(ZONES, "`--zones`", ask->has_zones)                                                          \
    X(STORE_FLAT, "`--store flat`", ask->sets == SETS_FLAT)                                        \
    X(STORE_TREE, "`--store tree`", ask->sets == SETS_TREE)                                        \
    X(NATIVE, "`--native always`", ask->native == NATIVE_ALWAYS)                                   \
    X(BOUND, "`--bound N`", ask->bound)                                                            \
    X(BOUND_AUTO, "`--bound auto`", ask->bound_auto)                                               \
    X(CONTEXT, "`--context`", ask->context)                                                        \
    X(GUIDE, "`--guide`", ask->guide)                                                              \
    X(GUIDE_PART, "`--guide-part`", ask->guide_part)                                               \
    X(GUIDE_BOUND, "`--guide` and `--bound N`", ask->guide && ask->guide_bound)                    \
    X(GUIDE_AUTO, "`--guide` and `--bound auto`", ask->guide_auto)                                 \
    X(SEMANTICS, "`--guide-semantics`", ask->guide_semantics)                                      \
    X(SPLIT_BY, "`--split alternatives`, `permutations` or `position`", ask->split_by)             \
    X(SPLIT, "`--split auto` or `always`", ask->split != SPLIT_NEVER)                              \
    X(SPLIT_AUTO, "`--split auto`", ask->split == SPLIT_AUTO)                                      \
    X(SPLIT_ALWAYS, "`--split always`", ask->split == SPLIT_ALWAYS)                                \
    X(SPLIT_DEPTH, "`--split-depth`", ask->split_depth)                                            \
    X(PART, "`--part`", ask->has_part)                                                             \
    X(PARTITION, "`--partition`", ask->partition)                                                  \
    X(PARTITION_HIDDEN, "`--partition-hidden`", ask->partition_hidden)                             \
    X(THREADS, "`--threads`", ask->threads > 1)                                                    \
    X(FREEZE, "`--freeze`", ask->freeze)                                                           \
    X(FREEZE_NOWHERE, "`--freeze` without a name", ask->freeze && !ask->freeze[0])                 \
    X(RESULTS, "`--results`", ask->results)                                                        \
    X(TRACES, "`--traces`", ask->traces > 1)                                                       \
    X(SHORTEST, "`--shortest`", ask->shortest)                                                     \
    X(FIRST, "`--first`", ask->first)                                                              \
    X(RESUME, "`--resume`", ask->resume)                                                           \
    X(WORK, "`--work`", ask->work)                                                                 \
    X(WORK_NOWHERE, "`--work` without a name", ask->work && !ask->work[0])                         \
    X(PREPARE, "`--prepare`", ask->prepare)                                                        \
    X(PART_AUTO, "`--part auto`", ask->part_auto)                                                  \
    X(JOIN, "`--join`", ask->join)                                                                 \
    X(NO_WAIT, "`--no-wait`", ask->no_wait)                                                        \
    X(SHOW, "`--show process-model`", ask->show_process_model)                                     \
    X(ORDERS, "`--show orders` or `enumerated-orders`", ask->show_orders)                          \
    X(ENUMERATED, "`--show enumerated-orders`", ask->enumerate_orders)                             \
    X(WORDS, "`--words`", ask->words)                                                              \
    X(ZONES_INCLUSION, "`--zones inclusion`", ask->has_zones && ask->zones == ZONES_BY_INCLUSION)  \
    X(ZONES_SIMULATION, "`--zones simulation`",                                                    \
      ask->has_zones && ask->zones == ZONES_BY_SIMULATION)                                         \
    X(PROPERTY, "`--property`", ask->properties.len)                                               \
    X(ONE_PROPERTY, "one `--property`", ask->properties.len == 1)                                  \
    X(FORMULA, "a formula", ask->formulas.len)                                                     \
    X(TO, "`--to`", ask->to)                                                                       \
    X(DIMACS, "`--to dimacs`", is_to(ask, "dimacs"))                                               \
    X(GATES, "`--to aiger`, `aag` or `dimacs`",                                                    \
      is_to(ask, "aiger") || is_to(ask, "aag") || is_to(ask, "dimacs"))                            \
    X(RANKS, "several ranks (`cairn-mpi`)", ask->peers)                                            \
    X(MODEL_TIME, "a model with time", model && model->is_timed)                                   \
    X(MODEL_INFLUENCED, "hidden variables that influence what can be seen",                        \
      model && model->is_influenced)                                                               \
    X(MODEL_RANK, "a model with a rank", model && model->has_rank)

static bool is_to(const struct ask *ask, const char *format)
{
    return ask->command == ASK_TRANSLATE && ask->to && !strcmp(ask->to, format);
}

enum choice {
    NOTHING,
#define X(name, words, test) HAS_##name,
    CHOICES(X)
#undef X
};

#define X(name, words, test)                                                                       \
    static bool has_##name(const struct ask *ask, const struct combine_model *model)               \
    {                                                                                              \
        (void)ask, (void)model;                                                                    \
        return test;                                                                               \
    }
CHOICES(X)
#undef X

static const struct {
    const char *words;
    bool (*is_true)(const struct ask *ask, const struct combine_model *model);
} choices[] = {[NOTHING] = {"", NULL},
#define X(name, text, test) [HAS_##name] = {text, has_##name},
               CHOICES(X)
#undef X
};

/* ---- rows ---- */

/* One of several, with the words that {name} stands for. */
struct named {
    enum choice choice;
    const char *name;
};

static const struct named shares[] = {{HAS_PREPARE, "prepare"},
                                      {HAS_PART_AUTO, "part auto"},
                                      {HAS_JOIN, "join"},
                                      {HAS_NO_WAIT, "no-wait"},
                                      {NOTHING, NULL}};
static const struct named symbolic_choices[] = {{HAS_SATURATION, "order saturation or chaining"},
                                                {HAS_CHAINING, "order saturation or chaining"},
                                                {HAS_RELATION, "relation"},
                                                {HAS_DIRECTION, "direction"},
                                                {HAS_TABLEAU, "tableau"},
                                                {HAS_FAIR, "fair"},
                                                {HAS_VARIANT, "variant"},
                                                {HAS_NO_FRONTIER, "no-frontier"},
                                                {HAS_IMPROVISO, "reduce improviso"},
                                                {NOTHING, NULL}};
static const struct named orders_and_symbolic[] = {{HAS_ORDER, "order"},
                                                   {HAS_RELATION, "relation"},
                                                   {HAS_DIRECTION, "direction"},
                                                   {HAS_TABLEAU, "tableau"},
                                                   {HAS_FAIR, "fair"},
                                                   {HAS_VARIANT, "variant"},
                                                   {HAS_NO_FRONTIER, "no-frontier"},
                                                   {HAS_IMPROVISO, "reduce improviso"},
                                                   {NOTHING, NULL}};
static const struct named symbolic_orders[] = {
    {HAS_SATURATION, "saturation"}, {HAS_CHAINING, "chaining"}, {NOTHING, NULL}};
static const struct named listing_orders[] = {
    {HAS_DFS, "dfs"}, {HAS_PAST, "past-freeze"}, {HAS_BEST, "best-first"}, {NOTHING, NULL}};
static const struct named jumping_orders[] = {
    {HAS_DFS, "dfs"}, {HAS_BEST, "best-first"}, {NOTHING, NULL}};
static const struct named not_levels[] = {
    {HAS_DFS, "dfs"},          {HAS_SATURATION, "saturation"}, {HAS_CHAINING, "chaining"},
    {HAS_PAST, "past-freeze"}, {HAS_BEST, "best-first"},       {NOTHING, NULL}};
static const struct named keepings[] = {{HAS_KEEP_LTL, "ltl"},
                                        {HAS_KEEP_CTL, "ctl"},
                                        {HAS_KEEP_DEADLOCKS, "deadlock"},
                                        {NOTHING, NULL}};
static const struct named more_than_deadlocks[] = {
    {HAS_KEEP_LTL, "ltl"}, {HAS_KEEP_CTL, "ctl"}, {NOTHING, NULL}};
static const struct named bounds[] = {
    {HAS_BOUND, "bound"}, {HAS_BOUND_AUTO, "bound"}, {NOTHING, NULL}};
static const struct named not_one_by_one[] = {
    {HAS_SYMBOLIC, "symbolic"}, {HAS_BOUNDED, "bounded"}, {NOTHING, NULL}};
static const struct named one_thread_engines[] = {
    {HAS_SYMBOLIC, "symbolic"}, {HAS_BOUNDED, "bounded"}, {NOTHING, NULL}};
static const struct named not_timed[] = {{HAS_EXPLICIT, "explicit"},
                                         {HAS_SYMBOLIC, "symbolic"},
                                         {HAS_BOUNDED, "bounded"},
                                         {NOTHING, NULL}};
static const struct named not_explicit[] = {
    {HAS_SYMBOLIC, "symbolic"}, {HAS_BOUNDED, "bounded"}, {HAS_TIMED, "timed"}, {NOTHING, NULL}};
static const struct named splits[] = {
    {HAS_SPLIT_AUTO, "auto"}, {HAS_SPLIT_ALWAYS, "always"}, {NOTHING, NULL}};
static const struct named not_by_paths[] = {{HAS_BOUND, "bound"},
                                            {HAS_BOUND_AUTO, "bound"},
                                            {HAS_GUIDE_AUTO, "bound auto"},
                                            {HAS_SHOW, "show process-model"},
                                            {NOTHING, NULL}};
static const struct named beside_paths[] = {{HAS_PAST, "order past-freeze"},
                                            {HAS_REDUCE, "reduce"},
                                            {HAS_SPLIT_ALWAYS, "split"},
                                            {NOTHING, NULL}};
static const struct named not_frozen[] = {{HAS_DFS, "order dfs"},
                                          {HAS_BEST, "order best-first"},
                                          {HAS_SATURATION, "order saturation"},
                                          {HAS_CHAINING, "order chaining"},
                                          {HAS_REDUCE, "reduce"},
                                          {HAS_GUIDE_AUTO, "bound auto"},
                                          {HAS_SYMBOLIC, "engine symbolic"},
                                          {HAS_BOUNDED, "engine bounded"},
                                          {NOTHING, NULL}};
static const struct named one_run[] = {
    {HAS_PAST, "order past-freeze"}, {HAS_PARTITION, "partition"},   {HAS_SPLIT, "split"},
    {HAS_FREEZE, "freeze"},          {HAS_GUIDE_AUTO, "bound auto"}, {NOTHING, NULL}};
static const struct named not_shortest[] = {{HAS_DFS, "order dfs"},
                                            {HAS_BEST, "order best-first"},
                                            {HAS_SATURATION, "order saturation"},
                                            {HAS_CHAINING, "order chaining"},
                                            {HAS_PAST, "order past-freeze"},
                                            {HAS_SYMBOLIC, "engine symbolic"},
                                            {HAS_BOUNDED, "engine bounded"},
                                            {HAS_REDUCE, "reduce"},
                                            {HAS_PARTITION, "partition"},
                                            {HAS_SPLIT, "split"},
                                            {HAS_FREEZE, "freeze"},
                                            {NOTHING, NULL}};
static const struct named covering_zones[] = {
    {HAS_ZONES_INCLUSION, "inclusion"}, {HAS_ZONES_SIMULATION, "simulation"}, {NOTHING, NULL}};
static const struct named with_zones[] = {
    {HAS_TIMED, "zones"}, {HAS_MODEL_TIME, "zones"}, {NOTHING, NULL}};
static const struct named orders_of_symbolic[] = {
    {HAS_BOUND, "bound"}, {HAS_NO_FRONTIER, "no-frontier"}, {HAS_ORDER, "order"}, {NOTHING, NULL}};
static const struct named questions[] = {
    {HAS_PROPERTY, "property"}, {HAS_FORMULA, "formula"}, {NOTHING, NULL}};
static const struct named not_hiding[] = {{HAS_MODEL_TIME, "the timed engine"},
                                          {HAS_SYMBOLIC, "--engine"},
                                          {HAS_BOUNDED, "--engine"},
                                          {HAS_TIMED, "--engine"},
                                          {HAS_REDUCE, "--reduce"},
                                          {HAS_PARTITION, "--partition"},
                                          {HAS_GUIDE_AUTO, "--bound auto"},
                                          {HAS_PAST, "past-freeze order"},
                                          {NOTHING, NULL}};
static const struct named without_time[] = {{HAS_DFS, "dfs"},           {HAS_BEST, "best-first"},
                                            {HAS_EXPLICIT, "explicit"}, {HAS_SYMBOLIC, "symbolic"},
                                            {HAS_BOUNDED, "bounded"},   {NOTHING, NULL}};
static const struct named beyond_stubborn[] = {{HAS_KEEP_LTL, "keep ltl"},
                                               {HAS_KEEP_CTL, "keep ctl"},
                                               {HAS_TWO_PHASE, "reduce two-phase"},
                                               {NOTHING, NULL}};

static const struct named not_spread[] = {{HAS_SYMBOLIC, "--engine symbolic"},
                                          {HAS_BOUNDED, "--engine bounded"},
                                          {HAS_DFS, "--order dfs"},
                                          {HAS_BEST, "--order best-first"},
                                          {HAS_SATURATION, "--order saturation"},
                                          {HAS_CHAINING, "--order chaining"},
                                          {HAS_PAST, "--order past-freeze"},
                                          {HAS_REDUCE, "--reduce"},
                                          {HAS_GUIDE_AUTO, "--bound auto"},
                                          {HAS_PARTITION, "--partition"},
                                          {HAS_SPLIT, "--split"},
                                          {HAS_SPLIT_BY, "--split"},
                                          {HAS_RESULTS, "--results"},
                                          {HAS_TRACES, "--traces"},
                                          {NOTHING, NULL}};

static void search_bounded(struct ask *ask) { ask->engine = ENGINE_BOUNDED; }
static void search_symbolic(struct ask *ask) { ask->engine = ENGINE_SYMBOLIC; }
static void keep_levels(struct ask *ask)
{
    ask->freeze = ask->work;
    ask->work = NULL;
}

static void search_by_rank(struct ask *ask) { ask->order = ORDER_PAST_FREEZE; }
static void reduce_for_deadlocks(struct ask *ask) { ask->reduction = REDUCE_DEADLOCK; }

static void bound_guide(struct ask *ask)
{
    ask->guide_bound = ask->bound;
    ask->guide_auto = ask->bound_auto;
    ask->bound = 0;
    ask->bound_auto = false;
}

enum { MOST = 4 };

/* True when the ask has all of `with`, one of `one_of` (NULL: whatever) and none of `without`. Then
 * it is refused with a text, or something follows. */
struct row {
    enum choice with[MOST];
    const struct named *one_of;
    enum choice without[MOST];
    const char *text;              /* {name}, {command}, {argument}, {split}, {file}, {names} */
    void (*then)(struct ask *ask); /* when there is no text */
    const char *why;               /* the reason; for what follows: what that is */
};

/* With time there is one reduction (reduce/stubborn.h), whether the user names the engine or the
 * model asks for it. */
#define REDUCED_IN_TIME(WHEN)                                                                      \
    {{WHEN, HAS_REDUCE},                                                                           \
     .one_of = beyond_stubborn,                                                                    \
     .text = "with time, --reduce keeps what is reachable, deadlocks and run-time errors: it "     \
             "does not go with --{name}",                                                          \
     .why = "where time stands still, stubborn sets keep what is reachable, deadlocks and "        \
            "run-time errors"},                                                                    \
        {{WHEN, HAS_REDUCE, HAS_EXPLORE},                                                          \
         .without = {HAS_KEEP_DEADLOCKS},                                                          \
         .text = "an exploration keeps ltl, which no reduction does with time: add --keep "        \
                 "deadlock",                                                                       \
         .why = "an exploration keeps ltl, which stubborn sets do not"},                           \
    {                                                                                              \
        {WHEN, HAS_REDUCE, HAS_TRANSLATE},                                                         \
            .text = "a translation has the whole graph, which no reduction keeps with time",       \
            .why = "a translation has the whole graph"                                             \
    }

static const struct row rows[] = {
    {{HAS_RANKS, HAS_WORK},
     .without = {HAS_FREEZE, HAS_WORK_NOWHERE},
     .then = keep_levels,
     .why = "`--freeze`: ranks keep their levels in the folder"},
    {{HAS_DIMACS}, .then = search_bounded, .why = "`--engine bounded`, which writes it"},

    /* what a reduction keeps */
    {{HAS_TWO_PHASE, HAS_BOUNDED},
     .text = "the bounded engine has --reduce por and --reduce steps",
     .why = "two-phase is an order in which single states are visited"},
    {{NOTHING},
     .one_of = keepings,
     .without = {HAS_REDUCE},
     .text = "--keep {name} says what a reduction preserves: add --reduce por",
     .why = "without a reduction everything is kept"},
    {{HAS_IMPROVISO},
     .one_of = keepings,
     .text = "--reduce improviso preserves which values are reachable, but not {name}: --keep "
             "{name} goes with --reduce por",
     .why = "ImProviso keeps reachable values, and no formulas"},
    {{HAS_KEEP_CTL, HAS_BOUNDED},
     .text = "the bounded engine decides no CTL: its reductions preserve ltl and deadlock",
     .why = "runs of bounded length do not show branching"},
    {{HAS_REDUCE_DEADLOCKS},
     .one_of = more_than_deadlocks,
     .without = {HAS_BOUNDED},
     .text = "--reduce deadlock preserves deadlocks, but not {name}: --keep {name} goes with "
             "--reduce por",
     .why = "it takes rules alone that formulas can see"},
    {{HAS_KEEP_DEADLOCKS},
     .without = {HAS_BOUNDED, HAS_TWO_PHASE},
     .then = reduce_for_deadlocks,
     .why = "`--reduce deadlock`, the best there is for that"},

    /* guides */
    {{HAS_MODELS, HAS_SPLIT_BY},
     .without = {HAS_GUIDE},
     .text = "--split {split} splits a guide: it needs --guide FILE",
     .why = "these are ways to split a guide"},
    {{HAS_MODELS, HAS_GUIDE_PART},
     .without = {HAS_GUIDE},
     .text = "--guide-part goes with --guide and --split",
     .why = "it names a part of a guide"},
    {{HAS_MODELS, HAS_SEMANTICS},
     .without = {HAS_GUIDE},
     .text = "--guide-semantics goes with --guide",
     .why = "it says how a guide is read"},
    {{HAS_MODELS},
     .one_of = bounds,
     .without = {HAS_GUIDE, HAS_SEARCH, HAS_TRANSLATE},
     .text = "--bound goes with 'cairn {command}' only if there is a --guide",
     .why = "nothing else is bounded there"},
    {{HAS_MODELS, HAS_SPLIT},
     .without = {HAS_GUIDE, HAS_SEARCH},
     .text = "--split does not go with 'cairn {command}'",
     .why = "only searches are split"},
    {{HAS_MODELS, HAS_GUIDE}, .then = bound_guide, .why = "`--bound` is a bound on the guide"},
    {{HAS_MODELS, HAS_GUIDE, HAS_GUIDE_PART},
     .without = {HAS_SPLIT_BY},
     .text = "--guide-part goes with --split alternatives, permutations or position",
     .why = "it names a part of a guide that is split"},
    {{HAS_MODELS, HAS_GUIDE, HAS_SPLIT_BY},
     .without = {HAS_GUIDE_PART, HAS_SEARCH},
     .text = "--split needs --guide-part N here: 'cairn {command}' takes one guide",
     .why = "only searches are made for one part after the other"},
    {{HAS_GUIDE_AUTO},
     .without = {HAS_SEARCH},
     .text = "--bound auto is for searches: 'cairn {command}' needs a number",
     .why = "the least bound that is enough is found by searching"},
    {{HAS_GUIDE_AUTO},
     .one_of = not_one_by_one,
     .text = "--bound auto with a guide searches states one by one: it goes with the explicit and "
             "the timed engine",
     .why = "rounds are sets of single states"},
    {{HAS_GUIDE_AUTO, HAS_ORDER},
     .text = "--bound auto has an order of its own: by the number of interactions",
     .why = "it is an order: by the number of interactions"},
    {{HAS_GUIDE_AUTO},
     .one_of = splits,
     .text = "--bound auto does not go with --split {name}",
     .why = "rounds need all states of the round before"},
    {{HAS_GUIDE_AUTO, HAS_REDUCE},
     .text = "--bound auto does not go with --reduce",
     .why = "a reduction may take other interactions first, and so changes their number"},

    /* p-points */
    {{HAS_PARTITION_HIDDEN},
     .without = {HAS_PARTITION},
     .text = "--partition-hidden goes with --partition LABELS",
     .why = "it is a variant of that order"},
    {{HAS_ORDERS},
     .without = {HAS_PARTITION},
     .text = "--show orders counts the orders of p-points: add --partition LABELS",
     .why = "an order is one of p-points"},
    {{HAS_ORDERS, HAS_PARTITION_HIDDEN},
     .text = "--show orders does not go with --partition-hidden, which may miss p-paths",
     .why = "a hidden position loses p-paths, and orders are counted exactly"},
    {{HAS_ORDERS},
     .one_of = covering_zones,
     .text = "--show orders needs --zones equal: a zone that stands for another has more orders",
     .why = "a zone that stands for another lends it orders that it has not"},
    {{HAS_ENUMERATED, HAS_WORDS},
     .text = "--words goes with --show orders",
     .why = "the list is that of the automaton"},
    {{HAS_EXPLORE, HAS_WORDS},
     .without = {HAS_ORDERS},
     .text = "--words lists the p-paths that --show orders counts: add --show orders",
     .why = "there is nothing else to list"},
    {{HAS_PARTITION},
     .one_of = not_one_by_one,
     .text = "--partition is a choice of the explicit and the timed engine",
     .why = "p-paths are paths of single states"},
    {{HAS_PARTITION},
     .one_of = symbolic_choices,
     .text = "--{name} is a choice of the symbolic engine, which has no --partition",
     .why = "p-paths are paths of single states"},
    {{HAS_PARTITION},
     .one_of = not_by_paths,
     .text = "--{name} does not go with --partition, which searches path by path",
     .why = "it is an order of its own: path by path"},
    {{HAS_PARTITION, HAS_ORDER},
     .without = {HAS_PAST},
     .text = "--order does not go with --partition, which searches path by path",
     .why = "it is an order of its own: path by path"},
    {{HAS_PARTITION, HAS_SPLIT_AUTO},
     .text = "--partition puts states on disk when memory is full: --split always makes parts",
     .why = "states go to disk when memory is full, and no parts are needed for that"},
    {{HAS_PARTITION, HAS_FREEZE},
     .without = {HAS_SPLIT},
     .text = "--freeze goes with --partition only if there is --split always: the files of a "
             "search that is not split vanish with it",
     .why = "the files of its epochs are for its own process"},
    {{HAS_PARTITION, HAS_PAST, HAS_SPLIT},
     .text = "--split always splits by p-paths where there is --partition: leave out --order",
     .why = "a search is split by p-paths or by ranks"},
    {{HAS_PARTITION_HIDDEN},
     .one_of = beside_paths,
     .text = "--partition-hidden does not go with --{name}: it searches each p-path from the "
             "initial states",
     .why = "it searches each p-path from the initial states"},
    {{HAS_ORDERS},
     .one_of = beside_paths,
     .text = "--show orders does not go with --{name}: orders are counted on the whole graph",
     .why = "orders are counted on the whole graph"},

    /* past-freeze, files, parts */
    {{HAS_SPLIT_DEPTH},
     .without = {HAS_SPLIT_ALWAYS},
     .text = "--split-depth goes with --split always",
     .why = "it says how far a part goes that is always split"},
    {{HAS_SPLIT_ALWAYS},
     .without = {HAS_CONTEXT, HAS_GUIDE_BOUND, HAS_PARTITION},
     .text = "--split always splits a context, a guide that is unrolled, or p-paths: it needs "
             "--context FILE, or --guide FILE and --bound N, or --partition LABELS",
     .why = "it is split where the rank of a context or a guide has come so far, or a p-path"},
    {{HAS_SPLIT},
     .without = {HAS_ORDER, HAS_PARTITION},
     .then = search_by_rank,
     .why = "`--order past-freeze`, whose clusters become the parts"},
    {{HAS_SPLIT},
     .without = {HAS_PAST, HAS_PARTITION},
     .text = "--split goes with --order past-freeze",
     .why = "the clusters that wait become the parts"},
    {{HAS_PART},
     .without = {HAS_SPLIT},
     .text = "--part goes with --split and the folder of a search that was split: --freeze DIR",
     .why = "it names a part of a search that was split"},
    {{HAS_PART},
     .without = {HAS_FREEZE},
     .text = "--part goes with --split and the folder of a search that was split: --freeze DIR",
     .why = "parts are kept in a folder"},
    {{HAS_WORK_NOWHERE}, .text = "--work needs the name of a folder", .why = "it is a folder"},
    {{NOTHING},
     .one_of = shares,
     .without = {HAS_WORK},
     .text = "--{name} goes with --work DIR, the folder that is shared",
     .why = "it is about a folder that several processes share"},
    {{HAS_PREPARE, HAS_PART_AUTO},
     .text = "--prepare and --part auto are commands of their own",
     .why = "one makes the first parts, the other searches parts"},
    {{HAS_PREPARE, HAS_JOIN},
     .text = "--prepare and --join are commands of their own",
     .why = "one makes the first parts, the other puts answers together"},
    {{HAS_JOIN, HAS_PART_AUTO},
     .text = "--join and --part auto are commands of their own",
     .why = "one searches parts, the other puts answers together"},
    {{HAS_RESUME},
     .without = {HAS_FREEZE, HAS_RESULTS},
     .text = "--resume needs the folder of the run that it goes on with: --work DIR, --freeze DIR, "
             "or --results DIR",
     .why = "only what is in a folder can be resumed"},
    {{HAS_FREEZE, HAS_REDUCE, HAS_PAST},
     .text = "--freeze does not go with --reduce: frozen clusters do not say which steps were left "
             "out, and in which order the others were taken",
     .why = "frozen clusters do not say which steps were left out, and in which order the "
            "others were taken"},
    {{HAS_FREEZE},
     .one_of = not_frozen,
     .text =
         "--freeze does not go with --{name}: it keeps the levels of a breadth-first search, or "
         "clusters (--order past-freeze)",
     .why = "what is frozen are levels of a breadth-first search, or clusters"},
    {{HAS_FREEZE_NOWHERE}, .text = "--freeze needs the name of a folder", .why = "it is a folder"},

    /* the bounded engine */
    {{HAS_BOUND_AUTO},
     .without = {HAS_BOUNDED},
     .text = "--bound auto is a choice of the bounded engine: add --engine bounded",
     .why = "only the bounded engine goes deeper by itself"},
    {{HAS_PHASE},
     .without = {HAS_BOUNDED},
     .text = "--phase is a choice of the bounded engine: add --engine bounded",
     .why = "phases are steps of its unrolling"},
    {{HAS_NO_INDUCTION},
     .without = {HAS_BOUNDED},
     .text = "--no-induction is a choice of the bounded engine: add --engine bounded",
     .why = "only the bounded engine proves by induction"},
    {{HAS_STEPS},
     .without = {HAS_BOUNDED},
     .text = "--reduce steps is a choice of the bounded engine: add --engine bounded",
     .why = "only its steps are sets of rules"},
    {{HAS_EXPLORE, HAS_BOUNDED},
     .text = "the bounded engine counts no states: use cairn check, or another engine",
     .why = "it looks for runs, and never lists states"},
    {{HAS_BOUNDED},
     .one_of = orders_and_symbolic,
     .text = "--{name} does not go with --engine bounded",
     .why = "it searches by depth, with a SAT solver"},
    {{HAS_BOUNDED, HAS_REDUCE_DEADLOCKS},
     .text = "the bounded engine has --reduce por and --reduce steps, which keep deadlocks too",
     .why = "its reductions keep more"},
    {{HAS_BOUNDED, HAS_PHASE},
     .without = {HAS_REDUCE},
     .text = "--phase goes with --reduce por or --reduce steps",
     .why = "phases are steps of rules that a reduction calls safe"},

    /* the timed engine */
    {{HAS_ZONES},
     .one_of = not_timed,
     .text = "--zones is a choice of the timed engine: add --engine timed",
     .why = "only the timed engine has zones"},
    {{HAS_TIMED},
     .one_of = symbolic_choices,
     .text = "the timed engine has none of the choices of the symbolic one",
     .why = "they are about decision diagrams"},
    {{HAS_TIMED},
     .one_of = jumping_orders,
     .text = "the timed engine searches breadth-first, or rank by rank",
     .why = "a larger zone that is found later would be searched again and again"},
    REDUCED_IN_TIME(HAS_TIMED),

    /* the explicit engine, and the symbolic one */
    {{HAS_STORE_FLAT},
     .one_of = not_explicit,
     .text = "--store is a choice of the explicit engine: add --engine explicit",
     .why = "only the explicit engine keeps states one by one"},
    {{HAS_STORE_TREE},
     .one_of = not_explicit,
     .text = "--store is a choice of the explicit engine: add --engine explicit",
     .why = "only the explicit engine keeps states one by one"},
    {{HAS_STORE_TREE},
     .one_of = not_levels,
     .text = "--store tree goes with --order bfs: other orders ask for states by their numbers",
     .why = "other orders ask for states by their numbers, or free them part by part"},
    {{HAS_NATIVE},
     .one_of = not_one_by_one,
     .text = "--native always is a choice of the explicit and the timed engine",
     .why = "only where states are visited one by one, rules run as code"},
    {{HAS_BOUND},
     .one_of = not_levels,
     .text = "--bound goes with --order bfs: in another order a bound would cut arbitrary parts",
     .why = "in another order a bound would cut arbitrary parts"},
    {{HAS_EXPLICIT},
     .one_of = symbolic_choices,
     .text = "--{name} is a choice of the symbolic engine: add --engine symbolic",
     .why = "they are about decision diagrams"},
    {{HAS_SYMBOLIC},
     .one_of = listing_orders,
     .text = "--order {name} is a choice of the explicit engine: the symbolic one has saturation, "
             "bfs and chaining",
     .why = "sets of states have no such order"},
    {{HAS_PAST, HAS_TRANSLATE},
     .text = "--order past-freeze does not keep the states that a translation needs",
     .why = "it frees states that a translation needs"},
    {{HAS_RELATION},
     .one_of = symbolic_orders,
     .text = "--order {name} needs --relation per-rule",
     .why = "these orders take the rules one by one"},
    {{HAS_NO_FRONTIER},
     .one_of = not_levels,
     .text = "--no-frontier goes with --order bfs",
     .why = "only levels have a frontier"},
    {{HAS_FAIR, HAS_REDUCE},
     .text = "--fair and --reduce do not go together: reductions do not keep fairness",
     .why = "reductions do not keep fairness"},
    {{HAS_SYMBOLIC, HAS_REDUCE},
     .one_of = orders_of_symbolic,
     .text = "--reduce has an order of its own: it does not go with --{name}",
     .why = "a reduced search of sets has an order of its own"},
    {{HAS_AUTO},
     .one_of = symbolic_choices,
     .then = search_symbolic,
     .why = "`--engine symbolic`, the only one that has it"},
    {{HAS_IMPROVISO, HAS_TRANSLATE},
     .text = "--reduce improviso is a choice of the symbolic engine",
     .why = "translations list states"},
    {{HAS_REDUCE, HAS_SPLIT},
     .text =
         "--split does not go with --reduce: parts are made of frozen clusters, which do not say "
         "which steps were left out",
     .why = "parts are made of frozen clusters, which do not say which steps were left out"},
    {{HAS_REDUCE, HAS_ORDER},
     .without = {HAS_SYMBOLIC, HAS_BOUNDED, HAS_PAST},
     .text = "--order does not go with --reduce: the explicit engine then has an order of its own",
     .why = "a reduced search has an order of its own"},
    {{HAS_REDUCE, HAS_ORDER, HAS_TRANSLATE},
     .without = {HAS_BOUNDED},
     .text = "--order does not go with --reduce: the explicit engine then has an order of its own",
     .why = "a reduced search has an order of its own"},
    {{HAS_REDUCE, HAS_BOUND},
     .without = {HAS_SYMBOLIC, HAS_BOUNDED},
     .text = "--bound does not go with --reduce: a reduced search has no depth",
     .why = "a reduced search has no depth"},

    /* several ranks */
    {{HAS_RANKS, HAS_SEARCH},
     .one_of = not_spread,
     .text = "{name} does not go with several ranks, which search breadth-first, with the explicit "
             "or the timed engine: use cairn, or leave it out",
     .why = "ranks search breadth-first, level by level, with one way to each violation"},

    /* several runs */
    {{HAS_TRACES},
     .one_of = not_one_by_one,
     .text = "--traces is a choice of the explicit and the timed engine: the {name} one shows one "
             "run",
     .why = "runs are told apart by the states that a search meets one by one"},
    {{HAS_TRACES},
     .one_of = one_run,
     .text =
         "--traces does not go with --{name}: that search remembers one violation of a property",
     .why = "it remembers one violation of a property, where its states are given up"},
    {{HAS_TRACES, HAS_REDUCE},
     .text = "--traces does not go with --reduce: a reduction leaves out what would be another run",
     .why = "a reduction leaves out what would be another run"},
    {{HAS_TRACES, HAS_FIRST},
     .text = "--first ends the search where --traces would go on",
     .why = "one ends the search where the other goes on"},

    /* shortest runs */
    {{HAS_SHORTEST},
     .one_of = not_shortest,
     .text = "--shortest is a breadth-first search for states one by one: it does not go with "
             "--{name}",
     .why = "only a breadth-first search through all states knows what is shortest"},

    /* commands */
    {{HAS_EXPLORE},
     .one_of = questions,
     .without = {HAS_SHOW},
     .text = "cairn explore decides no properties: use cairn check, or add --show process-model",
     .why = "it counts"},
    {{NOTHING},
     .without = {HAS_FILE, HAS_AUTOMATON, HAS_SERVE},
     .text = "cairn {command} needs a {argument}",
     .why = "there is nothing to read"},
    {{HAS_CONFORM},
     .without = {HAS_LOG},
     .text = "cairn {command} needs a {argument}",
     .why = "there is nothing to compare"},
    {{HAS_AUTOMATON},
     .without = {HAS_FILE, HAS_FORMULA},
     .text = "cairn {command} needs a {argument}",
     .why = "there is nothing to read"},
    {{HAS_TRANSLATE},
     .without = {HAS_TO},
     .text = "cairn translate needs --to promela, smv, ord, aiger, aag, dimacs, dot, aut, cairn, "
             "observers or observers-dot",
     .why = "there is no usual language"},
    {{HAS_DIMACS},
     .without = {HAS_ONE_PROPERTY},
     .text = "--to dimacs asks for one property: name it with -p",
     .why = "a formula in DIMACS asks one thing"},
    {{HAS_DIMACS},
     .without = {HAS_BOUND},
     .text = "--to dimacs needs a depth: --bound N",
     .why = "a formula has one depth"},
    {{HAS_TRANSLATE, HAS_PROPERTY},
     .without = {HAS_GATES},
     .text = "--property goes with --to aiger, aag and dimacs: other translations have all "
             "properties",
     .why = "other translations have all properties"},
};

/* What depends on the model. */
static const struct row model_rows[] = {
    {{HAS_MODEL_INFLUENCED},
     .one_of = not_hiding,
     .text = "{file}: hidden variables influence what can be seen ({names}), and only a "
             "breadth-first, depth-first or best-first search by the explicit engine compares "
             "states without them: this does not go with {name}",
     .why = "only a breadth-first, depth-first or best-first search by the explicit engine "
            "compares states without them"},
    {{HAS_FREEZE},
     .one_of = with_zones,
     .without = {HAS_PAST, HAS_SPLIT},
     .text = "{file}: levels of states with {name} are not kept in files, clusters are: --freeze "
             "goes with --order past-freeze there",
     .why = "levels of states with zones are not kept in files"},
    REDUCED_IN_TIME(HAS_MODEL_TIME),
    {{HAS_MODEL_TIME},
     .one_of = without_time,
     .text = "{file} has clocks or time intervals: only the timed engine knows time (--engine "
             "timed)",
     .why = "only the timed engine knows time"},
    /* a context that does nothing is one cluster */
    {{HAS_PAST},
     .without = {HAS_MODEL_RANK, HAS_CONTEXT},
     .text = "{file} has no rank for --order past-freeze to follow: it needs a context (--context "
             "FILE), or a guide that is unrolled (--guide FILE and --bound N)",
     .why = "it goes by the rank of a context or of a guide"},
};

/* Where one thread searches. Nothing is refused. */
static const struct row thread_rows[] = {
    {{HAS_THREADS},
     .one_of = one_thread_engines,
     .why = "only the explicit and the timed engine have several"},
    {{HAS_THREADS, HAS_RANKS}, .why = "each of several ranks has one: start more of them"},
    {{HAS_THREADS, HAS_DFS}, .why = "a depth-first search has one"},
    {{HAS_THREADS, HAS_BEST}, .why = "a best-first search has one"},
    {{HAS_THREADS, HAS_REDUCE},
     .without = {HAS_MODEL_TIME, HAS_TIMED},
     .why = "a search with --reduce has one, unless there is time"},
};

enum {
    ROWS = sizeof rows / sizeof *rows,
    MODEL_ROWS = sizeof model_rows / sizeof *model_rows,
    THREAD_ROWS = sizeof thread_rows / sizeof *thread_rows
};

/* ---- reading the table ---- */

static bool is_asked(const struct ask *ask, const struct combine_model *model, enum choice choice)
{
    assert(choice != NOTHING);
    return choices[choice].is_true(ask, model);
}

/* *name: of the one that was found, or NULL. */
static bool is_true(const struct row *row, const struct ask *ask, const struct combine_model *model,
                    const char **name)
{
    *name = NULL;
    for (unsigned i = 0; i < MOST && row->with[i] != NOTHING; i++)
        if (!is_asked(ask, model, row->with[i])) return false;
    for (unsigned i = 0; i < MOST && row->without[i] != NOTHING; i++)
        if (is_asked(ask, model, row->without[i])) return false;
    for (const struct named *one = row->one_of; one && one->choice != NOTHING; one++)
        if (is_asked(ask, model, one->choice)) return *name = one->name, true;
    return !row->one_of;
}

/* Puts words in the places of {names}. */
static void fill(struct text *text, const char *format, const char *const words[][2])
{
    while (*format) {
        size_t plain = strcspn(format, "{");
        text_add(text, "%.*s", (int)plain, format);
        format += plain;
        if (!*format) return;
        size_t length = strcspn(format, "}") + 1;
        const char *found = NULL;
        for (unsigned i = 0; words[i][0]; i++)
            if (strlen(words[i][0]) + 2 == length && !strncmp(format + 1, words[i][0], length - 2))
                found = words[i][1] ? words[i][1] : "";
        assert(found); /* a text names only what there is */
        text_add(text, "%s", found ? found : "");
        format += length;
    }
}

bool combine_check(struct ask *ask, const struct combine_words *words, struct text *complaint)
{
    char split[48] = "";
    for (unsigned i = 0; i < ROWS; i++) {
        const char *name;
        if (!is_true(&rows[i], ask, NULL, &name)) continue;
        assert(!rows[i].text != !rows[i].then && rows[i].why);
        if (!rows[i].text) {
            rows[i].then(ask);
            continue;
        }
        if (ask->split_by) snprintf(split, sizeof split, "%.40s", ask->split_by);
        const char *const places[][2] = {{"name", name},
                                         {"command", words->command},
                                         {"argument", words->argument},
                                         {"split", split},
                                         {NULL, NULL}};
        fill(complaint, rows[i].text, places);
        return false;
    }
    return true;
}

bool combine_check_model(const struct ask *ask, const struct combine_model *model,
                         struct diag *diag)
{
    for (unsigned i = 0; i < MODEL_ROWS; i++) {
        const char *name;
        if (!is_true(&model_rows[i], ask, model, &name)) continue;
        const char *const places[][2] = {
            {"name", name}, {"file", model->file}, {"names", model->names}, {NULL, NULL}};
        struct text text;
        text_init(&text, diag->mem);
        fill(&text, model_rows[i].text, places);
        message_error(diag, "%s", text.data);
        text_free(&text);
        return false;
    }
    return true;
}

const char *combine_one_thread(const struct ask *ask, const struct combine_model *model)
{
    const char *name;
    for (unsigned i = 0; i < THREAD_ROWS; i++)
        if (is_true(&thread_rows[i], ask, model, &name)) return thread_rows[i].why;
    return NULL;
}

/* ---- as a page ---- */

static void print_row(FILE *out, const struct row *row)
{
    const char *between = "";
    fputs("| ", out);
    for (unsigned i = 0; i < MOST && row->with[i] != NOTHING; i++, between = " + ")
        fprintf(out, "%s%s", between, choices[row->with[i]].words);
    for (const struct named *one = row->one_of; one && one->choice != NOTHING; one++)
        fprintf(out, "%s%s%s", one == row->one_of ? between : "",
                one == row->one_of         ? "one of "
                : one[1].choice == NOTHING ? " and "
                                           : ", ",
                choices[one->choice].words);
    fputs(" | ", out);
    between = "";
    for (unsigned i = 0; i < MOST && row->without[i] != NOTHING; i++, between = ", ")
        fprintf(out, "%s%s", between, choices[row->without[i]].words);
    fprintf(out, " | %s |\n", row->why);
}

/* The rows that refuse something, or those that do not. */
static void print_rows(FILE *out, const struct row *list, unsigned count, bool refuses,
                       const char *last)
{
    fprintf(out, "\n| together | unless there is | %s |\n|---|---|---|\n", last);
    for (unsigned i = 0; i < count; i++)
        if (!list[i].text != refuses) print_row(out, &list[i]);
}

void combine_print(FILE *out)
{
    fputs("### What follows\n", out);
    print_rows(out, rows, ROWS, false, "means");
    fputs("\n### What is refused\n", out);
    print_rows(out, rows, ROWS, true, "reason");
    fputs("\n### What depends on the model\n", out);
    print_rows(out, model_rows, MODEL_ROWS, true, "reason");
    fputs("\n### Where one thread searches\n", out);
    print_rows(out, thread_rows, THREAD_ROWS, false, "because");
}
