#include "run/guideparts.h"

#include "run/guidesize.h"

#include <inttypes.h>

/* A part no longer has all names that the guide mentions. It must know them all the same: it would
 * take a name that it does not know for another one (`"p.a"` for `a`), or find it ignored. So what
 * a part has lost is added as something that happens no times. */
struct lost_names {
    uint32_t labels;
    bool *names; /* per label: the guide mentions it */
    bool *has;   /* per label: the part at hand does */
};

static void find_lost(struct guideparts *work, phrase part, struct lost_names *alphabet,
                      struct phrase_list *lost)
{
    struct phrases *terms = &work->in->space.terms;
    lost->len = 0;
    phrase_mark_labels(terms, part, alphabet->has, alphabet->labels);
    for (uint32_t l = 0; l < alphabet->labels; l++)
        if (alphabet->names[l] && !alphabet->has[l])
            vec_push(work->in->mem, lost, phrase_event(terms, l));
}

/* "(a [] b){0}" */
static void add_no_times(struct guideparts *work, struct text *text,
                         const struct phrase_list *names)
{
    bool is_one = names->len == 1;
    phrase any = phrase_join(&work->in->space.terms, PHRASE_CHOICE, names->data, names->len);
    if (!is_one) text_add(text, "(");
    phrase_print(text, &work->in->space.terms, any, xgdl_spelling, &work->in->space);
    text_add(text, is_one ? "{0}" : "){0}");
}

static void add_term(struct guideparts *work, struct text *text, phrase t)
{
    phrase_print(text, &work->in->space.terms, t, xgdl_spelling, &work->in->space);
}

static struct lost_names alphabet_of(struct guideparts *work)
{
    uint32_t labels = work->in->space.interactions.len;
    bool *has = mem_alloc(work->in->mem, labels + UINT64_C(1));
    return (struct lost_names){
        labels, guidesize_alphabet(work->in, work->source, work->source->first), has};
}

/* A definition with all names, for the parts that have lost some. */
static const char *write_names(struct guideparts *work, const struct phrase_list *parts,
                               struct lost_names *alphabet, FILE *file)
{
    struct phrases *terms = &work->in->space.terms;
    struct phrase_list lost = {0}, names = {0};
    bool is_needed = false;
    for (uint32_t i = 0; i < parts->len && !is_needed; i++) {
        find_lost(work, parts->data[i], alphabet, &lost);
        is_needed = lost.len > 0;
    }
    vec_free(work->in->mem, &lost);
    if (!is_needed) return NULL;
    const char *name = guidefile_free_name(work->in, "names");
    struct text text;
    text_init(&text, work->in->mem);
    for (uint32_t l = 0; l < alphabet->labels; l++)
        if (alphabet->names[l]) vec_push(work->in->mem, &names, phrase_event(terms, l));
    add_no_times(work, &text, &names);
    fprintf(file, "let %s = %s; // known, and forbidden where a part has no place for them\n", name,
            text.data);
    text_free(&text);
    vec_free(work->in->mem, &names);
    return name;
}

static void write_ignored(struct guideparts *work, FILE *file)
{
    uint32_t count;
    const uint32_t *ignored = xgdl_ignored(work->source->xgdl, &count);
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "%s%s%s", i ? ", " : "ignore ", xgdl_spelling(&work->in->space, ignored[i]),
                i + 1 == count ? ";\n" : "");
}

void guideparts_write(struct guideparts *work, const char *how, FILE *file)
{
    const struct phrase_list *parts = &work->parts;
    const char *name = work->name;
    const char *stem = guidefile_stem(work->in, name);
    const char *source = diag_source_name(work->in->diag, (struct place){0, 1, 1});
    struct lost_names alphabet = alphabet_of(work);
    struct phrase_list lost = {0};
    struct text text;
    fprintf(file,
            "// The guide %s of %s in %" PRIu32
            " parts (--split %s). Together they allow what it allows: "
            "their languages were compared.\n",
            name, source, parts->len, how);
    write_ignored(work, file);
    const char *names = write_names(work, parts, &alphabet, file);
    text_init(&text, work->in->mem);
    for (uint32_t i = 0; i < parts->len; i++) {
        text_add(&text, "guide %s%" PRIu32 " = ", stem, i + 1);
        add_term(work, &text, parts->data[i]);
        find_lost(work, parts->data[i], &alphabet, &lost);
        fprintf(file, "%s%s%s;\n", text.data, lost.len ? " || " : "", lost.len ? names : "");
        text.len = 0;
    }
    text_free(&text);
    vec_free(work->in->mem, &lost);
}

bool guideparts_make(struct guideparts *work, struct guidefile_reader *in,
                     const struct guidefile_source *source, const char *how)
{
    *work = (struct guideparts){.in = in, .source = source};
    work->name = xgdl_guide_name(source->xgdl, source->first);
    return guidefile_split(in, how, work->name, source->whole, &work->parts);
}

/* Here every term stands alone, so that what it has lost is in it. */
void guideparts_term(struct guideparts *work, uint32_t part, struct text *text)
{
    struct lost_names alphabet = alphabet_of(work);
    struct phrase_list lost = {0};
    add_term(work, text, work->parts.data[part]);
    find_lost(work, work->parts.data[part], &alphabet, &lost);
    if (lost.len) text_add(text, " || ");
    if (lost.len) add_no_times(work, text, &lost);
    vec_free(work->in->mem, &lost);
}
