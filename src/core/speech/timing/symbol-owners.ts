/** A letter (not a mark of stress or length) or a digit. */
const sound = /[\p{Ll}\p{Lu}\p{Lo}\p{N}]/u;
const spoken = /[\p{L}\p{M}\p{N}]/u;

/**
 * Assigns each symbol of a text to a word. Words are phonemized one by one and aligned with the phonemes of the whole
 * text, in which numbers, weak forms and initials may sound different.
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

/**
 * Assigns a symbol without a word to the word of the next symbol in its group, or else of the previous one; a whole
 * group, to the word of the previous group.
 */
function fillGroups(owned: Int32Array, symbols: readonly string[]): Int32Array {
  const isSpoken = symbols.map((symbol) => spoken.test(symbol));
  for (let at = owned.length - 1, next = -1; at >= 0; at--) {
    if (!isSpoken[at]) owned[at] = -1;
    else if (owned[at]! < 0) owned[at] = next;
    next = owned[at]!;
  }
  for (let at = 0, last = -1; at < owned.length; at++) {
    if (!isSpoken[at]) continue;
    if (owned[at]! < 0) owned[at] = last;
    last = owned[at]!;
  }
  return owned;
}

const match = 2;
const mismatch = -1;
const gap = -1;

/** Columns to compute per row, around the best column of the previous row. */
const bandWidth = 256;

const [diagonal, up, left] = [0, 1, 2] as const;

/**
 * Aligns two similar sequences globally, such as two transcriptions of one sentence: equal items score 2, unequal items
 * and gaps −1. A band follows the best score, so time and memory are linear in `items`.
 * @see Needleman & Wunsch 1970, https://doi.org/10.1016/0022-2836(70)90057-4
 */
export function alignSequences(items: readonly string[], reference: readonly string[]): Int32Array {
  const rows = items.length;
  const width = Math.min(bandWidth, reference.length + 1);
  const steps = new Uint8Array((rows + 1) * width);
  const starts = new Int32Array(rows + 1);
  let before = Int32Array.from({ length: width }, (_, column) => column * gap);
  steps.fill(left, 0, width);
  for (let row = 1; row <= rows; row++) {
    const start = nextStart(before, starts[row - 1]!, reference.length + 1 - width);
    const shift = start - starts[row - 1]!;
    const scores = new Int32Array(width);
    for (let at = 0; at < width; at++) {
      const column = start + at;
      const aligned =
        column > 0 ? scoreAt(before, at + shift - 1) + score(items[row - 1]!, reference[column - 1]!) : none;
      const above = scoreAt(before, at + shift) + gap;
      const beside = at > 0 ? scores[at - 1]! + gap : none;
      const best = Math.max(aligned, above, beside);
      scores[at] = best;
      steps[row * width + at] = best === aligned ? diagonal : best === above ? up : left;
    }
    starts[row] = start;
    before = scores;
  }
  return trace({ steps, starts, width, rows, last: reference.length });
}

const none = -(2 ** 30);

function score(item: string, other: string): number {
  if (item === other) return match;
  // A gap between words never aligns with a sound.
  return item === ' ' || other === ' ' ? none / 2 : mismatch;
}

function scoreAt(scores: Int32Array, at: number): number {
  return scores[at] ?? none;
}

/** Centres the band on the best column of the previous row; the band never moves back. */
function nextStart(before: Int32Array, start: number, max: number): number {
  let best = 0;
  for (let at = 1; at < before.length; at++) if (before[at]! > before[best]!) best = at;
  return Math.max(start, Math.min(max, start + best - (before.length >> 1)));
}

interface Steps {
  readonly steps: Uint8Array;
  /** First column of each row's band. */
  readonly starts: Int32Array;
  readonly width: number;
  readonly rows: number;
  readonly last: number;
}

function trace({ steps, starts, width, rows, last }: Steps): Int32Array {
  const places = new Int32Array(rows).fill(-1);
  let column = Math.min(last, starts[rows]! + width - 1);
  for (let row = rows; row > 0;) {
    const step = steps[row * width + column - starts[row]!]!;
    if (step === diagonal) places[row - 1] = column - 1;
    if (step !== left) row -= 1;
    if (step !== up) column -= 1;
    // The path may leave a row's band only if the row has no cell on the path.
    column = Math.min(Math.max(column, starts[row]!), starts[row]! + width - 1);
  }
  return places;
}
