/* Alternatives that begin with the same event. The scenario is deterministic, so they are told
 * apart by the first event that differs only; a deadlock that one of them has, and another one
 * avoids, is not found then. Whoever wrote them should know. */
#include "lang/cdl/scope.h"

/* Whether the empty word is in a term, and before that in all its parts: they have smaller
 * indices. */
static bool has_empty(struct cdl *cdl, term t)
{
    while (cdl->empty.len <= t.i) {
        const struct term_node *node = term_get(&cdl->terms, (term){cdl->empty.len});
        bool a = cdl->empty.len && cdl->empty.data[node->a.i],
             b = cdl->empty.len && cdl->empty.data[node->b.i];
        bool result = node->op == TERM_SKIP;
        if (node->op == TERM_SEQ || node->op == TERM_PAR) result = a && b;
        if (node->op == TERM_CHOICE) result = a || b;
        if (node->op == TERM_LOOP) result = a || !node->number;
        vec_push(cdl->mem, &cdl->empty, result);
    }
    return cdl->empty.data[t.i];
}

struct looking {
    struct cdl *cdl;
    uint32_t *begins; /* per event: the last alternative that begins with it, + 1 */
    uint32_t *seen;   /* per term: likewise, that has it at its beginning */
    uint32_t part;    /* the alternative at work, + 1 */
    uint32_t found;   /* an event that two of them begin with, or CONTEXT_NONE */
};

/* Looks at the events that the term begins with. */
static void look(struct looking *l, term t)
{
    for (;;) {
        const struct term_node *node = term_get(&l->cdl->terms, t);
        if (l->seen[t.i] == l->part) return;
        l->seen[t.i] = l->part;
        switch (node->op) {
        case TERM_SKIP: return;
        case TERM_EVENT:
            if (l->begins[node->number] && l->begins[node->number] != l->part)
                l->found = node->number;
            l->begins[node->number] = l->part;
            return;
        case TERM_LOOP:
            if (!node->number) return;
            t = node->a;
            continue;
        case TERM_CHOICE:
        case TERM_PAR:
            look(l, node->a);
            t = node->b;
            continue;
        case TERM_SEQ:
            look(l, node->a);
            if (!has_empty(l->cdl, node->a)) return;
            t = node->b;
            continue;
        }
        return;
    }
}

void cdl_note_choice(struct cdl *cdl, const struct cdl_activity *choice, const term *parts,
                     uint32_t count)
{
    if (!cdl->model || cdl->has_noted_choice) return;
    struct looking l = {.cdl = cdl, .found = CONTEXT_NONE};
    l.begins = mem_alloc(cdl->mem, (cdl->context->events.len + UINT64_C(1)) * sizeof *l.begins);
    l.seen = mem_alloc(cdl->mem, (cdl->terms.nodes.len + UINT64_C(1)) * sizeof *l.seen);
    for (uint32_t i = 0; i < count && l.found == CONTEXT_NONE; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i; k++) is_new &= !term_same(parts[k], parts[i]);
        l.part = i + 1;
        if (is_new) look(&l, parts[i]);
    }
    if (l.found != CONTEXT_NONE) {
        const struct cdl_activity *part = choice->parts;
        for (uint32_t i = 1; i < l.part; i++) part = part->next;
        cdl->has_noted_choice = true;
        diag_note(cdl->diag, part->place,
                  "this alternative begins with '%.60s', like another one: the choice is made by "
                  "the first event that differs, so a deadlock of one alone "
                  "is not found (a context of its own finds it)",
                  cdl->context->events.data[l.found].name);
    }
    mem_free(cdl->mem, l.begins);
    mem_free(cdl->mem, l.seen);
}
