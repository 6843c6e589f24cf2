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
const binaryLevels = [['+', '-'], ['~'], ['*', '/', '//', '%'], ['**']];

/** Parses a template by the grammar of Jinja2, with loop controls and the `generation` block of `transformers`. */
export function parseTemplate(source: string): Body {
  return new Parser(tokenize(source)).parseAll();
}

class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parseAll(): Body {
    const body = this.#parseBody([]);
    if (this.#next.type !== 'end') throw this.#unexpected();
    return body;
  }

  get #next(): Token {
    return this.#tokens[this.#index]!;
  }

  #is(type: Token['type'], ...values: readonly string[]): boolean {
    const { type: found, value } = this.#next;
    return found === type && (values.length === 0 || values.includes(String(value)));
  }

  /** Takes the next token if it is this one. */
  #skip(type: Token['type'], ...values: readonly string[]): boolean {
    if (!this.#is(type, ...values)) return false;
    this.#index++;
    return true;
  }

  #expect(type: Token['type'], ...values: readonly string[]): string {
    if (!this.#is(type, ...values)) throw this.#unexpected(values[0] ?? type);
    return String(this.#tokens[this.#index++]!.value);
  }

  #unexpected(wanted?: string): SyntaxError {
    const { type, value } = this.#next;
    const found = value === undefined ? type : `'${String(value).slice(0, 40)}'`;
    return new SyntaxError(`unexpected ${found}${wanted === undefined ? '' : `, expected ${wanted}`}`);
  }

  /** Reads statements up to a block that begins with one of these words, whose word stays. */
  #parseBody(ends: readonly string[]): Body {
    const body: Statement[] = [];
    for (;;) {
      const token = this.#next;
      if (token.type === 'end') {
        if (ends.length > 0) throw this.#unexpected(ends.at(-1));
        return body;
      }
      this.#index++;
      if (token.type === 'text') {
        body.push({ type: 'text', text: token.value });
      } else if (token.type === 'print-begin') {
        body.push({ type: 'print', value: this.#parseTuple() });
        this.#expect('print-end');
      } else if (token.type === 'block-begin') {
        if (ends.length > 0 && this.#is('name', ...ends)) return body;
        body.push(this.#parseStatement());
        this.#expect('block-end');
      } else {
        throw this.#unexpected();
      }
    }
  }

  /** A block's head has been read: reads its body and takes the word that ends it. */
  #parseInner(...ends: readonly string[]): Body {
    this.#expect('block-end');
    const body = this.#parseBody(ends);
    if (ends.length === 1) this.#index++;
    return body;
  }

  #parseStatement(): Statement {
    const word = this.#expect('name');
    switch (word) {
      case 'if':
        return this.#parseIf();
      case 'for':
        return this.#parseFor();
      case 'set':
        return this.#parseSet();
      case 'with':
        return this.#parseWith();
      case 'macro': {
        const name = this.#expect('name');
        return {
          type: 'macro',
          name,
          parameters: this.#parseParameters(),
          body: this.#parseInner('endmacro'),
        };
      }
      case 'call': {
        const parameters = this.#is('operator', '(') ? this.#parseParameters() : [];
        const call = this.#parseExpression();
        if (call.type !== 'call') throw new SyntaxError('expected a call after {% call');
        return { type: 'call-block', parameters, call, body: this.#parseInner('endcall') };
      }
      case 'filter':
        return {
          type: 'filter-block',
          filters: this.#parseFilters(true),
          body: this.#parseInner('endfilter'),
        };
      case 'generation':
        return { type: 'scope', body: this.#parseInner('endgeneration') };
      case 'break':
      case 'continue':
        return { type: word };
      default:
        throw new SyntaxError(`unknown tag '${word}'`);
    }
  }

  #parseIf(): Statement {
    const test = this.#parseTuple({ hasChoice: false });
    const body = this.#parseInner('elif', 'else', 'endif');
    const word = this.#expect('name');
    if (word === 'endif') return { type: 'if', test, body, otherwise: [] };
    const otherwise = word === 'elif' ? [this.#parseIf()] : this.#parseInner('endif');
    return { type: 'if', test, body, otherwise };
  }

  #parseFor(): For {
    const target = this.#parseTarget({ hasTuple: true, end: 'in' });
    this.#expect('name', 'in');
    const items = this.#parseTuple({ hasChoice: false, end: 'recursive' });
    const condition = this.#skip('name', 'if') ? this.#parseExpression() : undefined;
    const isRecursive = this.#skip('name', 'recursive');
    const body = this.#parseInner('else', 'endfor');
    const otherwise = this.#expect('name') === 'else' ? this.#parseInner('endfor') : [];
    return { type: 'for', target, items, condition, isRecursive, body, otherwise };
  }

  #parseSet(): Statement {
    const target = this.#parseTarget({ hasTuple: true, hasAttribute: true });
    if (this.#skip('operator', '=')) return { type: 'set', target, value: this.#parseTuple() };
    const filters = this.#parseFilters(false);
    return { type: 'set-block', target, filters, body: this.#parseInner('endset') };
  }

  #parseWith(): Statement {
    const bindings: [Target, Expression][] = [];
    while (!this.#is('block-end')) {
      if (bindings.length > 0) this.#expect('operator', ',');
      const target = this.#parseTarget({});
      this.#expect('operator', '=');
      bindings.push([target, this.#parseExpression()]);
    }
    return { type: 'with', bindings, body: this.#parseInner('endwith') };
  }

  #parseTarget(options: { hasTuple?: boolean; hasAttribute?: boolean; end?: string }): Target {
    const { hasTuple = false, hasAttribute = false, end } = options;
    if (hasAttribute && this.#tokens[this.#index + 1]?.value === '.') {
      const name = this.#expect('name');
      this.#index++;
      return { type: 'attribute', value: { type: 'name', name }, name: this.#expect('name') };
    }
    const found = hasTuple
      ? this.#parseTuple({ isPrimary: true, end })
      : ({ type: 'name', name: this.#expect('name') } as const);
    return this.#toTarget(found);
  }

  #toTarget(expression: Expression): Target {
    if (expression.type === 'name') return expression;
    if (expression.type === 'tuple')
      return { type: 'tuple', items: expression.items.map((item) => this.#toTarget(item)) };
    throw new SyntaxError(`can't assign to ${expression.type}`);
  }

  #parseParameters(): Parameter[] {
    this.#expect('operator', '(');
    const parameters: Parameter[] = [];
    while (!this.#skip('operator', ')')) {
      if (parameters.length > 0) this.#expect('operator', ',');
      const name = this.#expect('name');
      const fallback = this.#skip('operator', '=') ? this.#parseExpression() : undefined;
      if (fallback === undefined && parameters.at(-1)?.fallback !== undefined)
        throw new SyntaxError('non-default argument follows default argument');
      parameters.push({ name, fallback });
    }
    return parameters;
  }

  /** One value, or several with commas between them as a tuple. */
  #parseTuple(
    options: {
      hasChoice?: boolean;
      isPrimary?: boolean;
      isInParentheses?: boolean;
      end?: string | undefined;
    } = {},
  ): Expression {
    const { hasChoice = true, isPrimary = false, isInParentheses = false, end } = options;
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) this.#expect('operator', ',');
      const isAtEnd =
        this.#is('print-end') ||
        this.#is('block-end') ||
        this.#is('operator', ')') ||
        (end !== undefined && this.#is('name', end));
      if (isAtEnd) break;
      items.push(isPrimary ? this.#parsePrimary() : hasChoice ? this.#parseExpression() : this.#parseOr());
      if (!this.#is('operator', ',')) break;
      isTuple = true;
    }
    if (!isTuple && items.length === 1) return items[0]!;
    if (items.length === 0 && !isInParentheses) throw this.#unexpected('an expression');
    return { type: 'tuple', items };
  }

  #parseExpression(): Expression {
    let value = this.#parseOr();
    while (this.#skip('name', 'if')) {
      const test = this.#parseOr();
      const otherwise = this.#skip('name', 'else') ? this.#parseExpression() : undefined;
      value = { type: 'choice', test, value, otherwise };
    }
    return value;
  }

  #parseOr(): Expression {
    let left = this.#parseAnd();
    while (this.#skip('name', 'or')) left = { type: 'binary', operator: 'or', left, right: this.#parseAnd() };
    return left;
  }

  #parseAnd(): Expression {
    let left = this.#parseNot();
    while (this.#skip('name', 'and'))
      left = { type: 'binary', operator: 'and', left, right: this.#parseNot() };
    return left;
  }

  #parseNot(): Expression {
    if (this.#skip('name', 'not')) return { type: 'unary', operator: 'not', value: this.#parseNot() };
    const value = this.#parseBinary(0);
    const rest: [string, Expression][] = [];
    for (;;) {
      const operator = this.#takeComparison();
      if (operator === undefined) break;
      rest.push([operator, this.#parseBinary(0)]);
    }
    return rest.length === 0 ? value : { type: 'comparison', value, rest };
  }

  #takeComparison(): string | undefined {
    if (this.#is('operator', ...comparisons)) return this.#expect('operator');
    if (this.#skip('name', 'in')) return 'in';
    const after = this.#tokens[this.#index + 1];
    if (!this.#is('name', 'not') || after?.type !== 'name' || after.value !== 'in') return undefined;
    this.#index += 2;
    return 'not in';
  }

  #parseBinary(level: number): Expression {
    const operators = binaryLevels[level];
    if (operators === undefined) return this.#parseUnary(true);
    let left = this.#parseBinary(level + 1);
    while (this.#is('operator', ...operators)) {
      const operator = this.#expect('operator');
      left = { type: 'binary', operator, left, right: this.#parseBinary(level + 1) };
    }
    return left;
  }

  #parseUnary(hasFilters: boolean): Expression {
    const sign = this.#is('operator', '-', '+') ? this.#expect('operator') : undefined;
    const value: Expression =
      sign === undefined
        ? this.#parsePrimary()
        : { type: 'unary', operator: sign, value: this.#parseUnary(false) };
    const whole = this.#parsePostfix(value);
    return hasFilters ? this.#parseFiltersAndTests(whole) : whole;
  }

  #parsePrimary(): Expression {
    const token = this.#next;
    this.#index++;
    switch (token.type) {
      case 'name': {
        const constant = constants.get(token.value);
        return constant === undefined
          ? { type: 'name', name: token.value }
          : { type: 'constant', value: constant };
      }
      case 'string': {
        let { value } = token;
        while (this.#is('string')) value += this.#expect('string');
        return { type: 'constant', value };
      }
      case 'integer':
        return { type: 'constant', value: token.value };
      case 'float':
        return { type: 'float', value: token.value };
      default:
        break;
    }
    if (token.type === 'operator' && token.value === '(') {
      const inner = this.#parseTuple({ isInParentheses: true });
      this.#expect('operator', ')');
      return inner;
    }
    if (token.type === 'operator' && token.value === '[')
      return { type: 'list', items: this.#parseList(']', () => this.#parseExpression()) };
    if (token.type === 'operator' && token.value === '{') {
      const entries = this.#parseList('}', (): [Expression, Expression] => {
        const key = this.#parseExpression();
        this.#expect('operator', ':');
        return [key, this.#parseExpression()];
      });
      return { type: 'dictionary', entries };
    }
    this.#index--;
    throw this.#unexpected('an expression');
  }

  /** Items with commas between them, up to the closing sign; a comma may stand after the last. */
  #parseList<T>(close: string, parseItem: () => T): T[] {
    const items: T[] = [];
    while (!this.#skip('operator', close)) {
      if (items.length > 0) {
        this.#expect('operator', ',');
        if (this.#skip('operator', close)) break;
      }
      items.push(parseItem());
    }
    return items;
  }

  #parsePostfix(start: Expression): Expression {
    let value = start;
    for (;;) {
      if (this.#skip('operator', '.')) {
        const key = this.#next;
        this.#index++;
        if (key.type === 'name') value = { type: 'attribute', value, name: key.value };
        else if (key.type === 'integer')
          value = { type: 'item', value, key: { type: 'constant', value: key.value } };
        else throw new SyntaxError('expected a name or a number after the dot');
      } else if (this.#skip('operator', '[')) {
        value = this.#parseSubscript(value);
      } else if (this.#is('operator', '(')) {
        value = this.#parseCall(value);
      } else {
        return value;
      }
    }
  }

  #parseCall(callee: Expression): Call {
    return { type: 'call', callee, args: this.#parseArguments() };
  }

  #parseSubscript(value: Expression): Expression {
    const keys: (Expression | (Expression | undefined)[])[] = [];
    while (!this.#skip('operator', ']')) {
      if (keys.length > 0) this.#expect('operator', ',');
      keys.push(this.#parseSubscriptKey());
    }
    const [key] = keys;
    if (key === undefined) throw new SyntaxError('expected a subscript');
    if (keys.length === 1)
      return Array.isArray(key) ? { type: 'slice', value, bounds: key } : { type: 'item', value, key };
    if (keys.some((item) => Array.isArray(item))) throw new SyntaxError('expected one slice');
    return { type: 'item', value, key: { type: 'tuple', items: keys as Expression[] } };
  }

  /** An expression, or the bounds of a slice. */
  #parseSubscriptKey(): Expression | (Expression | undefined)[] {
    const bounds: (Expression | undefined)[] = [];
    const isAtBound = (): boolean => this.#is('operator', ':', ']', ',');
    const first = isAtBound() ? undefined : this.#parseExpression();
    if (first !== undefined && !this.#is('operator', ':')) return first;
    bounds.push(first);
    while (bounds.length < 3 && this.#skip('operator', ':'))
      bounds.push(isAtBound() ? undefined : this.#parseExpression());
    return bounds;
  }

  #parseFiltersAndTests(start: Expression): Expression {
    let value = start;
    for (;;) {
      if (this.#skip('operator', '|')) {
        value = { type: 'filter', value, filter: this.#parseFilter() };
      } else if (this.#skip('name', 'is')) {
        value = this.#parseTest(value);
      } else if (this.#is('operator', '(')) {
        value = this.#parseCall(value);
      } else {
        return value;
      }
    }
  }

  /** Filters with `|` between them. */
  #parseFilters(isFirstBare: boolean): FilterCall[] {
    const filters: FilterCall[] = isFirstBare ? [this.#parseFilter()] : [];
    while (this.#skip('operator', '|')) filters.push(this.#parseFilter());
    return filters;
  }

  #parseFilter(): FilterCall {
    const name = this.#parseDottedName();
    return { name, args: this.#is('operator', '(') ? this.#parseArguments() : noArguments };
  }

  #parseDottedName(): string {
    let name = this.#expect('name');
    while (this.#skip('operator', '.')) name += `.${this.#expect('name')}`;
    return name;
  }

  #parseTest(value: Expression): Expression {
    const isNegated = this.#skip('name', 'not');
    const name = this.#parseDottedName();
    const test: Expression = { type: 'test', value, name, args: this.#parseTestArguments() };
    return isNegated ? { type: 'unary', operator: 'not', value: test } : test;
  }

  /** A test's one argument may stand without parentheses. */
  #parseTestArguments(): Arguments {
    if (this.#is('operator', '(')) return this.#parseArguments();
    const { type } = this.#next;
    const isArgument =
      ['name', 'string', 'integer', 'float'].includes(type) || this.#is('operator', '[', '{');
    if (!isArgument || this.#is('name', 'else', 'or', 'and')) return noArguments;
    if (this.#is('name', 'is')) throw new SyntaxError("tests can't be chained with is");
    return { ...noArguments, positional: [this.#parsePostfix(this.#parsePrimary())] };
  }

  #parseArguments(): Arguments {
    this.#expect('operator', '(');
    const positional: Expression[] = [];
    const keywords: [string, Expression][] = [];
    let list: Expression | undefined;
    let mapping: Expression | undefined;
    this.#parseList(')', () => {
      const isKeyword = this.#is('name') && this.#tokens[this.#index + 1]?.value === '=';
      if (list === undefined && mapping === undefined && this.#skip('operator', '*')) {
        list = this.#parseExpression();
      } else if (mapping === undefined && this.#skip('operator', '**')) {
        mapping = this.#parseExpression();
      } else if (isKeyword && mapping === undefined) {
        const name = this.#expect('name');
        this.#index++;
        keywords.push([name, this.#parseExpression()]);
      } else if (list === undefined && mapping === undefined && keywords.length === 0) {
        positional.push(this.#parseExpression());
      } else {
        throw new SyntaxError('invalid order of arguments');
      }
    });
    return { positional, keywords, list, mapping };
  }
}
