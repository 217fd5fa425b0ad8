/* Patterns of properties (`Property P1; ALL Ordered ... leads-to ... end`) become the edges of an observer. */
#include "lang/cdl/parser.h"

void cdl_parse_pattern(struct cdl_parser *parser, struct cdl_decl *decl)
{
    diag_error(parser->diag, decl->place, "patterns of properties are not available in this version: write 'property %.60s is { ... }'", decl->name);
    parser->panic = true;
}
