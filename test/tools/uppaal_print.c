/* Reads UPPAAL, XML or XTA, and prints it again as XTA (again.h); formulas are queries.
 *   uppaal_print --list FILE ...     the queries of models, or of files of queries (.q): a line
 *                                    each, `LINE:COLUMN ok TEXT`, or `LINE:COLUMN refused TEXT`
 *                                    with the place and the reason in a line behind it */
#include "again.h"
#include "lang/uppaal/parse.h"

static char *print_again(struct again_reader *reader, const char *name, const char *data,
                         size_t length, bool is_formula)
{
    uint32_t source = diag_add_source(&reader->diag, name, data, length);
    struct text text;
    text_init(&text, &reader->mem);
    text_add(&text, "%s", "");
    if (is_formula) {
        const struct uppaal_query *query = uppaal_parse_queries(
            &reader->diag, &reader->names, &reader->arena, &reader->mem, source);
        for (; query; query = query->next) {
            if (query->refused) {
                uppaal_tell_query(&reader->diag, query);
                return NULL;
            }
            uppaal_print_query(&text, query);
            if (query->next) text_add(&text, "\n");
        }
    } else {
        struct uppaal_file file;
        if (!uppaal_parse(&reader->diag, &reader->names, &reader->arena, &reader->mem, source,
                          &file))
            return NULL;
        uppaal_print(&text, &file);
    }
    return text.data;
}

static void list_queries(const struct uppaal_query *queries)
{
    for (const struct uppaal_query *query = queries; query; query = query->next) {
        printf("%u:%u %s %s\n", query->place.line, query->place.column,
               query->refused ? "refused" : "ok", query->text);
        if (query->refused)
            printf("    %u:%u %s: %s\n", query->refused_place.line, query->refused_place.column,
                   diag_code_word(query->refused_code), query->refused);
    }
}

static int list_file(const char *path)
{
    struct again_reader reader;
    struct uppaal_file file = {0};
    uint32_t source;
    const char *ending = strrchr(path, '.');
    bool good = true;
    again_open(&reader, stdout);
    if (!diag_read_source(&reader.diag, path, &source)) good = false;
    else if (ending && !strcmp(ending, ".q"))
        file.queries =
            uppaal_parse_queries(&reader.diag, &reader.names, &reader.arena, &reader.mem, source);
    else
        good = uppaal_parse(&reader.diag, &reader.names, &reader.arena, &reader.mem, source, &file);
    if (good) list_queries(file.queries);
    diag_finish(&reader.diag);
    mem_release(&reader.mem);
    return good ? 0 : 2;
}

static const char *const words[] = {"and",
                                    "or",
                                    "not",
                                    "imply",
                                    "xor",
                                    "true",
                                    "false",
                                    "int",
                                    "bool",
                                    "chan",
                                    "clock",
                                    "double",
                                    "void",
                                    "scalar",
                                    "const",
                                    "urgent",
                                    "broadcast",
                                    "priority",
                                    "system",
                                    "process",
                                    "state",
                                    "commit",
                                    "init",
                                    "trans",
                                    "guard",
                                    "sync",
                                    "assign",
                                    "for",
                                    "while",
                                    "do",
                                    "if",
                                    "else",
                                    "return",
                                    "typedef",
                                    "struct",
                                    "meta",
                                    "progress",
                                    "gantt",
                                    "assert",
                                    "select",
                                    "branchpoint",
                                    "probability",
                                    "forall",
                                    "exists",
                                    "sum",
                                    "default",
                                    "query",
                                    "hybrid",
                                    "before_update",
                                    "import",
                                    "dynamic",
                                    "spawn",
                                    "switch",
                                    "break",
                                    "A[]",
                                    "E<>",
                                    "E[]",
                                    "A<>",
                                    "-->",
                                    "deadlock",
                                    "sup",
                                    "inf",
                                    "bounds",
                                    "Pr",
                                    "simulate",
                                    "under",
                                    "A",
                                    "E",
                                    "x",
                                    "y",
                                    "P",
                                    "0",
                                    "1",
                                    "2.5",
                                    "1e3",
                                    "2147483647",
                                    "2147483648",
                                    "-2147483648",
                                    "++",
                                    "--",
                                    "+",
                                    "-",
                                    "*",
                                    "/",
                                    "%",
                                    "**",
                                    "<?",
                                    ">?",
                                    "<",
                                    "<=",
                                    ">",
                                    ">=",
                                    "==",
                                    "!=",
                                    "=",
                                    ":=",
                                    "+=",
                                    "<<=",
                                    ">>=",
                                    "<<",
                                    ">>",
                                    "&",
                                    "|",
                                    "^",
                                    "&&",
                                    "||",
                                    "!",
                                    "?",
                                    ":",
                                    ";",
                                    ",",
                                    ".",
                                    "'",
                                    "' == 1",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    "->",
                                    "-u->",
                                    "=<",
                                    "=>",
                                    "#",
                                    "\"s\"",
                                    "\n",
                                    "\\\n",
                                    "//",
                                    "/*",
                                    "*/",
                                    "&lt;",
                                    "&amp;",
                                    "&x;",
                                    "&#10;",
                                    "<![CDATA[",
                                    "]]>",
                                    "<!--",
                                    "-->",
                                    "<label kind=\"guard\">",
                                    "</label>",
                                    "<location id=\"a\">",
                                    "</location>",
                                    "<template>",
                                    "</template>",
                                    "<urgent/>",
                                    "<name>",
                                    "</name>",
                                    "<system>",
                                    "</system>",
                                    "<declaration>",
                                    "</declaration>",
                                    "<queries>",
                                    "<query>",
                                    "<formula>",
                                    "</formula>",
                                    "</query>",
                                    "</queries>",
                                    "<!ENTITY a \"b\">",
                                    "<lsc/>",
                                    "<nta>",
                                    "encoding=\"ISO-8859-1\"",
                                    "<branchpoint id=\"b\"/>",
                                    "<transition>",
                                    "</transition>",
                                    "<source ref=\"id0\"/>",
                                    "<target ref=\"id0\"/>"};

int main(int argc, char **argv)
{
    const struct again again = {print_again, words, sizeof words / sizeof *words};
    int status = 0;
    if (argc < 3 || strcmp(argv[1], "--list")) return again_main(&again, argc, argv);
    for (int i = 2; i < argc; i++) status |= list_file(argv[i]);
    return status;
}
