import { describe, expect, test } from 'vitest';
import type { Expression } from '../../../src/core/grammar/languages/expression.ts';
import { gbnfGrammar } from '../../../src/core/grammar/notations/gbnf.ts';
import { createSchemaBudget } from '../../../src/core/grammar/schemas/size.ts';
import { regexGrammar } from '../../../src/core/grammar/notations/grammar-notation.ts';
import { expectOurJson } from './our-json.ts';
import { acceptor, accepts, jsonPieces, randomWalk, toyVocabulary } from './walk.ts';
import { answerGrammar, compileGrammar } from './all-at-once.ts';

const json = String.raw`
# A document of any kind.
root   ::= value
value  ::= (object | array | string | number | "true" | "false" | "null")
object ::=
  "{" ws (
    string colon value
    (comma string colon value)*
  )? ws "}"
colon  ::= [ \t]? ":" [ \t]{0,4}
comma  ::= [ \t]? "," ws
array  ::= "[" ws ( value (comma value)* )? ws "]"
string ::= "\"" (
    [^"\\\x7F\x00-\x1F] |
    "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
  )* "\""
number ::= "-"? ("0" | [1-9] [0-9]{0,16}) ("." [0-9]{1,23})? ([eE] [-+]? [0-9]{1,3})?
ws ::= [ \t]{0,4} | "\r"? "\n" [ \t]{0,40}
`;

describe('GBNF of known shapes', () => {
  const arithmetic = `
root  ::= (expr "=" ws term "\\n")+
expr  ::= term ([-+*/] term)*
term  ::= ident | num | "(" ws expr ")" ws
ident ::= [a-z] [a-z0-9_]* ws
num   ::= [0-9]+ ws
ws    ::= [ \\t\\n]*`;
  const chess = `
root ::= "1. " move " " move "\\n" ([1-9] [0-9]? ". " move " " move "\\n")+
move ::= (pawn | nonpawn | castle) [+#]?
pawn ::= ([a-h] "x")? [a-h] [1-8] ("=" [NBKQR])?
nonpawn ::= [NBKQR] [a-h]? [1-8]? "x"? [a-h] [1-8]
castle ::= "O-O" "-O"?`;
  const list = `root ::= item+\nitem ::= "- " [^\\r\\n\\x0b\\x0c\\x85\\u2028\\u2029]+ "\\n"`;
  const japanese = `
root ::= jp-char+ ([ \\t\\n] jp-char+)*
jp-char ::= hiragana | katakana | cjk
hiragana ::= [ぁ-ゟ]
katakana ::= [\\u30A1-ヿ]
cjk ::= [一-\\U00009FFF]`;
  const english = String.raw`root ::= word+ ([ \t\n] word+)*
word ::= [a-zA-Z] | [0-9] | [!"#$%&'()*+,\-./:;<=>?@[\\\]^_{|}~]`;
  const program = `
# A little of C.
root ::= function*
function ::= type name "(" (type name ("," ws type name)*)? ")" ws block
block ::= "{" (ws statement)* ws "}"
statement ::= ( type name ws "=" ws value ";" ) | ( "return" gap value ";" ) |
  ( "if" "(" value ("<" | "<=" | "==") value ")" block ("else" block)? ) | ( "//" [^\\n]* "\\n" ) |
  ( "/*" ( [^*] | ("*" [^/]) )* "*/" )
value ::= term(("+" | "-") term)*
term ::= name ("(" (value ("," ws value)*)? ")")? | [0-9]+ | "-" term | "(" value ")"
type ::= "int" gap | "char" gap
name ::= [a-zA-Z_] [a-zA-Z_0-9]*
gap ::= ([ \\t\\n]+)
ws ::= [ \\t\\n]*`;

  test.each<[string, string, readonly string[], readonly string[]]>([
    ['English', english, ['Hello, World!', "It's [1]\n\\o/"], ['', 'é', ' a']],
    [
      'C',
      program,
      ['', 'int f(char a, int b) { return f(a, -b)+1; }', 'int g(){/* * */ // x\nif(a<=1){}else{int b=2;}}'],
      ['int f(', 'f(){}', 'int f(){return 1}'],
    ],
    ['arithmetic', arithmetic, ['x=3\n', '(a +b) *2=c\n', '1=1\n2=2\n'], ['', 'x=3', '+=1\n', 'x==3\n']],
    [
      'chess',
      chess,
      ['1. e4 e5\n2. Nf3 Nc6\n', '1. O-O O-O-O+\n10. exd8=Q# Kxa1\n'],
      ['1. e4\n', '1. e9 e5\n'],
    ],
    ['lists', list, ['- one\n', '- one\n- zwei €\n'], ['- \n', 'one\n', '- a\u2028\n']],
    ['Japanese', japanese, ['ひらがな', 'カナ 漢字'], ['kana', ' カナ', 'カナ ']],
    ['JSON', json, ['{"a":[1,-2.5e3,"é\\n",null]}', '[]', '"\\u00e9"'], ['{a:1}', '[1,]', '"\n"', '01']],
    ['a rule after a line break', 'root ::= "a"\n  | b\nb ::= "b"\n "c"', ['a', 'bc'], ['b', 'c']],
    ['bounds', 'root ::= [ab]{2} "c"{1,} "d"{0,2}', ['abc', 'aacccdd'], ['ac', 'ab', 'abcddd']],
    [
      'rounds that write nothing',
      'root ::= (w "")* a{2,3} "."\nw ::= "w"?\na ::= "a"?',
      ['.', 'wwaaa.', 'a.'],
      ['aaaa.'],
    ],
    ['any character', 'root ::= .{2}', ['é😀', '\n\n'], ['a', 'abc']],
    ['recursion', 'root ::= "(" root ")" | ""', ['', '((()))'], ['(', '())']],
    ['left recursion', 'root ::= root "-" n | n\nn ::= [0-9]+', ['1', '1-2-3'], ['', '-1', '1-', '1--2']],
    [
      'left recursion to nothing',
      'root ::= (root "a")? | root "b"{2}',
      ['', 'a', 'bb', 'abba'],
      ['b', 'bab'],
    ],
    [
      'recursion of counted rounds',
      'root ::= (root "a" | "b"){2} "."',
      ['bb.', 'bb.ab.', 'bbb.a.'],
      ['b.', 'bb.a'],
    ],
    [
      'a rule on both sides',
      'root ::= root "+" root | "a" root? | "b"',
      ['a', 'ab+a+b', 'aa'],
      ['+a', 'a+', 'ba'],
    ],
    [
      'rules that begin with one another',
      'root ::= a | b "!"\na ::= root "." | c\nb ::= a "," | "b"\nc ::= b? "c"',
      ['c', 'b!', 'c.', 'bc', 'c,!', 'c,c,!.,!', 'c,c'],
      ['b', '!', 'c!', 'c,,', '.c'],
    ],
  ])('%s', (_name, grammar, texts, others) => {
    const isIn = acceptor(gbnfGrammar(grammar));
    for (const text of texts) expect(isIn(text), text).toBe(true);
    for (const text of others) expect(isIn(text), text).toBe(false);
  });

  test('a JSON grammar is our JSON', () => {
    expectOurJson(acceptor(gbnfGrammar(json)));
  });

  test('random texts are of the grammar', () => {
    const vocabulary = toyVocabulary(...jsonPieces);
    const grammar = compileGrammar(gbnfGrammar(json), vocabulary);
    for (let seed = 0; seed < 40; seed++) {
      const written = randomWalk(grammar, vocabulary, { seed });
      expect(() => JSON.parse(written) as unknown, written).not.toThrow();
    }
  });
});

function numbered(count: number, body: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `r${index} ::= ${body(index)}`).join('\n');
}

/** Rules that each begin with the next one. */
function ring(count: number): string {
  return `root ::= r0\n${numbered(count, (index) => `r${(index + 1) % count} "a" | "b"`)}`;
}

const refs = Array.from({ length: 998 }, (_, index) => `r${index}`).join(' ');

describe('faults', () => {
  test.each([
    ['', 'expected a rule `root`'],
    ['start ::= "a"', 'expected a rule `root`'],
    ['root ::= a', 'expected a rule "a"'],
    ['root ::= "a"\nroot ::= "b"', 'expected one rule "root"'],
    ['root ::= "a', 'expected " before the end'],
    ['root ::= [a', 'expected ] before the end'],
    ['root ::= ("a"', 'expected )'],
    ['root ::= "a")', 'expected the name of a rule, got ")"'],
    ['root = "a"', 'expected ::='],
    ['root ::= "a"**', 'expected a text, a class, a group or a name'],
    ['root ::= "\\q"', 'expected a known escape'],
    ['root ::= "\\x4"', 'expected a known escape'],
    ['root ::= [z-a]', 'expected ranges that ascend'],
    ['root ::= "a"{3,2}', 'expected bounds that ascend'],
    ['root ::= "a"{0,1000000}', 'expected at most 10000 repetitions'],
    ['root ::= <[1000]>', 'expected a text, a class, a group or a name'],
    ['root ::= e a "x"\ne ::= "e"?\na ::= root | "b"', 'expected no left recursion'],
    ['root ::= ("" | [a])* root | "b"', 'got it in "root"'],
    ['root ::= a | "x"\na ::= root', 'got it in "root"'],
    ['root ::= root root | ""', 'got it in "root"'],
    [ring(40), 'or of too many rules'],
    ['root ::= root "a"', 'some finite text'],
    ['root ::= "a" root', 'some finite text'],
    ['root ::= []', 'some finite text'],
  ])('%j', (grammar, message) => {
    expect(() => gbnfGrammar(grammar)).toThrow(RangeError);
    expect(() => gbnfGrammar(grammar)).toThrow(`grammar: `);
    expect(() => gbnfGrammar(grammar)).toThrow(message);
  });

  test.each<[string, string, string]>([
    ['depth', `root ::= ${'('.repeat(70)}"a"${')'.repeat(70)}`, 'expected at most 64 nested groups'],
    ['length', `root ::= "${'a'.repeat(50_001)}"`, 'expected at most 50000 characters'],
    ['rules', numbered(1001, () => '"a"'), 'expected at most 1000 rules'],
  ])('too much %s', (_name, grammar, message) => {
    expect(() => gbnfGrammar(grammar)).toThrow(`grammar: ${message}`);
  });

  test('a program of too many parts', () => {
    const grammar = gbnfGrammar(`root ::= ${'.'.repeat(49_000)}`);
    expect(() => compileGrammar(grammar, toyVocabulary())).toThrow('grammar: expected fewer parts');
  });

  test.each<[string, string, string]>([
    ['counted rounds within counted rounds', 'root ::= ((("a"?){0,9999}){0,9999}){0,9999} "b"', 'a'],
    ['ways that double', 'root ::= "(" root ")" | "(" root ")" | ""', '('],
    [
      'rules that double',
      `root ::= r0\n${numbered(60, (index) => `r${index + 1} r${index + 1}`)}\nr60 ::= "a"?`,
      'a',
    ],
    ['rules that begin with one another', ring(32).replaceAll('"a"', '"b"'), 'b'],
    ['many ways to begin with itself', `root ::= ${'(root "a" | '.repeat(60)}"a"${')'.repeat(60)}`, 'a'],
    [
      'a chain in the wrong order',
      `root ::= r0 ${refs} | r997\n${numbered(998, (index) => (index === 0 ? '"c"' : `"b" r${index - 1}`))}`,
      'b',
    ],
  ])('hostile: %s', (_name, grammar, letter) => {
    const compiled = compileGrammar(gbnfGrammar(grammar), toyVocabulary());
    const matcher = compiled.createMatcher();
    for (let step = 0; step < 24; step++) {
      matcher.mask();
      matcher.accept(letter.charCodeAt(0));
    }
    expect(matcher.mask().some((word) => word !== 0)).toBe(true);
  });
});

describe('a regular expression as a whole', () => {
  const regex = (pattern: string): Expression => regexGrammar(pattern, createSchemaBudget());

  test.each<[string, readonly string[], readonly string[]]>([
    ['[a-z]+', ['a', 'abc'], ['', 'a1', ' a']],
    ['a|bc', ['a', 'bc'], ['ab', 'abc']],
    ['^\\d{3}$', ['123'], ['1234', 'x123']],
    ['(?=.*\\d)\\w{2,4}', ['a1', '1abc'], ['ab', 'a']],
    ['(\\w+\\.)+com', ['a.com', 'a.b.com'], ['.com', 'a.comx']],
  ])('%s', (pattern, texts, others) => {
    for (const text of texts) expect(accepts(regex(pattern), text), text).toBe(true);
    for (const text of others) expect(accepts(regex(pattern), text), text).toBe(false);
  });

  test.each(['(', '(a)\\1', '[^\\s\\S]', '(a{0,10000}){0,100000}', 'a(?<=b)'])('refuses %s', (pattern) => {
    expect(() => regex(pattern)).toThrow(/^regex: expected /);
  });
});

test('a choice is one of the texts', () => {
  const isIn = acceptor(
    answerGrammar({ response: { type: 'choice', choices: ['yes', 'yes!', 'no', 'no'] } })!,
  );
  expect(['yes', 'yes!', 'no'].every(isIn)).toBe(true);
  expect(['', 'ye', 'yesno', 'yes '].some(isIn)).toBe(false);
});
