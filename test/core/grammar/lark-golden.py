"""Writes lark-golden.json: which texts the Python package lark takes, grammar by grammar.

    pip install lark==1.3.1
    python test/core/chat/grammar/lark-golden.py

Texts are those below, and random changes of them (seed 58). All readings count, so the parser is Earley with its dynamic
and complete lexer. Regular expressions leave no choice to their engine: nothing lazy, longer alternatives first.
What is ignored has an end that can be seen, since Lark takes the longest there alone.
"""

import json
import random
from pathlib import Path

import lark

GRAMMARS = {
    "calculator": (
        r'''
        // Sums of products, left-recursive.
        %import common.NUMBER
        %import common.CNAME -> NAME
        %import common.WS_INLINE
        %ignore WS_INLINE

        start: sum | NAME "=" sum -> assign
        ?sum: product
            | sum "+" product -> add
            | sum "-" product -> sub
        ?product: power
            | product "*" power -> mul
            | product "/" power -> div
        ?power: atom ["^" power]
        ?atom: NUMBER -> number
             | "-" atom -> neg
             | NAME -> variable
             | "(" sum ")"
        ''',
        ["1", "1+2", " x = 3 * (4.5 - y) ", "--2", "2^3^4", "1e3/.5", "a-b-c", "((1))", "x=1-2-3", "_a1"],
    ),
    "json": (
        r'''
        ?start: value
        ?value: object | array | ESCAPED_STRING | SIGNED_NUMBER
              | "true" -> yes | "false" -> no | "null" -> none
        array: "[" [value ("," value)*] "]"
        object: "{" [pair ("," pair)*] "}"
        pair: ESCAPED_STRING ":" value
        %import common.ESCAPED_STRING
        %import common.SIGNED_NUMBER
        %import common.WS
        %ignore WS
        ''',
        ['{}', '[ ]', '{"a": [1, -2.5, "x\\"y"], "b": {"c": null}}', '"\\\\"', "[true,false]", "\n1\t", '["a","b"]', "+1"],
    ),
    "sql": (
        r'''
        # A part of SQL, in any case.
        start: select ";"?
        select: "select"i columns "from"i NAME [where] [order] ["limit"i INT]
        columns: "*" | column ("," column)*
        column: expression ["as"i NAME]
        where: "where"i condition
        condition: condition "and"i test | condition "or"i test | test
        test: expression OPERATOR expression | "(" condition ")" | "not"i test
        order: "order"i "by"i NAME ("asc"i | "desc"i)?
        expression: NAME | INT | STRING | NAME "(" expression ")"
        OPERATOR: "=" | "<>" | "<=" | ">=" | "<" | ">"
        NAME: /[a-z_][a-z0-9_]*/i
        STRING: "'" /[^'\n]/* "'"
        %import common (INT, WS)
        %ignore WS
        %ignore /--[^\n]*\n/
        ''',
        [
            "select * from t",
            "SELECT a, max(b) AS m FROM t WHERE a = 1 AND (b <> 'x' or not c < 2);",
            "select a from t order by a desc limit 3",
            "select a -- all\nfrom t",
            "Select 1 from T where x>=''",
        ],
    ),
    "csv": (
        r'''
        start: row (NEWLINE row)* NEWLINE?
        row: cell ("," cell)*
        cell: QUOTED | PLAIN |
        QUOTED: "\"" (/[^"]/ | "\"\"")* "\""
        PLAIN: /[^",\r\n]+/
        %import common.NEWLINE
        ''',
        ["a,b\n1,2\n", '"x,""y""",z', ",,", "", "one", '"a\nb",c\r\nd'],
    ),
    "settings": (
        r'''
        start: (section | NEWLINE)+
        section: "[" NAME "]" NEWLINE (item NEWLINE)*
        item: NAME "=" (value ("," value)*)?
        value: WORD | SIGNED_FLOAT | SIGNED_INT
        NAME.2: (LETTER | "_") (LETTER | DIGIT | "_" | "-")*
        %import common (LETTER, DIGIT, WORD, SIGNED_FLOAT, SIGNED_INT, NEWLINE, WS_INLINE, SH_COMMENT)
        %ignore WS_INLINE
        %ignore SH_COMMENT
        ''',
        ["[a]\nx = 1\ny-2 = red, -1.5e2\n", "[a]\n\n[b]\nx=\n", "# none\n[a] # some\n", "[ main ]\nk=v\n"],
    ),
    "counts": (
        r'''
        start: time " " date [" " zone] MARK ~ 0..3
        time: HOUR ":" TWO [":" TWO]
        date: DIGIT ~ 4 ("-" DIGIT ~ 2) ~ 2
        zone: "Z" | SIGN HOUR
        HOUR: "0".."1" "0".."9" | "2" "0".."3"
        TWO: /[0-5][0-9]/
        SIGN: "+" | "-"
        MARK: "!"
        %import common.DIGIT
        ''',
        ["12:30 2026-11-25", "23:59:59 0001-01-01 Z!!!", "00:00 1999-12-31 +02!", "09:05 2020-02-30 Z"],
    ),
    "readings": (
        r'''
        start: KEYWORD NAME | NAME NAME | NUMBER+
        KEYWORD.10: "if"
        NAME: /[a-z]+/
        NUMBER: /[0-9]{1,2}/
        ''',
        ["ifx", "if", "ab", "iff", "12345", "1", "a", "xyz"],
    ),
    "mutual": (
        r'''
        start: e
        ?e: sum | product | call | item | NAME
        sum: e "+" e
        product: e "*" e
        call: e "(" [e ("," e)*] ")"
        item: e "." NAME | e "[" e "]"
        NAME: "a".."d"
        ''',
        ["a", "a+b*c", "a(b,c)(d).a", "a[b][c]+d", "a()", "a.b.c(d[a])"],
    ),
    "optional heads": (
        r'''
        !start: _list
        _list: _list SEP? entry | entry
        entry: [SIGN] DIGITS | "(" _list ")"
        SIGN: "+" | /-/
        DIGITS: ("0" | "1")+
        SEP: "," " "*
        ''',
        ["0", "01,1", "-1,+0", "(1,(0)), 1", "1(0)1", "+1-1"],
    ),
    "escapes": (
        r'''
        start: "\t" A | B "\\" | C+
        A: "\u00e9" | "\x41"i
        B: /\//
        C: /[^\S\n]/ | /\u20ac|\$/ | /[\]\[^\-]/
        ''',
        ["\té", "\ta", "\tA", "/\\", " \t", "€$", "]-^[", "\n"],
    ),
    "comments": (
        r'''
        start: (statement ";")*
        statement: NAME "(" ")" | "{" (statement ";")* "}"
        %import common (CNAME, WS, C_COMMENT)
        NAME: CNAME
        LINE: "//" /[^\n]/* "\n"
        %ignore WS
        %ignore C_COMMENT
        %ignore LINE
        ''',
        ["", "f();", "/* a */ f ( ) ; // b\n", "{ f(); g(); };", "/***/", "/* * / */f();", "// x\ng();"],
    ),
    "flags": (
        r'''
        start: WORD (" " WORD)*
        WORD: /[äöü]+/i | /str(asse|aße)/i | "ça"i | /a.c/s | /[^x-z ]/i
        ''',
        ["ÄÖÜ ä", "STRASSE", "straße", "ÇA ça", "a\nc", "b Q", "x", "Y"],
    ),
}

CHANGES = 24
SEED = 58


def change(text: str, alphabet: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 2)):
        at = rng.randint(0, len(text))
        match rng.randrange(4):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + rng.choice(alphabet) + text[at:]
            case 2:
                text = text[:at] + rng.choice(alphabet) + text[at + 1 :]
            case _:
                end = rng.randint(at, min(len(text), at + 4))
                text = text[:end] + text[at:]
    return text


def takes(parser: lark.Lark, text: str) -> bool:
    try:
        parser.parse(text)
        return True
    except lark.exceptions.UnexpectedInput:
        return False


def main() -> None:
    rng = random.Random(SEED)
    cases = []
    for name, (grammar, samples) in GRAMMARS.items():
        parser = lark.Lark(grammar, parser="earley", lexer="dynamic_complete")
        alphabet = "".join(sorted(set("".join(samples))))
        texts = set(samples) | {change(rng.choice(samples), alphabet, rng) for _ in range(CHANGES * len(samples))}
        taken = {text: takes(parser, text) for text in sorted(texts)}
        cases.append(
            {
                "name": name,
                "grammar": grammar,
                "taken": [text for text in taken if taken[text]],
                "refused": [text for text in taken if not taken[text]],
            }
        )
        print(name, len(cases[-1]["taken"]), len(cases[-1]["refused"]), [s for s in samples if not taken[s]])
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    made_with = json.dumps({"lark": lark.__version__, "seed": SEED})
    Path(__file__).with_suffix(".json").write_text(f'{{"madeWith":{made_with},"cases":[\n{lines}\n]}}\n')


main()
