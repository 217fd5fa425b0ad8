/* The tables (result/member.h) of a result: of what every engine counts, of what each engine and
 * order counts besides, of properties and their evidence. */
#ifndef CAIRN_RESULT_TABLES_H
#define CAIRN_RESULT_TABLES_H

#include "result/member.h"

extern const struct members tables_result, tables_property_result, tables_trace;
/* Of single engines and orders. */
extern const struct members tables_symbolic, tables_bounded, tables_timed, tables_clusters,
    tables_parts, tables_partition, tables_orders, tables_snapshot, tables_rounds;

/* All tables, the last one is NULL: for tests. */
extern const struct members *const tables_all[];

#endif
