import {
  attribute,
  binary,
  callOf,
  choice,
  comparison,
  constant,
  expression,
  filtered,
  sliceOf,
  subscript,
  tested,
  tuple,
  unary,
  variable,
  type Arguments,
  type Expression,
  type FilterCall,
} from './evaluate.ts';
import type { TokenReader } from './lexer.ts';
import { Float, toDictionary } from './values.ts';

const noArguments: Arguments = { positional: [], keywords: [], list: undefined, mapping: undefined };
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
const comparisons = ['==', '!=', '<', '<=', '>', '>='];
/** Binary operators by ascending precedence; all are left-associative. */
const binaryLevels = [['or'], ['and'], [], ['+', '-'], ['~'], ['*', '/', '//', '%'], ['**']];
/** The level of `not` and of comparisons; the operators before it are words. */
const notLevel = 2;

type Parse = (tokens: TokenReader) => Expression;

export function parseVariable(tokens: TokenReader): ReturnType<typeof variable> {
  const name = tokens.expect('name');
  tokens.names.push(name);
  return variable(name);
}

/** A single value, or a tuple of comma-separated values. */
export function parseTuple(
  tokens: TokenReader,
  parseItem: Parse = parseExpression,
  end?: string,
): Expression {
  const isAtEnd = (): boolean =>
    tokens.is('print-end') ||
    tokens.is('block-end') ||
    tokens.is('operator', ')') ||
    (end !== undefined && tokens.is('name', end));
  if (isAtEnd()) throw tokens.unexpected('an expression');
  const first = parseItem(tokens);
  if (!tokens.is('operator', ',')) return first;
  const items = [first];
  while (tokens.skip('operator', ',') && !isAtEnd()) items.push(parseItem(tokens));
  return tuple(items);
}

/** An expression without a conditional `if`. */
export function parseOperation(tokens: TokenReader): Expression {
  return parseBinary(tokens, 0);
}

export function parseExpression(tokens: TokenReader, value = parseOperation(tokens)): Expression {
  if (!tokens.skip('name', 'if')) return value;
  const test = parseOperation(tokens);
  return parseExpression(
    tokens,
    choice(test, value, tokens.skip('name', 'else') ? parseExpression(tokens) : undefined),
  );
}

function parseNot(tokens: TokenReader): Expression {
  if (tokens.skip('name', 'not')) return unary('not', parseNot(tokens));
  const value = parseBinary(tokens, notLevel + 1);
  const rest: [string, Expression][] = [];
  for (let operator = takeComparison(tokens); operator; operator = takeComparison(tokens))
    rest.push([operator, parseBinary(tokens, notLevel + 1)]);
  return rest.length === 0 ? value : comparison(value, rest);
}

function takeComparison(tokens: TokenReader): string | undefined {
  if (tokens.is('operator', ...comparisons)) return tokens.expect('operator');
  if (tokens.skip('name', 'in')) return 'in';
  if (!tokens.is('name', 'not') || tokens.after?.type !== 'name' || tokens.after.value !== 'in')
    return undefined;
  tokens.take();
  tokens.take();
  return 'not in';
}

function parseBinary(tokens: TokenReader, level: number): Expression {
  if (level === notLevel) return parseNot(tokens);
  const operators = binaryLevels[level];
  if (operators === undefined) return parseUnary(tokens, true);
  let left = parseBinary(tokens, level + 1);
  const type = level < notLevel ? 'name' : 'operator';
  while (tokens.is(type, ...operators)) {
    const operator = tokens.expect(type);
    left = binary(operator, left, parseBinary(tokens, level + 1));
  }
  return left;
}

function parseUnary(tokens: TokenReader, hasFilters: boolean): Expression {
  const sign = tokens.is('operator', '-', '+') ? tokens.expect('operator') : undefined;
  const whole = parsePostfix(
    tokens,
    sign === undefined ? parsePrimary(tokens) : unary(sign, parseUnary(tokens, false)),
  );
  return hasFilters ? parseFiltersAndTests(tokens, whole) : whole;
}

export function parsePrimary(tokens: TokenReader): Expression {
  if (tokens.is('name')) {
    const known = constants.get(String(tokens.next.value));
    if (known === undefined) return parseVariable(tokens);
    tokens.take();
    return constant(known);
  }
  if (tokens.is('string')) {
    let text = '';
    while (tokens.is('string')) text += tokens.expect('string');
    return constant(text);
  }
  const { value } = tokens.next;
  if (tokens.skip('integer')) return constant(value);
  if (tokens.skip('float')) return constant(new Float(Number(value)));
  if (tokens.skip('operator', '(')) {
    const inner = tokens.is('operator', ')') ? tuple([]) : parseTuple(tokens);
    tokens.expect('operator', ')');
    return inner;
  }
  if (tokens.skip('operator', '[')) {
    const items = parseList(tokens, ']', parseExpression);
    return expression((scope) => items.map((one) => one.evaluate(scope)));
  }
  if (!tokens.skip('operator', '{')) throw tokens.unexpected('an expression');
  const entries = parseList(tokens, '}', () => [parseExpression(tokens), parseAfter(tokens, ':')] as const);
  return expression((scope) =>
    toDictionary(entries.map(([key, member]) => [key.evaluate(scope), member.evaluate(scope)] as const)),
  );
}

/** An expression after a sign. */
export function parseAfter(tokens: TokenReader, sign: string): Expression {
  tokens.expect('operator', sign);
  return parseExpression(tokens);
}

/** Comma-separated items up to the closing sign, with an optional trailing comma. */
export function parseList<T>(
  tokens: TokenReader,
  close: string,
  parseItem: (tokens: TokenReader) => T,
  mayTrail = true,
): T[] {
  const items: T[] = [];
  while (!tokens.skip('operator', close)) {
    if (items.length > 0) {
      tokens.expect('operator', ',');
      if (mayTrail && tokens.skip('operator', close)) break;
    }
    items.push(parseItem(tokens));
  }
  return items;
}

function parsePostfix(tokens: TokenReader, value: Expression): Expression {
  if (tokens.skip('operator', '[')) return parsePostfix(tokens, parseSubscript(tokens, value));
  if (tokens.is('operator', '(')) return parsePostfix(tokens, callOf(value, parseArguments(tokens)));
  if (!tokens.skip('operator', '.')) return value;
  const key = tokens.take();
  if (key.type === 'name') return parsePostfix(tokens, attribute(value, key.value));
  if (key.type === 'integer') return parsePostfix(tokens, subscript(value, constant(key.value)));
  throw new SyntaxError('expected a name or a number after the dot');
}

function parseSubscript(tokens: TokenReader, value: Expression): Expression {
  const keys = parseList(tokens, ']', parseSubscriptKey, false);
  const [key] = keys;
  if (key === undefined) throw new SyntaxError('expected a subscript');
  if (keys.length === 1) return Array.isArray(key) ? sliceOf(value, key) : subscript(value, key);
  if (keys.some((one) => Array.isArray(one))) throw new SyntaxError('expected one slice');
  return subscript(value, tuple(keys as Expression[]));
}

/** An expression, or the bounds of a slice. */
function parseSubscriptKey(tokens: TokenReader): Expression | (Expression | undefined)[] {
  const parseBound = (): Expression | undefined =>
    tokens.is('operator', ':', ']', ',') ? undefined : parseExpression(tokens);
  const first = parseBound();
  if (first !== undefined && !tokens.is('operator', ':')) return first;
  const bounds = [first];
  while (bounds.length < 3 && tokens.skip('operator', ':')) bounds.push(parseBound());
  return bounds;
}

function parseFiltersAndTests(tokens: TokenReader, value: Expression): Expression {
  if (tokens.skip('operator', '|')) return parseFiltersAndTests(tokens, filtered(value, parseFilter(tokens)));
  if (tokens.skip('name', 'is')) return parseFiltersAndTests(tokens, parseTest(tokens, value));
  return tokens.is('operator', '(')
    ? parseFiltersAndTests(tokens, callOf(value, parseArguments(tokens)))
    : value;
}

/** Parses further filters, each after `|`. */
export function parseFilters(tokens: TokenReader, filters: FilterCall[]): FilterCall[] {
  while (tokens.skip('operator', '|')) filters.push(parseFilter(tokens));
  return filters;
}

export function parseFilter(tokens: TokenReader): FilterCall {
  const name = parseDottedName(tokens);
  return { name, args: tokens.is('operator', '(') ? parseArguments(tokens) : noArguments };
}

function parseDottedName(tokens: TokenReader): string {
  let name = tokens.expect('name');
  while (tokens.skip('operator', '.')) name += `.${tokens.expect('name')}`;
  return name;
}

function parseTest(tokens: TokenReader, value: Expression): Expression {
  const isNegated = tokens.skip('name', 'not');
  const name = parseDottedName(tokens);
  const test = tested(value, name, parseTestArguments(tokens));
  return isNegated ? unary('not', test) : test;
}

/** A test's only argument may omit the parentheses. */
function parseTestArguments(tokens: TokenReader): Arguments {
  if (tokens.is('operator', '(')) return parseArguments(tokens);
  const { type } = tokens.next;
  const isArgument = ['name', 'string', 'integer', 'float'].includes(type) || tokens.is('operator', '[', '{');
  if (!isArgument || tokens.is('name', 'else', 'or', 'and')) return noArguments;
  if (tokens.is('name', 'is')) throw new SyntaxError("tests can't be chained with is");
  return { ...noArguments, positional: [parsePostfix(tokens, parsePrimary(tokens))] };
}

function parseArguments(tokens: TokenReader): Arguments {
  tokens.expect('operator', '(');
  const positional: Expression[] = [];
  const keywords: [string, Expression][] = [];
  let list: Expression | undefined;
  let mapping: Expression | undefined;
  parseList(tokens, ')', () => {
    const isKeyword = tokens.is('name') && tokens.after?.value === '=';
    const mayList = list === undefined && mapping === undefined;
    if (mayList && tokens.skip('operator', '*')) list = parseExpression(tokens);
    else if (mapping === undefined && tokens.skip('operator', '**')) mapping = parseExpression(tokens);
    else if (mapping === undefined && isKeyword)
      keywords.push([tokens.expect('name'), parseAfter(tokens, '=')]);
    else if (mayList && keywords.length === 0) positional.push(parseExpression(tokens));
    else throw new SyntaxError('invalid order of arguments');
  });
  return { positional, keywords, list, mapping };
}
