/* What may be claimed: a table of results with the sentence that each must give, and what it stands
 * under. A row that is changed here is a claim that is changed for users. */
#include "result/conclude.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { STATES = 1200, MOST_PROPERTIES = 3 };

struct row {
    const char *name;
    struct result result;
    struct task task;
    struct property_result properties[MOST_PROPERTIES];
    uint32_t property_count;
    bool has_context, has_restriction, has_constant;
    struct model_guide guide; /* name NULL: none */
    const char *sentence;
    const char *under; /* a piece of the object; NULL: nothing restricts the claim */
    int status;
};

#define ENTRY(k, v, each)                                                                          \
    {                                                                                              \
        .kind = PROPERTY_##k, .verdict = VERDICT_##v, .in_each_state = each                        \
    }
#define ALL .engine = "explicit", .states = STATES, .complete = true, .all_states = true
#define CUT(why) .engine = "explicit", .states = STATES, .stop = why
#define FULL "; states are stored and compared in full"
#define VISITED                                                                                    \
    "complete: all 1,200 reachable states were visited breadth-first by the explicit engine" FULL

static struct symbolic_statistics symbolic = {.order = ORDER_SATURATION};
static struct bounded_statistics bounded = {.depth = 7, .cycles = 2};
static struct timed_statistics timed, timed_exact = {.exact = true};
static struct cluster_statistics clusters = {.ranks = 10, .rank = 4};
static struct split_statistics net = {.is_net = true}, gross;
static struct partition_statistics partition = {.partitions = 3},
                                   waiting = {.partitions = 3, .waiting = 2},
                                   hidden = {.partitions = 1, .hidden = true};
static struct round_statistics rounds = {.count = 6};
static const bool none_kept[3], one_kept[3] = {true}, all_kept[3] = {true, true, true};

static const struct row rows[] = {
    /* how it was searched */
    {"exploration", {ALL}, .sentence = VISITED},
    {"one state",
     {.engine = "explicit", .states = 1, .complete = true, .all_states = true},
     .sentence =
         "complete: all 1 reachable state was visited breadth-first by the explicit engine" FULL},
    {"depth-first",
     {ALL, .order = ORDER_DFS},
     .sentence = "complete: all 1,200 reachable states were visited depth-first by the explicit "
                 "engine" FULL},
    {"past-freeze",
     {ALL, .clusters = &clusters},
     .sentence = "complete: all 1,200 reachable states were visited rank by rank (past-freeze) by "
                 "the explicit engine" FULL},
    {"past-freeze, cut",
     {CUT(STOP_MEMORY), .clusters = &clusters},
     .sentence = "incomplete: the memory limit was reached after 1,200 states, rank by rank "
                 "(past-freeze), by the explicit engine (40.0% of the ranks are done)" FULL,
     .status = EXIT_INCONCLUSIVE},
    {"split",
     {ALL, .parts = &net},
     .sentence = "complete: all 1,200 reachable states were visited in parts, rank by rank "
                 "(past-freeze) by the explicit engine" FULL},
    {"split, gross",
     {ALL, .parts = &gross},
     .sentence = "complete: all 1,200 reachable states were visited in parts, rank by rank "
                 "(past-freeze) by the explicit engine (the count is gross: what several parts "
                 "visited counts each time)" FULL},
    {"partitions",
     {ALL, .partition = &partition},
     .sentence = "complete: all 1,200 reachable states were visited path by path (partitioning "
                 "points) by the explicit engine, in 3 partitions" FULL},
    {"partitions, cut",
     {CUT(STOP_MEMORY), .partition = &waiting},
     .sentence = "incomplete: the memory limit was reached after 1,200 states, path by path "
                 "(partitioning points), by the explicit engine, in 3 partitions (2 p-paths that "
                 "were found had no turn)" FULL,
     .status = EXIT_INCONCLUSIVE},
    {"partitions, hidden",
     {CUT(STOP_HIDDEN), .partition = &hidden},
     .sentence =
         "incomplete: coverage is not guaranteed (--partition-hidden) after 1,200 states, path by "
         "path (partitioning points), by the explicit engine, in 1 partition; the position on a "
         "p-path is hidden from the comparison of states, so that states and whole p-paths may be "
         "missing, and states are counted once for each partition: coverage is not guaranteed" FULL,
     .status = EXIT_INCONCLUSIVE},
    {"symbolic",
     {.engine = "symbolic",
      .states = STATES,
      .complete = true,
      .all_states = true,
      .symbolic = &symbolic},
     .sentence = "complete: all 1,200 reachable states were found as one set by saturation by the "
                 "symbolic engine; sets are exact (binary decision diagrams)"},
    {"timed",
     {.engine = "timed", .states = STATES, .complete = true, .all_states = true, .timed = &timed},
     .sentence = "complete: all 1,200 reachable symbolic states were visited breadth-first by the "
                 "timed engine; time is dense: zones, extrapolated by lower and upper bounds, "
                 "exact for reachability"},
    {"timed, exact",
     {.engine = "timed",
      .states = STATES,
      .complete = true,
      .all_states = true,
      .timed = &timed_exact},
     .sentence = "complete: all 1,200 reachable symbolic states were visited breadth-first by the "
                 "timed engine; time is dense: zones, extrapolated by the largest constants, exact "
                 "for reachability and deadlocks"},
    /* what ended it */
    {"depth",
     {CUT(STOP_DEPTH), .has_depth = true, .depth = 5},
     {.max_depth = 5},
     .sentence = "incomplete: the depth limit was reached after 1,200 states, breadth-first, by "
                 "the explicit engine (every state within 4 steps was expanded)" FULL,
     .under = "\"bound\": 5",
     .status = EXIT_INCONCLUSIVE},
    {"time",
     {CUT(STOP_TIME)},
     .sentence = "incomplete: the time limit was reached after 1,200 states, breadth-first, by the "
                 "explicit engine" FULL,
     .status = EXIT_INCONCLUSIVE},
    {"disk",
     {CUT(STOP_DISK), .stop_detail = "no space"},
     .sentence = "incomplete: the folder of --freeze failed after 1,200 states, breadth-first, by "
                 "the explicit engine (no space)" FULL,
     .status = EXIT_INCONCLUSIVE},
    {"graph",
     {.engine = "explicit", .states = STATES, .all_states = true, .stop = STOP_MEMORY},
     .properties = {ENTRY(LTL, UNKNOWN, false)},
     .property_count = 1,
     .sentence = "incomplete: all 1,200 reachable states were visited breadth-first by the "
                 "explicit engine, and then the memory limit was reached" FULL,
     .status = EXIT_INCONCLUSIVE},
    /* what was decided */
    {"holds",
     {ALL},
     .properties = {ENTRY(INVARIANT, HOLDS, true), ENTRY(DEADLOCK, HOLDS, true)},
     .property_count = 2,
     .sentence = VISITED "; 2 properties were checked in every state"},
    {"temporal",
     {ALL},
     .properties = {ENTRY(LTL, HOLDS, false), ENTRY(CTL, VIOLATED, false)},
     .property_count = 2,
     .sentence = VISITED "; 2 temporal properties were decided on the whole graph, deadlocked "
                         "states repeating for ever",
     .status = EXIT_VIOLATED},
    {"unknown",
     {CUT(STOP_TIME)},
     .properties = {ENTRY(INVARIANT, UNKNOWN, true)},
     .property_count = 1,
     .sentence = "incomplete: the time limit was reached after 1,200 states, breadth-first, by the "
                 "explicit engine" FULL "; 1 property was checked in the visited states",
     .status = EXIT_INCONCLUSIVE},
    {"reached",
     {CUT(STOP_DECIDED)},
     .properties = {{.kind = PROPERTY_REACH,
                     .verdict = VERDICT_VIOLATED,
                     .in_each_state = true,
                     .seeks = true}},
     .property_count = 1,
     .sentence = "incomplete: everything asked was decided after 1,200 states, breadth-first, by "
                 "the explicit engine" FULL "; 1 property was checked in the visited states"},
    {"not reached",
     {ALL},
     .properties =
         {{.kind = PROPERTY_REACH, .verdict = VERDICT_HOLDS, .in_each_state = true, .seeks = true}},
     .property_count = 1,
     .sentence = VISITED "; 1 property was checked in every state",
     .status = EXIT_VIOLATED},
    {"reached, and another unknown",
     {CUT(STOP_TIME)},
     .properties = {{.kind = PROPERTY_REACH,
                     .verdict = VERDICT_VIOLATED,
                     .in_each_state = true,
                     .seeks = true},
                    ENTRY(DEADLOCK, UNKNOWN, true)},
     .property_count = 2,
     .sentence = "incomplete: the time limit was reached after 1,200 states, breadth-first, by the "
                 "explicit engine" FULL "; 2 properties were checked in the visited states",
     .status = EXIT_INCONCLUSIVE},
    {"proved by another, and cut",
     {CUT(STOP_MEMORY)},
     .properties = {{.kind = PROPERTY_INVARIANT,
                     .verdict = VERDICT_HOLDS,
                     .in_each_state = true,
                     .engine = "bounded"}},
     .property_count = 1,
     .sentence = "incomplete: the memory limit was reached after 1,200 states, breadth-first, by "
                 "the explicit engine" FULL "; 1 property was checked in the visited states; 1 "
                 "property was decided by the bounded engine"},
    {"watched only",
     {ALL},
     .properties = {ENTRY(INVARIANT, HOLDS, true),
                    {.kind = PROPERTY_RUNTIME_ERROR, .in_each_state = true, .watched_only = true}},
     .property_count = 2,
     .sentence = VISITED "; 2 properties were checked in every state"},
    {"fair",
     {ALL},
     {.weakly_fair = true},
     .properties = {ENTRY(LTL, HOLDS, false)},
     .property_count = 1,
     .sentence = VISITED "; 1 temporal property was decided on the whole graph, deadlocked states "
                         "repeating for ever; LTL only on runs that are fair to every process",
     .under = "\"fair\": \"weak\""},
    {"failures",
     {ALL, .runtime_errors = 2},
     .sentence = VISITED "; steps that fail at run time are not followed",
     .status = EXIT_VIOLATED},
    {"by another engine",
     {ALL, .why_engine = "the state space is small"},
     .properties = {{.kind = PROPERTY_INVARIANT,
                     .verdict = VERDICT_VIOLATED,
                     .in_each_state = true,
                     .engine = "bounded"}},
     .property_count = 1,
     .sentence = VISITED "; 1 property was checked in every state; 1 property was decided by the "
                         "bounded engine; this engine because the state space is small",
     .status = EXIT_VIOLATED},
    {"bounded, proved",
     {.engine = "bounded", .complete = true, .bounded = &bounded},
     .properties = {ENTRY(INVARIANT, HOLDS, true)},
     .property_count = 1,
     .sentence =
         "complete: runs of up to 7 steps were searched by the bounded engine; 1 property was "
         "proved for runs of any length, by induction or because no state can break it"},
    {"bounded, violated",
     {.engine = "bounded", .bounded = &bounded},
     .properties = {ENTRY(INVARIANT, VIOLATED, true)},
     .property_count = 1,
     .sentence =
         "everything asked was decided: runs of up to 7 steps were searched by the bounded engine",
     .status = EXIT_VIOLATED},
    {"bounded, open",
     {.engine = "bounded", .stop = STOP_DEPTH, .bounded = &bounded},
     .properties = {ENTRY(INVARIANT, UNKNOWN, true)},
     .property_count = 1,
     .sentence = "incomplete: runs of up to 7 steps were searched by the bounded engine; the depth "
                 "limit was reached, and nothing is known about longer runs for 1 property",
     .status = EXIT_INCONCLUSIVE},
    /* what it stands under */
    {"context",
     {ALL},
     .has_context = true,
     .sentence = VISITED "; in the context c.cdl:main",
     .under = "\"context\": \"c.cdl:main\""},
    {"restriction",
     {ALL},
     .has_context = true,
     .has_restriction = true,
     .sentence = VISITED
     "; in the context c.cdl:main, restricted by calm, short: what that cuts was not searched",
     .under = "\"restrictions\": [\"calm\", \"short\"]"},
    {"constant",
     {ALL},
     .has_constant = true,
     .sentence = VISITED "; with n = 3, m = -1",
     .under = "\"constants\": {\"n\": 3, \"m\": -1}"},
    {"guide",
     {ALL},
     .guide = {.name = "g.xgdl:g"},
     .sentence = VISITED "; under the guide g.xgdl:g",
     .under = "\"guide\": \"g.xgdl:g\""},
    {"guide, part",
     {ALL},
     .guide = {.name = "g.xgdl:g", .split = "alternatives", .part = 2},
     .sentence = VISITED "; under the guide g.xgdl:g (part 2 of its split by alternatives)",
     .under = "\"guide\": \"g.xgdl:g\""},
    {"guide, short",
     {ALL},
     .guide = {.name = "g.xgdl:g", .bound = 9},
     .sentence = VISITED "; under the guide g.xgdl:g, which allows no more than 9 interactions",
     .under = "\"bound\": 9"},
    {"guide, cut",
     {CUT(STOP_GUIDE)},
     .guide = {.name = "g.xgdl:g", .bound = 9, .is_cut = true},
     .sentence =
         "incomplete: the guide was cut at its bound after 1,200 states, breadth-first, by the "
         "explicit engine" FULL "; under the guide g.xgdl:g, of which words of up to 9 "
         "interactions were followed: nothing is said about longer ones",
     .under = "\"bound\": 9",
     .status = EXIT_INCONCLUSIVE},
    {"guide, enough",
     {ALL, .rounds = &rounds},
     .guide = {.name = "g.xgdl:g"},
     .sentence =
         "complete: all 1,200 reachable states were visited by the number of interactions by the "
         "explicit engine" FULL
         "; under the guide g.xgdl:g; 5 interactions are enough: one more leads to no other state",
     .under = "\"guide\": \"g.xgdl:g\""},
    {"guide, not enough",
     {CUT(STOP_MEMORY), .rounds = &rounds},
     .guide = {.name = "g.xgdl:g"},
     .sentence = "incomplete: the memory limit was reached after 1,200 states, by the number of "
                 "interactions, by the explicit engine" FULL
                 "; under the guide g.xgdl:g; more than 4 interactions are needed to reach all "
                 "states, as far as is known",
     .under = "\"guide\": \"g.xgdl:g\"",
     .status = EXIT_INCONCLUSIVE},
    {"everything",
     {ALL},
     .properties = {ENTRY(INVARIANT, HOLDS, true)},
     .property_count = 1,
     .has_context = true,
     .has_restriction = true,
     .has_constant = true,
     .guide = {.name = "g.xgdl:g"},
     .sentence = VISITED
     "; in the context c.cdl:main, restricted by calm, short: what that cuts was not searched; "
     "under the guide g.xgdl:g; with n = 3, m = -1; 1 property was checked in every state",
     .under = "\"context\": \"c.cdl:main\""},
    {"bounded, in a context",
     {.engine = "bounded", .complete = true, .bounded = &bounded},
     .properties = {ENTRY(INVARIANT, HOLDS, true)},
     .property_count = 1,
     .has_context = true,
     .has_constant = true,
     .sentence = "complete: runs of up to 7 steps were searched by the bounded engine; 1 property "
                 "was proved for runs of any length, by induction or because no state can break "
                 "it; in the context c.cdl:main; with n = 3, m = -1",
     .under = "\"context\": \"c.cdl:main\""},
    /* reductions and what they keep */
    {"por, explored",
     {ALL, .reduction = REDUCE_POR, .keeps = KEEP_LTL, .kept = one_kept},
     .sentence = "complete: 1,200 states were visited in two phases by the explicit engine, "
                 "reduced (keeps LTL without X over x)" FULL,
     .under = "\"reduction\": {\"name\": \"por\", \"keeps\": \"ltl\", \"over\": [\"x\"]}"},
    {"por, for CTL",
     {ALL, .reduction = REDUCE_POR, .keeps = KEEP_CTL, .kept = all_kept},
     .sentence = "complete: 1,200 states were visited in two phases by the explicit engine, "
                 "reduced (keeps CTL and LTL without X over all variables)" FULL,
     .under = "\"keeps\": \"ctl\""},
    {"por, for nothing",
     {ALL, .reduction = REDUCE_POR, .keeps = KEEP_LTL, .kept = none_kept},
     .sentence = "complete: 1,200 states were visited in two phases by the explicit engine, "
                 "reduced (keeps LTL without X over no variable, and deadlocks)" FULL,
     .under = "\"over\": []"},
    {"deadlock",
     {ALL, .reduction = REDUCE_DEADLOCK, .keeps = KEEP_DEADLOCK, .kept = one_kept},
     .sentence = "complete: 1,200 states were visited in two phases by the explicit engine, "
                 "reduced (keeps deadlocks)" FULL,
     .under = "\"reduction\": {\"name\": \"deadlock\", \"keeps\": \"deadlock\"}"},
    {"por, cut",
     {CUT(STOP_MEMORY), .reduction = REDUCE_POR, .keeps = KEEP_LTL, .kept = one_kept},
     .sentence = "incomplete: the memory limit was reached after 1,200 states, in two phases, by "
                 "the explicit engine, reduced (keeps LTL without X over x)" FULL,
     .under = "\"keeps\": \"ltl\"",
     .status = EXIT_INCONCLUSIVE},
    {"por, checked",
     {ALL, .reduction = REDUCE_POR, .keeps = KEEP_CTL, .unreduced_properties = 1,
      .unreduced_states = 2400},
     .properties = {ENTRY(INVARIANT, HOLDS, true),
                    ENTRY(CTL, HOLDS, false),
                    {.kind = PROPERTY_LTL,
                     .verdict = VERDICT_HOLDS,
                     .method = "without reduction: it has X"}},
     .property_count = 3,
     .sentence = "complete: 1,200 states were visited in two phases by the explicit engine, "
                 "reduced (keeps CTL and LTL without X over what the properties read)" FULL
                 "; 1 property was checked in every state of this part; 1 temporal property was "
                 "decided on the reduced graph, deadlocked states repeating for ever; 1 property "
                 "was looked at by a second search without reduction, of 2,400 states",
     .under = "\"keeps\": \"ctl\""},
    {"symbolic, checked",
     {.engine = "symbolic",
      .states = STATES,
      .complete = true,
      .all_states = true,
      .symbolic = &symbolic,
      .reduction = REDUCE_POR,
      .keeps = KEEP_LTL},
     .properties = {ENTRY(CTL, HOLDS, false)},
     .property_count = 1,
     .sentence = "complete: 1,200 states were found as one set by partial exploration by the "
                 "symbolic engine, reduced (keeps for each property what it needs); sets are exact "
                 "(binary decision diagrams); 1 temporal property was decided on the sets, "
                 "deadlocked states repeating for ever",
     .under = "\"name\": \"por\""},
    {"symbolic, explored",
     {.engine = "symbolic",
      .states = STATES,
      .complete = true,
      .all_states = true,
      .symbolic = &symbolic,
      .reduction = REDUCE_IMPROVISO},
     .sentence = "complete: 1,200 states were found as one set by partial exploration by the "
                 "symbolic engine, reduced (keeps reachable values of what is asked); sets are "
                 "exact (binary decision diagrams)",
     .under = "\"keeps\": \"reachability\""},
    {"bounded, steps",
     {.engine = "bounded", .complete = true, .bounded = &bounded, .reduction = REDUCE_STEPS},
     .properties = {ENTRY(INVARIANT, HOLDS, true)},
     .property_count = 1,
     .sentence = "complete: runs of up to 7 steps were searched by the bounded engine, several "
                 "independent rules to a step, which keeps LTL without X; 1 property was proved "
                 "for runs of any length, by induction or because no state can break it",
     .under = "\"reduction\": {\"name\": \"steps\", \"keeps\": \"ltl\"}"},
    {"bounded, safe steps",
     {.engine = "bounded", .complete = true, .bounded = &bounded, .reduction = REDUCE_POR},
     .properties = {ENTRY(INVARIANT, HOLDS, true)},
     .property_count = 1,
     .sentence = "complete: runs of up to 7 steps were searched by the bounded engine, with safe "
                 "steps taken in turn (2 cycles), which keeps LTL without X; 1 property was proved "
                 "for runs of any length, by induction or because no state can break it",
     .under = "\"reduction\": {\"name\": \"por\", \"keeps\": \"ltl\"}"},
};

static struct model *make_model(struct mem *mem, const struct row *row)
{
    struct model *model = model_new(mem, "m.mil");
    for (const char *const *name = (const char *const[]){"x", "y", "z", NULL}; *name; name++)
        vec_push(mem, &model->vars,
                 ((struct model_var){.name = *name, .process = MODEL_NONE, .high = 1}));
    vec_push(mem, &model->constants,
             ((struct model_constant){.name = "n", .value = 3, .is_set = row->has_constant}));
    vec_push(mem, &model->constants, ((struct model_constant){.name = "k", .value = 4}));
    vec_push(mem, &model->constants,
             ((struct model_constant){.name = "m", .value = -1, .is_set = row->has_constant}));
    if (row->has_context) model->context = "c.cdl:main";
    if (row->has_restriction) {
        vec_push(mem, &model->restrictions, "calm");
        vec_push(mem, &model->restrictions, "short");
    }
    if (row->guide.name) model->guide = &row->guide;
    return model;
}

static char *under_of(const struct model *model, const struct task *task,
                      const struct result *result)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct out json;
    out_init(&json, out);
    out_open(&json, '{');
    conclude_under(&json, model, task, result);
    out_close(&json, '}');
    fclose(out);
    return text;
}

static const char nothing[] =
    "\"context\": null,\n    \"restrictions\": [],\n    \"guide\": null,\n    \"bound\": null,\n   "
    " \"constants\": {},\n    \"reduction\": null\n  }\n}";

static void try_row(struct unit *unit, const struct row *row)
{
    struct mem mem;
    struct text text;
    struct property_result properties[MOST_PROPERTIES];
    memcpy(properties, row->properties, sizeof properties);
    mem_init(&mem);
    struct model *model = make_model(&mem, row);
    struct task task = row->task;
    task.model = model;
    task.properties = properties;
    task.property_count = row->property_count;
    text_init(&text, &mem);
    conclude_sentence(&text, model, &task, &row->result);
    if (strcmp(text.data, row->sentence)) printf("%s:\n  %s\n", row->name, text.data);
    CHECK(unit, !strcmp(text.data, row->sentence));
    char *under = under_of(model, &task, &row->result);
    if (!strstr(under, row->under ? row->under : nothing)) printf("%s:\n%s\n", row->name, under);
    CHECK(unit, strstr(under, row->under ? row->under : nothing));
    CHECK(unit, conclude_status(row->property_count > 0, &task, &row->result) == row->status);
    free(under);
    text_free(&text);
    mem_release(&mem);
}

static void try_division(struct unit *unit, struct conclude_division division, const char *wanted)
{
    struct mem mem;
    struct text text;
    mem_init(&mem);
    text_init(&text, &mem);
    conclude_divided(&text, &division);
    if (strcmp(text.data, wanted)) puts(text.data);
    CHECK(unit, !strcmp(text.data, wanted));
    text_free(&text);
    mem_release(&mem);
}

static void divisions(struct unit *unit)
{
    try_division(unit, (struct conclude_division){.word = "context", .count = 3, .complete = true},
                 "3 contexts, each searched by itself: what holds is proved for what these "
                 "contexts let the environment do");
    try_division(unit, (struct conclude_division){.word = "context", .count = 3},
                 "3 contexts, each searched by itself: what holds is proved for what these "
                 "contexts let the environment do; some were not searched to the end");
    try_division(unit,
                 (struct conclude_division){.word = "context",
                                            .count = 3,
                                            .complete = true,
                                            .restrictions = "calm, short",
                                            .constants = "n = 3",
                                            .reduction = "ltl"},
                 "3 contexts, each searched by itself: what holds is proved for what these "
                 "contexts let the environment do; restricted by calm, short: what that cuts was "
                 "not searched; with n = 3; reduced: keeps ltl");
    try_division(
        unit,
        (struct conclude_division){.word = "part", .count = 6, .are_parts = true, .complete = true},
        "6 parts of the guide, which together allow what it allows (their automata were compared), "
        "each searched by itself: what holds in all of them is proved for all that the guide "
        "allows");
    try_division(unit, (struct conclude_division){.word = "guide", .count = 2, .bound = 4},
                 "2 guides, each searched by itself: what holds is proved for what these guides "
                 "let the environment do; some were not searched to the end, and no words of more "
                 "than 4 interactions were followed: nothing is said about longer ones");
}

/* One part is enough to violate a property, and to reach what is sought. */
static void joins(struct unit *unit)
{
    static const enum verdict U = VERDICT_UNKNOWN, H = VERDICT_HOLDS, V = VERDICT_VIOLATED;
    const enum verdict safe[3][3] = {{U, U, V}, {U, H, V}, {V, V, V}},
                       sought[3][3] = {{U, H, U}, {H, H, H}, {U, H, V}};
    for (unsigned a = 0; a < 3; a++)
        for (unsigned b = 0; b < 3; b++) {
            CHECK(unit, conclude_joined(false, (enum verdict)a, (enum verdict)b) == safe[a][b]);
            CHECK(unit, conclude_joined(true, (enum verdict)a, (enum verdict)b) == sought[a][b]);
        }
}

int main(void)
{
    struct unit unit = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) try_row(&unit, &rows[i]);
    divisions(&unit);
    joins(&unit);
    return unit_finish(&unit);
}
