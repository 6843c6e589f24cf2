import { expect, test } from 'vitest';
import { beginTransducerSearch, type TransducerShape } from '../../../src/core/audio/transducer.ts';

const shape: TransducerShape = { frames: 3, vocabularySize: 3, blank: 2, maxTokensPerFrame: 2 };

/** Logits of the best token, and of the best duration of four. */
function logitsOf(token: number, duration?: number): Float32Array {
  const logits = new Float32Array(duration === undefined ? 3 : 7);
  logits[token] = 5;
  if (duration !== undefined) logits[3 + duration] = 1;
  return logits;
}

function search(steps: readonly (readonly [token: number, duration?: number])[]) {
  const found = beginTransducerSearch(shape);
  const seen = steps.map(([token, duration]) => {
    const read = [found.frame, found.previous];
    found.advance(logitsOf(token, duration));
    return read;
  });
  const tokens = found.tokens.map(({ id, startFrame, endFrame }) => [id, startFrame, endFrame]);
  return { seen, tokens, frame: found.frame };
}

test('tokens keep a frame, the blank leaves it', () => {
  const { seen, tokens, frame } = search([[0], [2], [1], [2], [2]]);
  expect(seen).toEqual([
    [0, 2],
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 1],
  ]);
  expect(tokens).toEqual([
    [0, 0, 1],
    [1, 1, 2],
  ]);
  expect(frame).toBe(3);
});

test('a frame has so many tokens and no more', () => {
  expect(search([[0], [0], [1]]).tokens).toEqual([
    [0, 0, 1],
    [0, 0, 1],
    [1, 1, 2],
  ]);
});

test('durations leave out frames, also of the blank, and 0 keeps a token in its frame', () => {
  const { tokens, frame } = search([
    [0, 0],
    [2, 2],
    [1, 3],
  ]);
  expect(tokens).toEqual([
    [0, 0, 1],
    [1, 2, 3],
  ]);
  expect(frame).toBe(3);
});

test('a blank of duration 0 leaves its frame', () => {
  expect(search([[2, 0]]).frame).toBe(1);
});

test('the logarithm is that of a softmax over the tokens', () => {
  const found = beginTransducerSearch(shape);
  expect(found.advance(logitsOf(0, 3))).toBe(true);
  expect(found.tokens[0]!.logprob).toBeCloseTo(-Math.log(1 + 2 * Math.exp(-5)), 6);
});

test('too few logits and a search that is over are refused', () => {
  const found = beginTransducerSearch({ ...shape, frames: 1 });
  expect(() => found.advance(new Float32Array(2))).toThrow('logits: expected at least 3 numbers, got 2');
  found.advance(logitsOf(2));
  expect(() => found.advance(logitsOf(2))).toThrow('frame: the search is over after 1');
});
