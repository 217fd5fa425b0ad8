#!/usr/bin/env python3
"""The controller of devices that log in, and the devices as contexts.

    make.py login > login.fcr            the controller without time
    make.py timed > timed.fcr            the same, where handling a login takes [2,5] and an operation [1,4]
    make.py contexts [N] > contexts.cdl  contexts of 1 to N devices (default 4); for k devices the model needs -D n=k
"""
import sys

LOGIN, OPERATION = (2, 5), (1, 4)      # how long it takes to handle one


EXPECT_LOGIN = '''// expect: states=1 transitions=0
// expect -D n=1 --context contexts.cdl:devices1: states=28 transitions=29
// expect --context contexts.cdl:devices2: states=768 transitions=1406 deadlocks=0
// expect -D n=3 --context contexts.cdl:devices3: states=25594 transitions=62048
// expect -D n=3 --context contexts.cdl:devices3: property R1_3 holds
// expect --context contexts.cdl:hasty2: property R1_1 holds
// expect --context contexts.cdl:hasty2: property deadlock holds
// expect -D n=1 -D checked=0 --context contexts.cdl:hasty1: property R1_1 violated distance=15
// expect -D checked=0 --context contexts.cdl:devices2: property R1_1 holds
'''
EXPECT_TIMED = '''// expect: discrete=1
// expect --context contexts.cdl:devices2: property R1_2 holds
// expect --context contexts.cdl:deadline2: property R2_2_1 holds
// expect --context contexts.cdl:deadline2: property tight_2_1 violated
// expect -D n=3 --context contexts.cdl:deadline3: property R2_3_1 holds
// expect -D n=3 --context contexts.cdl:deadline3: property tight_3_1 violated
'''


def model(timed):
    def take(low, high):
        return f'\n        wait [{low},{high}];' if timed else ''

    head = EXPECT_TIMED if timed else EXPECT_LOGIN
    return f'''{head}
// A controller to which n devices log in, operate and log out{': with the time that it takes' if timed else ''}. The devices are its environment: a context (contexts.cdl).
// Written by make.py {'timed' if timed else 'login'}

const n       : nat  is 2                // devices
const checked : bool is true             // is the session looked at again when an operation is over?

type Device is 1..n
type Request is union START | LOGIN of Device | OPERATE of Device | LOGOUT of Device end
type Answer is union GO_INIT of Device | ACK_LOG of Device | NACK_LOG of Device | ACK_OPER of Device | NACK_OPER of Device end
type Result is union ADMITTED of Device | REFUSED of Device | DONE of Device | FAILED of Device end
type Requests is queue n of Request
type Answers is queue 2 * n of Answer
type Results is queue 2 * n of Result
type Line is queue n of Device
type Flags is array n of bool

// Knows who is logged in; hands logins to the registry and operations to the operator.
process SM (&requests : Requests, &logins : Line, &operations : Line, &results : Results, &answers : Answers) is
    states State_Idle, State_Init
    var devLogged, operateAccepted, answered, called : Flags, d : Device

    from State_Idle
        on not (empty requests);
        on first requests = START;{take(0, 0)}
        requests := dequeue requests;             /*@start*/
        to State_Init

    // The devices are called in any order.
    from State_Init
        d := any where not called[d - 1];
        on not (full answers);{take(0, 0)}
        called[d - 1] := true;
        answers := enqueue(answers, GO_INIT(d));  /*@call*/
        d := 1;
        loop

    from State_Init
        on not (empty requests);{take(0, 0)}
        case first requests of
            LOGIN d -> logins := enqueue(logins, d)
          | OPERATE d ->
                if devLogged[d - 1] then operations := enqueue(operations, d) else answers := enqueue(answers, NACK_OPER(d)) end
          | LOGOUT d -> devLogged[d - 1], operateAccepted[d - 1], answered[d - 1] := false, false, false
        end;
        requests := dequeue requests;             /*@request*/
        d := 1;
        loop

    from State_Init
        on not (empty results);{take(0, 0)}
        case first results of
            ADMITTED d -> devLogged[d - 1], answered[d - 1] := true, true; answers := enqueue(answers, ACK_LOG(d))
          | REFUSED d -> answered[d - 1] := true; answers := enqueue(answers, NACK_LOG(d))
          | DONE d ->
                if devLogged[d - 1] or not checked then
                    operateAccepted[d - 1] := true;
                    answers := enqueue(answers, ACK_OPER(d))
                else
                    answers := enqueue(answers, NACK_OPER(d))
                end
          | FAILED d -> answers := enqueue(answers, NACK_OPER(d))
        end;
        results := dequeue results;               /*@result*/
        d := 1;
        loop

// Looks up one device after the other.
process Registry (&logins : Line, &results : Results) is
    states ready

    from ready
        on not (empty logins);{take(*LOGIN)}
        select
            results := enqueue(results, ADMITTED(first logins))                      /*@admit*/
        []  results := enqueue(results, REFUSED(first logins))                       /*@refuse*/
        end;
        logins := dequeue logins;
        to ready

// Executes one operation after the other.
process Operator (&operations : Line, &results : Results) is
    states ready

    from ready
        on not (empty operations);{take(*OPERATION)}
        select
            results := enqueue(results, DONE(first operations))                      /*@done*/
        []  results := enqueue(results, FAILED(first operations))                    /*@failed*/
        end;
        operations := dequeue operations;
        to ready

component Controller is
    var SM_1 : Requests, toContext : Answers, logins, operations : Line, results : Results
    par
        SM(&SM_1, &logins, &operations, &results, &toContext) || Registry(&logins, &results) || Operator(&operations, &results)
    end

Controller
'''


def device(i):
    """Its events, what a device does, and what one does that does not wait for the answer to its operation before it logs out."""
    begin = f'event recv_go{i}; event send_login{i}; {{ event recv_ack_log{i} [] event recv_nack_log{i} }}; event send_operate{i}'
    answer, end = f'{{ event recv_ack_oper{i} [] event recv_nack_oper{i} }}', f'event send_logout{i}'
    return f'''event recv_go{i} is {{ receive GO_INIT({i}) from {{SM}}1 }}
event send_login{i} is {{ send LOGIN({i}) to {{SM}}1 }}
event recv_ack_log{i} is {{ receive ACK_LOG({i}) from {{SM}}1 }}
event recv_nack_log{i} is {{ receive NACK_LOG({i}) from {{SM}}1 }}
event send_operate{i} is {{ send OPERATE({i}) to {{SM}}1 }}
event recv_ack_oper{i} is {{ receive ACK_OPER({i}) from {{SM}}1 }}
event recv_nack_oper{i} is {{ receive NACK_OPER({i}) from {{SM}}1 }}
event send_logout{i} is {{ send LOGOUT({i}) to {{SM}}1 }}
activity DEV{i} is {{ {begin}; {answer}; {end} }}
activity HASTY{i} is {{ {begin}; {end}; {answer} }}

predicate R1_{i} is {{ {{SM}}1:operateAccepted[{i - 1}] = false or {{SM}}1:devLogged[{i - 1}] = true }}
predicate answered{i} is {{ {{SM}}1:answered[{i - 1}] = true }}
event answer{i} is {{ answered{i} becomes true }}
'''


def deadline(name, i, limit):
    """R2 for device i: an answer within `limit` of the login."""
    return f'''property {name}_{i} is {{
    start -- / / send_login{i} / ck := 0 -> waiting;
    waiting -- / / answer{i} / disable ck -> start;
    waiting -- ck > {limit} / / / disable ck -> reject
}}
'''


def contexts(most):
    text = f'''// Devices that log in, operate and log out: the environments of login.fcr and timed.fcr. For k devices the model needs -D n=k.
// model: login.fcr -D n={most} (written by make.py contexts {most})

event send_start is {{ send START to {{SM}}1 }}

'''
    text += '\n'.join(device(i) for i in range(1, most + 1)) + '\n'
    for k in range(1, most + 1):
        numbers = range(1, k + 1)
        init, invariants = 'init is { event send_start }', ', '.join(f'R1_{i}' for i in numbers)
        crowd, hasty = (' || '.join(f'{kind}{i}' for i in numbers) for kind in ('DEV', 'HASTY'))
        slowest = LOGIN[1] * k
        text += f'''// --- {k} device{'s' if k > 1 else ''}: all may log in at once, and the last one waits for {k} x {LOGIN[1]}.
{deadline(f'R2_{k}', 1, slowest)}{deadline(f'tight_{k}', 1, slowest - 1)}
cdl devices{k} is {{
    assert {invariants}
    {init}
    main is {{ {crowd} }}
}}
cdl hasty{k} is {{
    assert {invariants}
    {init}
    main is {{ {hasty} }}
}}
cdl deadline{k} is {{
    assert {invariants}
    properties R2_{k}_1, tight_{k}_1
    {init}
    main is {{ {crowd} }}
}}

'''
    return text


if __name__ == '__main__':
    words = sys.argv[1:]
    if words in (['login'], ['timed']):
        print(model(words[0] == 'timed'), end='')
    elif words[:1] == ['contexts'] and len(words) <= 2:
        print(contexts(int(words[1]) if len(words) == 2 else 4), end='')
    else:
        sys.exit(__doc__)
