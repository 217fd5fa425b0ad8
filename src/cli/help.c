#include "cli/help.h"

#include "base/version.h"
#include "run/engines.h"
#include "run/load.h"

#include <assert.h>
#include <string.h>

enum { HELP_COLUMN = 31, HELP_WIDTH = 100, MOST_OPTIONS = 256 };

/* ---- groups ---- */

/* What belongs together, by names of options, the most common first; what is in no group is in the
 * last one. */
static const struct group {
    const char *title, *options;
} groups[] = {
    {"Common options",
     "define property invariant find ltl ctl context engine memory time threads bound steps runs "
     "interactive to output log port json trace report quiet verbose help"},
    {"What is read", "guide guide-semantics guide-part model dialect skip-unsupported"},
    {"What is asked",
     "no-deadlock first traces shortest fair query queries expect implies equivalent "
     "accepts buchi equal within "
     "words unlogged gaps tolerance"},
    {"How it is searched", "order reduce keep show seed"},
    {"Disk and parts, for large searches",
     "freeze resume results split split-depth part partition partition-hidden"},
    {"Many processes and machines", "work prepare join no-wait takeover slurm"},
    {"Choices of single engines",
     "direction relation variant tableau no-frontier phase no-induction zones store"},
    {"What is shown", "full raw hide show-expr progress diagnostics color"},
    {"Further options", ""},
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* Where the option stands among the words of a group; -1: nowhere. */
static int place_in(const struct group *group, const char *name)
{
    int place = 0;
    for (const char *at = group->options; *at; place++) {
        size_t length = strcspn(at, " ");
        if (strlen(name) == length && !strncmp(at, name, length)) return place;
        at += length + (at[length] == ' ');
    }
    return -1;
}

static bool is_in(unsigned group, const char *name, int *place)
{
    for (unsigned g = 0; g + 1 < GROUPS; g++) {
        *place = place_in(&groups[g], name);
        if (*place >= 0) return g == group;
    }
    *place = 0;
    return group + 1 == GROUPS;
}

/* The options of a group, in its order, that some command of these has. */
static unsigned members(unsigned group, unsigned commands_of,
                        const struct options_row *list[MOST_OPTIONS])
{
    int places[MOST_OPTIONS], place;
    unsigned count = 0;
    const struct options_row *row;
    for (unsigned i = 0; (row = options_row(i)); i++) {
        if (!(row->commands & commands_of) || !is_in(group, row->name, &place)) continue;
        unsigned at = count++;
        assert(count < MOST_OPTIONS);
        for (; at && places[at - 1] > place; at--)
            list[at] = list[at - 1], places[at] = places[at - 1];
        list[at] = row, places[at] = place;
    }
    return count;
}

/* ---- examples ---- */

static const struct example {
    unsigned command;
    const char *words, *what;
} examples[] = {
    {ASK_CHECK, "cairn check examples/philosophers/phils.mil",
     "decide all that the model asks; show why what is violated is"},
    {ASK_CHECK, "cairn check examples/philosophers/phils.mil -D n=3 -p deadlock --report run.html",
     "one property, with n = 3; the run as a page"},
    {ASK_CHECK, "cairn check examples/peterson/peterson.mil --find 'p[0].pc == critical'",
     "a shortest run to such a state"},
    {ASK_CHECK, "cairn check examples/scheduling/scheduling.mil --memory 1M --time 1m",
     "within limits; status 3 when they end it"},
    {ASK_EXPLORE, "cairn explore examples/running/running.mil --json", "counts, for a program"},
    {ASK_EXPLORE, "cairn explore examples/philosophers/phils.mil -D n=100 --engine symbolic",
     "5.2e47 states, as one set"},
    {ASK_SIMULATE, "cairn simulate examples/peterson/peterson.mil -i", "step by step, by hand"},
    {ASK_SIMULATE, "cairn simulate examples/philosophers/phils.mil --runs 100 --steps 50",
     "random runs, which look out for violations"},
    {ASK_SERVE, "cairn serve examples/peterson/peterson.mil", "edit, step and check in a browser"},
    {ASK_REPLAY, "cairn replay trace.itf.json", "what --trace has saved"},
    {ASK_CONFORM, "cairn conform examples/philosophers/phils.mil examples/philosophers/table.jsonl",
     "is this log the beginning of a run?"},
    {ASK_TRANSLATE, "cairn translate examples/running/running.mil --to promela -o running.pml",
     "for Spin"},
    {ASK_GUIDE, "cairn guide examples/guides/landing.xgdl --bound 8", "sizes, unrolled"},
    {ASK_CHECK,
     "cairn check examples/airlock/open.fcr --context examples/airlock/people.cdl "
     "--work w --part auto",
     "a worker: as many as you like, on as many machines; then the same with --join"},
    {ASK_STATUS, "cairn status w", "who does what, and how far it is"},
    {ASK_LSP, "cairn lsp", "what an editor starts: see docs/editors.md"},
    {ASK_AUTOMATON, "cairn automaton --ltl 'G (a -> F b)' --to hoa", "as a Büchi automaton"},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* ---- help ---- */

/* Words from column `from` on, within the width; the line has `column` characters already. */
static void wrap(FILE *out, const char *text, size_t column, size_t from)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > from && column + 1 + length > HELP_WIDTH)
            fprintf(out, "\n%*s", (int)from, ""), column = from;
        else if (column > from) fputc(' ', out), column++;
        fprintf(out, "%.*s", (int)length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

static void print_row(FILE *out, const struct options_row *row)
{
    char left[64], letter[8] = "    ";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *gap = row->argument && row->argument[0] != '[' ? " " : "";
    int length = snprintf(left, sizeof left, "  %s--%s%s%s", letter, row->name, gap,
                          row->argument ? row->argument : "");
    if (length < HELP_COLUMN) fprintf(out, "%-*s", HELP_COLUMN, left);
    else fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    wrap(out, row->help, HELP_COLUMN, HELP_COLUMN);
}

static void print_examples(FILE *out, unsigned commands_of)
{
    fputs("\nExamples:\n", out);
    for (unsigned i = 0; i < EXAMPLES; i++)
        if (examples[i].command & commands_of)
            fprintf(out, "  # %s\n  %s\n", examples[i].what, examples[i].words);
}

static const char exit_status_text[] =
    "  0  everything asked is decided and holds; explore: the search was complete\n"
    "  1  a property is violated\n"
    "  2  bad usage, bad model or bad property text\n"
    "  3  inconclusive: a bound, memory or time ended the search, or it was a simulation that "
    "found nothing\n"
    "  4  an internal error\n";

static void print_all(FILE *out)
{
    fprintf(out,
            "cairn %s: proves or refutes properties of all behaviours of a concurrent "
            "system\n\n",
            CAIRN_VERSION);
    for (const struct command *each = commands; each->name; each++) {
        int length = fprintf(out, "  cairn %-10s %s", each->name, each->argument);
        if (length < HELP_COLUMN) fprintf(out, "%*s", HELP_COLUMN - length, "");
        else fprintf(out, "\n%*s", HELP_COLUMN, "");
        wrap(out, each->summary, HELP_COLUMN, HELP_COLUMN);
    }
    fputs("\ncairn COMMAND --help lists the options of a command. Models:\n", out);
    for (unsigned i = 0; languages[i]; i++)
        fprintf(out, "  %-8s %s\n", languages[i]->extension, languages[i]->summary);
    fprintf(out, "\nExit status:\n%s", exit_status_text);
    print_examples(out, ASK_ALL);
}

void help_print(FILE *out, const struct command *command)
{
    if (!command) {
        print_all(out);
        return;
    }
    fprintf(out, "cairn %s%s%s [options]\n", command->name, *command->argument ? " " : "",
            command->argument);
    wrap(out, command->summary, 0, 0);
    for (unsigned g = 0; g < GROUPS; g++) {
        const struct options_row *list[MOST_OPTIONS];
        const unsigned count = members(g, command->bit, list);
        if (count) fprintf(out, "\n%s:\n", groups[g].title);
        for (unsigned i = 0; i < count; i++) print_row(out, list[i]);
    }
    print_examples(out, command->bit);
}

/* ---- the manual page ---- */

/* Dashes and backslashes as the formatter wants them. */
static void put_roff(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '-') fputs("\\-", out);
        else if (*text == '\\') fputs("\\e", out);
        else fputc(*text, out);
    }
}

static void put_manual_row(FILE *out, const struct options_row *row)
{
    fputs(".TP\n.B ", out);
    if (row->letter) fprintf(out, "\\-%c, ", row->letter);
    fputs("\\-\\-", out);
    put_roff(out, row->name);
    if (row->argument) fprintf(out, "%s%s", row->argument[0] == '[' ? "" : " ", row->argument);
    fputs("\n", out);
    put_roff(out, row->help);
    fputs(" (", out);
    for (const struct command *each = commands, *first = NULL; each->name; each++)
        if (row->commands & each->bit) {
            fprintf(out, "%s%s", first ? ", " : "", each->name);
            first = each;
        }
    fputs(")\n", out);
}

void help_manual(FILE *out)
{
    fprintf(
        out,
        ".TH CAIRN 1 \"\" \"cairn %s\" \"User commands\"\n.nh\n.SH NAME\ncairn \\- model checker "
        "for concurrent systems\n.SH SYNOPSIS\n",
        CAIRN_VERSION);
    for (const struct command *each = commands; each->name; each++)
        fprintf(out, ".B cairn %s\n%s%s\n[options]\n.br\n", each->name,
                *each->argument ? ".I " : ".\\\"", each->argument);
    fputs(".SH DESCRIPTION\ncairn reads a description of a concurrent system and proves or refutes "
          "properties of all its behaviours.\n"
          "Results go to standard output, progress, warnings and errors to standard error.\n.SH "
          "COMMANDS\n",
          out);
    for (const struct command *each = commands; each->name; each++) {
        fprintf(out, ".TP\n.B %s\n", each->name);
        put_roff(out, each->summary);
        fputs("\n", out);
    }
    fputs(".SH OPTIONS\n", out);
    for (unsigned g = 0; g < GROUPS; g++) {
        const struct options_row *list[MOST_OPTIONS];
        const unsigned count = members(g, ASK_ALL, list);
        if (count) fprintf(out, ".SS %s\n", groups[g].title);
        for (unsigned i = 0; i < count; i++) put_manual_row(out, list[i]);
    }
    fputs(".SH EXIT STATUS\n.nf\n", out);
    put_roff(out, exit_status_text);
    fputs(".fi\nNever 0 for a search that was cut short.\n.SH FILES\n", out);
    for (unsigned i = 0; languages[i]; i++)
        fprintf(out, ".TP\n.B *%s\n%s\n", languages[i]->extension, languages[i]->summary);
    fputs(".SH EXAMPLES\n.nf\n", out);
    for (unsigned i = 0; i < EXAMPLES; i++) {
        fprintf(out, "# %s\n", examples[i].what);
        put_roff(out, examples[i].words);
        fputs("\n", out);
    }
    fputs(".fi\n", out);
}

/* ---- completion ---- */

/* Options whose values are words of a list. */
static const char *const choices[][2] = {
    {"order", "bfs dfs past-freeze best-first saturation chaining"},
    {"dialect", "obp frac"},
    {"reduce", "none por two-phase deadlock improviso steps"},
    {"keep", "ltl ctl deadlock"},
    {"zones", "simulation inclusion equal"},
    {"store", "auto flat tree"},
    {"native", "auto always never"},
    {"show", "process-model orders enumerated-orders"},
    {"direction", "forward backward"},
    {"relation", "per-rule monolithic labelled"},
    {"split", "auto always never alternatives permutations position"},
    {"guide-semantics", "disable filter"},
    {"to", "promela smv ord xta q tck aiger aag dimacs dot aut cairn observers observers-dot hoa "
           "never text"},
    {"diagnostics", "text json sarif"},
    {"progress", "auto always never json"},
    {"color", "auto always never"},
};

/* Bash takes words apart at ':' and '=': they are put together again first. */
static const char begin_text[] =
    "# completion of cairn for bash (zsh: bashcompinit)\n"
    "_cairn_names() # KIND WORD: names that the model on the line has\n"
    "{\n"
    "    local IFS=$'\\n' kind=$1 word=$2\n"
    "    COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" --names \"$kind\" \"$word\" "
    "\"${given[@]}\" "
    "2>/dev/null)\" -- \"$word\"))\n"
    "}\n"
    "_cairn()\n"
    "{\n"
    "    local i part word= before= options= command=${COMP_WORDS[1]} joined=\n"
    "    local given=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        part=${COMP_WORDS[i]}\n"
    "        case $part in\n"
    "        :|=) word+=$part; joined=yes; continue ;;\n"
    "        esac\n"
    "        if [ -n \"$joined\" ]; then\n"
    "            word+=$part\n"
    "        else\n"
    "            [ \"$i\" -gt 1 ] && given+=(\"$word\")\n"
    "            before=$word word=$part\n"
    "        fi\n"
    "        joined=\n"
    "    done\n"
    "    case $word in\n"
    "    --*=*) before=${word%%=*}; word=${word#*=} ;;\n"
    "    esac\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        COMPREPLY=($(compgen -W \"";

static const char end_text[] =
    "    -p|--property) _cairn_names properties \"$word\"; return ;;\n"
    "    esac\n"
    "    case $word in\n"
    "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
    "    *.cdl:*|*.xgdl:*) # bash replaces only what is behind the colon\n"
    "        case $word in\n"
    "        *.cdl:*) _cairn_names context \"$word\" ;;\n"
    "        *) _cairn_names guide \"$word\" ;;\n"
    "        esac\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*:}\"}\"}\") ;;\n"
    "    *) COMPREPLY=($(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _cairn cairn\n";

static void put_choice(FILE *out, const char *option, const char *words)
{
    fprintf(out, "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", option,
            words);
}

void help_completion(FILE *out)
{
    const struct options_row *row;
    fputs(begin_text, out);
    for (const struct command *each = commands; each->name; each++) fprintf(out, "%s ", each->name);
    fputs("--help --version\" -- \"$word\"))\n        return\n    fi\n    case $command in\n", out);
    for (const struct command *each = commands; each->name; each++) {
        fprintf(out, "    %s) options='", each->name);
        for (unsigned i = 0; (row = options_row(i)); i++)
            if (row->commands & each->bit) fprintf(out, "--%s ", row->name);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n    case $before in\n", out);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        put_choice(out, choices[i][0], choices[i][1]);
    fputs("    --engine) COMPREPLY=($(compgen -W 'auto", out);
    for (unsigned i = 0; engines[i].name; i++) fprintf(out, " %s", engines[i].name);
    fputs("' -- \"$word\")); return ;;\n", out);
    fputs(end_text, out);
}
