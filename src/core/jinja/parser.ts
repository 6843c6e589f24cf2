import type {
  Arguments,
  Body,
  Call,
  Expression,
  FilterCall,
  For,
  Parameter,
  Statement,
  Target,
} from './ast.ts';
import { tokenize, type Token } from './lexer.ts';
import { Float } from './values.ts';

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
/** Operators of two sides, from those that bind least to those that bind most; all bind to the left. */
const binaryLevels = [['or'], ['and'], [], ['+', '-'], ['~'], ['*', '/', '//', '%'], ['**']];
/** The level of `not` and of comparisons; the operators before it are words. */
const notLevel = 2;

/** Parses a template by the grammar of Jinja2, with loop controls and the `generation` block of `transformers`. */
export function parseTemplate(source: string): Body {
  const tokens = tokenize(source);
  let index = 0;
  const template = parseBody([]);
  if (next().type !== 'end') throw unexpected();
  return template;

  function next(): Token {
    return tokens[index]!;
  }

  function is(type: Token['type'], ...values: readonly string[]): boolean {
    const { type: found, value } = next();
    return found === type && (values.length === 0 || values.includes(String(value)));
  }

  /** Takes the next token if it is this one. */
  function skip(type: Token['type'], ...values: readonly string[]): boolean {
    if (!is(type, ...values)) return false;
    index++;
    return true;
  }

  function expect(type: Token['type'], ...values: readonly string[]): string {
    if (!is(type, ...values)) throw unexpected(values[0] ?? type);
    return String(tokens[index++]!.value);
  }

  function unexpected(wanted?: string): SyntaxError {
    const { type, value } = next();
    const found = value === undefined ? type : `'${String(value).slice(0, 40)}'`;
    return new SyntaxError(`unexpected ${found}${wanted === undefined ? '' : `, expected ${wanted}`}`);
  }

  /** Reads statements up to a block that begins with one of these words, whose word stays. */
  function parseBody(ends: readonly string[]): Body {
    const body: Statement[] = [];
    for (;;) {
      const token = next();
      if (token.type === 'end') {
        if (ends.length > 0) throw unexpected(ends.at(-1));
        return body;
      }
      index++;
      if (token.type === 'text') {
        body.push({ type: 'text', text: token.value });
      } else if (token.type === 'print-begin') {
        body.push({ type: 'print', value: parseTuple() });
        expect('print-end');
      } else if (token.type === 'block-begin') {
        if (ends.length > 0 && is('name', ...ends)) return body;
        body.push(parseStatement());
        expect('block-end');
      } else {
        throw unexpected();
      }
    }
  }

  /** A block's head has been read: reads its body and takes the word that ends it. */
  function parseInner(...ends: readonly string[]): Body {
    expect('block-end');
    const body = parseBody(ends);
    if (ends.length === 1) index++;
    return body;
  }

  function parseStatement(): Statement {
    const word = expect('name');
    switch (word) {
      case 'if':
        return parseIf();
      case 'for':
        return parseFor();
      case 'set':
        return parseSet();
      case 'with':
        return parseWith();
      case 'macro': {
        const name = expect('name');
        return {
          type: 'macro',
          name,
          parameters: parseParameters(),
          body: parseInner('endmacro'),
        };
      }
      case 'call': {
        const parameters = is('operator', '(') ? parseParameters() : [];
        const call = parseExpression();
        if (call.type !== 'call') throw new SyntaxError('expected a call after {% call');
        return { type: 'call-block', parameters, call, body: parseInner('endcall') };
      }
      case 'filter':
        return {
          type: 'filter-block',
          filters: parseFilters(true),
          body: parseInner('endfilter'),
        };
      case 'generation':
        return { type: 'scope', body: parseInner('endgeneration') };
      case 'break':
      case 'continue':
        return { type: word };
      default:
        throw new SyntaxError(`unknown tag '${word}'`);
    }
  }

  function parseIf(): Statement {
    const test = parseTuple(parseOperation);
    const body = parseInner('elif', 'else', 'endif');
    const word = expect('name');
    if (word === 'endif') return { type: 'if', test, body, otherwise: [] };
    const otherwise = word === 'elif' ? [parseIf()] : parseInner('endif');
    return { type: 'if', test, body, otherwise };
  }

  function parseFor(): For {
    const target = toTarget(parseTuple(parsePrimary, 'in'));
    expect('name', 'in');
    const items = parseTuple(parseOperation, 'recursive');
    const condition = skip('name', 'if') ? parseExpression() : undefined;
    const isRecursive = skip('name', 'recursive');
    const body = parseInner('else', 'endfor');
    const otherwise = expect('name') === 'else' ? parseInner('endfor') : [];
    return { type: 'for', target, items, condition, isRecursive, body, otherwise };
  }

  function parseSet(): Statement {
    const isAttribute = tokens[index + 1]?.value === '.';
    const target = isAttribute ? parseAttribute() : toTarget(parseTuple(parsePrimary));
    if (skip('operator', '=')) return { type: 'set', target, value: parseTuple() };
    const filters = parseFilters(false);
    return { type: 'set-block', target, filters, body: parseInner('endset') };
  }

  function parseWith(): Statement {
    const bindings: [Target, Expression][] = [];
    while (!is('block-end')) {
      if (bindings.length > 0) expect('operator', ',');
      const target: Target = { type: 'name', name: expect('name') };
      expect('operator', '=');
      bindings.push([target, parseExpression()]);
    }
    return { type: 'with', bindings, body: parseInner('endwith') };
  }

  function parseAttribute(): Target {
    const name = expect('name');
    index++;
    return { type: 'attribute', value: { type: 'name', name }, name: expect('name') };
  }

  function toTarget(expression: Expression): Target {
    if (expression.type === 'name') return expression;
    if (expression.type === 'tuple')
      return { type: 'tuple', items: expression.items.map((item) => toTarget(item)) };
    throw new SyntaxError(`can't assign to ${expression.type}`);
  }

  function parseParameters(): Parameter[] {
    expect('operator', '(');
    let isOptional = false;
    const parseParameter = (): Parameter => {
      const name = expect('name');
      const fallback = skip('operator', '=') ? parseExpression() : undefined;
      if (fallback === undefined && isOptional)
        throw new SyntaxError('non-default argument follows default argument');
      isOptional = fallback !== undefined;
      return { name, fallback };
    };
    return parseList(')', parseParameter, false);
  }

  /** One value, or several with commas between them as a tuple. */
  function parseTuple(parseItem = parseExpression, end?: string): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) expect('operator', ',');
      const isAtEnd =
        is('print-end') || is('block-end') || is('operator', ')') || (end !== undefined && is('name', end));
      if (isAtEnd) break;
      items.push(parseItem());
      if (!is('operator', ',')) break;
      isTuple = true;
    }
    if (!isTuple && items.length === 1) return items[0]!;
    if (items.length === 0) throw unexpected('an expression');
    return { type: 'tuple', items };
  }

  /** An expression without a choice by `if`. */
  function parseOperation(): Expression {
    return parseBinary(0);
  }

  function parseExpression(): Expression {
    let value = parseOperation();
    while (skip('name', 'if')) {
      const test = parseOperation();
      const otherwise = skip('name', 'else') ? parseExpression() : undefined;
      value = { type: 'choice', test, value, otherwise };
    }
    return value;
  }

  function parseNot(): Expression {
    if (skip('name', 'not')) return { type: 'unary', operator: 'not', value: parseNot() };
    const value = parseBinary(notLevel + 1);
    const rest: [string, Expression][] = [];
    for (;;) {
      const operator = takeComparison();
      if (operator === undefined) break;
      rest.push([operator, parseBinary(notLevel + 1)]);
    }
    return rest.length === 0 ? value : { type: 'comparison', value, rest };
  }

  function takeComparison(): string | undefined {
    if (is('operator', ...comparisons)) return expect('operator');
    if (skip('name', 'in')) return 'in';
    const after = tokens[index + 1];
    if (!is('name', 'not') || after?.type !== 'name' || after.value !== 'in') return undefined;
    index += 2;
    return 'not in';
  }

  function parseBinary(level: number): Expression {
    if (level === notLevel) return parseNot();
    const operators = binaryLevels[level];
    if (operators === undefined) return parseUnary(true);
    let left = parseBinary(level + 1);
    const type = level < notLevel ? 'name' : 'operator';
    while (is(type, ...operators)) {
      const operator = expect(type);
      left = { type: 'binary', operator, left, right: parseBinary(level + 1) };
    }
    return left;
  }

  function parseUnary(hasFilters: boolean): Expression {
    const sign = is('operator', '-', '+') ? expect('operator') : undefined;
    const value: Expression =
      sign === undefined ? parsePrimary() : { type: 'unary', operator: sign, value: parseUnary(false) };
    const whole = parsePostfix(value);
    return hasFilters ? parseFiltersAndTests(whole) : whole;
  }

  function parsePrimary(): Expression {
    const token = next();
    index++;
    switch (token.type) {
      case 'name': {
        const constant = constants.get(token.value);
        return constant === undefined
          ? { type: 'name', name: token.value }
          : { type: 'constant', value: constant };
      }
      case 'string': {
        let { value } = token;
        while (is('string')) value += expect('string');
        return { type: 'constant', value };
      }
      case 'integer':
        return { type: 'constant', value: token.value };
      case 'float':
        return { type: 'constant', value: new Float(token.value) };
      default:
        break;
    }
    if (token.type === 'operator' && token.value === '(') {
      const inner: Expression = is('operator', ')') ? { type: 'tuple', items: [] } : parseTuple();
      expect('operator', ')');
      return inner;
    }
    if (token.type === 'operator' && token.value === '[')
      return { type: 'list', items: parseList(']', () => parseExpression()) };
    if (token.type === 'operator' && token.value === '{') {
      const entries = parseList('}', (): [Expression, Expression] => {
        const key = parseExpression();
        expect('operator', ':');
        return [key, parseExpression()];
      });
      return { type: 'dictionary', entries };
    }
    index--;
    throw unexpected('an expression');
  }

  /** Items with commas between them, up to the closing sign; a comma may stand after the last unless told otherwise. */
  function parseList<T>(close: string, parseItem: () => T, mayTrail = true): T[] {
    const items: T[] = [];
    while (!skip('operator', close)) {
      if (items.length > 0) {
        expect('operator', ',');
        if (mayTrail && skip('operator', close)) break;
      }
      items.push(parseItem());
    }
    return items;
  }

  function parsePostfix(start: Expression): Expression {
    let value = start;
    for (;;) {
      if (skip('operator', '.')) {
        const key = next();
        index++;
        if (key.type === 'name') value = { type: 'attribute', value, name: key.value };
        else if (key.type === 'integer')
          value = { type: 'item', value, key: { type: 'constant', value: key.value } };
        else throw new SyntaxError('expected a name or a number after the dot');
      } else if (skip('operator', '[')) {
        value = parseSubscript(value);
      } else if (is('operator', '(')) {
        value = parseCall(value);
      } else {
        return value;
      }
    }
  }

  function parseCall(callee: Expression): Call {
    return { type: 'call', callee, args: parseArguments() };
  }

  function parseSubscript(value: Expression): Expression {
    const keys = parseList(']', parseSubscriptKey, false);
    const [key] = keys;
    if (key === undefined) throw new SyntaxError('expected a subscript');
    if (keys.length === 1)
      return Array.isArray(key) ? { type: 'slice', value, bounds: key } : { type: 'item', value, key };
    if (keys.some((item) => Array.isArray(item))) throw new SyntaxError('expected one slice');
    return { type: 'item', value, key: { type: 'tuple', items: keys as Expression[] } };
  }

  /** An expression, or the bounds of a slice. */
  function parseSubscriptKey(): Expression | (Expression | undefined)[] {
    const bounds: (Expression | undefined)[] = [];
    const isAtBound = (): boolean => is('operator', ':', ']', ',');
    const first = isAtBound() ? undefined : parseExpression();
    if (first !== undefined && !is('operator', ':')) return first;
    bounds.push(first);
    while (bounds.length < 3 && skip('operator', ':'))
      bounds.push(isAtBound() ? undefined : parseExpression());
    return bounds;
  }

  function parseFiltersAndTests(start: Expression): Expression {
    let value = start;
    for (;;) {
      if (skip('operator', '|')) {
        value = { type: 'filter', value, filter: parseFilter() };
      } else if (skip('name', 'is')) {
        value = parseTest(value);
      } else if (is('operator', '(')) {
        value = parseCall(value);
      } else {
        return value;
      }
    }
  }

  /** Filters with `|` between them. */
  function parseFilters(isFirstBare: boolean): FilterCall[] {
    const filters: FilterCall[] = isFirstBare ? [parseFilter()] : [];
    while (skip('operator', '|')) filters.push(parseFilter());
    return filters;
  }

  function parseFilter(): FilterCall {
    const name = parseDottedName();
    return { name, args: is('operator', '(') ? parseArguments() : noArguments };
  }

  function parseDottedName(): string {
    let name = expect('name');
    while (skip('operator', '.')) name += `.${expect('name')}`;
    return name;
  }

  function parseTest(value: Expression): Expression {
    const isNegated = skip('name', 'not');
    const name = parseDottedName();
    const test: Expression = { type: 'test', value, name, args: parseTestArguments() };
    return isNegated ? { type: 'unary', operator: 'not', value: test } : test;
  }

  /** A test's one argument may stand without parentheses. */
  function parseTestArguments(): Arguments {
    if (is('operator', '(')) return parseArguments();
    const { type } = next();
    const isArgument = ['name', 'string', 'integer', 'float'].includes(type) || is('operator', '[', '{');
    if (!isArgument || is('name', 'else', 'or', 'and')) return noArguments;
    if (is('name', 'is')) throw new SyntaxError("tests can't be chained with is");
    return { ...noArguments, positional: [parsePostfix(parsePrimary())] };
  }

  function parseArguments(): Arguments {
    expect('operator', '(');
    const positional: Expression[] = [];
    const keywords: [string, Expression][] = [];
    let list: Expression | undefined;
    let mapping: Expression | undefined;
    parseList(')', () => {
      const isKeyword = is('name') && tokens[index + 1]?.value === '=';
      if (list === undefined && mapping === undefined && skip('operator', '*')) {
        list = parseExpression();
      } else if (mapping === undefined && skip('operator', '**')) {
        mapping = parseExpression();
      } else if (isKeyword && mapping === undefined) {
        const name = expect('name');
        index++;
        keywords.push([name, parseExpression()]);
      } else if (list === undefined && mapping === undefined && keywords.length === 0) {
        positional.push(parseExpression());
      } else {
        throw new SyntaxError('invalid order of arguments');
      }
    });
    return { positional, keywords, list, mapping };
  }
}
