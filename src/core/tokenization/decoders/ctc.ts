import { readBoolean, readString, type Members } from '../definition.ts';
import type { Decoder } from './decoder.ts';
import { cleanUpSpaces } from './word-piece.ts';

/** Keeps one of equal neighbours, then drops padding, as speech models spell. */
export function readCtcDecoder(label: string, members: Members): Decoder {
  const padToken = readString(`${label}.pad_token`, members['pad_token'] ?? '<pad>');
  const delimiter = readString(`${label}.word_delimiter_token`, members['word_delimiter_token'] ?? '|');
  const cleanup = readBoolean(`${label}.cleanup`, members['cleanup'], true);
  return (tokens) =>
    tokens
      .filter((token, index) => index === 0 || token !== tokens[index - 1])
      .map((token) => token.replaceAll(padToken, ''))
      .map((token) => (cleanup ? cleanUpSpaces(token).replaceAll(delimiter, ' ') : token))
      .filter((token) => token !== '');
}
