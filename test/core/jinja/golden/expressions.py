"""Renders generated expressions and statements with Jinja2.

Usage: python expressions.py [count] [seed] (with transformers and jinja2 installed), which writes expressions.json;
with a count, it prints that many cases instead. `null` stands for an error.
"""

import copy
import json
import random
import sys
from pathlib import Path

import jinja2
import transformers
from transformers.utils.chat_template_utils import _compile_jinja_template

VARIABLES = {
    "n": 7,
    "z": 0,
    "f": 2.5,
    "s": "Hello, wörld",
    "t": "a-b c_d",
    "e": "",
    "yes": True,
    "no": False,
    "nil": None,
    "xs": [3, 1, 2],
    "ws": ["b", "A", "c", "a"],
    "m": {"b": 2, "a": [1, 2], "c d": None},
    "rows": [{"k": "x", "v": 1}, {"k": "Y", "v": 2.5}, {"k": "x", "v": 3}],
}
ATOMS = (
    "n z f s t e yes no nil xs ws m rows missing 0 1 2 3 -1 10 255 1.0 0.5 2.50 1e3 1e-7 12345678901234567890 "
    "'' 'a' 'a b c' \"it's\" '12' '0x1f' ' 3 ' '1.5' 'é😀' '%s-%d' '{}{}' true none [] [1,2] ['x'] () (1,) (1,2,3) "
    "{} {'a':1} {1:2,True:3} {1.0:'x'} '<b>' '\\\\n' 'x\\ny' 'A-B'"
).split(" ")
ATOMS = [atom for atom in ATOMS if atom not in ("'a", "b", "c'", "'", "3")] + ["'a b c'", "' 3 '", "3"]
BINARY = "+ - * / // ~ == != < <= > >= in and or".split(" ") + ["not in"]
FILTERS = [
    "abs", "first", "last", "length", "list", "lower", "upper", "title", "capitalize", "trim", "string", "tojson",
    "tojson(indent=2)", "tojson(ensure_ascii=true)", "int", "int(5)", "int(base=16)", "int(0, 2)", "float", "float(1.5)",
    "round", "round(1)", "round(1, 'floor')", "round(method='ceil')", "reverse", "reverse|list", "sort", "sort(reverse=true)",
    "join", "join(', ')", "join('-', attribute='k')", "unique|list", "min", "max", "sum", "sum(start=1)", "default('d')",
    "default('d', true)", "replace('a', 'Z')", "replace('l', 'L', 1)", "indent", "indent(2, true)",
    "map('upper')|list", "map(attribute='v')|list",
    "map(attribute='w', default=0)|list", "select|list", "select('odd')|list", "reject('eq', 1)|list", "select('in', [1, 2])|list",
    "selectattr('v', 'gt', 1)|list", "rejectattr('v')|list", "dictsort", "dictsort(by='value')", "items|list", "escape",
    "count", "safe", "d(3)",
]
TESTS = [
    "defined", "undefined", "none", "true", "false", "boolean", "integer", "float", "number", "string", "mapping", "iterable",
    "sequence", "callable", "odd", "even", "divisibleby(2)", "divisibleby 3", "lower", "upper", "in([1, 'a'])", "in xs", "eq(1)",
    "eq 1", "ne(1)", "lt(3)", "equalto 'a'", "ge 2", "greaterthan(1)",
]
METHODS = [
    ".upper()", ".lower()", ".strip()", ".strip('aH')", ".lstrip()", ".rstrip('d')", ".split()", ".split('l', 1)", ".split('-')",
    ".rsplit(' ', 1)", ".splitlines()", ".startswith('a')", ".endswith(('d', 'c'))", ".replace('a', 'b')", ".find('l')",
    ".rfind('l')", ".index('a')", ".count('l')", ".join(ws)", ".title()", ".capitalize()", ".isdigit()", ".isalpha()",
    ".isalnum()", ".isspace()", ".isupper()", ".islower()", ".partition(' ')", ".rpartition(' ')", ".removeprefix('a')",
    ".items()|list", ".keys()|list", ".values()|list", ".get('a')", ".get('zz', 1)", ".a", ".v", "['a']", "[0]", "[-1]", "[1:]", "[:2]", "[::-1]",
    "[1:3]", "[::2]", "[9]", "[1]", "[1.0]", "[true]", ".0", ".k", ".nothing",
]
STATEMENTS = [
    "{% raw %}{{ x }} {% if %}{% endraw %}|", "a {%- raw -%}  {{ b }}  {%- endraw %} c", "{% raw %}\n  {{ y }}\n{% endraw %}\nz",
    "{% with a = n, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}", "{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q }}",
    "{% for r in [[1, [2, [3]]], 4] recursive %}{{ loop.depth }}:{% if r is sequence %}({{ loop(r) }}){% else %}{{ r }}{% endif %} {% endfor %}",
    "{% for x in xs if x > 1 %}{{ loop.index }}/{{ loop.length }}={{ x }};{% else %}none{% endfor %}", "{% for x in [] %}{% else %}none{% endfor %}",
    "{% for x in xs %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {{ loop.cycle('o', 'e') }} {{ loop.first }}{{ loop.last }}{{ loop.revindex }} {% endfor %}",
    "{% for x in [1, 1, 2] %}{% if loop.changed(x) %}{{ x }}{% endif %}{% endfor %}", "{% for k, v in m.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% set j = joiner('; ') %}{% for x in xs %}{{ j() }}{{ x }}{% endfor %}", "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.reset() }}{{ c.current }}",
    "{% macro g(a, b=2) %}[{{ a }}{{ b }}{{ varargs }}{{ kwargs }}]{% endmacro %}{{ g(1) }}{{ g(1, 3, 4) }}{{ g(b=5, a=6, c=7) }}",
    "{% macro g(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ g(1) }}{{ g() }}", "{% macro g() %}<{{ caller(1) }}>{% endmacro %}{% call(x) g() %}{{ x }}!{% endcall %}",
    "{% macro g(a) %}{{ a }}{% endmacro %}{{ g(1, 2) }}", "{% macro g(a) %}{{ a }}{% endmacro %}{{ g(b=1) }}", "{% macro g(a) %}{{ a }}{% endmacro %}{{ g(1, a=2) }}",
    "{% set x %}  block {{ n }} {% endset %}[{{ x }}]", "{% set x | trim | upper %}  block {% endset %}[{{ x }}]", "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set ns = namespace(i=0) %}{% for x in xs %}{% set ns.i = ns.i + x %}{% endfor %}{{ ns.i }}{{ ns }}", "{% filter upper | trim %} abc {% endfilter %}",
    "{% if n > 5 %}big{% elif n %}some{% else %}none{% endif %}", "{% if 1 < n < 9 %}in{% endif %}{{ 1 < 2 > 3 }}{{ 1 == 1.0 == true }}",
    "{% for x in xs %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% endfor %}", "{% for x in xs %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% generation %}{% set q = 1 %}{{ q }}{% endgeneration %}{{ q }}", "  {% if true %}\n  x\n  {% endif %}\ny", "  {%+ if true %}x{% endif +%}\ny", "{#- c -#}  x {# d #}\n y",
    "{{- ' a ' -}}   b", "{{ 'a' 'b' }}", "{{ 1, 2 }}", "{{ n if no }}|", "{{ n if no else s if yes else t }}", "{{ -2 ** 2 }} {{ 2 ** 3 ** 2 }} {{ -n|abs }} {{ 1 + 2 ~ 3 }}",
    "{{ 1 + 2 * 3 ~ 4 }}", "{{ not n is odd }} {{ n is not odd }} {{ n is odd and yes }}", "{{ 'a' is in 'abc' }} {{ n is divisibleby(7) }}",
    "{{ {1: 2}[1.0] }} {{ {True: 'a'}[1] }} {{ {1: 'a', True: 'b'} }} {{ {(1, 2): 3}[(1, 2)] }}", "{{ {[1]: 2} }}", "{{ (1, 2, 3)[0:2] }} {{ (1, 2)[::-1] }} {{ [1, 2][0:1] }}",
    "{{ 'ff'|int(base=16) }} {{ '0b11'|int(base=2) }} {{ '0o17'|int(0, 8) }} {{ 'zz'|int(7, 36) }} {{ '1_000'|int }}", "{{ x.y }}", "{{ x.y.z }}", "{{ m.a.b.c }}", "{{ m['a'][0] }}", "{{ s[1] }}{{ s[-1] }}{{ s[99] }}",
    "{{ dict(a=1, b=2) }}{{ dict([('x', 1)], y=2) }}{{ dict(m) }}", "{{ range(5, 0, -2)|list }}{{ range(0)|list }}", "{{ ws|sort }}{{ ws|sort(case_sensitive=true) }}{{ rows|sort(attribute='k')|map(attribute='v')|list }}",
    "{{ m|tojson }}{{ m|tojson(sort_keys=true, separators=(',', ':')) }}{{ {1: 2, none: 3, true: 4, 1.5: 6}|tojson }}", "{{ [1, [2], {'a': (1, 2)}, none, true, 1.0, 'x']|string }}", "{{ 7 // 2 }}{{ -7 // 2 }}{{ -7 % 3 }}{{ 7.5 // 2 }}{{ -7.5 % 2 }}{{ 7 % -3 }}{{ 2 ** -1 }}{{ 2 ** 70 }}{{ 2 ** 70 // 3 }}",
    "{{ 1 / 0 }}", "{{ 0.1 + 0.2 }}{{ 1e16 }}{{ 1e15 + 0.5 }}{{ 100000000000000000000.0 }}{{ 1.0e-5 }}{{ 3.0 }}{{ -0.0 }}", "{{ 0x1f }}{{ 0b101 }}{{ 0o17 }}{{ 1_000 }}{{ 1_0.5 }}", "{{ '\\x41\\u00e9\\U0001F600\\101\\q\\\\' }}",
    "{{ true + true }}{{ true == 1 }}{{ 'a' * 3 }}{{ [1] * 2 }}{{ (1,) * 2 }}{{ 3 * 'ab' }}", "{{ [1] + [2] }}{{ (1,) + (2,) }}", "{{ [1] + (2,) }}", "{{ 'a' + 1 }}", "{{ 'a' ~ 1 ~ none ~ missing }}",
    "{{ xs is iterable and xs is not string and xs is not mapping }}", "{{ 'x' in m }}{{ 'a' in m }}{{ 1 in xs }}{{ 'l' in s }}{{ none in xs }}", "{{ 1 in 'a' }}", "{{ none in m }}", "{{ xs.append(4) }}", "{{ m.update({}) }}",
    "{{ s.__class__ }}|", "{{ ''.join(['a', 'b']) }}{{ ','.join(ws) }}", "{{ loop }}", "{% for x in n %}{% endfor %}", "{% for x in nil %}{% endfor %}", "{% for x in missing %}x{% else %}e{% endfor %}",
    "{{ rows|map(attribute='k')|unique|list }}{{ rows|selectattr('v', 'ge', 2)|map(attribute='v')|sum }}{{ rows|max(attribute='v') }}", "{{ missing|default('d') }}{{ e|default('d') }}{{ e|default('d', boolean=true) }}", "{{ xs|first }}{{ []|first }}{{ xs|last }}",
    "{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}{% for i in [1] %}{% set x = 3 %}{% endfor %}{{ x }}", "{{ 'a\nb'|indent(2) }}{{ 'a\n\nb'|indent(2, true, true) }}",
    "{{ 5|round }}{{ 2.5|round }}{{ 3.5|round }}{{ 2.675|round(2) }}{{ 0.125|round(2) }}{{ 1234|round(-2) }}{{ 42.7|round|int }}", "{{ '<a>'|e }}{{ '<a>'|safe + '<b>' }}{{ '<b>' + '<a>'|safe }}",
    "{% call raise_exception('x') %}{% endcall %}", "{% unknown %}", "{% if %}{% endif %}", "{{ 1 + }}", "{{ [1, }}", "{% for x in xs %}", "{{ (1, 2 }}", "{{ a b }}", "{% endif %}", "{{ 'open }}", "{{ x is }}", "{{ x | }}", "{{ f(a=1, 2) }}",
    "{{ [1, 2, 3,] }}{{ {'a': 1,} }}{{ (1,) }}", "{{ m.a[0] + m['b'] }}{{ rows[0].k }}{{ rows[-1]['v'] }}{{ rows.0.k }}", "{{ s.upper().lower()[:3].title() }}", "{{ s.nothing }}|",
]


def atom(rng):
    return rng.choice(ATOMS)


def expression(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.12:
        return atom(rng)
    if kind < 0.4:
        return f"{expression(rng, depth - 1)} {rng.choice(BINARY)} {expression(rng, depth - 1)}"
    if kind < 0.6:
        return f"{expression(rng, depth - 1)}|{rng.choice(FILTERS)}"
    if kind < 0.7:
        return f"{expression(rng, depth - 1)} is {rng.choice(['', 'not '])}{rng.choice(TESTS)}"
    if kind < 0.85:
        method = rng.choice(METHODS)
        # Jinja2 folds slices of literals in another way than it slices values.
        kind = rng.choice(["|list", "|string"]) if ":" in method else ""
        return f"(({expression(rng, depth - 1)}){kind}){method}"
    if kind < 0.9:
        return f"({expression(rng, depth - 1)})"
    if kind < 0.93:
        return f"{rng.choice(['-', '+', 'not '])}{expression(rng, depth - 1)}"
    if kind < 0.97:
        return f"{expression(rng, depth - 1)} if {expression(rng, depth - 1)} else {expression(rng, depth - 1)}"
    return f"[{expression(rng, depth - 1)}, {expression(rng, depth - 1)}]"


def render(source):
    try:
        text = _compile_jinja_template(source).render(**copy.deepcopy(VARIABLES))
    except Exception:
        return None
    return text if len(text) <= 2000 else ...


def is_comparable(source, text):
    """Leaves out what prints addresses, generators or types, and orders of no meaning."""
    return text is not ... and (text is None or not any(part in text for part in (" object at 0x", "<bound", "<built-in", "<class", "<function", "<generator", "dict_", "range(", "Undefined", "<macro", "<Loop", "Markup(")))


def cases(count, seed):
    rng = random.Random(seed)
    found = {}
    for source in STATEMENTS:
        found[source] = render(source)
    errors = 0
    while len(found) < count:
        source = f"{{{{ {expression(rng, rng.choice([1, 2, 2, 3]))} }}}}"
        text = render(source)
        if source in found or not is_comparable(source, text):
            continue
        if text is None:
            errors += 1
            if errors * 4 > len(found):
                errors -= 1
                continue
        found[source] = text
    return found


if len(sys.argv) > 1:
    print(json.dumps({"variables": VARIABLES, "cases": cases(int(sys.argv[1]), int(sys.argv[2]))}, ensure_ascii=False))
else:
    golden = {
        "generator": {"transformers": transformers.__version__, "jinja2": jinja2.__version__, "seed": 15},
        "variables": VARIABLES,
        "cases": cases(700, 15),
    }
    text = json.dumps(golden, ensure_ascii=False, indent=1)
    (Path(__file__).parent / "expressions.json").write_text(text + "\n", encoding="utf-8")
