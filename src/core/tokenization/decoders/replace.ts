import { toAlignedText } from '../aligned-text.ts';
import { readMembers, readString, type Members } from '../definition.ts';
import { createSegments } from '../patterns/pattern.ts';
import { readPattern } from '../patterns/read-pattern.ts';
import type { Decoder } from './decoder.ts';

/** Replaces every match of a pattern within each part. */
export function readReplaceDecoder(label: string, members: Members): Decoder {
  const content = readString(`${label}.content`, members['content']);
  const pattern = readPattern(`${label}.pattern`, members['pattern']);
  const { String: literal } = readMembers(`${label}.pattern`, members['pattern']);
  if (typeof literal === 'string' && literal !== '') {
    return (tokens) => tokens.map((token) => token.replaceAll(literal, () => content));
  }
  const segments = createSegments();
  return (tokens) =>
    tokens.map((token) => {
      segments.count = 0;
      if (token !== '') pattern(toAlignedText(token, false), 0, token.length, segments);
      let replaced = '';
      for (let index = 0, from = 0; index < segments.count; index++) {
        const end = segments.ends[index]!;
        replaced += segments.matched[index] === 1 ? content : token.slice(from, end);
        from = end;
      }
      return replaced;
    });
}
