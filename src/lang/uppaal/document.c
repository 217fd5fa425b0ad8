/* A model in XML: the elements are looked at in the order in which their names are seen by each
 * other (declarations, templates, instances, the system line, queries), the labels of an edge in
 * whatever order they stand. Each text is a text of its own for the parser, with places in the
 * file, and a part of it (part.c).
 *
 * Unknown elements are passed over, as are layout, colours, comments and rates. */
#include "lang/common/xml.h"
#include "lang/uppaal/parser.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What an id of the file stands for, while a template is read. */
struct document {
    struct uppaal_parser *parser;
    struct xml xml;
    struct uppaal_file *file;
    struct uppaal_decl **last;
    struct uppaal_query **last_query;
    /* the template */
    struct uppaal_decl *decl;
    struct uppaal_index ids, names;
};

/* ---- texts ---- */

/* From an element on, errors belong to this part of the template at hand, or to what is global. */
static void begin_part(struct document *document, uint32_t element, struct uppaal_part part)
{
    part.place = document->xml.elements.data[element].place;
    part.decl = document->decl;
    uppaal_add_part(document->parser, part);
}

/* Gives the parser the text of an element. */
static void open_text(struct document *document, uint32_t element, struct lexer_text *text,
                      struct tokens *tokens)
{
    struct uppaal_parser *parser = document->parser;
    *text = xml_text(&document->xml, element);
    *tokens = (struct tokens){0};
    lexer_run_taken(parser->diag, parser->names, &uppaal_lexis, text, tokens);
    tokens->list.data[tokens->list.len - 1].text = "the end of the text";
    parser->tokens = tokens->list.data;
    parser->text = text->text;
    parser->at = parser->negated = parser->nesting = 0;
    parser->panic = false;
    parser->is_old |= uppaal_looks_old(parser->tokens);
}

static void close_text(struct document *document, struct tokens *tokens)
{
    lexer_free(document->parser->diag->mem, tokens);
    document->parser->tokens = NULL;
    document->parser->panic = false;
}

typedef void parse_text(struct document *document, void *into);

/* Reads the whole text of an element, if there is any. */
static void read_text(struct document *document, uint32_t element, struct uppaal_part part,
                      parse_text *parse, void *into)
{
    struct uppaal_parser *parser = document->parser;
    struct lexer_text text;
    struct tokens tokens;
    uint32_t errors = parser->diag->errors;
    if (element == XML_NONE || xml_is_blank(&document->xml, element)) return;
    begin_part(document, element, part);
    open_text(document, element, &text, &tokens);
    if (tokens.list.len > 1 && parser->diag->errors == errors) {
        parse(document, into);
        uppaal_check_rates(parser);
        if (!uppaal_at(parser, TOKEN_END))
            uppaal_error_expected(parser, "an operator or the end of the text");
    }
    close_text(document, &tokens);
}

static void read_global(struct document *document, void *into)
{
    (void)into;
    document->last =
        uppaal_parse_declarations(document->parser, UPPAAL_SCOPE_GLOBAL, document->last);
}

static void read_local(struct document *document, void *into)
{
    (void)into;
    uppaal_parse_declarations(document->parser, UPPAAL_SCOPE_TEMPLATE,
                              &document->decl->template->decls);
}

static void read_parameters(struct document *document, void *into)
{
    (void)into;
    document->decl->template->parameters = uppaal_parse_parameters(document->parser, TOKEN_END);
}

static void read_system(struct document *document, void *into)
{
    (void)into;
    uppaal_parse_system(document->parser, document->file, document->last, document->last_query);
    while (*document->last_query) document->last_query = &(*document->last_query)->next;
}

static void read_condition(struct document *document, void *into)
{
    *(struct uppaal_exp **)into = uppaal_parse_condition(document->parser);
}

static void read_invariant(struct document *document, void *into)
{
    *(struct uppaal_exp **)into = uppaal_parse_invariant(document->parser);
}

static void read_weight(struct document *document, void *into)
{
    *(struct uppaal_exp **)into = uppaal_parse_exp(document->parser);
}

/* A `;` behind the updates is common, and harmless. */
static void read_updates(struct document *document, void *into)
{
    *(struct uppaal_exp **)into = uppaal_parse_exps(document->parser, NULL);
    uppaal_accept(document->parser, TOKEN_SEMICOLON);
}

static void read_selects(struct document *document, void *into)
{
    *(struct uppaal_select **)into = uppaal_parse_selects(document->parser);
    uppaal_accept(document->parser, TOKEN_SEMICOLON);
}

static void read_sync(struct document *document, void *into)
{
    uppaal_parse_sync(document->parser, into);
}

struct name {
    const char *text;
    struct place place;
};

static void read_name(struct document *document, void *into)
{
    struct name *name = into;
    name->place = uppaal_here(document->parser);
    name->text = uppaal_expect_name(document->parser, "'<name>'");
}

/* ---- locations ---- */

static const char *intern(struct document *document, const char *text)
{
    return names_intern(document->parser->names, text, strlen(text));
}

static void element_error(struct document *document, enum diag_code code, uint32_t element,
                          const char *text)
{
    document->parser->panic = false;
    uppaal_error(document->parser, code, document->xml.elements.data[element].place, "%s", text);
    document->parser->panic = false;
}

static void name_location(struct document *document, uint32_t element,
                          struct uppaal_location *location)
{
    struct name name = {0};
    uint32_t child = xml_child(&document->xml, element, "name");
    read_text(document, child, (struct uppaal_part){.what = "name", .location = location},
              read_name, &name);
    if (!name.text) return;
    location->name = location->shown = name.text;
    location->place = name.place;
    if (!uppaal_index_add(document->parser->mem, &document->names, name.text, location)) {
        uppaal_error_location(document->parser, location,
                              uppaal_index_find(&document->names, name.text));
        document->parser->panic = false;
    }
}

static struct uppaal_location *add_location(struct document *document, uint32_t element,
                                            struct uppaal_location ***last)
{
    struct uppaal_parser *parser = document->parser;
    struct uppaal_location *location = arena_alloc(parser->arena, sizeof *location);
    const char *id = xml_attribute(&document->xml, element, "id");
    begin_part(document, element, (struct uppaal_part){.location = location});
    location->place = document->xml.elements.data[element].place;
    location->index = document->decl->template->location_count++;
    location->shown = names_format(parser->names, "_%s", id ? id : "");
    **last = location;
    *last = &location->next;
    if (!id || !*id)
        element_error(document, DIAG_MISSING, element, "this element needs an attribute 'id'");
    else if (!uppaal_index_add(parser->mem, &document->ids, intern(document, id), location))
        element_error(document, DIAG_DUPLICATE, element,
                      "there is another element with this 'id' in the template");
    return location;
}

static void read_location(struct document *document, uint32_t element,
                          struct uppaal_location ***last)
{
    struct xml *xml = &document->xml;
    struct uppaal_location *location = add_location(document, element, last);
    name_location(document, element, location);
    location->urgent = xml_child(xml, element, "urgent") != XML_NONE;
    location->committed = xml_child(xml, element, "committed") != XML_NONE;
    uint32_t child = xml->elements.data[element].child;
    for (; child; child = xml->elements.data[child].next) {
        const char *kind = xml_attribute(xml, child, "kind");
        if (!xml_is_named(xml, child, "label") || !kind || strcmp(kind, "invariant")) continue;
        if (location->invariant)
            element_error(document, DIAG_DUPLICATE, child, "this location has another invariant");
        read_text(document, child, (struct uppaal_part){.what = "invariant", .location = location},
                  read_invariant, &location->invariant);
    }
}

/* ---- edges ---- */

/* The location that a child of this name refers to. */
static struct uppaal_location *find_end(struct document *document, uint32_t element,
                                        const char *name, struct place *place)
{
    struct xml *xml = &document->xml;
    uint32_t child = xml_child(xml, element, name);
    const char *ref = child ? xml_attribute(xml, child, "ref") : NULL;
    *place = xml->elements.data[child ? child : element].place;
    struct uppaal_location *location =
        ref ? uppaal_index_find(&document->ids, intern(document, ref)) : NULL;
    document->parser->panic = false;
    if (!ref)
        uppaal_error(document->parser, DIAG_MISSING, *place,
                     "there is no '%s' with an attribute 'ref'", name);
    else if (!location)
        uppaal_error(document->parser, DIAG_UNKNOWN, *place,
                     "there is no location with the id '%.60s'", ref);
    document->parser->panic = false;
    return location;
}

enum label { LABEL_SELECT, LABEL_GUARD, LABEL_SYNC, LABEL_UPDATE, LABEL_WEIGHT, LABELS };

static const char *const label_kinds[LABELS] = {"select", "guard", "synchronisation", "assignment",
                                                "probability"};
static const char *const label_words[LABELS] = {"selection", "guard", "synchronisation", "update",
                                                "weight"};

/* Which elements are the labels of an edge. */
static void find_labels(struct document *document, uint32_t element, uint32_t found[LABELS])
{
    struct xml *xml = &document->xml;
    uint32_t child = xml->elements.data[element].child;
    for (; child; child = xml->elements.data[child].next) {
        const char *kind =
            xml_is_named(xml, child, "label") ? xml_attribute(xml, child, "kind") : NULL;
        for (unsigned i = 0; kind && i < LABELS; i++) {
            if (strcmp(kind, label_kinds[i]) || xml_is_blank(xml, child)) continue;
            if (found[i])
                element_error(document, DIAG_DUPLICATE, child,
                              "this edge has another label of this kind");
            found[i] = child;
        }
    }
}

static void read_labels(struct document *document, uint32_t element, struct uppaal_edge *edge)
{
    static parse_text *const parsers[LABELS] = {read_selects, read_condition, read_sync,
                                                read_updates, read_weight};
    void *const into[LABELS] = {&edge->selects, &edge->guard, edge, &edge->updates, &edge->weight};
    uint32_t found[LABELS] = {0};
    find_labels(document, element, found);
    for (unsigned i = 0; i < LABELS; i++)
        read_text(document, found[i], (struct uppaal_part){.what = label_words[i], .edge = edge},
                  parsers[i], into[i]);
}

static void read_edge(struct document *document, uint32_t element, struct uppaal_edge ***last)
{
    struct uppaal_parser *parser = document->parser;
    struct uppaal_edge *edge = arena_alloc(parser->arena, sizeof *edge);
    const char *controllable = xml_attribute(&document->xml, element, "controllable");
    begin_part(document, element, (struct uppaal_part){.edge = edge});
    edge->place = document->xml.elements.data[element].place;
    edge->source = find_end(document, element, "source", &edge->source_place);
    edge->target = find_end(document, element, "target", &edge->target_place);
    edge->uncontrollable = controllable && !strcmp(controllable, "false");
    if (edge->uncontrollable) uppaal_warn_of_game(parser, edge->place);
    read_labels(document, element, edge);
    uppaal_check_edge(parser, edge);
    parser->panic = false;
    **last = edge;
    *last = &edge->next;
}

/* ---- templates ---- */

static void read_parts(struct document *document, uint32_t element)
{
    struct xml *xml = &document->xml;
    struct uppaal_template *template = document->decl->template;
    struct uppaal_location **last = &template->locations;
    struct uppaal_edge **last_edge = &template->edges;
    const uint32_t first = xml->elements.data[element].child;
    for (uint32_t child = first; child; child = xml->elements.data[child].next) {
        if (xml_is_named(xml, child, "location")) read_location(document, child, &last);
        else if (xml_is_named(xml, child, "branchpoint"))
            add_location(document, child, &last)->is_branchpoint = true;
    }
    for (uint32_t child = first; child; child = xml->elements.data[child].next)
        if (xml_is_named(xml, child, "transition")) read_edge(document, child, &last_edge);
}

static void read_init(struct document *document, uint32_t element)
{
    struct uppaal_template *template = document->decl->template;
    uint32_t child = xml_child(&document->xml, element, "init");
    const char *ref = child ? xml_attribute(&document->xml, child, "ref") : NULL;
    if (!template->locations && !ref) return;
    if (!ref) {
        element_error(document, DIAG_MISSING, element, "this template has no initial location");
        return;
    }
    template->init = uppaal_index_find(&document->ids, intern(document, ref));
    if (!template->init)
        element_error(document, DIAG_UNKNOWN, child, "there is no location with this id");
    else if (template->init->is_branchpoint)
        element_error(document, DIAG_MISPLACED, child, "a branchpoint cannot be initial");
}

static void read_template(struct document *document, uint32_t element)
{
    struct uppaal_parser *parser = document->parser;
    struct xml *xml = &document->xml;
    struct name name = {.place = xml->elements.data[element].place};
    uint32_t child = xml_child(xml, element, "name");
    read_text(document, child, (struct uppaal_part){.what = "name of a template"}, read_name,
              &name);
    if (!child || xml_is_blank(xml, child))
        element_error(document, DIAG_MISSING, element, "this template needs a name");
    if (!name.text) name.text = "?";
    document->decl = uppaal_new_decl(parser, UPPAAL_DECL_TEMPLATE, name.text, name.place);
    document->decl->template = arena_alloc(parser->arena, sizeof *document->decl->template);
    begin_part(document, element, (struct uppaal_part){0});
    read_text(document, xml_child(xml, element, "parameter"),
              (struct uppaal_part){.what = "parameters"}, read_parameters, NULL);
    read_text(document, xml_child(xml, element, "declaration"),
              (struct uppaal_part){.what = "declarations"}, read_local, NULL);
    read_parts(document, element);
    read_init(document, element);
    uppaal_index_free(parser->mem, &document->ids);
    uppaal_index_free(parser->mem, &document->names);
    *document->last = document->decl;
    document->last = &document->decl->next;
    document->decl = NULL;
}

/* ---- queries ---- */

static unsigned outcome_of(const struct document *document, uint32_t element)
{
    uint32_t expect = xml_child(&document->xml, element, "expect");
    const char *word = expect ? xml_attribute(&document->xml, expect, "outcome") : NULL;
    if (!word) return UPPAAL_OUTCOME_NONE;
    return !strcmp(word, "success")   ? UPPAAL_OUTCOME_SUCCESS
           : !strcmp(word, "failure") ? UPPAAL_OUTCOME_FAILURE
                                      : UPPAAL_OUTCOME_MAYBE;
}

static void read_query(struct document *document, uint32_t element)
{
    struct uppaal_parser *parser = document->parser;
    uint32_t formula = xml_child(&document->xml, element, "formula"),
             comment = xml_child(&document->xml, element, "comment");
    struct diag *diag = parser->diag, quiet;
    struct lexer_text text;
    struct tokens tokens;
    if (!formula || xml_is_blank(&document->xml, formula)) return; /* a heading */
    begin_part(document, formula, (struct uppaal_part){.what = "query"});
    diag_init(&quiet, diag->mem);
    quiet.sources = diag->sources;
    parser->diag = &quiet;
    open_text(document, formula, &text, &tokens);
    parser->diag = diag;
    if (quiet.errors && !quiet.list.len) mem_refuse(parser->mem);
    if (tokens.list.len > 1) {
        struct uppaal_query *query = uppaal_parse_query(parser, 0, tokens.list.len - 1,
                                                        quiet.errors ? &quiet.list.data[0] : NULL);
        query->outcome = (uint8_t)outcome_of(document, element);
        if (comment && !xml_is_blank(&document->xml, comment))
            query->comment = intern(document, xml_text(&document->xml, comment).text);
        *document->last_query = query;
        document->last_query = &query->next;
    }
    close_text(document, &tokens);
    vec_free(quiet.mem, &quiet.list);
}

static void read_queries(struct document *document, uint32_t element)
{
    struct xml *xml = &document->xml;
    uint32_t child = xml->elements.data[element].child;
    for (; child; child = xml->elements.data[child].next)
        if (xml_is_named(xml, child, "query")) read_query(document, child);
}

/* ---- the file ---- */

static bool check_root(struct document *document)
{
    struct xml *xml = &document->xml;
    if (xml_is_named(xml, 0, "project"))
        element_error(document, DIAG_UNSUPPORTED, 0,
                      "a project of several files (with imports) is not read: only a model in one "
                      "file is");
    else if (!xml_is_named(xml, 0, "nta"))
        element_error(document, DIAG_SYNTAX, 0,
                      "this XML is no model of UPPAAL: its root is not 'nta'");
    else return true;
    return false;
}

static void read_root(struct document *document)
{
    struct xml *xml = &document->xml;
    uint32_t system = XML_NONE;
    read_text(document, xml_child(xml, 0, "declaration"),
              (struct uppaal_part){.what = "global declarations"}, read_global, NULL);
    uint32_t child = xml->elements.data[0].child;
    for (; child; child = xml->elements.data[child].next) {
        if (xml_is_named(xml, child, "template")) read_template(document, child);
        else if (xml_is_named(xml, child, "lsc"))
            element_error(document, DIAG_UNSUPPORTED, child,
                          "a live sequence chart is not read: only templates are");
        else if (xml_is_named(xml, child, "instantiation"))
            read_text(document, child, (struct uppaal_part){.what = "instances"}, read_global,
                      NULL);
        else if (xml_is_named(xml, child, "system")) system = child;
    }
    if (!system || xml_is_blank(xml, system))
        element_error(document, DIAG_MISSING, system,
                      "there is no system line: 'system' with the names of processes");
    read_text(document, system, (struct uppaal_part){.what = "system declarations"}, read_system,
              NULL);
    for (child = xml->elements.data[0].child; child; child = xml->elements.data[child].next)
        if (xml_is_named(xml, child, "queries")) read_queries(document, child);
}

void uppaal_parse_document(struct uppaal_parser *parser, uint32_t source, struct uppaal_file *file)
{
    struct document document = {
        .parser = parser, .file = file, .last = &file->decls, .last_query = &file->queries};
    if (!xml_read(&document.xml, parser->diag, source)) return;
    assert(document.xml.elements.len); /* XML has a root */
    if (check_root(&document)) read_root(&document);
    xml_free(&document.xml);
}
