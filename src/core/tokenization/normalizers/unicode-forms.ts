import { codePointAt, unitsOf, type TextBuilder } from '../aligned-text.ts';
import { combiningOrder } from '../unicode/combining-class.ts';
import { memoizeByCodePoint } from '../unicode/character-class.ts';
import { isNewer } from '../unicode/newer-characters.ts';
import { openBuilder, wholePiece, writeChange, type Change, type Normalizer } from './normalizer.ts';

/** The four normalization forms of Unicode. @see https://www.unicode.org/reports/tr15/ */
export const nfd = createForm('NFD');
export const nfc = createForm('NFC');
export const nfkd = createForm('NFKD');
export const nfkc = createForm('NFKC');

type Form = 'NFC' | 'NFD' | 'NFKC' | 'NFKD';

/** Unchanged by the form, unless neighbours affect it. */
const isStable = 1;
/** Its decomposition begins with a character that may reorder or compose with the previous one. */
const joinsBefore = 2;

const mayJoin = /^[\p{M}\u1161-\u11FF]/u;

function createForm(form: Form): Normalizer {
  const composes = form === 'NFC' || form === 'NFKC';
  const decomposition = form.includes('K') ? 'NFKD' : 'NFD';

  const traitsOf = memoizeByCodePoint((codePoint) => {
    const character = String.fromCodePoint(codePoint);
    const decomposed = decompose(character, decomposition);
    const stable = character.normalize(form) === character || decomposed === character;
    return (stable ? isStable : 0) | (mayJoin.test(decomposed) ? joinsBefore : 0);
  });

  return (piece) => {
    const { text, start, end } = piece;
    const { units } = text;
    let builder: TextBuilder | undefined;
    for (let at = start; at < end;) {
      const codePoint = codePointAt(units, at);
      let next = at + unitsOf(codePoint);
      while (next < end && joins(next)) next += unitsOf(codePointAt(units, next));
      if (next - at === unitsOf(codePoint) && (codePoint < 0x80 || (traitsOf(codePoint) & isStable) !== 0)) {
        at = next;
        continue;
      }
      builder ??= openBuilder(piece);
      builder.copyTo(at);
      rewrite(builder, units, at, next);
      at = next;
    }
    if (!builder) return piece;
    builder.copyTo(end);
    return wholePiece(builder);

    function joins(place: number): boolean {
      return units[place]! >= 0xa0 && (traitsOf(codePointAt(units, place)) & joinsBefore) !== 0;
    }
  };

  /** Writes the normal form of a segment that is independent of its neighbours. */
  function rewrite(builder: TextBuilder, units: Uint16Array, start: number, end: number): void {
    const characters: Character[] = [];
    let firstMark = 0;
    for (let at = start; at < end;) {
      const codePoint = codePointAt(units, at);
      let change = 0;
      for (const part of decompose(String.fromCodePoint(codePoint), decomposition)) {
        const order = combiningOrder(part.codePointAt(0)!);
        if (order === 0) {
          sortMarks(characters, firstMark);
          firstMark = characters.length + 1;
        }
        characters.push({ codePoint: part.codePointAt(0)!, order, change });
        change = 1;
      }
      at += unitsOf(codePoint);
    }
    sortMarks(characters, firstMark);
    for (const character of composes ? compose(characters) : characters) writeChange(builder, character);
  }
}

export function decompose(character: string, form: 'NFD' | 'NFKD'): string {
  return isNewer(character.codePointAt(0)!) ? character : character.normalize(form);
}

interface Character extends Change {
  /** Ordered like the canonical combining class. */
  readonly order: number;
}

/** Sorts the marks from `from` on into canonical order. */
function sortMarks(characters: Character[], from: number): void {
  if (characters.length - from < 2) return;
  const marks = characters.splice(from).sort((a, b) => a.order - b.order);
  for (const mark of marks) characters.push(mark);
}

/** Composes characters with the preceding starter, unless a character between them blocks it. */
function compose(characters: readonly Character[]): Character[] {
  const composed: Character[] = [];
  let starter = -1;
  let lastOrder = -1;
  for (const character of characters) {
    const { codePoint, order, change } = character;
    const blocked = lastOrder !== -1 && lastOrder >= order;
    const base = starter === -1 ? undefined : composed[starter]!;
    const melted = base && !blocked ? primaryComposite(base.codePoint, codePoint) : undefined;
    if (base && melted !== undefined) {
      composed[starter] = { codePoint: melted, order: 0, change: base.change + change - 1 };
      continue;
    }
    if (order === 0) {
      starter = composed.length;
      lastOrder = -1;
    } else if (base) {
      lastOrder = order;
    }
    composed.push(character);
  }
  return composed;
}

function primaryComposite(first: number, second: number): number | undefined {
  const both = String.fromCodePoint(first, second).normalize('NFC');
  const codePoint = both.codePointAt(0)!;
  const isSingle = both.length === String.fromCodePoint(codePoint).length;
  return isSingle && !isNewer(codePoint) ? codePoint : undefined;
}
