/* Networks of timed automata as UPPAAL writes them: XML, XTA and the older TA. */
#ifndef CAIRN_LANG_UPPAAL_UPPAAL_H
#define CAIRN_LANG_UPPAAL_UPPAAL_H

#include "lang/common/language.h"

extern const struct language uppaal_language;

#endif
