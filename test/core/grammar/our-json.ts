import fc from 'fast-check';
import { expect } from 'vitest';
import { acceptor, jsonPieces } from './walk.ts';
import { runs } from '../../thorough.ts';
import { answerGrammar } from './all-at-once.ts';

/** Compares a grammar of JSON with ours, by random documents and texts that are nearly some. */
export function expectOurJson(written: (text: string) => boolean): void {
  const own = acceptor(answerGrammar({ response: { type: 'json-schema', schema: true } })!);
  const pieces = [...jsonPieces, '{', '}', '[', ']', '"', ',', ':', '1', '0', '-', 'null', '\n  ', ' '];
  const nearly = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.json({ maxDepth: 3 }),
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value, null, 2)),
  );
  fc.assert(
    // The classes of the grammars leave out one control character that JSON allows, and ours hold surrogates to pairs.
    fc.property(
      nearly.filter((text) => !/\u007f|\\u[dD]/.test(text)),
      (text) => {
        expect(written(text)).toBe(own(text));
      },
    ),
    { numRuns: runs(300) },
  );
}
