import { readCharacter, readInteger, type Members } from '../definition.ts';
import type { Decoder } from './decoder.ts';

/** Takes up to so many of one character away from the ends of every part. */
export function readStripDecoder(label: string, members: Members): Decoder {
  const content = readCharacter(`${label}.content`, members['content']);
  const start = readInteger(`${label}.start`, members['start'], 0, Number.MAX_SAFE_INTEGER);
  const stop = readInteger(`${label}.stop`, members['stop'], 0, Number.MAX_SAFE_INTEGER);
  const character = String.fromCodePoint(content);
  const size = character.length;
  return (tokens) =>
    tokens.map((token) => {
      let left = 0;
      for (let count = 0; count < start && token.startsWith(character, left); count++) left += size;
      let right = token.length;
      for (let count = 0; count < stop && right - size >= left && token.endsWith(character, right); count++)
        right -= size;
      return token.slice(left, right);
    });
}
