#include "lsp/company.h"

#include "lang/languages.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *copy(struct mem *mem, const char *text, size_t length)
{
    char *made = mem_alloc(mem, length + 1);
    return memcpy(made, text, length);
}

/* The folder of a path, with its slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static const char *beside(struct mem *mem, const char *path, const char *name, size_t length)
{
    size_t folder = length && name[0] == '/' ? 0 : folder_length(path);
    char *made = mem_alloc(mem, folder + length + 1);
    memcpy(made, path, folder);
    memcpy(made + folder, name, length);
    return made;
}

/* ---- what the file says ---- */

/* NAME=VALUE */
static void add_define(struct lsp_company *company, struct mem *mem, const char *word,
                       size_t length)
{
    const char *given = copy(mem, word, length), *equals = strchr(given, '=');
    char *end;
    if (!equals) return;
    errno = 0;
    int64_t value = strtoll(equals + 1, &end, 10);
    if (errno || *end || end == equals + 1) return;
    struct language_define define = {
        .name = copy(mem, given, (size_t)(equals - given)), .value = value, .optional = true};
    vec_push(mem, &company->defines, define);
}

static void read_words(struct lsp_company *company, struct mem *mem, const char *path,
                       const char *at, const char *end)
{
    bool is_define = false;
    while (at < end) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
        const char *word = at;
        while (at < end && *at != ' ' && *at != '\t' && *at != '\r') at++;
        size_t length = (size_t)(at - word);
        if (!length || (length == 2 && !memcmp(word, "*/", 2))) return;
        if (!company->model) company->model = beside(mem, path, word, length);
        else if (is_define) add_define(company, mem, word, length), is_define = false;
        else if (length == 2 && !memcmp(word, "-D", 2)) is_define = true;
        else return;
    }
}

static void read_head(struct lsp_company *company, struct mem *mem, const char *path,
                      const char *text, size_t length)
{
    enum { FIRST_LINES = 20 };
    static const char word[] = "model:";
    const char *end = text + length;
    for (uint32_t line = 1; line <= FIRST_LINES && text < end && !company->model; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        const char *at = text;
        while (at < stop && (*at == ' ' || *at == '\t' || *at == '/' || *at == '*')) at++;
        if (at > text && (size_t)(stop - at) > sizeof word - 1
            && !memcmp(at, word, sizeof word - 1)) {
            read_words(company, mem, path, at + sizeof word - 1, stop);
            company->is_said = company->model != NULL;
            company->line = line;
        }
        text = stop + 1;
    }
}

/* ---- what stands beside it ---- */

static void find_beside(struct lsp_company *company, struct mem *mem, const char *path)
{
    size_t folder = folder_length(path);
    const char *name = path + folder, *dot = strrchr(name, '.'), *only = NULL;
    size_t stem = dot ? (size_t)(dot - name) : strlen(name);
    DIR *list = opendir(folder ? copy(mem, path, folder) : ".");
    uint32_t count = 0;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const char *other = entry->d_name, *ending = strrchr(other, '.');
        if (other[0] == '.' || !languages_knows(other)) continue;
        only = beside(mem, path, other, strlen(other));
        count++;
        /* of several with different endings the first by name */
        if (ending && (size_t)(ending - other) == stem && !strncmp(other, name, stem)
            && (!company->model || strcmp(only, company->model) < 0))
            company->model = only;
    }
    if (list) closedir(list);
    if (!company->model && count == 1) company->model = only;
}

void lsp_company_find(struct lsp_company *company, struct mem *mem, const char *path,
                      const char *text, size_t length)
{
    *company = (struct lsp_company){0};
    read_head(company, mem, path, text, length);
    if (!company->model) find_beside(company, mem, path);
}
