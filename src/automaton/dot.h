/* Automata as pictures (Graphviz DOT): final states have a double border, states with the same
 * longest distance from the start one rank, and the numbers of states show their order. */
#ifndef CAIRN_AUTOMATON_DOT_H
#define CAIRN_AUTOMATON_DOT_H

#include "automaton/activity/dag.h"
#include "automaton/guide/dfa.h"
#include "base/text.h"

enum { DOT_MAX_STATES = 2000 };

/* The name of a label; the text must live until the next call. */
typedef const char *dot_label(void *data, uint32_t label);

/* Adds the picture to a text. Of more than max_states states (0: DOT_MAX_STATES) only the first are
 * drawn, and a remark says so. Memory for the text jumps when refused (base/text.h); false when
 * memory is refused besides, and nothing has been added. */
bool dot_print(struct text *text, const struct dag *dag, const char *name, dot_label *label,
               void *data, uint32_t max_states);

/* The same for an automaton with cycles; edges between the same two states are drawn as one.
 * Allocates nothing besides the text. */
void dot_print_dfa(struct text *text, const struct dfa *dfa, const char *name, dot_label *label,
                   void *data, uint32_t max_states);

#endif
