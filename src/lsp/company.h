/* Which model a file of contexts or guides belongs to. In this order:
 *   1. the file says it, in one of its first lines: `// model: FILE`, maybe with constants:
 *      `// model: FILE -D n=4`. FILE is relative to the folder of the file.
 *   2. a model of the same name but for its ending stands beside it
 *   3. there is only one model in the folder */
#ifndef CAIRN_LSP_COMPANY_H
#define CAIRN_LSP_COMPANY_H

#include "lang/common/language.h"

struct lsp_company {
    const char *model; /* NULL: none was found */
    bool is_said;      /* in the file */
    uint32_t line;     /* where; 0: it is not said */
    VEC(struct language_define) defines;
};

void lsp_company_find(struct lsp_company *company, struct mem *mem, const char *path,
                      const char *text, size_t length);

#endif
