import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyTimestampRules } from '../../../../src/core/audio/whisper/timestamp-rules.ts';
import { golden } from './golden.ts';

const { vocabulary, rules } = golden;

function allowedAfter(tokens: readonly number[], logits: Float32Array, limit: number | undefined): number[] {
  applyTimestampRules(logits, tokens, { ...vocabulary, maxInitialPosition: limit });
  return [...logits.keys()].filter((token) => logits[token]! > -Infinity);
}

describe('applyTimestampRules', () => {
  it('allows what the reference allows, in 300 places of random texts', () => {
    for (const { tokens, eighths, limit, allowed } of rules) {
      const logits = Float32Array.from(eighths, (eighth) => eighth / 8);
      expect(allowedAfter(tokens, logits, limit ?? undefined), tokens.join(' ')).toEqual(allowed);
    }
  });

  it('keeps the logits of what it allows', () => {
    const logits = Float32Array.from({ length: 30 }, (_, token) => token / 10);
    const before = logits.slice();
    for (const token of allowedAfter([17, 3], logits, undefined)) expect(logits[token]).toBe(before[token]);
  });

  it('leaves something to choose after whatever it allowed before', () => {
    const logit = fc.double({ min: -20, max: 20, noNaN: true });
    const steps = fc.array(fc.tuple(fc.array(logit, { minLength: 30, maxLength: 30 }), fc.nat()), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(steps, (choices) => {
        const tokens: number[] = [];
        for (const [logits, choice] of choices) {
          const allowed = allowedAfter(tokens, Float32Array.from(logits), 5);
          expect(allowed).not.toEqual([]);
          const token = allowed[choice % allowed.length]!;
          if (token === vocabulary.endOfText) break;
          tokens.push(token);
        }
        const times = tokens.filter((token) => token >= vocabulary.timestampBegin);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });
});
