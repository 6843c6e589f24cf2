import { Scope, type Assign, type Expression } from './evaluate.ts';
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
import {
  parseAfter,
  parseExpression,
  parseFilter,
  parseFilters,
  parseList,
  parseOperation,
  parsePrimary,
  parseTuple,
  parseVariable,
} from './parse-expression.ts';
import { toText } from './printing.ts';
import { TokenReader } from './lexer.ts';
import { isTruthy, Namespace } from './values.ts';

const statements: ReadonlyMap<string, (tokens: TokenReader) => Statement> = new Map([
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

/**
 * Parses a template by Jinja2's grammar, with loop controls and the `generation` block of `transformers`. @returns also the
 * names of variables that it reads
 */
export function parseTemplate(source: string) {
  const tokens = new TokenReader(source);
  const body = parseBody(tokens, []);
  if (!tokens.is('end')) throw tokens.unexpected();
  return { body, names: new Set(tokens.names) };
}

/** Parses statements up to a block with one of these words, without consuming the word. */
function parseBody(tokens: TokenReader, ends: readonly string[]): Body {
  const body: Statement[] = [];
  for (;;) {
    if (tokens.is('end')) {
      if (ends.length > 0) throw tokens.unexpected(ends.at(-1));
      return body;
    }
    const token = tokens.take();
    if (token.type === 'text') {
      body.push((_scope, output) => write(token.value, output));
    } else if (token.type === 'print-begin') {
      const value = parseTuple(tokens);
      tokens.expect('print-end');
      body.push((scope, output) => write(toText(value.evaluate(scope)), output));
    } else if (token.type === 'block-begin') {
      if (ends.length > 0 && tokens.is('name', ...ends)) return body;
      const word = tokens.expect('name');
      const parse = statements.get(word);
      if (!parse) throw new SyntaxError(`unknown tag '${word}'`);
      body.push(parse(tokens));
      tokens.expect('block-end');
    } else {
      throw tokens.unexpected();
    }
  }
}

/** Parses a block's body and its end, after the head. */
function parseInner(tokens: TokenReader, ...ends: readonly string[]): Body {
  tokens.expect('block-end');
  const body = parseBody(tokens, ends);
  if (ends.length === 1) tokens.take();
  return body;
}

function parseIf(tokens: TokenReader): Statement {
  const test = parseTuple(tokens, parseOperation);
  const body = parseInner(tokens, 'elif', 'else', 'endif');
  const word = tokens.expect('name');
  const otherwise = word === 'endif' ? [] : word === 'elif' ? [parseIf(tokens)] : parseInner(tokens, 'endif');
  return (scope, output) => run(isTruthy(test.evaluate(scope)) ? body : otherwise, scope, output);
}

function parseFor(tokens: TokenReader): Statement {
  const assign = targetOf(parseTuple(tokens, parsePrimary, 'in'));
  tokens.expect('name', 'in');
  const items = parseTuple(tokens, parseOperation, 'recursive');
  const condition = tokens.skip('name', 'if') ? parseExpression(tokens) : undefined;
  const isRecursive = tokens.skip('name', 'recursive');
  const body = parseInner(tokens, 'else', 'endfor');
  const otherwise = tokens.expect('name') === 'else' ? parseInner(tokens, 'endfor') : [];
  const parts = { assign, condition, isRecursive, body, otherwise };
  return (scope, output) => loop(parts, items.evaluate(scope), scope, output);
}

function parseSet(tokens: TokenReader): Statement {
  const isAttribute = tokens.after?.value === '.';
  const assign = isAttribute ? parseAttribute(tokens) : targetOf(parseTuple(tokens, parsePrimary));
  if (tokens.skip('operator', '=')) {
    const value = parseTuple(tokens);
    return (scope) => assign(value.evaluate(scope), scope);
  }
  const filters = parseFilters(tokens, []);
  const body = parseInner(tokens, 'endset');
  return (scope) => filterBlock(body, filters, scope, (text) => assign(text, scope));
}

function parseWith(tokens: TokenReader): Statement {
  const bindings: (readonly [Assign, Expression])[] = [];
  while (!tokens.is('block-end')) {
    if (bindings.length > 0) tokens.expect('operator', ',');
    bindings.push([parseVariable(tokens).assign, parseAfter(tokens, '=')]);
  }
  const body = parseInner(tokens, 'endwith');
  return (scope, output) => {
    const own = new Scope(scope);
    for (const [assign, value] of bindings) assign(value.evaluate(scope), own);
    return run(body, own, output);
  };
}

function parseMacro(tokens: TokenReader): Statement {
  const name = tokens.expect('name');
  const macro = macroOf(tokens, name, parseParameters(tokens), 'endmacro');
  return (scope) => scope.set(name, createMacro(macro, scope));
}

function parseCallBlock(tokens: TokenReader): Statement {
  const parameters = tokens.is('operator', '(') ? parseParameters(tokens) : [];
  const { call } = parseExpression(tokens);
  if (!call) throw new SyntaxError('expected a call after {% call');
  const macro = macroOf(tokens, 'caller', parameters, 'endcall');
  return (scope, output) => write(toText(call(scope, [['caller', createMacro(macro, scope)]])), output);
}

/** Parses a macro's body, after the head. */
function macroOf(tokens: TokenReader, name: string, parameters: readonly Parameter[], end: string): Macro {
  const start = tokens.names.length;
  const body = parseInner(tokens, end);
  return { name, parameters, body, names: new Set(tokens.names.slice(start)) };
}

function parseFilterBlock(tokens: TokenReader): Statement {
  const filters = parseFilters(tokens, [parseFilter(tokens)]);
  const body = parseInner(tokens, 'endfilter');
  return (scope, output) => filterBlock(body, filters, scope, (text) => write(toText(text), output));
}

function parseGeneration(tokens: TokenReader): Statement {
  const body = parseInner(tokens, 'endgeneration');
  return (scope, output) => run(body, new Scope(scope), output);
}

function parseAttribute(tokens: TokenReader): Assign {
  const target = parseVariable(tokens);
  tokens.take();
  const name = tokens.expect('name');
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

function parseParameters(tokens: TokenReader): Parameter[] {
  tokens.expect('operator', '(');
  let isOptional = false;
  const parseParameter = (): Parameter => {
    const name = tokens.expect('name');
    const fallback = tokens.skip('operator', '=') ? parseExpression(tokens) : undefined;
    if (fallback === undefined && isOptional)
      throw new SyntaxError('non-default argument follows default argument');
    isOptional = fallback !== undefined;
    return { name, fallback };
  };
  return parseList(tokens, ')', parseParameter, false);
}
