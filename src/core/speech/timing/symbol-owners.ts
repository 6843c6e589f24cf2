import { alignSequences } from './align.ts';

/** A letter that isn't a mark of stress or length, or a digit. */
const sound = /[\p{Ll}\p{Lu}\p{Lo}\p{N}]/u;
const spoken = /[\p{L}\p{M}\p{N}]/u;

/**
 * Tells which word each symbol of a text belongs to. Words are read one by one and aligned with the text as it is read as a
 * whole, where numbers, weak forms and initials may sound different.
 */
export function symbolOwners(symbols: readonly string[], words: readonly string[]): Int32Array {
  const reference: string[] = [];
  const owners: number[] = [];
  for (const [word, alone] of words.entries()) {
    for (const symbol of soundsOf(Array.from(alone)).items) {
      reference.push(symbol);
      owners.push(word);
    }
    reference.push(' ');
    owners.push(-1);
  }
  const { items, places } = soundsOf(symbols);
  const found = alignSequences(items, reference);
  const owned = new Int32Array(symbols.length).fill(-1);
  for (const [item, place] of found.entries()) if (place >= 0) owned[places[item]!] = owners[place]!;
  return fillGroups(owned, symbols);
}

/** Sounds, and one space between groups of them. */
function soundsOf(symbols: readonly string[]): { items: string[]; places: number[] } {
  const items: string[] = [];
  const places: number[] = [];
  let isApart = false;
  for (const [place, symbol] of symbols.entries()) {
    if (sound.test(symbol)) {
      if (isApart && items.length > 0) {
        items.push(' ');
        places.push(place - 1);
      }
      items.push(symbol);
      places.push(place);
      isApart = false;
    } else if (!spoken.test(symbol)) isApart = true;
  }
  return { items, places };
}

/** Gives a symbol without a word that of the next symbol in its group, else of the one before; a group, of the group before. */
function fillGroups(owned: Int32Array, symbols: readonly string[]): Int32Array {
  let last = -1;
  for (let start = 0; start < symbols.length; start++) {
    if (!spoken.test(symbols[start]!)) {
      owned[start] = -1;
      continue;
    }
    let end = start;
    while (end < symbols.length && spoken.test(symbols[end]!)) end += 1;
    let next = owned.subarray(start, end).findLast((word) => word >= 0) ?? last;
    for (let at = end - 1; at >= start; at--) {
      if (owned[at]! < 0) owned[at] = next;
      next = owned[at]!;
    }
    last = owned[end - 1]!;
    start = end - 1;
  }
  return owned;
}
