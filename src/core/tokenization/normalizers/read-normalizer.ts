import { type Members, type Readers, assertDepth, readByType, readList } from '../definition.ts';
import { readBertNormalizer } from './bert.ts';
import { byteLevel } from './byte-level.ts';
import { lowercase } from './lowercase.ts';
import { nmt } from './nmt.ts';
import type { Normalizer } from './normalizer.ts';
import { readPrecompiled } from './precompiled.ts';
import { readPrepend } from './prepend.ts';
import { readReplace } from './replace.ts';
import { stripAccents } from './strip-accents.ts';
import { readStrip } from './strip.ts';
import { nfc, nfd, nfkc, nfkd } from './unicode-forms.ts';

const readers: Readers<Normalizer> = {
  BertNormalizer: readBertNormalizer,
  ByteLevel: () => byteLevel,
  Lowercase: () => lowercase,
  NFC: () => nfc,
  NFD: () => nfd,
  NFKC: () => nfkc,
  NFKD: () => nfkd,
  Nmt: () => nmt,
  Precompiled: readPrecompiled,
  Prepend: readPrepend,
  Replace: readReplace,
  Sequence: readSequence,
  Strip: readStrip,
  StripAccents: () => stripAccents,
};

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export function readNormalizer(label: string, value: unknown): Normalizer {
  return readByType(label, value, readers);
}

function readSequence(label: string, members: Members): Normalizer {
  assertDepth(label);
  const normalizers = readList(`${label}.normalizers`, members['normalizers']).map((item, index) =>
    readNormalizer(`${label}.normalizers[${index}]`, item),
  );
  return (piece) => normalizers.reduce((rewritten, normalize) => normalize(rewritten), piece);
}
