/* Runs by hand, for a page. A request has a run whole: {cells, seed, steps: [[rule, delay], ...]},
 * where `cells` are the numbers of its first state (null: a random one, by the seed) and
 * delays are texts such as "5/2". So every request can be answered by itself, a page can keep as
 * many runs as it likes, and going back is leaving steps out. */
#ifndef CAIRN_SERVE_STEPPING_H
#define CAIRN_SERVE_STEPPING_H

#include "serve/desk.h"

/* The run as pages have it (report/page.h), without the first `known` steps, and where it is: which
 * steps can be taken next, in time also after which delays, what is violated there. */
int stepping_run(struct desk *desk);
/* The run as ITF: `text`; with `file` it is also written there. */
int stepping_save(struct desk *desk);
/* A run that was saved, from `file`: the same answer as stepping_run. */
int stepping_load(struct desk *desk);

#endif
