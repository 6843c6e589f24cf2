import { bytesPerSample, type PcmEncoding, expandALaw, expandMuLaw } from './pcm-samples.ts';
import { fromLatin1, toDataView } from './reading.ts';

const tags: Partial<Readonly<Record<PcmEncoding, number>>> = { s16: 1, 'a-law': 6, 'mu-law': 7 };

/**
 * The 44 bytes before the samples of a mono WAV file.
 * @see Multimedia Programming Interface and Data Specifications 1.0
 */
export function writeWavHeader(options: {
  encoding: PcmEncoding;
  sampleRateHz: number;
  dataBytes: number;
}): Uint8Array {
  const { encoding, sampleRateHz, dataBytes } = options;
  const tag = tags[encoding];
  if (tag === undefined)
    throw new RangeError(`encoding: expected ${Object.keys(tags).join(', ')}, got ${encoding}`);
  const bytes = new Uint8Array(44);
  const header = toDataView(bytes);
  const sampleBytes = bytesPerSample[encoding];
  bytes.set(fromLatin1('RIFF'));
  header.setUint32(4, 36 + dataBytes, true);
  bytes.set(fromLatin1('WAVEfmt '), 8);
  header.setUint32(16, 16, true);
  header.setUint16(20, tag, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, sampleRateHz, true);
  header.setUint32(28, sampleRateHz * sampleBytes, true);
  header.setUint16(32, sampleBytes, true);
  header.setUint16(34, 8 * sampleBytes, true);
  bytes.set(fromLatin1('data'), 36);
  header.setUint32(40, dataBytes, true);
  return bytes;
}

export type LiveEncoding = Extract<PcmEncoding, 's16' | 'a-law' | 'mu-law'>;

const fullScale = 2 ** 15;

/** The 256 levels of a G.711 law in ascending order, each with its code. */
interface Levels {
  readonly values: Float32Array;
  readonly codes: Uint8Array;
}

const levels: Readonly<Record<'a-law' | 'mu-law', Levels>> = {
  'a-law': levelsOf(expandALaw),
  'mu-law': levelsOf(expandMuLaw),
};

/**
 * Encodes samples of one channel as little-endian bytes; values beyond full scale are clipped.
 * @see ITU-T G.711
 */
export function fromSamples(samples: Float32Array, encoding: LiveEncoding): Uint8Array {
  if (encoding !== 's16') return compress(samples, levels[encoding]);
  const bytes = new Uint8Array(2 * samples.length);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < samples.length; at++) view.setInt16(2 * at, toInt16(samples[at]!), true);
  return bytes;
}

/** Encodes a sample in 16 bits, the inverse of decoding. */
export function toInt16(sample: number): number {
  return Math.max(-fullScale, Math.min(fullScale - 1, Math.round(sample * fullScale)));
}

function levelsOf(expand: (code: number) => number): Levels {
  const codes = Uint8Array.from({ length: 256 }, (_, code) => code).sort((a, b) => expand(a) - expand(b));
  return { values: Float32Array.from(codes, expand), codes };
}

/** Picks the code of the nearest level. */
function compress(samples: Float32Array, { values, codes }: Levels): Uint8Array {
  const bytes = new Uint8Array(samples.length);
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at]!;
    let low = 0;
    for (let step = 128; step > 0; step >>= 1) if (values[low + step]! <= sample) low += step;
    const high = Math.min(low + 1, 255);
    bytes[at] = codes[values[high]! - sample < sample - values[low]! ? high : low]!;
  }
  return bytes;
}
