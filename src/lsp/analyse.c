#include "lsp/analyse.h"

#include "lang/cdl/cdl.h"
#include "lang/fiacre/words.h"
#include "lang/languages.h"
#include "lang/milestones/ast.h"
#include "lang/uppaal/words.h"
#include "lang/xgdl/xgdl.h"
#include "lsp/company.h"
#include "lsp/findings.h"
#include "run/deadline.h"
#include "run/load.h"

#include <assert.h>
#include <string.h>

const struct lsp_language lsp_languages[] = {
    {"milestones", ".mil", LSP_MODEL, &lexer_plain, milestones_keywords},
    {"fiacre", ".fcr", LSP_MODEL, &fiacre_lexis, NULL},
    {"cdl", ".cdl", LSP_CONTEXTS, NULL, cdl_keywords},
    {"xgdl", ".xgdl", LSP_GUIDES, NULL, xgdl_keywords},
    {"xta", ".xta", LSP_MODEL, &uppaal_lexis, NULL},
    {"xta", ".ta", LSP_MODEL, &uppaal_lexis, NULL},
    {"uppaal", ".xml", LSP_MODEL, &uppaal_lexis, NULL},
    {"cairn", ".cairn", LSP_MODEL, NULL, NULL},
    {"tchecker", ".tck", LSP_MODEL, NULL, NULL},
    {NULL, NULL, LSP_MODEL, NULL, NULL},
};

const struct lsp_language *lsp_language_find(const char *path, const char *id)
{
    const char *dot = strrchr(path, '.');
    for (const struct lsp_language *each = lsp_languages; dot && each->id; each++)
        if (!strcmp(dot, each->extension)) return each;
    for (const struct lsp_language *each = lsp_languages; id && each->id; each++)
        if (!strcmp(id, each->id)) return each;
    return NULL;
}

struct analysis {
    const struct lsp_request *request;
    struct mem mem;
    struct diag diag;
    struct symbols symbols;
    struct lsp_company company;
    uint32_t self;
    bool has_names; /* those of the text itself are told */
};

/* ---- ranges ---- */

static struct symbol *symbol_at(struct symbols *symbols, const struct place *place)
{
    uint32_t low = 0, high = symbols->uses.len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct place *at = &symbols->uses.data[middle].place;
        bool is_less = at->source != place->source ? at->source < place->source
                       : at->line != place->line   ? at->line < place->line
                                                   : at->column < place->column;
        if (is_less) low = middle + 1;
        else high = middle;
    }
    if (low == symbols->uses.len) return NULL;
    const struct symbol_use *use = &symbols->uses.data[low];
    bool same = use->place.source == place->source && use->place.line == place->line
                && use->place.column == place->column;
    return same ? &symbols->list.data[use->symbol] : NULL;
}

/* The values that variables of the model can have belong to what declares them; members of a record
 * are apart from each other, and have none here. */
static void add_ranges(struct symbols *symbols, const struct model *model)
{
    for (uint32_t i = 0; i < model->vars.len; i++) {
        const struct model_var *var = &model->vars.data[i];
        struct symbol *one = symbol_at(symbols, &var->place);
        if (!one || (one->kind != SYMBOL_VARIABLE && one->kind != SYMBOL_PARAMETER)) continue;
        if (var->value_names
            || symbols_members(symbols, (uint32_t)(one - symbols->list.data)) != SYMBOL_NONE)
            continue;
        bool is_first = one->low > one->high;
        if (is_first || var->low < one->low) one->low = var->low;
        if (is_first || var->high > one->high) one->high = var->high;
    }
    for (uint32_t i = 0; i < model->constants.len; i++) {
        uint32_t found = symbols_search(symbols, model->constants.data[i].name,
                                        1 << SYMBOL_CONSTANT, symbols->list.len, SYMBOL_NONE);
        if (found != SYMBOL_NONE)
            symbols->list.data[found].low = symbols->list.data[found].high =
                model->constants.data[i].value;
    }
}

/* ---- models ---- */

static struct model *read_model(struct analysis *a, const char *path, uint32_t source)
{
    struct language_input input = {.mem = &a->mem,
                                   .diag = &a->diag,
                                   .source = source,
                                   .defines = a->company.defines.data,
                                   .define_count = a->company.defines.len,
                                   .symbols = &a->symbols};
    void *scope = NULL;
    uint32_t told = a->symbols.told;
    struct model *model = languages_find(path)->load(&input, &scope);
    a->has_names |= source == a->self && a->symbols.told > told;
    return a->diag.errors ? NULL : model;
}

/* The model of contexts or guides; what is wrong with it does not count among their mistakes.
 * NULL: there is none, or it cannot be read. */
static struct model *read_company(struct analysis *a)
{
    const struct lsp_request *request = a->request;
    struct diag *diag = &a->diag;
    uint32_t source, errors = diag->errors, warnings = diag->warnings, told = diag->list.len;
    lsp_company_find(&a->company, &a->mem, request->path, request->text, request->length);
    if (!a->company.model) return NULL;
    diag->errors = diag->warnings = 0;
    struct model *model = NULL;
    if (load_source(diag, request->known, a->company.model, &source))
        model = read_model(a, a->company.model, source);
    if (!model && a->company.is_said)
        diag_warning(diag, DIAG_FILE, (struct place){a->self, a->company.line, 1},
                     "the model cannot be read: names of it are not looked up");
    /* what it warns of is told where it is open */
    if (model) diag->list.len = told;
    diag->errors = errors;
    diag->warnings = warnings;
    return model;
}

/* ---- contexts and guides ---- */

static struct model *read_contexts(struct analysis *a)
{
    struct cdl *cdl = cdl_read(&a->diag, &a->mem, a->self);
    if (!cdl) return NULL;
    struct model *model = read_company(a);
    cdl_tell_names(cdl, &a->symbols);
    a->has_names = true;
    for (uint32_t i = 0; model && i < cdl_context_count(cdl); i++)
        cdl_look(cdl, i, model, a->company.defines.data, a->company.defines.len);
    return model;
}

/* Whether a step of the model is this interaction; *nearest: what could be meant. */
static bool has_step(const struct model *model, const char *name, const char **nearest)
{
    unsigned distance = 0;
    *nearest = NULL;
    for (uint32_t i = 0; i < model->rules.len; i++) {
        const struct model_rule *rule = &model->rules.data[i];
        if (!strcmp(rule->label, name) || (rule->port && !strcmp(rule->port, name))) return true;
        if (!rule->is_internal) text_nearest(name, rule->label, nearest, &distance);
    }
    for (uint32_t i = 0; i < model->dead_steps.len; i++)
        if (!strcmp(model->dead_steps.data[i].label, name)
            || (model->dead_steps.data[i].port && !strcmp(model->dead_steps.data[i].port, name)))
            return true;
    return false;
}

static struct model *read_guides(struct analysis *a)
{
    struct xgdl_space space;
    xgdl_space_init(&space, &a->mem);
    struct xgdl *xgdl = xgdl_read(&space, &a->diag, a->self);
    if (!xgdl) return NULL;
    struct model *model = read_company(a);
    xgdl_tell_names(xgdl, &a->symbols);
    a->has_names = true;
    for (uint32_t i = 0; model && i < space.interactions.len; i++) {
        const char *name = space.interactions.data[i], *nearest;
        struct place place = xgdl_mention(xgdl, i);
        /* a dot says which process: such names are written in quotes */
        if (!place.line || strchr(name, '.') || has_step(model, name, &nearest)) continue;
        diag_suggest(&a->diag, nearest);
        diag_warning(&a->diag, DIAG_UNKNOWN, place,
                     nearest ? "%s has no step for the interaction '%.60s': did you mean '%.60s'?"
                             : "%s has no step for the interaction '%.60s'",
                     diag_source_name(&a->diag, (struct place){a->self + 1, 1, 1}), name, nearest);
    }
    return model;
}

/* ---- all of it ---- */

static void read_text(struct analysis *a)
{
    const struct lsp_request *request = a->request;
    struct model *model = NULL;
    a->self = diag_add_source(&a->diag, request->path, request->text, request->length);
    switch (request->language->role) {
    case LSP_MODEL: model = read_model(a, request->path, a->self); break;
    case LSP_CONTEXTS: model = read_contexts(a); break;
    case LSP_GUIDES: model = read_guides(a); break;
    }
    symbols_finish(&a->symbols);
    if (model) add_ranges(&a->symbols, model);
}

/* False: it was given up, when there was no more time or memory. */
static bool read_guarded(struct analysis *a)
{
    jmp_buf recover;
    if (setjmp(recover)) {
        a->mem.recover = NULL;
        return false;
    }
    a->mem.recover = &recover;
    diag_init(&a->diag, &a->mem);
    symbols_init(&a->symbols, &a->mem);
    read_text(a);
    a->mem.recover = NULL;
    return true;
}

void lsp_analyse(const void *request)
{
    struct analysis a = {.request = request};
    const uint64_t most = (uint64_t)LSP_ANALYSIS_MEBIBYTES << 20;
    deadline_begin(&(struct deadline_plan){.seconds = LSP_ANALYSIS_SECONDS});
    mem_init(&a.mem);
    mem_set_limit(&a.mem, most);
    mem_cap_process(most, 1);
    if (!read_guarded(&a)) {
        mem_lift(&a.mem);
        diag_warning(&a.diag, DIAG_LIMIT, (struct place){a.self, 1, 1},
                     "this takes more time or memory than an editor waits for: the rest was not "
                     "looked at");
        a.has_names |= a.request->language->role == LSP_MODEL && a.symbols.told;
        symbols_finish(&a.symbols);
    }
    deadline_tell();
    lsp_findings_write(stdout, &a.diag, a.self, a.has_names ? &a.symbols : NULL, a.company.model);
}
