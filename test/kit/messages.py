"""Messages of the sources, and the places that they point to, for suites that want a bad text for
each of them."""
import re


def place_of(text):
    """Line and column of the mark § in a text."""
    before = text[:text.index('§')]
    return before.count('\n') + 1, len(before) - before.rfind('\n')


def pattern_of(literal):
    """What a string of C looks like when it is printed."""
    pieces = re.split(r'%[-.0-9]*z?[a-zA-Z]|%$', literal.replace('\\"', '"').replace('\\\\', '\\'))
    return re.compile('.*?'.join(map(re.escape, pieces)))


def literals_of(code, calls):
    """The strings of more than a word in each call whose beginning matches, with the call's line;
    strings that are written side by side are one."""
    for match in re.finditer(calls, code):
        at, depth, quoted = match.end(), 1, False
        while depth:
            if quoted:
                at += code[at] == '\\'
                quoted = code[at] != '"'
            elif code[at] == '"':
                quoted = True
            else:
                depth += (code[at] == '(') - (code[at] == ')')
            at += 1
        whole = re.sub(r'" PRI[du]64 "|" PRI[du]64', 'd', code[match.end():at])
        whole = re.sub(r'"\s*\n\s*"', '', whole)
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', whole):
            if ' ' in literal.strip():
                yield literal, code.count('\n', 0, match.start()) + 1
