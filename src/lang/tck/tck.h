/* TChecker's text form of networks of timed automata. */
#ifndef CAIRN_LANG_TCK_TCK_H
#define CAIRN_LANG_TCK_TCK_H

#include "lang/common/language.h"

extern const struct language tck_language;

#endif
