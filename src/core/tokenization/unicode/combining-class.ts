import { memoizeByCodePoint } from './character-class.ts';
import { isNewer } from './newer-characters.ts';

/** One mark per combining class above 0, in the order of the classes. */
const representatives = (
  '334 16ff0 93c 3099 94d 5b0 5b1 5b2 5b3 5b4 5b5 5b6 5b7 5b8 5b9 5bb 5bc 5bd 5bf 5c1 5c2 fb1e 64b 64c 64d 64e 64f ' +
  '650 651 652 670 711 c55 c56 e38 e48 eb8 ec8 f71 f72 f74 321 1dce 31b 302a 316 59a 302e 1d16d 5ae 300 315 35c 35d 345'
)
  .split(' ')
  .map((codePoint) => String.fromCodePoint(Number.parseInt(codePoint, 16)));

const orderOfMark = memoizeByCodePoint(findOrder);

/**
 * A number that orders characters like their canonical combining class: 0 for characters that aren't reordered. Derived
 * from the engine's canonical ordering of pairs of marks.
 */
export function combiningOrder(codePoint: number): number {
  return codePoint < 0x3_00 ? 0 : orderOfMark(codePoint);
}

function findOrder(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (isNewer(codePoint)) return 0;
  const goesBefore = (mark: string): boolean =>
    mark !== character && (mark + character).normalize('NFD') === character + mark;
  if (character !== '\u0345' && !goesBefore('\u0345')) return 0;
  let low = 0;
  let high = representatives.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (goesBefore(representatives[middle + 1]!)) high = middle;
    else low = middle + 1;
  }
  return low + 1;
}
