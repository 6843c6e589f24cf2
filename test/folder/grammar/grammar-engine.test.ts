import { Validator, type Schema } from '@cfworker/json-schema';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AnswerConstraint } from '../../../src/core/grammar/constraint.ts';
import type { CompiledGrammar } from '../../../src/core/grammar/engine/matcher.ts';
import { hermesFormat } from '../../../src/core/chat/tool-calls/rows.ts';
import { createSampler } from '../../../src/core/sampling/sampler.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { inSlices, Turns } from '../../../src/concurrency/in-slices.ts';
import { createGrammarEngine, type GrammarEngine } from '../../../src/folder/grammar/grammar-engine.ts';
import { openModelFolder } from '../../../src/folder/model-folder.ts';
import type { TextTokenizer } from '../../../src/contracts/text-model.ts';
import { createTextTokenizer } from '../../../src/folder/tokenizer.ts';
import { schemas } from '../../core/grammar/schemas.ts';

let tokenizer: TextTokenizer;
let engine: GrammarEngine;
let endToken: number;
/** Some models have more logits than tokens. */
let vocabularySize: number;

beforeAll(async () => {
  tokenizer = createTextTokenizer(await openModelFolder('examples/models/tiny-chat'));
  endToken = tokenizer.tokenToId('<|im_end|>')!;
  vocabularySize = tokenizer.vocabularySize + 20;
  engine = createGrammarEngine(tokenizer, { vocabularySize, endTokens: new Set([endToken]) });
});

/** Samples from noise at a high temperature; what closes something becomes ever more likely. */
function sampled(grammar: CompiledGrammar, seed: number): string {
  const sampler = createSampler({ temperature: 1.5, minP: 0, repeatPenalty: 1 }, { vocabularySize, seed });
  const rng = createRng(seed);
  const closing = ['"', '}', ']', '"}', '"]', '}}'].map((token) => tokenizer.tokenToId(token)!);
  const matcher = grammar.createMatcher();
  const tokens: number[] = [];
  while (tokens.length < 5000) {
    const logits = Float32Array.from({ length: vocabularySize }, () => 4 * rng.next());
    for (const token of [...closing, endToken]) logits[token]! += tokens.length / 4;
    const token = sampler.sample(logits, matcher.mask());
    matcher.accept(token);
    if (token === endToken) break;
    tokens.push(token);
  }
  return tokenizer.decode(tokens);
}

describe('documents of a trained vocabulary are valid', () => {
  test.each(Object.entries(schemas))('%s', (_, schema) => {
    const grammar = engine.compile({ response: { type: 'json-schema', schema } })!;
    const validator = new Validator(schema as Schema, '2020-12', false);
    for (let seed = 0; seed < 5; seed++) {
      const text = sampled(grammar, seed);
      expect({ text, ...validator.validate(JSON.parse(text)) }).toMatchObject({ valid: true });
    }
  });
});

test('a required call', () => {
  const tools = [
    { name: 'add', parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } },
  ];
  const calls = { tools, choice: 'once', parallel: false, format: hermesFormat.constraint! } as const;
  const grammar = engine.compile({ response: { type: 'text' }, calls })!;
  for (let seed = 0; seed < 20; seed++) {
    expect(sampled(grammar, seed)).toMatch(
      /^<tool_call>\s*\{\s*"name"\s*:\s*"add"\s*,\s*"arguments"\s*:\s*\{\s*"a"\s*:\s*-?\d+\s*\}\s*\}\s*<\/tool_call>$/,
    );
  }
});

test('control tokens are no text, and end tokens come only at an end', () => {
  const matcher = engine
    .compile({ response: { type: 'json-schema', schema: { type: 'string' } } })!
    .createMatcher();
  const isAllowed = (token: number): boolean => ((matcher.mask()[token >>> 5]! >>> (token & 31)) & 1) === 1;
  matcher.accept(tokenizer.tokenToId('"')!);
  expect(isAllowed(tokenizer.tokenToId('<|im_start|>')!)).toBe(false);
  expect(isAllowed(tokenizer.tokenToId('<think>')!)).toBe(true);
  expect(isAllowed(endToken)).toBe(false);
  expect(isAllowed(vocabularySize - 1)).toBe(false);
  matcher.accept(tokenizer.tokenToId('"')!);
  expect(isAllowed(endToken)).toBe(true);
  expect(matcher.mask().length).toBe(Math.ceil(vocabularySize / 32));
});

test('special tokens that are markers are text', () => {
  const marked = createGrammarEngine(tokenizer, {
    vocabularySize,
    endTokens: new Set([endToken]),
    markers: ['<|im_start|>'],
  });
  const reasoning = { open: ['<|im_start|>'], close: ['x'], startsOpen: false };
  const matcher = marked.compile({ response: { type: 'json-object' }, reasoning })!.createMatcher();
  expect(() => matcher.accept(tokenizer.tokenToId('<|im_start|>')!)).not.toThrow();
});

test('a constraint is prepared once', () => {
  const response = { type: 'json-schema', schema: { type: 'boolean' } } as const;
  expect(engine.compile({ response })).toBe(
    engine.compile({ response: { ...response, schema: { type: 'boolean' } } }),
  );
  expect(engine.compile({ response: { type: 'text' } })).toBeUndefined();
});

test('a constraint is prepared in slices, to the same result', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `p${index}`,
      { type: 'string', pattern: `^a{1,${index + 1}}$` },
    ]),
  );
  const response = { type: 'json-schema', schema: { properties } } as const;
  let slices = 0;
  for (const steps = engine.compileSteps({ response }); !steps.next().done; slices++);
  expect(slices).toBeGreaterThan(200);
  const inSlicesOf = (steps: Generator<void, unknown>, signal?: AbortSignal) =>
    inSlices(steps, { turns: new Turns(), owner: undefined, signal, now: () => slices++ });
  expect(await inSlicesOf(engine.compileSteps({ response }))).toBe(engine.compile({ response }));
  const other = { ...response, schema: { properties, required: ['p1'] } };
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await inSlicesOf(engine.compileSteps({ response: other }));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  const aborted = inSlicesOf(
    engine.compileSteps({ response: { ...response, schema: { properties, required: ['p2'] } } }),
    AbortSignal.abort(new Error('gone')),
  );
  await expect(aborted).rejects.toThrow('gone');
});

test('prepared constraints take no more memory than they may', () => {
  const maxBytes = 2 * 2 ** 20;
  const small = createGrammarEngine(tokenizer, { vocabularySize, endTokens: new Set([endToken]), maxBytes });
  const values = (count: number): AnswerConstraint => ({
    response: {
      type: 'json-schema',
      schema: { enum: Array.from({ length: count }, (_, index) => `value ${count} ${index}`) },
    },
  });
  for (let count = 200; count < 260; count++) {
    const grammar = small.compile(values(count))!;
    expect(small.bytes).toBeLessThanOrEqual(maxBytes);
    grammar.createMatcher().mask();
  }
  expect(small.compile(values(259))).toBe(small.compile(values(259)));
  expect(small.compile(values(200))).not.toBe(undefined);
  const kept = small.bytes;
  const large = small.compile(values(9000))!;
  expect(large.bytes).toBeGreaterThan(maxBytes / 2);
  expect(small.bytes).toBeLessThanOrEqual(Math.max(kept, maxBytes));
  expect(small.compile(values(9000))).not.toBe(large);
});

test('a faulty schema leaves the engine intact', () => {
  const faulty = { type: 'json-schema', schema: { $ref: '#/none' } } as const;
  expect(() => engine.compile({ response: faulty })).toThrow('schema.$ref');
  expect(sampled(engine.compile({ response: { type: 'json-schema', schema: { const: 1 } } })!, 1)).toBe('1');
});

test('a thousand schemas leave no memory in use', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const compile = (round: number): void => {
    for (let index = 0; index < 500; index++) {
      const schema = {
        type: 'object',
        properties: { [`p${round}_${index}`]: { type: 'string', maxLength: 50 } },
      };
      engine
        .compile({ response: { type: 'json-schema', schema } })!
        .createMatcher()
        .mask();
    }
    collectGarbage();
  };
  compile(0);
  const before = process.memoryUsage().heapUsed;
  compile(1);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 ** 20);
});
