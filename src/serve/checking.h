/* A check, for a page: lines of progress and diagnostics while it runs; its answer is the data of
 * the report page (report/page.h). SIGINT ends it with what is known. */
#ifndef CAIRN_SERVE_CHECKING_H
#define CAIRN_SERVE_CHECKING_H

#include "serve/desk.h"

int checking_run(struct desk *desk);

#endif
