import { codePointAt, unitsOf } from '../aligned-text.ts';
import { classOf, letter, number, space } from '../unicode/character-class.ts';
import { contractionAt, anyCaseContractionAt, runEnd, spaceEnd, wordLike, shortRunEnd } from './scan.ts';
import { pushSegment, type Pattern } from './pattern.ts';

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
      else next = runEnd(units, from, end, wordLike, false);
    }
    pushSegment(segments, next, 1);
    at = next;
  }
};

/** Split of text into words by GPT-4 (cl100k), Llama 3 and Qwen. */
export function cl100kSource(mostDigits: 1 | 3): string {
  const digits = mostDigits === 1 ? '' : '{1,3}';
  return (
    String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}${digits}` +
    String.raw`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
  );
}

/** Matches what `cl100kSource` does. */
export function createCl100kPattern(mostDigits: 1 | 3): Pattern {
  return ({ units }, start, end, segments) => {
    for (let at = start; at < end;) {
      const next = matchEnd(units, at, end, mostDigits);
      pushSegment(segments, next, 1);
      at = next;
    }
  };
}

function matchEnd(units: Uint16Array, at: number, end: number, mostDigits: number): number {
  const codePoint = codePointAt(units, at);
  const kind = classOf(codePoint);
  if (kind & letter) return runEnd(units, at, end, letter);
  if (kind & number) return shortRunEnd(units, at, end, number, mostDigits);
  const contraction = anyCaseContractionAt(units, at, end);
  if (contraction > 0) return at + contraction;
  const second = at + unitsOf(codePoint);
  const secondKind = second < end ? classOf(codePointAt(units, second)) : space;
  if (secondKind & letter && !isNewline(codePoint)) return runEnd(units, second, end, letter);
  if ((kind & space) === 0) return newlinesEnd(units, runEnd(units, at, end, wordLike, false), end);
  if (codePoint === blank && (secondKind & wordLike) === 0)
    return newlinesEnd(units, runEnd(units, second, end, wordLike, false), end);
  let last = runEnd(units, at, end, space);
  while (last > at && !isNewline(units[last - 1]!)) last--;
  return last > at ? last : spaceEnd(units, at, end);
}

function newlinesEnd(units: Uint16Array, at: number, end: number): number {
  let next = at;
  while (next < end && isNewline(units[next]!)) next++;
  return next;
}

function isNewline(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d;
}
