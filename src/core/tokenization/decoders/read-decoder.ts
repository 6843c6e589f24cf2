import { type Members, type Readers, assertDepth, readByType, readList, readString } from '../definition.ts';
import { byteFallbackDecoder } from './byte-fallback.ts';
import { byteLevelDecoder } from './byte-level.ts';
import { readCtcDecoder } from './ctc.ts';
import type { Decoder } from './decoder.ts';
import { readMetaspaceDecoder } from './metaspace.ts';
import { readReplaceDecoder } from './replace.ts';
import { readStripDecoder } from './strip.ts';
import { readWordPieceDecoder } from './word-piece.ts';

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
