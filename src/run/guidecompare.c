/* What a guide does to a step of a model depends on the words of its term and on the names that it
 * knows: those it mentions (its alphabet) and those its file ignores. A step goes by the first of
 * its names that the guide knows, `process.label` before `label` (pass/guide.h). So a guide that
 * does not know `"p.a"` takes it for `a`, and one that knows it and allows it no times forbids it,
 * though both may have the same words. Guides are therefore compared by what they do to every name
 * that any of them knows:
 *
 *   a name that the guide mentions      is where it stands in its words
 *   a name that its file ignores        is allowed at any time (unless both sides ignore it: then
 *                                       it is left out of both)
 *   `"p.a"`, which it does not know     is what `a` is to it
 *   any other name                      is forbidden
 *
 * That is again a term: events are replaced by choices, and what is allowed at any time is
 * interleaved. A side is the choice of its guides, each with its own alphabet.
 *
 * What names alone cannot show: a step may have more names than these two, because several
 * processes take part in it or because it has a port. When a guide does not know one of the names
 * and everything else is equal, the answer says so. */
#include "run/guidecompare.h"

#include <assert.h>
#include <string.h>

struct side {
    const struct guidefile_source *source;
    bool *ignored; /* per label */
};

struct comparison {
    struct guidefile_reader *in;
    struct mem *mem;
    uint32_t labels;
    bool *known;    /* per label: by any guide of either side */
    bool *mentions; /* per label: by the guide at hand */
    struct side sides[2];
};

enum { NO_NAME = 0xFFFFFFFF };

static bool *new_marks(struct comparison *c) { return mem_alloc(c->mem, c->labels + UINT64_C(1)); }

static const char *spelled(struct comparison *c, uint32_t label)
{
    return xgdl_spelling(&c->in->space, label);
}

/* ---- one guide ---- */

static void look_at(struct comparison *c, const struct side *side, uint32_t index)
{
    memset(c->mentions, 0, c->labels * sizeof *c->mentions);
    xgdl_mark_alphabet(side->source->xgdl, index, c->mentions);
}

static bool knows(const struct comparison *c, const struct side *side, uint32_t label)
{
    return c->mentions[label] || side->ignored[label];
}

/* The name that `process.label` counts as, when the guide at hand does not know it: its label. A
 * label may have dots, too, so the longest one is taken that the guide knows. */
static uint32_t counts_as(struct comparison *c, const struct side *side, uint32_t label)
{
    struct xgdl_space *space = &c->in->space;
    const char *at = space->interactions.data[label];
    while ((at = strchr(at, '.')) != NULL) {
        at++;
        uint32_t as = map_get(&space->map, names_intern(&space->names, at, strlen(at)), 0);
        if (as != MAP_NONE && knows(c, side, as)) return as;
    }
    return NO_NAME;
}

/* The guide at hand as a term over all known names. */
static phrase in_all_names(struct comparison *c, const struct side *side, phrase t)
{
    struct phrases *terms = &c->in->space.terms;
    const struct side *other = side == c->sides ? c->sides + 1 : c->sides;
    phrase *by = mem_alloc(c->mem, (c->labels + UINT64_C(1)) * sizeof *by);
    struct phrase_list loops = {0};
    bool is_same = true;
    for (uint32_t l = 0; l < c->labels; l++) by[l] = phrase_event(terms, l);
    for (uint32_t l = 0; l < c->labels; l++) {
        if (!c->known[l] || c->mentions[l]) continue;
        uint32_t as = side->ignored[l] ? l : counts_as(c, side, l);
        if (as == NO_NAME || (as == l && other->ignored[l])) continue;
        phrase one = phrase_event(terms, l);
        if (side->ignored[as]) {
            vec_push(c->mem, &loops, one);
        } else {
            by[as] = phrase_join(terms, PHRASE_CHOICE, (phrase[]){by[as], one}, 2);
            is_same = false;
        }
    }
    if (!is_same) t = phrase_replace(terms, t, by, c->labels);
    if (loops.len) {
        phrase any = phrase_join(terms, PHRASE_CHOICE, loops.data, loops.len);
        t = phrase_join(terms, PHRASE_PAR, (phrase[]){t, phrase_join(terms, PHRASE_STAR, &any, 1)},
                        2);
    }
    vec_free(c->mem, &loops);
    mem_free(c->mem, by);
    return t;
}

static phrase guide_in_all_names(struct comparison *c, const struct side *side, uint32_t index)
{
    look_at(c, side, index);
    return in_all_names(c, side, xgdl_guide_term(side->source->xgdl, index));
}

/* ---- a side ---- */

static void init_side(struct comparison *c, unsigned which, const struct guidefile_source *source)
{
    uint32_t count;
    const uint32_t *ignored = xgdl_ignored(source->xgdl, &count);
    struct side *side = &c->sides[which];
    *side = (struct side){source, new_marks(c)};
    for (uint32_t i = 0; i < count; i++) c->known[ignored[i]] = side->ignored[ignored[i]] = true;
    for (uint32_t i = 0; i < source->count; i++)
        xgdl_mark_alphabet(source->xgdl, source->first + i, c->known);
}

/* The automaton over all known names; the size of the guides themselves goes to the answer. */
static bool compile_side(struct comparison *c, unsigned which, struct dfa *dfa,
                         struct guidecompare_answer *answer)
{
    const struct guidefile_source *source = c->sides[which].source;
    struct phrase_list terms = {0};
    for (uint32_t i = 0; i < source->count; i++)
        vec_push(c->mem, &terms, guide_in_all_names(c, &c->sides[which], source->first + i));
    phrase all = phrase_split_union(&c->in->space.terms, &terms);
    vec_free(c->mem, &terms);
    if (!guidefile_compile(c->in, source->whole, source->name, dfa)) return false;
    answer->states[which] = dfa->states;
    answer->transitions[which] = dfa->edges;
    if (all.i == source->whole.i) return true;
    dfa_release(dfa);
    enum build_status status =
        compile_guide(dfa, c->mem, &c->in->space.terms, all, GUIDEFILE_MOST_STATES);
    return guidefile_is_done(c->in, status, "with all names of both sides, the guide",
                             source->name);
}

/* ---- in words ---- */

/* A guide of the side that allows the word, or NO_NAME after a message about a limit. */
static uint32_t find_allowing(struct comparison *c, const struct side *side,
                              const struct compare_word *word)
{
    const struct guidefile_source *source = side->source;
    for (uint32_t i = 0; i < source->count; i++) {
        struct dfa dfa;
        uint32_t index = source->first + i;
        phrase t = guide_in_all_names(c, side, index);
        if (!guidefile_compile(c->in, t, xgdl_guide_name(source->xgdl, index), &dfa))
            return NO_NAME;
        bool allows = dfa_accepts(&dfa, word->labels, word->length);
        dfa_release(&dfa);
        if (allows) return index;
    }
    return NO_NAME;
}

/* Names of the word that its guide takes for others. */
static void tell_others(struct comparison *c, const struct side *side,
                        const struct compare_word *word, struct text *why)
{
    uint32_t index = find_allowing(c, side, word);
    if (index == NO_NAME) return;
    look_at(c, side, index);
    const char *name = xgdl_guide_name(side->source->xgdl, index);
    bool *told = new_marks(c);
    for (uint32_t i = 0; i < word->length; i++) {
        uint32_t label = word->labels[i], as;
        const char *between = why->len ? "; " : "", *text = spelled(c, label);
        if (told[label] || c->mentions[label]) continue;
        told[label] = true;
        if (side->ignored[label]) {
            text_add(why, "%s%s is ignored there", between, text);
        } else if ((as = counts_as(c, side, label)) != NO_NAME) {
            text_add(why, "%s%s does not mention %s, which counts as %s there%s", between, name,
                     text, spelled(c, as), side->ignored[as] ? ", which is ignored" : "");
        }
    }
    mem_free(c->mem, told);
}

/* Why the last name of the word is forbidden, where it is forbidden always. */
static void tell_forbidden(struct comparison *c, const struct side *side, const struct dfa *dfa,
                           uint32_t label, struct text *why)
{
    const struct guidefile_source *source = side->source;
    const char *which = side == c->sides ? "first" : "second", *between = why->len ? "; " : "";
    for (uint32_t e = 0; e < dfa->edges; e++)
        if (dfa->edge_label[e] == label) return;
    bool *mentioned = new_marks(c);
    for (uint32_t i = 0; i < source->count; i++)
        xgdl_mark_alphabet(source->xgdl, source->first + i, mentioned);
    text_add(why, "%sthe %s one ", between, which);
    if (mentioned[label]) text_add(why, "mentions %s and allows it never", spelled(c, label));
    else text_add(why, "does not mention %s, which it thereby forbids", spelled(c, label));
    mem_free(c->mem, mentioned);
}

static void explain(struct comparison *c, const struct dfa *other,
                    struct guidecompare_answer *answer)
{
    const struct compare_word *word = &answer->word;
    struct text why;
    assert(word->length > 0); /* every guide allows that nothing happens */
    text_init(&why, c->mem);
    tell_others(c, &c->sides[!answer->of_first], word, &why);
    tell_forbidden(c, &c->sides[answer->of_first], other, word->labels[word->length - 1], &why);
    if (why.len) answer->why = names_intern(&c->in->space.names, why.data, why.len);
    text_free(&why);
}

/* A name that one guide knows and another one does not, which allows others. */
static void warn(struct comparison *c, struct guidecompare_answer *answer)
{
    for (unsigned which = 0; which < 2; which++) {
        const struct side *side = &c->sides[which];
        for (uint32_t i = 0; i < side->source->count; i++) {
            uint32_t index = side->source->first + i, unknown = NO_NAME, others = 0;
            look_at(c, side, index);
            for (uint32_t l = c->labels; l-- > 0;) {
                if (c->known[l] && !knows(c, side, l)) unknown = l;
                others += knows(c, side, l);
            }
            if (unknown == NO_NAME || !others) continue;
            answer->beware =
                names_format(&c->in->space.names,
                             "the guide '%s' does not mention %s: a step of that name that has "
                             "further names (its port, "
                             "several processes) counts as one of those that '%s' mentions, which "
                             "only a model can show",
                             xgdl_guide_name(side->source->xgdl, index), spelled(c, unknown),
                             xgdl_guide_name(side->source->xgdl, index));
            return;
        }
    }
}

/* ---- both sides ---- */

bool guidecompare(struct guidefile_reader *in, const struct guidefile_source *first,
                  const struct guidefile_source *second, bool equal,
                  struct guidecompare_answer *answer)
{
    struct comparison c = {.in = in, .mem = in->mem, .labels = in->space.interactions.len};
    struct dfa a = {.mem = in->mem}, b = {.mem = in->mem};
    *answer = (struct guidecompare_answer){.of_first = true};
    c.known = new_marks(&c);
    c.mentions = new_marks(&c);
    init_side(&c, 0, first);
    init_side(&c, 1, second);
    if (!compile_side(&c, 0, &a, answer) || !compile_side(&c, 1, &b, answer)) return false;
    enum build_status status = equal ? compare_equal(&a, &b, &answer->word, &answer->of_first)
                                     : compare_within(&a, &b, &answer->word);
    if (status != BUILD_DONE) mem_refuse(in->mem);
    if (answer->word.exists) explain(&c, answer->of_first ? &b : &a, answer);
    else warn(&c, answer);
    dfa_release(&a);
    dfa_release(&b);
    return true;
}
