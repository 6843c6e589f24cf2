import { codePointAt } from '../aligned-text.ts';
import { classOf, letter, number } from '../unicode/character-class.ts';
import { contractionAt } from './contraction.ts';
import { pushSegment, type Pattern } from './pattern.ts';
import { otherRunEnd, runEnd, spaceEnd, wordLike } from './scan.ts';

/** GPT-2's split of text into words. */
export const gpt2Source = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

const blank = 0x20;

/** Matches what `gpt2Source` does. */
export const gpt2Pattern: Pattern = ({ units }, start, end, segments) => {
  for (let at = start; at < end;) {
    const unit = units[at]!;
    let next = at + contractionAt(units, at, end);
    if (next === at) {
      const from = unit === blank && at + 1 < end ? at + 1 : at;
      const kind = classOf(codePointAt(units, from));
      if (kind & letter) next = runEnd(units, from, end, letter);
      else if (kind & number) next = runEnd(units, from, end, number);
      else if (kind & wordLike) next = spaceEnd(units, at, end);
      else next = otherRunEnd(units, from, end, wordLike);
    }
    pushSegment(segments, next, 1);
    at = next;
  }
};
