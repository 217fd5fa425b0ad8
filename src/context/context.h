/* A context: one way in which an environment uses a system, with what is to be checked in it. This
 * is what a context language (CDL) becomes; passes weave it into a model (pass/weave.h,
 * pass/observe.h), after which engines see nothing but a model.
 *
 * It is resolved against a loaded model by the names of the model's source (model_name and shape.h,
 * which a front end may fill in; otherwise names of variables). Its scenario becomes a minimal
 * acyclic automaton with a good topological order, and pass/weave turns that into a process with
 * one rule per event; the order is the model's rank, its final states those of the model. All of
 * this comes before pass/tighten, because it needs the ranges that the language declared.
 *
 *  - Events happen in steps of the model. The environment performs some of them (send, receive,
 *    sync): `scenario` says in which orders. Observers see all of them, and changes of predicates
 *    too.
 *  - A queue is a variable with its length and `capacity` runs of `width` variables, the first
 *    element first: what the Fiacre front end makes of queues. Variables of elements that are not
 *    there hold the initial value of their type, which is not always 0.
 *  - An observer is a deterministic automaton that sees every step: after the step it takes the
 *    first of its edges from where it stands whose clock guards, predicate (in the new state) and
 *    event (of this step) are all given; otherwise it stays. What an edge does not mention is
 *    given. Edges with clock guards and neither predicate nor event are taken as soon as these
 *    hold, without a step of the system, and before any step that happens then. In the initial
 *    state an observer takes the first edge without event and guards whose predicate, if it has
 *    one, is true.
 *  - A property is violated when its observer is in a state named `reject`, and by a run that stays
 *    for ever in its `pending` states: there something is asked for that has no deadline. A run
 *    that a restriction cuts owes nothing. An observer with a state named `success` and none named
 *    `reject` asks whether success is reached.
 *  - A restriction cuts: a state in which its observer is in `cut` counts and has no successor, and
 *    is no deadlock.
 *  - A clock of an observer runs from its last start on; a guard over a clock that is not running
 *    is false. */
#ifndef CAIRN_CONTEXT_CONTEXT_H
#define CAIRN_CONTEXT_CONTEXT_H

#include "automaton/activity/order.h"
#include "model/model.h"

enum { CONTEXT_NONE = 0xFFFFFFFF };

enum context_event_kind { EVENT_SEND, EVENT_RECEIVE, EVENT_SYNC, EVENT_BECOMES };

struct context_queue {
    uint32_t length;          /* a variable */
    uint32_t cells;           /* the first variable of the first element */
    uint32_t capacity, width; /* elements; variables in each */
    const int64_t *rest; /* width values: what the variables of an element that is not there hold */
    bool has_senders;    /* the model knows who sent the elements (pass/senders.h): ... */
    uint32_t senders;    /* ... the first of `capacity` variables, 0 where there is no element */
};

struct context_event {
    const char *name;    /* as people know it; unique */
    const char *text;    /* what it is, as the context writes it: `send E to {P}1` */
    bool is_in_scenario; /* the scenario speaks of it: a SYNC happens only where it allows it,
                            perhaps never */
    enum context_event_kind kind;
    struct context_queue queue; /* SEND: the receiver's; RECEIVE: the one to the environment */
    const int64_t *message;     /* SEND, RECEIVE: queue.width values */
    uint32_t sender;            /* RECEIVE: the process that sent it, or MODEL_NONE: anybody */
    struct place sender_place;
    bool is_settled, never; /* pass/senders.h has looked at it; it never happens, because nobody but
                               others writes the queue */
    uint32_t sender_value; /* where the queue has senders: what the variable of the element says; 0:
                              anything will do */
    const uint32_t *rules; /* SYNC: the rules that this event is a step of, ascending */
    uint32_t rule_count;
    expr predicate; /* BECOMES: this ... */
    bool value;     /* ... gets this truth value */
    struct place place;
};

struct observer_guard { /* the clock of the observer, compared with a number of ticks */
    uint32_t clock;     /* counted from 0 in this observer */
    enum expr_op op;    /* EXPR_LT, LE, GT, GE, EQ */
    int64_t ticks;
};

struct observer_action {
    uint32_t clock;
    bool starts; /* from 0; otherwise stops */
};

struct observer_edge {
    uint32_t from, to;
    uint32_t first_guard, guards;
    bool has_predicate;
    expr predicate;
    uint32_t event; /* of the context, or CONTEXT_NONE */
    uint32_t first_action, actions;
    struct place place;
};

struct observer {
    const char *name;
    bool is_restriction;
    const char *text;         /* one line that says what is asked, for reports */
    VEC(const char *) states; /* 0 is the start */
    VEC(const char *) clocks;
    VEC(struct observer_edge) edges; /* in the order in which they are tried */
    VEC(struct observer_guard) guards;
    VEC(struct observer_action) actions;
    uint32_t bad;  /* the state `reject` or `cut`, or CONTEXT_NONE: there is none */
    uint32_t goal; /* the state `success` of one that has no bad state and asks for nothing else; or
                      CONTEXT_NONE */
    VEC(uint32_t) pending; /* states, ascending */
    const char
        *ltl; /* of a pattern that has one: a formula over events that says the same; or NULL */
    struct place place;
};

struct context_assertion {
    const char *name, *text;
    expr condition;
    struct place place;
};

struct context {
    const char *name;
    const char *file;
    VEC(struct context_event) events;
    bool has_scenario; /* false: nothing but `skip`: the system is closed, and no context process is
                          made */
    struct dag scenario; /* labels are numbers of events; states in the order of their ranks */
    struct order_table orders; /* that were tried for them */
    VEC(struct context_assertion) assertions;
    VEC(struct observer) observers; /* properties and restrictions */
    struct place place;
};

#endif
