/* How the construction of an automaton ends: a limit is a result. */
#ifndef CAIRN_BASE_BUILD_H
#define CAIRN_BASE_BUILD_H

enum build_status {
    BUILD_DONE,
    BUILD_REFUSED,  /* memory was refused */
    BUILD_TOO_LARGE /* more states than the caller allows, or more than 32 bits count */
};

#endif
