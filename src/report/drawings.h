/* What pages draw: automata, and the state graph when it is small. As members of an object. */
#ifndef CAIRN_REPORT_DRAWINGS_H
#define CAIRN_REPORT_DRAWINGS_H

#include "base/out.h"
#include "run/session.h"

/* "automata": a list of {name, kind, variable, states, edges, initial}. `variable` is the one whose
 * value is the name of the current state. A state is [name, mark], or [number, mark, words] where
 * it has no name: words are what may follow. An edge is [from, to, label]. The scenario of the
 * context, the guide, observers, and processes whose rules say from where to where they lead. */
void drawings_automata(struct out *json, const struct session *session);

/* "graph": {states, edges, initial, zones}, or null when it is too large. A state is the list of
 * its values in the order of the variables; an edge is [from, to, rule]. */
void drawings_graph(struct out *json, struct session *session, const struct result *result,
                    bool raw);

#endif
