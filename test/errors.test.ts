import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { fieldError, fieldErrorOf, InferenceError, sentence } from '../src/errors.ts';

describe('fieldError', () => {
  it.each([
    ['expected a number, got "x"', 'a.b[0]: expected a number, got "x".'],
    ['expected a number.', 'a.b[0]: expected a number.'],
    ['there is no setting x. Did you mean y?', 'a.b[0]: there is no setting x. Did you mean y?'],
  ])('%s', (reason, message) => {
    const cause = new Error('why');
    expect(fieldError('a.b[0]', reason, { code: 'unsupported_feature', cause })).toMatchObject({
      code: 'unsupported_feature',
      message,
      param: 'a.b[0]',
      cause,
    });
    expect(fieldError('a', reason).code).toBe('invalid_request');
  });
});

describe('fieldErrorOf', () => {
  it.each([new RangeError('topK: expected more, got 1'), new TypeError('topK: expected more, got 1')])(
    'takes the reason of %s',
    (error) => {
      expect(fieldErrorOf('top_k', error)).toMatchObject({
        code: 'invalid_request',
        param: 'top_k',
        message: 'top_k: expected more, got 1.',
        cause: error,
      });
    },
  );

  it.each([
    new RangeError('Maximum call stack size exceeded'),
    new TypeError("Cannot read properties of undefined (reading 'a')"),
    new Error('topK: expected more, got 1'),
    new InferenceError('cancelled', 'The request was cancelled.'),
    'topK: expected more',
  ])('leaves %s as it is', (error) => {
    expect(fieldErrorOf('top_k', error)).toBe(error);
  });
});

describe('sentence', () => {
  it.each([
    ['a', 'a.'],
    ['a.', 'a.'],
    ['a?', 'a?'],
    ['a!', 'a!'],
    ['a…', 'a….'],
  ])('%s → %s', (text, written) => {
    expect(sentence(text)).toBe(written);
  });
});

interface Construction {
  readonly place: string;
  readonly message: ts.Expression;
  readonly options: string;
}

const root = resolve(import.meta.dirname, '..');
/** The benchmark's subjects. */
const notYet = /^src\/cli\/bench\//;

function constructions(): Construction[] {
  const found: Construction[] = [];
  for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    const path = `src/${name}`;
    if (!path.endsWith('.ts')) continue;
    const text = readFileSync(join(root, path), 'utf8');
    if (notYet.test(path) || path === 'src/errors.ts' || !text.includes('new InferenceError(')) continue;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node) && node.expression.getText() === 'InferenceError') {
        const [, message, options] = node.arguments!;
        const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        found.push({ place: `${path}:${line}`, message: message!, options: options?.getText() ?? '' });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

/** Whether text that is written out ends with a full stop; text that is made elsewhere has to be made a sentence. */
function isSentence(message: ts.Expression, file = message.getSourceFile()): boolean {
  if (ts.isStringLiteralLike(message)) return message.text.endsWith('.');
  if (ts.isTemplateExpression(message)) {
    // What may be empty can follow a sentence.
    for (const { literal, expression } of message.templateSpans.toReversed()) {
      if (literal.text !== '') return literal.text.endsWith('.');
      if (isSentence(expression, file)) return true;
    }
    return false;
  }
  if (ts.isCallExpression(message)) {
    const name = message.expression.getText();
    return ['sentence', 'didYouMean', 'listing'].includes(name);
  }
  if (ts.isIdentifier(message)) {
    const declared = [...file.text.matchAll(new RegExp(`const ${message.text} = ([^;]*);`, 'g'))];
    return declared.some(([, text]) => /\.[`'"]$|^sentence\(/.test(text!));
  }
  return ts.isBinaryExpression(message) && isSentence(message.right, file);
}

describe('every error of the package', () => {
  const all = constructions();

  it('is found', () => {
    expect(all.length).toBeGreaterThan(50);
  });

  it('is a sentence', () => {
    expect(all.filter(({ message }) => !isSentence(message)).map(({ place }) => place)).toEqual([]);
  });

  it('that begins with a field is made by fieldError', () => {
    const byHand = all.filter(
      ({ message, options }) =>
        /^[`'](?:\$\{param\}|[a-z_.]+): /.test(message.getText()) && /param/.test(options),
    );
    expect(byHand.map(({ place }) => place)).toEqual([]);
  });

  it('quotes no words of JSON.parse or of an engine', () => {
    const foreign = all.filter(({ message }) => /\(error as Error\)\.message/.test(message.getText()));
    expect(foreign.map(({ place }) => place)).toEqual([]);
  });
});
