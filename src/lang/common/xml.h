/* XML as a tree of elements with their places, by expat. Texts keep where each piece of them stood
 * (lexer.h), so that what is wrong in a text inside XML is told with its position in the file.
 *
 * Nothing outside of the text is ever read, and entities of its own are refused: a document type is
 * passed over. Depth and size are bounded.
 *
 * What must hold:
 * 1. The first element is the root; children of an element are linked by `next` in the order of the
 *    text, and come after it in the list.
 * 2. Every element has a text, which is a lexer_text: there is a piece, also when it is empty. */
#ifndef CAIRN_LANG_COMMON_XML_H
#define CAIRN_LANG_COMMON_XML_H

#include "lang/common/lexer.h"

enum { XML_NONE = 0 }; /* no element: the root is nobody's child and nobody's next */

struct xml_element {
    uint32_t name; /* into chars, as all texts: ended by 0 */
    uint32_t attributes, attribute_count;
    uint32_t child, next; /* XML_NONE: none */
    uint32_t text, length;
    uint32_t pieces, piece_count;
    struct place place; /* of its `<` */
};

struct xml_attribute {
    uint32_t name, value;
};

struct xml {
    struct mem *mem;
    VEC(struct xml_element) elements;
    VEC(struct xml_attribute) attributes;
    VEC(struct lexer_piece) pieces;
    VEC(char) chars;
};

/* Whether a source is XML rather than anything else that is read here: its first character says
 * it. */
bool xml_is(const struct source *source);

/* Reads a source. Returns false after errors. */
bool xml_read(struct xml *xml, struct diag *diag, uint32_t source);
void xml_free(struct xml *xml);

const char *xml_name(const struct xml *xml, uint32_t element);
bool xml_is_named(const struct xml *xml, uint32_t element, const char *name);
/* The value, or NULL. */
const char *xml_attribute(const struct xml *xml, uint32_t element, const char *name);
/* The first child of this name; XML_NONE: there is none. */
uint32_t xml_child(const struct xml *xml, uint32_t element, const char *name);
/* The text directly in the element, without that of its children. */
struct lexer_text xml_text(const struct xml *xml, uint32_t element);
/* Whether it is nothing but white space. */
bool xml_is_blank(const struct xml *xml, uint32_t element);

#endif
