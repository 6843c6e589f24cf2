import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logProbabilitiesOf } from '../../../src/core/sampling/log-probabilities.ts';
import { anyLogits } from './helpers.ts';
import { softmax } from './reference.ts';

test('is the logarithm of the softmax over the raw logits', () => {
  fc.assert(
    fc.property(anyLogits, fc.nat(), fc.integer({ min: 0, max: 20 }), (values, any, top) => {
      const logits = Float32Array.from(values);
      const token = any % logits.length;
      const expected = softmax([...logits]).map(Math.log);
      const order = [...expected.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b).slice(0, top);
      const actual = logProbabilitiesOf(logits, token, { top });
      expect(actual.logProbability).toBeCloseTo(expected[token]!, 9);
      expect(actual.top.map((entry) => entry.token)).toEqual(order);
      for (const { token: other, logProbability } of actual.top)
        expect(logProbability).toBeCloseTo(expected[other]!, 9);
    }),
  );
});

test('ruled out tokens have −∞ and are not listed', () => {
  const logits = new Float32Array([Number.NaN, 0, -Infinity, 0]);
  expect(logProbabilitiesOf(logits, 2, { top: 20 })).toEqual({
    token: 2,
    logProbability: -Infinity,
    top: [1, 3].map((token) => ({ token, logProbability: expect.closeTo(-Math.LN2, 12) as number })),
  });
});

test.each<[string, () => unknown]>([
  ['token out of the vocabulary', () => logProbabilitiesOf(new Float32Array(3), 3)],
  ['top no count', () => logProbabilitiesOf(new Float32Array(3), 0, { top: 1.5 })],
  ['nothing to draw', () => logProbabilitiesOf(new Float32Array(3).fill(-Infinity), 0)],
])('%s is refused', (_, act) => {
  expect(act).toThrow(RangeError);
});
