import {
  type Members,
  type Readers,
  assertDepth,
  readByType,
  readList,
  readString,
  readBoolean,
  readCharacter,
  readInteger,
  readMembers,
} from '../definition.ts';
import { byteFallbackDecoder } from './byte-fallback.ts';
import { byteLevelDecoder } from './byte-level.ts';
import type { Decoder } from './decoder.ts';
import { readWordPieceDecoder, cleanUpSpaces } from './word-piece.ts';
import { readMetaspaceOptions } from '../pre-tokenizers/metaspace.ts';
import { toAlignedText } from '../aligned-text.ts';
import { createSegments } from '../patterns/pattern.ts';
import { readPattern } from '../patterns/read-pattern.ts';

const fuse: Decoder = (tokens) => [tokens.join('')];

const readers: Readers<Decoder> = {
  BPEDecoder: readBpeDecoder,
  ByteFallback: () => byteFallbackDecoder,
  ByteLevel: () => byteLevelDecoder,
  CTC: readCtcDecoder,
  Fuse: () => fuse,
  Metaspace: readMetaspaceDecoder,
  Replace: readReplaceDecoder,
  Sequence: readSequence,
  Strip: readStripDecoder,
  WordPiece: readWordPieceDecoder,
};

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export function readDecoder(label: string, value: unknown): Decoder {
  return readByType(label, value, readers);
}

function readSequence(label: string, members: Members): Decoder {
  assertDepth(label);
  const steps = readList(`${label}.decoders`, members['decoders']).map((item, index) =>
    readDecoder(`${label}.decoders[${index}]`, item),
  );
  return (tokens) => steps.reduce((decoded, step) => step(decoded), tokens);
}

/** Writes a blank for the suffix that ends words, but none at the end. */
function readBpeDecoder(label: string, members: Members): Decoder {
  const suffix = readString(`${label}.suffix`, members['suffix'] ?? '</w>');
  return (tokens) =>
    tokens.map((token, index) => token.replaceAll(suffix, index === tokens.length - 1 ? '' : ' '));
}

/** Writes blanks for `▁`, without those of the first token if one was put in front. */
function readMetaspaceDecoder(label: string, members: Members): Decoder {
  const { replacement, prependScheme } = readMetaspaceOptions(label, members);
  const first = prependScheme === 'never' ? ' ' : '';
  return (tokens) => tokens.map((token, index) => token.replaceAll(replacement, index === 0 ? first : ' '));
}

/** Keeps one of equal neighbours, then drops padding, as speech models spell. */
function readCtcDecoder(label: string, members: Members): Decoder {
  const padToken = readString(`${label}.pad_token`, members['pad_token'] ?? '<pad>');
  const delimiter = readString(`${label}.word_delimiter_token`, members['word_delimiter_token'] ?? '|');
  const cleanup = readBoolean(`${label}.cleanup`, members['cleanup'], true);
  return (tokens) =>
    tokens
      .filter((token, index) => index === 0 || token !== tokens[index - 1])
      .map((token) => token.replaceAll(padToken, ''))
      .map((token) => (cleanup ? cleanUpSpaces(token).replaceAll(delimiter, ' ') : token))
      .filter((token) => token !== '');
}

/** Takes up to so many of one character away from the ends of every part. */
function readStripDecoder(label: string, members: Members): Decoder {
  const content = readCharacter(`${label}.content`, members['content']);
  const start = readInteger(`${label}.start`, members['start'], 0, Number.MAX_SAFE_INTEGER);
  const stop = readInteger(`${label}.stop`, members['stop'], 0, Number.MAX_SAFE_INTEGER);
  const character = String.fromCodePoint(content);
  const size = character.length;
  return (tokens) =>
    tokens.map((token) => {
      let left = 0;
      for (let count = 0; count < start && token.startsWith(character, left); count++) left += size;
      let right = token.length;
      for (let count = 0; count < stop && right - size >= left && token.endsWith(character, right); count++)
        right -= size;
      return token.slice(left, right);
    });
}

/** Replaces every match of a pattern within each part. */
function readReplaceDecoder(label: string, members: Members): Decoder {
  const content = readString(`${label}.content`, members['content']);
  const pattern = readPattern(`${label}.pattern`, members['pattern']);
  const { String: literal } = readMembers(`${label}.pattern`, members['pattern']);
  if (typeof literal === 'string' && literal !== '') {
    return (tokens) => tokens.map((token) => token.replaceAll(literal, () => content));
  }
  const segments = createSegments();
  return (tokens) =>
    tokens.map((token) => {
      segments.count = 0;
      if (token !== '') pattern(toAlignedText(token, false), 0, token.length, segments);
      let replaced = '';
      for (let index = 0, from = 0; index < segments.count; index++) {
        const end = segments.ends[index]!;
        replaced += segments.matched[index] === 1 ? content : token.slice(from, end);
        from = end;
      }
      return replaced;
    });
}
