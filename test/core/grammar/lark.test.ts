import { describe, expect, test } from 'vitest';
import { writtenGrammar } from '../../../src/core/grammar/notations/grammar-notation.ts';
import { larkGrammar } from '../../../src/core/grammar/notations/lark.ts';
import golden from './lark-golden.json' with { type: 'json' };
import { expectOurJson } from './our-json.ts';
import { acceptor, jsonPieces, randomWalk, toyVocabulary } from './walk.ts';
import { compileGrammar } from './all-at-once.ts';

const json = String.raw`
// White space as ours: some blanks, or a line break with an indentation.
start: value
?value: object | array | STRING | NUMBER | "true" | "false" | "null"
object: "{" _ws [pair (_comma pair)*] _ws "}"
pair: STRING /[ \t]?:[ \t]{0,4}/ value
array: "[" _ws [value (_comma value)*] _ws "]"
_comma: /[ \t]?,/ _ws
_ws: /[ \t]{0,4}/ | /\r?\n[ \t]{0,40}/
STRING: "\"" (/[^"\\\x7f\x00-\x1f]/ | "\\" (/["\\\/bfnrt]/ | "u" HEXDIGIT ~ 4))* "\""
NUMBER: "-"? ("0" | /[1-9]/ DIGIT ~ 0..16) ("." DIGIT ~ 1..23)? ("e"i /[+-]/? DIGIT ~ 1..3)?
%import common (DIGIT, HEXDIGIT)
`;

describe('Lark', () => {
  test.each(golden.cases)('takes what the Python package takes: $name', ({ grammar, taken, refused }) => {
    const isIn = acceptor(larkGrammar(grammar));
    for (const text of taken) expect(isIn(text), text).toBe(true);
    for (const text of refused) expect(isIn(text), text).toBe(false);
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    ['a header of llguidance', '%llguidance {}\nstart: "a"', ['a'], ['b']],
    ['bounds in braces', 'start: "a"{2} "b"{1,} "c"{,2}', ['aab', 'aabbcc'], ['ab', 'aabccc']],
    ['hyphens in names', 'start: a-b->x | B-1\na-b: "a"\nB-1: "b"', ['a', 'b'], ['ab']],
    ['a rule over lines', 'start: "a" |\n  "b"\n  # or\n  | ("c"\n  "d")\n', ['a', 'b', 'cd'], ['c']],
    ['rules without a blank', 'start:a\n?a:"x"\n!b:"y"', ['x'], ['y']],
    ['an empty alternative', 'start: "a" start |', ['', 'aa'], ['b']],
    [
      'terminals of nothing',
      'start: /[a?+*]*/ B "" "c"\nB: "b"?\n%ignore / */',
      ['c', ' a*bc', '?? b  c '],
      ['bbc', ''],
    ],
    ['what begins with itself, or not', 'start: [start] "a" | "b"', ['a', 'b', 'baa'], ['', 'ab']],
    [
      'what is ignored',
      'start: ("a" | b)+\nb: "b" "c"\n%ignore /[ .]/',
      [' a . b  c.', 'abc'],
      ['', ' ', 'a,b'],
    ],
    ['nothing within a terminal', 'start: A\nA: "a" "b"\n%ignore " "', [' ab '], ['a b']],
    [
      'a comment of C',
      'start: "x"\n%import common.C_COMMENT\n%ignore C_COMMENT',
      ['/**/x', 'x/* * */'],
      ['/*/x'],
    ],
    [
      'numbers',
      'start: N\n%import common.SIGNED_NUMBER -> N',
      ['1', '-1.', '+.5e-3', '1E5'],
      ['.', '1e', '--1'],
    ],
    ['no digits but those of ASCII', String.raw`start: /\d\w/`, ['1a'], ['١a', '1é']],
    ['letters of other scripts in any case', 'start: "ÉΣж"i', ['éσЖ', 'ÉςЖ'], ['eσж']],
    ['no other letter for one of ASCII', 'start: "ks"i', ['ks', 'KS'], ['\u212as', 'kſ']],
    [
      'surrogates are no characters',
      String.raw`start: /[\ud800\udc00-\ud83d\ude00a]/`,
      ['😀', 'a'],
      ['\ufffd'],
    ],
  ])('%s', (_name, grammar, texts, others) => {
    const isIn = acceptor(larkGrammar(grammar));
    for (const text of texts) expect(isIn(text), text).toBe(true);
    for (const text of others) expect(isIn(text), text).toBe(false);
  });

  test('a JSON grammar is our JSON', () => {
    expectOurJson(acceptor(larkGrammar(json)));
  });

  test('random texts are of the grammar', () => {
    const vocabulary = toyVocabulary(...jsonPieces);
    const grammar = compileGrammar(larkGrammar(json), vocabulary);
    for (let seed = 0; seed < 40; seed++) {
      const written = randomWalk(grammar, vocabulary, { seed });
      expect(() => JSON.parse(written) as unknown, written).not.toThrow();
    }
  });
});

describe('faults', () => {
  test.each([
    ['A: "a"', 'expected a rule `start`'],
    ['start: a', 'expected a rule "a"'],
    ['start: A', 'expected a rule "A"'],
    ['start: "a"\nstart: "b"', 'expected one rule "start"'],
    ['start: "a', 'expected " before the end'],
    ['start: "a\n"', 'expected " before the end of the line'],
    ['start: ("a"', 'expected ), got the end'],
    ['start: ["a")', 'expected ], got ")"'],
    ['start: "a")', 'expected a rule as `name: …`'],
    ['start "a"', 'expected :'],
    ['Start: "a"', 'in upper or in lower case, got "Start'],
    ['start: "a"+?', 'expected a text, a regular expression, a group or a name'],
    ['start: "\\q"', 'expected a known escape'],
    ['start: "z".."a"', 'expected ranges that ascend'],
    ['start: "a".."bc"', 'expected ranges of two characters'],
    ['start: "a" ~ 3..2', 'expected bounds that ascend'],
    ['start: "a" ~ 10001', 'expected at most 10000 repetitions'],
    ['start: "a"{x}', 'expected no templates'],
    ['start: _list{"a"}\n_list{x}: x ("," x)*', 'expected no templates'],
    ['_list{x}: x', 'expected no templates'],
    ['start[capture]: "a"', 'expected no attributes of rules'],
    ['start: <|end|>', 'expected no tokens as <…>'],
    ['start: @other', 'expected no other grammars as @…'],
    ['start: A\nA: /a/ & /b/', 'expected no terminals as A & B'],
    ['start: A\nA: ~/a/', 'expected no terminals as ~A'],
    ['start: A\nA: b\nb: "b"', 'expected no rule in a terminal, got "b"'],
    ['start: A\nA: "a" -> x', 'expected a rule as `name: …`'],
    ['start: /".*?"/', 'expected no lazy quantifier'],
    ['start: /^a/', 'expected a regular expression without ^ and $'],
    ['start: /a(?!b)/', 'expected a regular expression without look-around'],
    ['start: /(?<=b)a/', 'expected no look-around'],
    ['start: /(/', 'expected a regular expression'],
    ['start: /a/x', 'expected flags out of i, m, s, u, got x'],
    ['start: "a"\n%declare A', 'expected %ignore or %import, got "%declare'],
    ['start: %json {}', 'expected %ignore or %import, got "%json'],
    ['%llguidance {"no_forcing": true}\nstart: "a"', 'expected %ignore or %import, got "%llguidance'],
    ['start: A\n%import python.A', 'expected %import common.…'],
    ['start: A\n%import common.A', 'expected a terminal of common (DIGIT, '],
    ['start: INT\n%import common.INT -> int', 'expected a terminal in upper case, got "int"'],
    ['start: ["x"] start "a" | "b"', 'expected no left recursion behind what may be empty'],
    ['start: "a" start', 'some finite text'],
  ])('%j', (grammar, message) => {
    expect(() => larkGrammar(grammar)).toThrow(RangeError);
    expect(() => larkGrammar(grammar)).toThrow(`grammar: `);
    expect(() => larkGrammar(grammar)).toThrow(message);
  });

  const numbered = (count: number, body: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => `r${index}: ${body(index)}`).join('\n');

  test.each<[string, string, string]>([
    ['length', `start: "${'a'.repeat(50_001)}"`, 'expected at most 50000 characters'],
    ['depth', `start: ${'['.repeat(70)}"a"${']'.repeat(70)}`, 'expected at most 64 nested groups'],
    ['rules', numbered(1001, () => '"a"'), 'expected at most 1000 rules'],
    [
      'in one regular expression',
      `start: /${'('.repeat(70)}a${')'.repeat(70)}/`,
      'expected at most 64 nested',
    ],
  ])('too much %s', (_name, grammar, message) => {
    expect(() => larkGrammar(grammar)).toThrow(`grammar: ${message}`);
  });

  test.each<[string, string]>([
    ['characters of properties', `start: ${String.raw`/\P{L}/i `.repeat(4000)}`],
    ['classes in any case', `start: ${'/[^b]/i '.repeat(6000)}`],
    ['wide classes in any case', `start: ${`/${String.raw`[\u0100-\uffff]`.repeat(1300)}/i `.repeat(2)}`],
    ['counts within counts', 'start: ((("a"? "a") ~ 0..9999) ~ 0..9999) ~ 0..9999 "b"'],
    ['heads that are none', `start: ${'a['.repeat(60)}\n${'b ['.repeat(16_000)}`],
    ['blank lines', `start: "a"${'\n'.repeat(49_000)}`],
    ['recursion of all kinds', `start: r0\n${numbered(900, (index) => `r${(index * 7) % 900} "a" | "b"`)}`],
    ['ignored texts in ignored texts', `start: ${'["a"] '.repeat(2000)}"b"\n%ignore /a+/\n%ignore /(aa)+/`],
  ])('hostile: %s', (_name, grammar) => {
    let compiled: ReturnType<typeof compileGrammar> | undefined;
    try {
      compiled = compileGrammar(larkGrammar(grammar), toyVocabulary());
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      expect((error as Error).message).toMatch(/^grammar: expected /);
    }
    const matcher = compiled?.createMatcher();
    for (let step = 0; step < 24 && matcher?.mask().some((word) => word !== 0); step++) {
      const letter = [0x61, 0x62, 0x21].find((byte) => (matcher.mask()[byte >>> 5]! >>> (byte & 31)) & 1);
      if (letter === undefined) break;
      matcher.accept(letter);
    }
  });
});

test.each<[string, RegExp | string]>([
  ['root ::= "a"', 'a'],
  ['# start: no\nroot\n ::= "a"', 'a'],
  ['start: "a"', 'a'],
  ['// root ::= no\n?start: A\nA.1: "::=" | "a"', 'a'],
  ['%ignore " "\nstart: "a"', 'a'],
  ['root = "a"', /^grammar: expected GBNF with rules as `root ::= …`, or Lark with rules as `start: …`/],
  ['', /expected GBNF/],
  ['root ::= "a" b: "c"', /^grammar: expected a text, a class, a group or a name/],
])('the notation of %j', (grammar, expected) => {
  if (typeof expected === 'string') expect(acceptor(writtenGrammar(grammar))(expected)).toBe(true);
  else expect(() => writtenGrammar(grammar)).toThrow(expected);
});
