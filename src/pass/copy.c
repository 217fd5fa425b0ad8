#include "pass/copy.h"

#include <string.h>

static void *copy_of(struct mem *mem, const void *data, size_t bytes)
{
    void *copy = mem_alloc(mem, bytes + 1);
    if (bytes) memcpy(copy, data, bytes);
    return copy;
}

#define COPY_VEC(mem, vec)                                                                         \
    ((vec)->data = copy_of((mem), (vec)->data, (size_t)(vec)->len * sizeof *(vec)->data),          \
     (vec)->cap = (vec)->len)
#define EMPTY_VEC(vec) ((vec)->data = NULL, (vec)->len = (vec)->cap = 0)

struct model *copy_model(const struct model *model)
{
    struct mem *mem = model->mem;
    struct model *copy = mem_alloc(mem, sizeof *copy);
    *copy = *model;
    arena_init(&copy->arena, mem);
    names_init(&copy->names, &copy->arena);
    COPY_VEC(mem, &copy->exprs.nodes);
    copy->exprs.slots =
        copy_of(mem, model->exprs.slots, model->exprs.size * sizeof *model->exprs.slots);
    EMPTY_VEC(&copy->exprs.marks);
    copy->exprs.walk = 0;
    COPY_VEC(mem, &copy->formulas.nodes);
    COPY_VEC(mem, &copy->vars);
    COPY_VEC(mem, &copy->processes);
    COPY_VEC(mem, &copy->locations);
    COPY_VEC(mem, &copy->dead_steps);
    COPY_VEC(mem, &copy->dead_processes);
    COPY_VEC(mem, &copy->properties);
    COPY_VEC(mem, &copy->constants);
    COPY_VEC(mem, &copy->restrictions);
    EMPTY_VEC(&copy->rules);
    EMPTY_VEC(&copy->parts);
    EMPTY_VEC(&copy->conjuncts);
    EMPTY_VEC(&copy->stores);
    EMPTY_VEC(&copy->accesses);
    EMPTY_VEC(&copy->code);
    EMPTY_VEC(&copy->rule_classes);
    EMPTY_VEC(&copy->priorities);
    EMPTY_VEC(&copy->intervals);
    EMPTY_VEC(&copy->constraints);
    EMPTY_VEC(&copy->resets);
    COPY_VEC(mem, &copy->locals);
    copy->local_values = NULL;
    copy->class_count = 0;
    return copy;
}

struct model *copy_whole(const struct model *model)
{
    struct mem *mem = model->mem;
    struct model *copy = copy_model(model);
    copy->rules = model->rules;
    copy->parts = model->parts;
    copy->conjuncts = model->conjuncts;
    copy->stores = model->stores;
    copy->accesses = model->accesses;
    copy->code = model->code;
    copy->rule_classes = model->rule_classes;
    copy->priorities = model->priorities;
    copy->intervals = model->intervals;
    copy->constraints = model->constraints;
    copy->resets = model->resets;
    copy->class_count = model->class_count;
    COPY_VEC(mem, &copy->rules);
    COPY_VEC(mem, &copy->parts);
    COPY_VEC(mem, &copy->conjuncts);
    COPY_VEC(mem, &copy->stores);
    COPY_VEC(mem, &copy->accesses);
    COPY_VEC(mem, &copy->code);
    COPY_VEC(mem, &copy->rule_classes);
    COPY_VEC(mem, &copy->priorities);
    COPY_VEC(mem, &copy->intervals);
    COPY_VEC(mem, &copy->constraints);
    COPY_VEC(mem, &copy->resets);
    COPY_VEC(mem, &copy->clocks);
    COPY_VEC(mem, &copy->tables);
    COPY_VEC(mem, &copy->wordings);
    COPY_VEC(mem, &copy->queries);
    COPY_VEC(mem, &copy->query_terms);
    COPY_VEC(mem, &copy->source_names);
    COPY_VEC(mem, &copy->wholes);
    COPY_VEC(mem, &copy->initial);
    return copy;
}
