import {
  attribute,
  binary,
  callOf,
  choice,
  comparison,
  constant,
  expression,
  filtered,
  Scope,
  sliceOf,
  subscript,
  tested,
  tuple,
  unary,
  variable,
  type Arguments,
  type Assign,
  type Expression,
  type FilterCall,
} from './evaluate.ts';
import {
  createMacro,
  filterBlock,
  loop,
  run,
  write,
  type Body,
  type Macro,
  type Parameter,
  type Statement,
} from './execute.ts';
import { tokenize, type Token } from './lexer.ts';
import { toText } from './printing.ts';
import { Float, isTruthy, Namespace, toDictionary } from './values.ts';

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

/** A template whose statements are ready to be run. */
export interface ParsedTemplate {
  readonly body: Body;
  /** Names of variables that it looks at. */
  readonly names: ReadonlySet<string>;
}

/** Parses a template by the grammar of Jinja2, with loop controls and the `generation` block of `transformers`. */
export function parseTemplate(source: string): ParsedTemplate {
  const tokens = tokenize(source);
  /** Names of variables, in the order of the source. */
  const names: string[] = [];
  let index = 0;
  const statements: ReadonlyMap<string, () => Statement> = new Map([
    ['if', parseIf],
    ['for', parseFor],
    ['set', parseSet],
    ['with', parseWith],
    ['macro', parseMacro],
    ['call', parseCallBlock],
    ['filter', parseFilterBlock],
    ['generation', parseGeneration],
    ['break', () => (_scope, output) => void (output.exit = 'break')],
    ['continue', () => (_scope, output) => void (output.exit = 'continue')],
  ]);
  const template = parseBody([]);
  if (next().type !== 'end') throw unexpected();
  return { body: template, names: new Set(names) };

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
        body.push((_scope, output) => write(token.value, output));
      } else if (token.type === 'print-begin') {
        const value = parseTuple();
        expect('print-end');
        body.push((scope, output) => write(toText(value.evaluate(scope)), output));
      } else if (token.type === 'block-begin') {
        if (ends.length > 0 && is('name', ...ends)) return body;
        const word = expect('name');
        const parse = statements.get(word);
        if (!parse) throw new SyntaxError(`unknown tag '${word}'`);
        body.push(parse());
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

  function parseIf(): Statement {
    const test = parseTuple(parseOperation);
    const body = parseInner('elif', 'else', 'endif');
    const word = expect('name');
    const otherwise = word === 'endif' ? [] : word === 'elif' ? [parseIf()] : parseInner('endif');
    return (scope, output) => run(isTruthy(test.evaluate(scope)) ? body : otherwise, scope, output);
  }

  function parseFor(): Statement {
    const assign = targetOf(parseTuple(parsePrimary, 'in'));
    expect('name', 'in');
    const items = parseTuple(parseOperation, 'recursive');
    const condition = skip('name', 'if') ? parseExpression() : undefined;
    const isRecursive = skip('name', 'recursive');
    const body = parseInner('else', 'endfor');
    const otherwise = expect('name') === 'else' ? parseInner('endfor') : [];
    const parts = { assign, condition, isRecursive, body, otherwise };
    return (scope, output) => loop(parts, items.evaluate(scope), scope, output);
  }

  function parseSet(): Statement {
    const isAttribute = tokens[index + 1]?.value === '.';
    const assign = isAttribute ? parseAttribute() : targetOf(parseTuple(parsePrimary));
    if (skip('operator', '=')) {
      const value = parseTuple();
      return (scope) => assign(value.evaluate(scope), scope);
    }
    const filters = parseFilters([]);
    const body = parseInner('endset');
    return (scope) => filterBlock(body, filters, scope, (text) => assign(text, scope));
  }

  function parseWith(): Statement {
    const bindings: (readonly [Assign, Expression])[] = [];
    while (!is('block-end')) {
      if (bindings.length > 0) expect('operator', ',');
      bindings.push([parseVariable().assign, parseAfter('=')]);
    }
    const body = parseInner('endwith');
    return (scope, output) => {
      const own = new Scope(scope);
      for (const [assign, value] of bindings) assign(value.evaluate(scope), own);
      return run(body, own, output);
    };
  }

  function parseMacro(): Statement {
    const name = expect('name');
    const macro = macroOf(name, parseParameters(), 'endmacro');
    return (scope) => scope.set(name, createMacro(macro, scope));
  }

  function parseCallBlock(): Statement {
    const parameters = is('operator', '(') ? parseParameters() : [];
    const { call } = parseExpression();
    if (!call) throw new SyntaxError('expected a call after {% call');
    const macro = macroOf('caller', parameters, 'endcall');
    return (scope, output) => write(toText(call(scope, [['caller', createMacro(macro, scope)]])), output);
  }

  /** A macro's head has been read: reads its body. */
  function macroOf(name: string, parameters: readonly Parameter[], end: string): Macro {
    const start = names.length;
    const body = parseInner(end);
    return { name, parameters, body, names: new Set(names.slice(start)) };
  }

  function parseFilterBlock(): Statement {
    const filters = parseFilters([parseFilter()]);
    const body = parseInner('endfilter');
    return (scope, output) => filterBlock(body, filters, scope, (text) => write(toText(text), output));
  }

  function parseGeneration(): Statement {
    const body = parseInner('endgeneration');
    return (scope, output) => run(body, new Scope(scope), output);
  }

  function parseVariable(): ReturnType<typeof variable> {
    const name = expect('name');
    names.push(name);
    return variable(name);
  }

  function parseAttribute(): Assign {
    const target = parseVariable();
    index++;
    const name = expect('name');
    return (value, scope) => {
      const namespace = target.evaluate(scope);
      if (!(namespace instanceof Namespace))
        throw new TypeError('cannot assign attribute on non-namespace object');
      namespace.attributes.set(name, value);
    };
  }

  function targetOf({ assign, label }: Expression): Assign {
    if (assign) return assign;
    throw new SyntaxError(`can't assign to ${label}`);
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
    const isAtEnd = (): boolean =>
      is('print-end') || is('block-end') || is('operator', ')') || (end !== undefined && is('name', end));
    if (isAtEnd()) throw unexpected('an expression');
    const first = parseItem();
    if (!is('operator', ',')) return first;
    const items = [first];
    while (skip('operator', ',') && !isAtEnd()) items.push(parseItem());
    return tuple(items);
  }

  /** An expression without a choice by `if`. */
  function parseOperation(): Expression {
    return parseBinary(0);
  }

  function parseExpression(value = parseOperation()): Expression {
    if (!skip('name', 'if')) return value;
    const test = parseOperation();
    return parseExpression(choice(test, value, skip('name', 'else') ? parseExpression() : undefined));
  }

  function parseNot(): Expression {
    if (skip('name', 'not')) return unary('not', parseNot());
    const value = parseBinary(notLevel + 1);
    const rest: [string, Expression][] = [];
    for (let operator = takeComparison(); operator; operator = takeComparison())
      rest.push([operator, parseBinary(notLevel + 1)]);
    return rest.length === 0 ? value : comparison(value, rest);
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
      left = binary(operator, left, parseBinary(level + 1));
    }
    return left;
  }

  function parseUnary(hasFilters: boolean): Expression {
    const sign = is('operator', '-', '+') ? expect('operator') : undefined;
    const whole = parsePostfix(sign === undefined ? parsePrimary() : unary(sign, parseUnary(false)));
    return hasFilters ? parseFiltersAndTests(whole) : whole;
  }

  function parsePrimary(): Expression {
    if (is('name')) {
      const known = constants.get(String(next().value));
      if (known === undefined) return parseVariable();
      index++;
      return constant(known);
    }
    if (is('string')) {
      let text = '';
      while (is('string')) text += expect('string');
      return constant(text);
    }
    const { value } = next();
    if (skip('integer')) return constant(value);
    if (skip('float')) return constant(new Float(Number(value)));
    if (skip('operator', '(')) {
      const inner = is('operator', ')') ? tuple([]) : parseTuple();
      expect('operator', ')');
      return inner;
    }
    if (skip('operator', '[')) {
      const items = parseList(']', parseExpression);
      return expression((scope) => items.map((one) => one.evaluate(scope)));
    }
    if (!skip('operator', '{')) throw unexpected('an expression');
    const entries = parseList('}', () => [parseExpression(), parseAfter(':')] as const);
    return expression((scope) =>
      toDictionary(entries.map(([key, member]) => [key.evaluate(scope), member.evaluate(scope)] as const)),
    );
  }

  /** An expression behind a sign. */
  function parseAfter(sign: string): Expression {
    expect('operator', sign);
    return parseExpression();
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

  function parsePostfix(value: Expression): Expression {
    if (skip('operator', '[')) return parsePostfix(parseSubscript(value));
    if (is('operator', '(')) return parsePostfix(callOf(value, parseArguments()));
    if (!skip('operator', '.')) return value;
    const key = next();
    index++;
    if (key.type === 'name') return parsePostfix(attribute(value, key.value));
    if (key.type === 'integer') return parsePostfix(subscript(value, constant(key.value)));
    throw new SyntaxError('expected a name or a number after the dot');
  }

  function parseSubscript(value: Expression): Expression {
    const keys = parseList(']', parseSubscriptKey, false);
    const [key] = keys;
    if (key === undefined) throw new SyntaxError('expected a subscript');
    if (keys.length === 1) return Array.isArray(key) ? sliceOf(value, key) : subscript(value, key);
    if (keys.some((one) => Array.isArray(one))) throw new SyntaxError('expected one slice');
    return subscript(value, tuple(keys as Expression[]));
  }

  /** An expression, or the bounds of a slice. */
  function parseSubscriptKey(): Expression | (Expression | undefined)[] {
    const parseBound = (): Expression | undefined =>
      is('operator', ':', ']', ',') ? undefined : parseExpression();
    const first = parseBound();
    if (first !== undefined && !is('operator', ':')) return first;
    const bounds = [first];
    while (bounds.length < 3 && skip('operator', ':')) bounds.push(parseBound());
    return bounds;
  }

  function parseFiltersAndTests(value: Expression): Expression {
    if (skip('operator', '|')) return parseFiltersAndTests(filtered(value, parseFilter()));
    if (skip('name', 'is')) return parseFiltersAndTests(parseTest(value));
    return is('operator', '(') ? parseFiltersAndTests(callOf(value, parseArguments())) : value;
  }

  /** Filters with `|` before each, behind some that have been read. */
  function parseFilters(filters: FilterCall[]): FilterCall[] {
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
    const test = tested(value, name, parseTestArguments());
    return isNegated ? unary('not', test) : test;
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
      const mayList = list === undefined && mapping === undefined;
      if (mayList && skip('operator', '*')) list = parseExpression();
      else if (mapping === undefined && skip('operator', '**')) mapping = parseExpression();
      else if (mapping === undefined && isKeyword) keywords.push([expect('name'), parseAfter('=')]);
      else if (mayList && keywords.length === 0) positional.push(parseExpression());
      else throw new SyntaxError('invalid order of arguments');
    });
    return { positional, keywords, list, mapping };
  }
}
