import { codePointAt, codePointBefore, unitsOf, type Piece } from '../aligned-text.ts';
import { readString, type Members } from '../definition.ts';
import { writeUtf8 } from '../models/utf8.ts';
import { graphemeEnd } from '../unicode/grapheme-cluster.ts';
import { openBuilder, wholePiece, writeChange, type Normalizer } from './normalizer.ts';

/** Longer grapheme clusters are looked up character by character. */
const maxClusterBytes = 5;

/**
 * The rewriting rules of a SentencePiece model. A grapheme cluster of up to five bytes is replaced as a whole by the
 * first rule that matches its beginning, as in the reference.
 * @see https://github.com/google/sentencepiece/blob/master/doc/normalization.md
 */
export function readPrecompiled(label: string, members: Members): Normalizer {
  const at = `${label}.precompiled_charsmap`;
  const map = members['precompiled_charsmap'];
  const rules = map === null || map === undefined ? undefined : readRules(at, readString(at, map));
  if (!rules) return (piece) => piece;
  const bytes = new Uint8Array(maxClusterBytes + 4);

  return (piece) => {
    const { text, start, end } = piece;
    const { units } = text;
    let writer: ReturnType<typeof createReplacementWriter> | undefined;

    /** Rewrites `[from, to)`; false if it is too long for the rules, or no rule matches. */
    function rewrite(from: number, to: number): boolean {
      let length = 0;
      let replaced = 0;
      for (let index = from; index < to && length <= maxClusterBytes; replaced++) {
        const codePoint = codePointAt(units, index);
        length = writeUtf8(bytes, length, codePoint);
        index += unitsOf(codePoint);
      }
      const replacement = length <= maxClusterBytes ? rules!.find(bytes, length) : undefined;
      if (replacement === undefined) return false;
      writer ??= createReplacementWriter(piece, from);
      writer.replace(replaced, replacement);
      return true;
    }

    for (let index = start; index < end;) {
      const clusterEnd = graphemeEnd(units, index, end);
      const isPlain =
        clusterEnd === index + 1 && units[index]! < 0x80 && !rules!.rewritesAscii(units[index]!);
      if (isPlain || !rewrite(index, clusterEnd)) {
        for (let from = index; from < clusterEnd;) {
          const codePoint = codePointAt(units, from);
          const to = from + unitsOf(codePoint);
          if (isPlain || !rewrite(from, to)) writer?.keep(codePoint);
          from = to;
        }
      }
      index = clusterEnd;
    }
    return writer ? writer.finish() : piece;
  };
}

/**
 * Pairs the characters of source and replacement in order; surplus source characters belong to the last written
 * character. For an empty replacement that is the character before; at the beginning of a text it doesn't exist, so the
 * following positions are off by one, as in the reference.
 */
function createReplacementWriter(piece: Piece, from: number) {
  const { text, start } = piece;
  const builder = openBuilder(piece);
  /** The last character; its `change` may still grow. */
  const last = { codePoint: -1, change: 0 };

  function flush(): void {
    if (last.codePoint !== -1) writeChange(builder, last);
  }

  function write(codePoint: number, change: number): void {
    flush();
    last.codePoint = codePoint;
    last.change = change;
  }

  if (from > start) {
    const before = codePointBefore(text.units, from);
    builder.copyTo(from - unitsOf(before));
    write(before, 0);
  }
  return {
    keep: (codePoint: number) => write(codePoint, 0),
    /** Replaces the next `count` characters. */
    replace(count: number, replacement: string): void {
      let written = 0;
      for (const character of replacement) write(character.codePointAt(0)!, written++ < count ? 0 : 1);
      if (written < count) last.change -= count - written;
    },
    finish(): Piece {
      flush();
      return wholePiece(builder);
    },
  };
}

interface Rules {
  /** Whether a rule applies to an ASCII character on its own. */
  rewritesAscii(character: number): boolean;
  /** The replacement of the first rule that matches the beginning of `bytes`. */
  find(bytes: Uint8Array, length: number): string | undefined;
}

/** The data: the trie's size in bytes, the trie (a double array of 32-bit units), and zero-terminated replacements. */
function readRules(label: string, base64: string): Rules | undefined {
  const data = decodeBase64(label, base64);
  if (data.length === 0) return undefined;
  const view = new DataView(data.buffer);
  const trieBytes = data.length < 4 ? Infinity : view.getUint32(0, true);
  if (4 + trieBytes > data.length)
    throw new RangeError(`${label}: expected a trie, got ${data.length} bytes`);
  const trie = Uint32Array.from({ length: trieBytes >> 2 }, (_, index) =>
    view.getUint32(4 + 4 * index, true),
  );
  const replacements = data.subarray(4 + 4 * trie.length);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  function readReplacement(from: number): string {
    const end = replacements.indexOf(0, from);
    return decoder.decode(replacements.subarray(from, end === -1 ? replacements.length : end));
  }

  function find(bytes: Uint8Array, length: number): string | undefined {
    let place = offsetOf(trie[0] ?? 0);
    for (let index = 0; index < length && bytes[index] !== 0; index++) {
      place ^= bytes[index]!;
      const unit = trie[place];
      if (unit === undefined || (unit & 0x80_00_00_ff) !== bytes[index]) return undefined;
      place ^= offsetOf(unit);
      if ((unit & 0x1_00) !== 0) return readReplacement((trie[place] ?? 0) & 0x7f_ff_ff_ff);
    }
    return undefined;
  }

  const ascii = Array.from(
    { length: 128 },
    (_, character) => find(Uint8Array.of(character), 1) !== undefined,
  );
  return { find, rewritesAscii: (character) => ascii[character]! };
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x2_00) >>> 6);
}

function decodeBase64(label: string, text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch (error) {
    throw new RangeError(`${label}: expected base64`, { cause: error });
  }
}
