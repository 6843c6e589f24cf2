/** One match of a part of a pattern: characters of a class, a group, or a place without characters. */
export interface Matched {
  /** A class with the flag `v`; `undefined` for a group. */
  readonly set: string | undefined;
  /** Branches of a group; none of what takes no characters. */
  readonly alternatives: Branches;
}

/** One item of a sequence. */
export interface Item extends Matched {
  readonly min: number;
  readonly max: number;
}

/** Sequences of items, of which one has to match. */
export type Branches = readonly (readonly Item[])[];

/** A repetition beyond that counts as endless. */
const many = 8;
/** Endless repetitions of the same characters, one after the other, that a pattern may have: `\s*[\r\n]+` has two. */
const mostInARow = 2;

/**
 * Why a regular expression may take a time that grows faster than the text, if it may. An engine that backtracks tries all ways
 * in which `(a+)+` can divide letters. Careful, not exact: it refuses some patterns that would do no harm.
 *
 * @param isLast whether nothing follows that could fail, and so have the engine try another way
 */
export function backtrackingFault(alternatives: Branches, isLast: boolean): string | undefined {
  for (const sequence of alternatives) {
    for (const item of sequence) {
      const { alternatives: inner, max } = item;
      const endsAll = isLast && item === sequence.at(-1);
      const most = isEndless(inner) ? mostInARow : many;
      if (max > most && !endsAll && !isUnambiguous(inner))
        return 'repeats a part that has no one length without end';
      const fault = backtrackingFault(inner, endsAll && max === 1);
      if (fault !== undefined) return fault;
    }
    if (longestRow(sequence) > mostInARow)
      return 'repeats the same characters without end more than twice in a row';
  }
  return undefined;
}

function isEndless(alternatives: Branches): boolean {
  return alternatives.flat().some((item) => item.max > many || isEndless(item.alternatives));
}

/** Whether a text can be divided into repetitions of a part in one way alone. */
function isUnambiguous(alternatives: Branches): boolean {
  // A reference to what an assertion has captured, as an atomic group has become, gives nothing back.
  const sequences = alternatives.filter((sequence) => !sequence.every(takesNone)).map(flat);
  if (sequences.some((sequence) => sequence === undefined || !hasOneWay(sequence))) return false;
  if (sequences.length === 1) return true;
  const firsts = sequences.map((sequence) => sequence![0]!);
  return firsts.every(
    ({ min, set }, index) => min > 0 && firsts.slice(0, index).every((other) => !overlap(set!, other.set!)),
  );
}

/** A sequence without groups in it. */
function flat(sequence: readonly Item[]): Item[] | undefined {
  const items = sequence.flatMap((item): (Item | undefined)[] => {
    if (item.set !== undefined) return [item];
    if (takesNone(item)) return [];
    if (item.min !== 1 || item.max !== 1 || item.alternatives.length !== 1) return [undefined];
    return flat(item.alternatives[0]!) ?? [undefined];
  });
  if (items.includes(undefined)) return undefined;
  return items as Item[];
}

/** Whether it has one length, or a character that is nowhere else in it. */
function hasOneWay(sequence: readonly Item[]): boolean {
  if (sequence.every(({ min, max }) => min === max)) return true;
  return sequence.some(
    (mark) =>
      mark.min === 1 &&
      mark.max === 1 &&
      sequence.every((item) => item === mark || !overlap(item.set!, mark.set!)),
  );
}

/** Most endless repetitions, one after the other, each of which takes characters of the one before. */
function longestRow(sequence: readonly Item[]): number {
  let longest = 0;
  let row: Item[] = [];
  for (const item of sequence.filter((one) => !takesNone(one))) {
    if (item.max > many) {
      const goesOn = row.length > 0 && mayTakeSame(row.at(-1)!, item);
      row = goesOn ? [...row, item] : [item];
      longest = Math.max(longest, row.length);
    } else if (item.min > 0) row = [];
  }
  return longest;
}

function mayTakeSame(one: Item, other: Item): boolean {
  return one.set === undefined || other.set === undefined || overlap(one.set, other.set);
}

const lastCodePoint = 0x2_ff_ff;

function overlap(one: string, other: string): boolean {
  const both = new RegExp(`[${one}&&${other}]`, 'v');
  for (let start = 0; start <= lastCodePoint; start += 4096) {
    const codePoints = Array.from({ length: 4096 }, (_, index) => start + index);
    const scalars = codePoints.filter((codePoint) => codePoint < 0xd8_00 || codePoint > 0xdf_ff);
    if (both.test(String.fromCodePoint(...scalars))) return true;
  }
  return false;
}

function takesNone({ set, alternatives }: Item): boolean {
  return set === undefined && alternatives.every((sequence) => sequence.every(takesNone));
}
