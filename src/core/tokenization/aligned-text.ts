import { grown } from '../sampling/scratch.ts';

/** A text that may have been rewritten, with the source position of each code unit. */
export interface AlignedText {
  /** UTF-16 code units; the array may be longer than `length`. */
  readonly units: Uint16Array;
  readonly length: number;
  /** Whether rewriting must keep source positions. */
  readonly tracked: boolean;
  /**
   * `[length × 2]` Start and end, in the source, of the character that each code unit came from. `undefined` if nothing
   * was rewritten or positions aren't needed.
   */
  readonly spans: Int32Array | undefined;
  /** Maximum length after rewriting, in units. */
  readonly limit: number;
}

/** No normalizer makes a text longer than this: one character can become 18, each 3 bytes long. */
const maxGrowth = 64;

/** A part of a text: `units[start, end)`. */
export interface Piece {
  readonly text: AlignedText;
  readonly start: number;
  readonly end: number;
}

/** Lone surrogates become U+FFFD. */
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

/** The code point whose first unit is at `index`. The text must be well-formed. */
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

/** Up to this length, copying unit by unit is faster than via a subarray. */
const shortRun = 64;

/** Rewrites pieces of a text in order into a new text. */
export interface TextBuilder {
  /** Index of the next character of the piece. */
  readonly at: number;
  /** Number of units written. */
  readonly length: number;
  /** Starts the next piece. */
  open(start: number): void;
  /** Copies everything up to `place`. */
  copyTo(place: number): void;
  /** Replaces the next character. */
  replace(codePoint: number): void;
  /** Replaces the next character by one or more. */
  replaceByAll(codePoints: readonly number[]): void;
  /** Inserts a character with the source position of the previous one. */
  insert(codePoint: number): void;
  /** Drops the next character. */
  skip(): void;
  finish(): AlignedText;
}

/**
 * Aligns like the Rust library: a replacement has the source position of the replaced character, an insertion that of
 * the piece's previous character, or the empty start of the piece.
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
