#!/bin/sh
# Writes files as C. `embed.sh page page.html page.css script.js ...`: the report page as the arrays page_head and page_tail, with what
# stands before and behind the line @DATA@ of the page; the line @STYLE@ stands for the style sheet, the line @SCRIPT@ for all scripts in
# order. `embed.sh files NAME file ...`: files, one after the other, as one array.

array() {
    echo "extern const unsigned char $1[];"
    echo "extern const size_t $1_length;"
    echo "const unsigned char $1[] = {"
    od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g'
    echo "0};"
    echo "const size_t $1_length = sizeof $1 - 1;"
}

# What stands between two lines of the page ("": its beginning, its end).
between() {
    awk -v from="$1" -v to="$2" 'BEGIN { on = from == "" } $0 == to { on = 0 } on { print } $0 == from { on = 1 }' "$page"
}

echo '#include <stddef.h>'
if [ "$1" = files ]; then
    name=$2
    shift 2
    cat "$@" | array "$name"
    exit
fi
page=$2
style=$3
shift 3
(between "" @STYLE@ && cat "$style" && between @STYLE@ @DATA@) | array page_head
(between @DATA@ @SCRIPT@ && cat "$@" && between @SCRIPT@ "") | array page_tail
