/* Searches with --guide: the guide is compiled, split and unrolled as the options say, and woven
 * into the session's model. */
#ifndef CAIRN_RUN_GUIDELOAD_H
#define CAIRN_RUN_GUIDELOAD_H

#include "run/session.h"

/* Does nothing without --guide. False after a message; *status says whether it is one about the
 * guide or a limit. */
bool guideload_weave(struct session *session, int *status);

/* The automaton that was woven into the model (pass/guide.h), for pictures: session->picture. State
 * s is the value s + 1 of the variable. */
enum { GUIDELOAD_DRAWN = 400 };
struct guideload_picture {
    const char *name, *variable;
    uint32_t states;
    const uint32_t *first_edge, *edge_label, *edge_to; /* as in struct guide */
    const char *const *interactions;
};

/* The guides that a search is made for one after the other: of a file with several, or the parts of
 * one that is split. */
struct guideload_list {
    const char *file;
    const char **names; /* what to call them */
    uint32_t count;
    bool are_parts; /* of one guide: names are for people, numbers from 1 choose */
};
/* False: there is only one, or something is wrong that the search itself will tell. */
bool guideload_are_several(struct session *session, struct guideload_list *list);

#endif
