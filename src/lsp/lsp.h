/* The door for editors: the Language Server Protocol, 3.17, on standard input and output. The
 * server itself only keeps texts and answers questions about them; texts are read by processes of
 * their own (analyse.h), and so are properties checked (verdict.h): no text can end it, or hold it
 * up. What is where:
 *   stream    frames of the protocol
 *   text      texts with positions
 *   findings  what was found out about a text
 *   analyse   finding it out
 *   company   which model a context or a guide belongs to
 *   job       processes
 *   answer    questions about a text
 *   verdict   checks of properties
 *   server    documents, and what becomes of requests */
#ifndef CAIRN_LSP_LSP_H
#define CAIRN_LSP_LSP_H

#include "base/mem.h"

/* Serves until the client says `exit`, or its end of the pipe is closed. Returns the exit
 * status. */
int lsp_run(struct mem *mem);

#endif
