import { expandALaw, expandMuLaw, type PcmEncoding } from './pcm-samples.ts';

/** Encodings in which live audio is sent. */
export type LiveEncoding = Extract<PcmEncoding, 's16' | 'a-law' | 'mu-law'>;

const fullScale = 2 ** 15;

/** The 256 levels of a law of G.711 in their order, each with its code. */
interface Levels {
  readonly values: Float32Array;
  readonly codes: Uint8Array;
}

const levels: Readonly<Record<'a-law' | 'mu-law', Levels>> = {
  'a-law': levelsOf(expandALaw),
  'mu-law': levelsOf(expandMuLaw),
};

/**
 * Samples of one channel → their bytes, little-endian; what is beyond full scale is clipped.
 * @see ITU-T G.711
 */
export function fromSamples(samples: Float32Array, encoding: LiveEncoding): Uint8Array {
  if (encoding !== 's16') return compress(samples, levels[encoding]);
  const bytes = new Uint8Array(2 * samples.length);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < samples.length; at++) view.setInt16(2 * at, toInt16(samples[at]!), true);
  return bytes;
}

/** A sample → 16 bits, by the scale that they are read with. */
export function toInt16(sample: number): number {
  return Math.max(-fullScale, Math.min(fullScale - 1, Math.round(sample * fullScale)));
}

function levelsOf(expand: (code: number) => number): Levels {
  const codes = Uint8Array.from({ length: 256 }, (_, code) => code).sort((a, b) => expand(a) - expand(b));
  return { values: Float32Array.from(codes, expand), codes };
}

/** The code of the level that is nearest. */
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
