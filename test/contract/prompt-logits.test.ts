import { describe, expect, it } from 'vitest';
import { loadDecoder } from '../../src/backends/onnx/chat/load-decoder.ts';
import { locateDecoder } from '../../src/folder/model-folder.ts';
import { someRows } from '../thorough.ts';
import { within } from '../tolerance.ts';
import { decoderFolder } from './decoder-golden.ts';
import { feed, prompt } from './rows-alone.ts';

/** Products of one row and of several round differently. */
const tolerance = within(5e-5);
const tokens = prompt(70, 1);

// Attention in place and copied, states of a fixed size, older exports without positions or with two branches.
const names = ['llama', 'llama-gqa', 'gpt2', 'gpt2-merged', 'phi', 'lfm2', 'falcon-h1', 'lfm2-gqa'];
describe.each(someRows(names, 2))('%s', (name) => {
  it.each([true, false])('gives the logits after each token of a piece; rewritten: %s', async (optimize) => {
    const decoder = await loadDecoder(locateDecoder(decoderFolder(name)), { threads: 1, optimize });
    try {
      const [oneByOne, inPieces] = [decoder.createCache(), decoder.createCache()];
      for (let start = 0; start < tokens.length; start += 33) {
        const piece = tokens.subarray(start, start + 33);
        const logits = Float32Array.from(await decoder.forwardAll!(inPieces, piece));
        expect(logits.length).toBe(piece.length * decoder.vocabularySize);
        for (const [index, token] of piece.entries()) {
          const alone = await feed(decoder, oneByOne, Int32Array.of(token));
          const own = logits.subarray(index * alone.length, (index + 1) * alone.length);
          const difference = alone.reduce((most, logit, at) => Math.max(most, Math.abs(logit - own[at]!)), 0);
          expect(difference).toBeLessThan(tolerance);
        }
      }
      expect([...inPieces.lengths]).toEqual([tokens.length]);
      // The next step goes on from there.
      const next = Float32Array.from(await feed(decoder, inPieces, Int32Array.of(3)));
      const expected = await feed(decoder, oneByOne, Int32Array.of(3));
      next.forEach((logit, at) => expect(Math.abs(logit - expected[at]!)).toBeLessThan(tolerance));
      oneByOne.release();
      inPieces.release();
    } finally {
      await decoder.release();
    }
  });
});
