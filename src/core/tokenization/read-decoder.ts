import { orElse } from '../text/or-else.ts';
import {
  type Members,
  byType,
  readSequence,
  readString,
  readBoolean,
  readCharacter,
  readInteger,
  readMembers,
} from './definition.ts';
import { readMetaspaceOptions } from './pre-tokenizers/metaspace.ts';
import { isHighSurrogate } from './aligned-text.ts';
import { normalizeText } from './normalizers/normalizer.ts';
import { readReplace } from './normalizers/read-normalizer.ts';
import { byteOfCharacter } from './byte-characters.ts';
import { writeUtf8 } from './models/utf8.ts';

const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Converts characters to the bytes that they represent. A token with any other character is text. Invalid UTF-8 becomes
 * U+FFFD.
 */
const byteLevelDecoder: Decoder = (tokens) => {
  let room = 0;
  for (const token of tokens) room += 3 * token.length;
  const bytes = new Uint8Array(room);
  let length = 0;
  for (const token of tokens) {
    const end = writeBytes(bytes, length, token);
    length = end === -1 ? writeText(bytes, length, token) : end;
  }
  return [lenientUtf8.decode(bytes.subarray(0, length))];
};

/** @returns −1 if a character represents no byte */
function writeBytes(bytes: Uint8Array, at: number, token: string): number {
  for (let index = 0; index < token.length; index++) {
    const byte = byteOfCharacter[token.charCodeAt(index)] ?? -1;
    if (byte === -1) return -1;
    bytes[at + index] = byte;
  }
  return at + token.length;
}

function writeText(bytes: Uint8Array, at: number, token: string): number {
  let end = at;
  for (let index = 0; index < token.length; index++) {
    if (isHighSurrogate(token.charCodeAt(index))) end = writeUtf8(bytes, end, token.codePointAt(index++)!);
    else end = writeUtf8(bytes, end, token.charCodeAt(index));
  }
  return end;
}

/** Converts token texts to parts of a text. */
export type Decoder = (tokens: readonly string[]) => readonly string[];

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const byteToken = /^<0x(?:[0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>$/;

/** Converts runs of `<0x…>` to bytes; in invalid UTF-8 each byte becomes U+FFFD. */
const byteFallbackDecoder: Decoder = (tokens) => {
  const parts: string[] = [];
  let bytes: number[] = [];
  const flush = (): void => {
    if (bytes.length > 0) for (const part of decodeBytes(bytes)) parts.push(part);
    bytes = [];
  };
  for (const token of tokens) {
    if (byteToken.test(token)) {
      bytes.push(Number.parseInt(token.slice(3, 5), 16));
    } else {
      flush();
      parts.push(token);
    }
  }
  flush();
  return parts;
};

function decodeBytes(bytes: readonly number[]): string[] {
  return orElse(() => [utf8.decode(Uint8Array.from(bytes))], undefined) ?? bytes.map(() => '\uFFFD');
}

const fuse: Decoder = (tokens) => [tokens.join('')];

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export const readDecoder = byType<Decoder>({
  BPEDecoder: readBpeDecoder,
  ByteFallback: () => byteFallbackDecoder,
  ByteLevel: () => byteLevelDecoder,
  CTC: readCtcDecoder,
  Fuse: () => fuse,
  Metaspace: readMetaspaceDecoder,
  Replace: readReplaceDecoder,
  Sequence: readDecoders,
  Strip: readStripDecoder,
  WordPiece: readWordPieceDecoder,
});

function readDecoders(label: string, members: Members): Decoder {
  const steps = readSequence(label, members, 'decoders', readDecoder);
  return (tokens) => steps.reduce((decoded, step) => step(decoded), tokens);
}

/** Replaces the end-of-word suffix by a blank, except at the end. */
function readBpeDecoder(label: string, members: Members): Decoder {
  const suffix = readString(`${label}.suffix`, members['suffix'] ?? '</w>');
  return (tokens) =>
    tokens.map((token, index) => token.replaceAll(suffix, index === tokens.length - 1 ? '' : ' '));
}

/** Replaces `▁` by blanks; drops the first token's if it was prepended. */
function readMetaspaceDecoder(label: string, members: Members): Decoder {
  const { replacement, prependScheme } = readMetaspaceOptions(label, members);
  const first = prependScheme === 'never' ? ' ' : '';
  return (tokens) => tokens.map((token, index) => token.replaceAll(replacement, index === 0 ? first : ' '));
}

/** Merges equal neighbours, then drops padding, as in CTC speech models. */
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

/** Strips up to a given number of one character from the ends of every part. */
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

function readReplaceDecoder(label: string, members: Members): Decoder {
  const content = readString(`${label}.content`, members['content']);
  const replace = readReplace(label, members);
  const { String: literal } = readMembers(`${label}.pattern`, members['pattern']);
  const isLiteral = typeof literal === 'string' && literal !== '';
  return (tokens) =>
    tokens.map((token) =>
      isLiteral ? token.replaceAll(literal, () => content) : normalizeText(replace, token),
    );
}

/** Joins words whose continuations have a prefix. */
function readWordPieceDecoder(label: string, members: Members): Decoder {
  const prefix = readString(`${label}.prefix`, members['prefix'] ?? '##');
  const cleanup = readBoolean(`${label}.cleanup`, members['cleanup'], true);
  return (tokens) =>
    tokens.map((token, index) => {
      const isContinuation = index > 0 && token.startsWith(prefix);
      const part = isContinuation ? token.slice(prefix.length) : index > 0 ? ` ${token}` : token;
      return cleanup ? cleanUpSpaces(part) : part;
    });
}

/** Drops the blanks before punctuation and English contractions that pre-tokenization left. */
function cleanUpSpaces(text: string): string {
  return text
    .replace(/ ([.?!,])/g, '$1')
    .replaceAll(" ' ", "'")
    .replace(/ (n't|'(?:m|s|ve|re))/g, '$1')
    .replaceAll(' do not', " don't");
}
