/* Whom a place of a file belongs to. Parts begin at places and reach up to the next one, whatever
 * the order in which they were read: so the part of a place is the one that begins last before
 * it. */
#include "lang/uppaal/parse.h"
#include "lang/uppaal/parser.h"

#include <assert.h>
#include <stdio.h>

void uppaal_add_part(struct uppaal_parser *parser, struct uppaal_part part)
{
    if (!parser->file) return;
    struct uppaal_part *added = arena_alloc(parser->arena, sizeof *added);
    assert(part.decl || (!part.edge && !part.location)); /* those are in a template */
    *added = part;
    added->next = parser->file->parts;
    parser->file->parts = added;
}

static bool is_before(struct place a, struct place b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static const struct uppaal_part *find(const struct uppaal_part *parts, struct place place)
{
    const struct uppaal_part *last = NULL;
    for (; parts; parts = parts->next)
        if (parts->place.source == place.source && !is_before(place, parts->place)
            && (!last || is_before(last->place, parts->place)))
            last = parts;
    return last;
}

void uppaal_tell_part(void *file, struct diag *diag, struct place place)
{
    const struct uppaal_part *part = find(((struct uppaal_file *)file)->parts, place);
    if (!part) return;
    const char *name = part->decl ? part->decl->name : NULL;
    char of[60] = "";
    if (part->what) snprintf(of, sizeof of, "the %.40s of ", part->what);
    if (part->edge && part->edge->source && part->edge->target)
        diag_note(diag, part->place, "in %sthe edge from '%.40s' to '%.40s' of template '%.60s'",
                  of, part->edge->source->shown, part->edge->target->shown, name);
    else if (part->location)
        diag_note(diag, part->place, "in %slocation '%.60s' of template '%.60s'", of,
                  part->location->shown, name);
    else if (name) diag_note(diag, part->place, "in %stemplate '%.60s'", of, name);
    else if (part->what) diag_note(diag, part->place, "in the %.60s", part->what);
}
