/* A state space in memory: what the search fills and what the temporal checks read. */
#ifndef CAIRN_ENGINE_EXPLICIT_SPACE_H
#define CAIRN_ENGINE_EXPLICIT_SPACE_H

#include "program/layout.h"
#include "program/program.h"
#include "solver/store.h"

struct space {
    struct model *model;
    struct layout layout;
    struct program program;
    struct store *store;
    uint64_t *words; /* the state being expanded */
    uint64_t *next;  /* room for at least one successor */
};

/* Loads a stored state into space->words. */
void space_load(struct space *space, uint32_t state);
/* A rule that leads from one stored state to another, or MODEL_NONE. Uses words and next. */
uint32_t space_rule_between(struct space *space, uint32_t from, uint32_t to);

#endif
