import { createTextBuilder } from '../aligned-text.ts';
import { readString, type Members } from '../definition.ts';
import { createSegments } from '../patterns/pattern.ts';
import { readPattern } from '../patterns/read-pattern.ts';
import { wholePiece, type Normalizer } from './normalizer.ts';

/** Writes something else for every match of a pattern. */
export function readReplace(label: string, members: Members): Normalizer {
  const pattern = readPattern(`${label}.pattern`, members['pattern']);
  const content = readString(`${label}.content`, members['content']);
  const characters = Array.from(content, (character) => character.codePointAt(0)!);
  const segments = createSegments();
  return (piece) => {
    const { text, start, end } = piece;
    segments.count = 0;
    if (start < end) pattern(text, start, end, segments);
    const { count, matched, ends } = segments;
    if (matched.indexOf(1) === -1 || matched.indexOf(1) >= count) return piece;
    const builder = createTextBuilder(text, end - start + 16);
    builder.open(start);
    for (let index = 0; index < count; index++) {
      if (matched[index] === 0) {
        builder.copyTo(ends[index]!);
        continue;
      }
      while (builder.at < ends[index]!) builder.skip();
      for (const character of characters) builder.insert(character);
    }
    return wholePiece(builder);
  };
}
