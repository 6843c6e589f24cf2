import { readBoolean, readString, type Members } from '../definition.ts';
import type { Decoder } from './decoder.ts';

/** Joins words whose continuations have a prefix. */
export function readWordPieceDecoder(label: string, members: Members): Decoder {
  const prefix = readString(`${label}.prefix`, members['prefix'] ?? '##');
  const cleanup = readBoolean(`${label}.cleanup`, members['cleanup'], true);
  return (tokens) =>
    tokens.map((token, index) => {
      const isContinuation = index > 0 && token.startsWith(prefix);
      const part = isContinuation ? token.slice(prefix.length) : index > 0 ? ` ${token}` : token;
      return cleanup ? cleanUpSpaces(part) : part;
    });
}

/** Takes away the blanks before punctuation and English contractions that cutting into words has left. */
export function cleanUpSpaces(text: string): string {
  return text
    .replaceAll(' .', '.')
    .replaceAll(' ?', '?')
    .replaceAll(' !', '!')
    .replaceAll(' ,', ',')
    .replaceAll(" ' ", "'")
    .replaceAll(" n't", "n't")
    .replaceAll(" 'm", "'m")
    .replaceAll(' do not', " don't")
    .replaceAll(" 's", "'s")
    .replaceAll(" 've", "'ve")
    .replaceAll(" 're", "'re");
}
