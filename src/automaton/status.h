/* How the construction of an automaton ends: a limit is a result. */
#ifndef CAIRN_AUTOMATON_STATUS_H
#define CAIRN_AUTOMATON_STATUS_H

enum dag_status {
    DAG_DONE,
    DAG_REFUSED,  /* memory was refused */
    DAG_TOO_LARGE /* more states than the caller allows, or more than 32 bits count */
};

#endif
