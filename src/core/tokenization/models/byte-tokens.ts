import type { Vocabulary } from '../vocabulary.ts';

/** The ids of `<0x00>` to `<0xFF>`, −1 where there is none. */
export function findByteTokens(vocabulary: Vocabulary): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) =>
    vocabulary.findText(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
}
