import { grown } from '../sampling/scratch.ts';

/** A text that may have been rewritten, with where each of its code units came from. */
export interface AlignedText {
  /** Its UTF-16 code units; there may be room after `length`. */
  readonly units: Uint16Array;
  readonly length: number;
  /** Whether rewriting has to keep track of where things come from. */
  readonly tracked: boolean;
  /**
   * `[length × 2]` Beginning and end, in the source, of the character that each code unit came from. `undefined`: nothing was
   * rewritten, or the places aren't wanted.
   */
  readonly spans: Int32Array | undefined;
  /** Most units that rewriting may make of it. */
  readonly limit: number;
}

/** Longer than any normalizer makes a text: one character can become 18, each of them 3 bytes. */
const maxGrowth = 64;

/** A part of a text: `units[start, end)`. */
export interface Piece {
  readonly text: AlignedText;
  readonly start: number;
  readonly end: number;
}

/** Lone surrogates, which are no text, become U+FFFD. */
export function toAlignedText(source: string, tracked: boolean): AlignedText {
  const { length } = source;
  const units = new Uint16Array(length);
  for (let index = 0; index < length; index++) {
    const unit = source.charCodeAt(index);
    units[index] = unit;
    if (!isSurrogate(unit)) continue;
    if (isHighSurrogate(unit) && isLowSurrogate(source.charCodeAt(index + 1))) {
      units[++index] = source.charCodeAt(index);
    } else {
      units[index] = 0xff_fd;
    }
  }
  return { units, length, tracked, spans: undefined, limit: maxGrowth * (length + 64) };
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf8_00) === 0xd8_00;
}

export function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc_00) === 0xd8_00;
}

export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc_00) === 0xdc_00;
}

/** The code point whose first unit is at `index`. Texts are well-formed here. */
export function codePointAt(units: Uint16Array, index: number): number {
  const unit = units[index]!;
  return isHighSurrogate(unit) ? ((unit - 0xd8_00) << 10) + units[index + 1]! - 0xdc_00 + 0x1_00_00 : unit;
}

/** The code point whose last unit is before `index`. */
export function codePointBefore(units: Uint16Array, index: number): number {
  return codePointAt(units, isLowSurrogate(units[index - 1]!) ? index - 2 : index - 1);
}

export function unitsOf(codePoint: number): 1 | 2 {
  return codePoint > 0xff_ff ? 2 : 1;
}

/** Start, in the source, of the character that produced the unit at `index`. */
export function sourceStart(text: AlignedText, index: number): number {
  if (text.spans) return text.spans[2 * index]!;
  return index > 0 && index < text.length && isLowSurrogate(text.units[index]!) ? index - 1 : index;
}

/** End, in the source, of the character that produced the unit at `index`. */
export function sourceEnd(text: AlignedText, index: number): number {
  if (text.spans) return text.spans[2 * index + 1]!;
  return isHighSurrogate(text.units[index]!) ? index + 2 : index + 1;
}

/** Up to here, copying unit by unit beats a view of them. */
const shortRun = 64;

/** Rewrites pieces of a text, one after another, from left to right, into a new text. */
export interface TextBuilder {
  /** Index of the next character of the piece. */
  readonly at: number;
  /** Number of units written. */
  readonly length: number;
  /** Begins with the next piece. */
  open(start: number): void;
  /** Writes all up to a place as it is. */
  copyTo(place: number): void;
  /** Writes a character instead of the next one. */
  replace(codePoint: number): void;
  /** Writes characters, at least one, instead of the next one. */
  replaceByAll(codePoints: readonly number[]): void;
  /** Writes one more character, which comes from where the one before came from. */
  insert(codePoint: number): void;
  /** Leaves the next character out. */
  skip(): void;
  finish(): AlignedText;
}

/**
 * The alignment is that of the Rust library: a replaced character comes from the one it replaces, an inserted one from
 * the character of the piece before it, or from the empty beginning of the piece.
 */
export function createTextBuilder(source: AlignedText, capacity: number): TextBuilder {
  const { tracked } = source;
  let units = new Uint16Array(Math.max(16, capacity));
  let spans = tracked ? new Int32Array(2 * units.length) : undefined;
  let length = 0;
  let at = 0;
  let first = 0;

  function makeRoom(more: number): void {
    if (length + more <= units.length) return;
    if (length + more > source.limit)
      throw new RangeError(`tokenizer.normalizer: a text grows to more than ${maxGrowth} times its length`);
    const roomier = Math.max(2 * units.length, length + more);
    units = grown(units, roomier);
    if (spans) spans = grown(spans, 2 * roomier);
  }

  function writeUnit(unit: number, start: number, end: number): void {
    if (spans) {
      spans[2 * length] = start;
      spans[2 * length + 1] = end;
    }
    units[length++] = unit;
  }

  function write(codePoint: number, start: number, end: number): void {
    makeRoom(2);
    if (codePoint > 0xff_ff) writeUnit(0xd7_c0 + (codePoint >> 10), start, end);
    writeUnit(codePoint > 0xff_ff ? 0xdc_00 | (codePoint & 0x3_ff) : codePoint, start, end);
  }

  function replace(codePoint: number): void {
    write(codePoint, tracked ? sourceStart(source, at) : 0, tracked ? sourceEnd(source, at) : 0);
    at += isHighSurrogate(source.units[at]!) ? 2 : 1;
  }

  function insert(codePoint: number): void {
    if (!tracked) write(codePoint, 0, 0);
    else if (at === first) write(codePoint, sourceStart(source, first), sourceStart(source, first));
    else write(codePoint, sourceStart(source, at - 1), sourceEnd(source, at - 1));
  }

  return {
    get at() {
      return at;
    },
    get length() {
      return length;
    },
    open(start) {
      first = start;
      at = start;
    },
    copyTo(place) {
      const count = place - at;
      makeRoom(count);
      if (count > shortRun) units.set(source.units.subarray(at, place), length);
      else for (let index = 0; index < count; index++) units[length + index] = source.units[at + index]!;
      if (spans) {
        for (let index = 0; index < count; index++) {
          spans[2 * (length + index)] = sourceStart(source, at + index);
          spans[2 * (length + index) + 1] = sourceEnd(source, at + index);
        }
      }
      length += count;
      at = place;
    },
    replace,
    replaceByAll(codePoints) {
      replace(codePoints[0]!);
      for (let index = 1; index < codePoints.length; index++) insert(codePoints[index]!);
    },
    insert,
    skip() {
      at += isHighSurrogate(source.units[at]!) ? 2 : 1;
    },
    finish() {
      return { units, length, tracked, spans, limit: source.limit };
    },
  };
}
