/* expat calls us; we only write down. Its handlers must not jump, or its own memory would be lost:
 * so they use calls that may say no, and what was refused is told after expat has been freed.
 *
 * An element's text is collected in a buffer per open element, and copied behind the others when
 * the element ends: children may stand between two pieces of it. */
#include "lang/common/xml.h"

#include <assert.h>
#include <expat.h>
#include <string.h>
#include <strings.h>

enum {
    MAX_DEPTH = 100,
    MAX_ELEMENTS = 1 << 22,
    MAX_ATTRIBUTES = 1 << 22,
};

/* An element that has not ended. */
struct open {
    uint32_t element, last_child;
    VEC(char) text;
    VEC(struct lexer_piece) pieces;
};

struct reader {
    struct xml *xml;
    struct diag *diag;
    XML_Parser parser;
    uint32_t source;
    struct open open[MAX_DEPTH];
    uint32_t depth;
    bool refused; /* memory was */
    bool stopped; /* something was told, or memory refused */
};

/* ---- writing down ---- */

static struct place place_of(const struct reader *reader)
{
    return (struct place){reader->source, (uint32_t)XML_GetCurrentLineNumber(reader->parser),
                          (uint32_t)XML_GetCurrentColumnNumber(reader->parser) + 1};
}

static void stop(struct reader *reader)
{
    reader->stopped = true;
    XML_StopParser(reader->parser, XML_FALSE);
}

/* Room for `extra` more in a vector, without jumping. */
static bool grow(struct reader *reader, void **data, uint32_t len, uint32_t *cap, size_t extra,
                 size_t size)
{
    if (extra <= *cap - len) return true;
    size_t wanted = len + extra < 2 * (size_t)*cap ? 2 * (size_t)*cap : len + extra + 16;
    void *grown =
        wanted < UINT32_MAX ? mem_try_resize(reader->xml->mem, *data, wanted * size) : NULL;
    if (!grown) {
        reader->refused = true;
        stop(reader);
        return false;
    }
    *data = grown;
    *cap = (uint32_t)wanted;
    return true;
}

#define room(reader, vec, extra)                                                                   \
    grow((reader), (void **)&(vec)->data, (vec)->len, &(vec)->cap, (extra), sizeof *(vec)->data)

/* Adds a text with its 0; returns where it is. */
static uint32_t add_chars(struct reader *reader, const char *text, size_t length)
{
    struct xml *xml = reader->xml;
    uint32_t at = xml->chars.len;
    if (!room(reader, &xml->chars, length + 1)) return 0;
    if (length) memcpy(xml->chars.data + at, text, length);
    xml->chars.data[at + length] = 0;
    xml->chars.len += (uint32_t)length + 1;
    return at;
}

static void refuse(struct reader *reader, enum diag_code code, const char *text)
{
    if (reader->stopped) return;
    diag_error(reader->diag, code, place_of(reader), "%s", text);
    stop(reader);
}

/* ---- handlers ---- */

static void add_attributes(struct reader *reader, const char **given)
{
    struct xml *xml = reader->xml;
    for (; given[0] && !reader->stopped; given += 2) {
        if (xml->attributes.len >= MAX_ATTRIBUTES) {
            refuse(reader, DIAG_LIMIT, "this file has too many attributes");
            return;
        }
        struct xml_attribute attribute = {add_chars(reader, given[0], strlen(given[0])),
                                          add_chars(reader, given[1], strlen(given[1]))};
        if (reader->stopped || !room(reader, &xml->attributes, 1)) return;
        xml->attributes.data[xml->attributes.len++] = attribute;
        xml->elements.data[xml->elements.len - 1].attribute_count++;
    }
}

static void link_child(struct reader *reader, uint32_t element)
{
    if (!reader->depth) return;
    struct open *parent = &reader->open[reader->depth - 1];
    struct xml_element *elements = reader->xml->elements.data;
    assert(element > parent->element); /* 1 */
    if (parent->last_child) elements[parent->last_child].next = element;
    else elements[parent->element].child = element;
    parent->last_child = element;
}

static void start_element(void *user, const char *name, const char **attributes)
{
    struct reader *reader = user;
    struct xml *xml = reader->xml;
    if (reader->stopped) return;
    if (reader->depth >= MAX_DEPTH) {
        refuse(reader, DIAG_NESTING, "the elements of this file are nested too deeply");
        return;
    }
    if (xml->elements.len >= MAX_ELEMENTS) {
        refuse(reader, DIAG_LIMIT, "this file has too many elements");
        return;
    }
    struct xml_element element = {.name = add_chars(reader, name, strlen(name)),
                                  .attributes = xml->attributes.len,
                                  .place = place_of(reader)};
    if (reader->stopped || !room(reader, &xml->elements, 1)) return;
    uint32_t number = xml->elements.len++;
    xml->elements.data[number] = element;
    link_child(reader, number);
    struct open *open = &reader->open[reader->depth++];
    open->element = number;
    open->last_child = 0;
    open->text.len = open->pieces.len = 0;
    add_attributes(reader, attributes);
}

static void add_text(void *user, const char *text, int length)
{
    struct reader *reader = user;
    if (reader->stopped || !reader->depth) return;
    struct open *open = &reader->open[reader->depth - 1];
    if (!room(reader, &open->text, (size_t)length) || !room(reader, &open->pieces, 1)) return;
    open->pieces.data[open->pieces.len++] = (struct lexer_piece){open->text.len, place_of(reader)};
    memcpy(open->text.data + open->text.len, text, (size_t)length);
    open->text.len += (uint32_t)length;
}

static void end_element(void *user, const char *name)
{
    struct reader *reader = user;
    struct xml *xml = reader->xml;
    (void)name;
    if (reader->stopped) return;
    struct open *open = &reader->open[--reader->depth];
    struct xml_element *element = &xml->elements.data[open->element];
    if (!open->pieces.len) { /* 2 */
        if (!room(reader, &open->pieces, 1)) return;
        open->pieces.data[open->pieces.len++] = (struct lexer_piece){0, element->place};
    }
    element->length = open->text.len;
    element->text = add_chars(reader, open->text.data, open->text.len);
    element->pieces = xml->pieces.len;
    element->piece_count = open->pieces.len;
    if (reader->stopped || !room(reader, &xml->pieces, open->pieces.len)) return;
    memcpy(xml->pieces.data + xml->pieces.len, open->pieces.data,
           open->pieces.len * sizeof *open->pieces.data);
    xml->pieces.len += open->pieces.len;
}

static void declare_entity(void *user, const char *name, int is_parameter, const char *value,
                           int length, const char *base, const char *system_id,
                           const char *public_id, const char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system_id;
    (void)public_id, (void)notation;
    refuse(user, DIAG_UNSUPPORTED, "entities that a file declares by itself are not read");
}

static void skip_entity(void *user, const char *name, int is_parameter)
{
    struct reader *reader = user;
    if (reader->stopped || is_parameter) return;
    diag_error(reader->diag, DIAG_UNKNOWN, place_of(reader), "there is no entity '%.60s'", name);
    stop(reader);
}

/* Families of one byte per character: what is not ASCII stands in comments, and is not looked at.
 */
static int choose_encoding(void *user, const char *name, XML_Encoding *info)
{
    (void)user;
    if (strncasecmp(name, "windows-125", 11) && strncasecmp(name, "iso-8859-", 9)) return 0;
    for (int i = 0; i < 256; i++) info->map[i] = i;
    info->data = NULL;
    info->convert = NULL;
    info->release = NULL;
    return 1;
}

/* ---- reading ---- */

bool xml_is(const struct source *source)
{
    const char *at = source->text, *end = at + source->length;
    if (source->length >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3)) at += 3;
    else if (source->length >= 2 && (!memcmp(at, "\xFE\xFF", 2) || !memcmp(at, "\xFF\xFE", 2)))
        return true; /* UTF-16 */
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
    return at < end && *at == '<';
}

static void tell_failure(struct reader *reader)
{
    enum XML_Error error = XML_GetErrorCode(reader->parser);
    if (reader->stopped || error == XML_ERROR_NO_MEMORY) {
        reader->refused |= error == XML_ERROR_NO_MEMORY;
        return;
    }
    struct place place = place_of(reader);
    if (error == XML_ERROR_UNKNOWN_ENCODING || error == XML_ERROR_INCORRECT_ENCODING)
        diag_error(reader->diag, DIAG_UNSUPPORTED, place,
                   "this encoding is not read: save the file as UTF-8");
    else
        diag_error(reader->diag, DIAG_SYNTAX, place, "this is not well-formed XML: %s",
                   XML_ErrorString(error));
}

static void run(struct reader *reader)
{
    const struct source *file = &reader->diag->sources.data[reader->source];
    assert(file->length <= INT32_MAX);
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, start_element, end_element);
    XML_SetCharacterDataHandler(reader->parser, add_text);
    XML_SetEntityDeclHandler(reader->parser, declare_entity);
    XML_SetSkippedEntityHandler(reader->parser, skip_entity);
    XML_SetUnknownEncodingHandler(reader->parser, choose_encoding, NULL);
    XML_SetParamEntityParsing(reader->parser, XML_PARAM_ENTITY_PARSING_NEVER);
    if (XML_Parse(reader->parser, file->text, (int)file->length, XML_TRUE) != XML_STATUS_OK)
        tell_failure(reader);
}

bool xml_read(struct xml *xml, struct diag *diag, uint32_t source)
{
    uint32_t errors = diag->errors;
    struct reader *reader = mem_alloc(diag->mem, sizeof *reader);
    *xml = (struct xml){.mem = diag->mem};
    reader->xml = xml;
    reader->diag = diag;
    reader->source = source;
    reader->parser = XML_ParserCreate(NULL);
    if (!reader->parser) mem_refuse(diag->mem);
    run(reader);
    XML_ParserFree(reader->parser);
    for (uint32_t i = 0; i < MAX_DEPTH; i++) {
        vec_free(diag->mem, &reader->open[i].text);
        vec_free(diag->mem, &reader->open[i].pieces);
    }
    bool refused = reader->refused;
    mem_free(diag->mem, reader);
    if (refused) mem_refuse(diag->mem);
    if (diag->errors == errors) return true;
    xml_free(xml);
    return false;
}

void xml_free(struct xml *xml)
{
    vec_free(xml->mem, &xml->elements);
    vec_free(xml->mem, &xml->attributes);
    vec_free(xml->mem, &xml->pieces);
    vec_free(xml->mem, &xml->chars);
}

/* ---- looking ---- */

const char *xml_name(const struct xml *xml, uint32_t element)
{
    return xml->chars.data + xml->elements.data[element].name;
}

bool xml_is_named(const struct xml *xml, uint32_t element, const char *name)
{
    return !strcmp(xml_name(xml, element), name);
}

const char *xml_attribute(const struct xml *xml, uint32_t element, const char *name)
{
    const struct xml_element *at = &xml->elements.data[element];
    for (uint32_t i = 0; i < at->attribute_count; i++) {
        const struct xml_attribute *attribute = &xml->attributes.data[at->attributes + i];
        if (!strcmp(xml->chars.data + attribute->name, name))
            return xml->chars.data + attribute->value;
    }
    return NULL;
}

uint32_t xml_child(const struct xml *xml, uint32_t element, const char *name)
{
    uint32_t child = xml->elements.data[element].child;
    while (child && !xml_is_named(xml, child, name)) child = xml->elements.data[child].next;
    return child;
}

struct lexer_text xml_text(const struct xml *xml, uint32_t element)
{
    const struct xml_element *at = &xml->elements.data[element];
    return (struct lexer_text){xml->chars.data + at->text, at->length, at->piece_count,
                               xml->pieces.data + at->pieces};
}

bool xml_is_blank(const struct xml *xml, uint32_t element)
{
    const struct xml_element *at = &xml->elements.data[element];
    const char *text = xml->chars.data + at->text;
    for (uint32_t i = 0; i < at->length; i++)
        if (!strchr(" \t\r\n", text[i]) || !text[i]) return false;
    return true;
}
