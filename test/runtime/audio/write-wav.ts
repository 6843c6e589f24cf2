/** How a WAV file is written. */
export interface WavOptions {
  readonly format: 1 | 3 | 6 | 7;
  readonly bits: number;
  readonly sampleRateHz?: number;
  readonly channels?: number;
  /** Of the `data` chunk; default its true one. */
  readonly dataLength?: number;
  readonly isExtensible?: boolean;
  /** Written as RF64, with this length of the samples in its `ds64` chunk. */
  readonly length64?: number;
  /** Chunks before the samples, such as `LIST`. */
  readonly chunks?: readonly Uint8Array[];
}

/** A chunk of a RIFF file, padded to an even length. */
export function riffChunk(id: string, content: Uint8Array, length = content.length): Uint8Array {
  const header = new Uint8Array(8);
  header.set(Buffer.from(id));
  new DataView(header.buffer).setUint32(4, length, true);
  return Buffer.concat([header, content, new Uint8Array(content.length % 2)]);
}

/** Writes samples in full scale −1 to 1, the same ones in every channel. */
export function writeWav(samples: Float32Array, options: WavOptions): Uint8Array {
  const { format, bits, sampleRateHz = 16_000, channels = 1, isExtensible = false, chunks = [] } = options;
  const bytes = bits / 8;
  const data = new Uint8Array(samples.length * channels * bytes);
  const view = new DataView(data.buffer);
  for (let at = 0; at < data.length; at += bytes) {
    write(view, at, samples[Math.floor(at / bytes / channels)]!, format, bits);
  }
  const fmt = new Uint8Array(isExtensible ? 40 : 16);
  const header = new DataView(fmt.buffer);
  header.setUint16(0, isExtensible ? 0xfffe : format, true);
  header.setUint16(2, channels, true);
  header.setUint32(4, sampleRateHz, true);
  header.setUint32(8, sampleRateHz * channels * bytes, true);
  header.setUint16(12, channels * bytes, true);
  header.setUint16(14, bits, true);
  if (isExtensible) {
    header.setUint16(16, 22, true);
    header.setUint16(18, bits, true);
    header.setUint16(24, format, true);
    fmt.set(Buffer.from('000000001000800000aa00389b71', 'hex'), 26);
  }
  const sizes = new Uint8Array(28);
  new DataView(sizes.buffer).setBigUint64(8, BigInt(options.length64 ?? 0), true);
  const is64 = options.length64 !== undefined;
  return Buffer.concat([
    Buffer.from(is64 ? 'RF64\xff\xff\xff\xffWAVE' : 'RIFF\0\0\0\0WAVE', 'latin1'),
    ...(is64 ? [riffChunk('ds64', sizes)] : []),
    riffChunk('fmt ', fmt),
    ...chunks,
    riffChunk('data', data, options.dataLength ?? (is64 ? 0xffff_ffff : data.length)),
  ]);
}

function write(view: DataView, at: number, sample: number, format: number, bits: number): void {
  if (format === 3 && bits === 32) view.setFloat32(at, sample, true);
  else if (format === 3) view.setFloat64(at, sample, true);
  else if (format === 6) view.setUint8(at, toALaw(sample * 2 ** 15));
  else if (format === 7) view.setUint8(at, toMuLaw(sample * 2 ** 15));
  else if (bits === 8) view.setUint8(at, Math.round(sample * 127) + 128);
  else {
    const value = Math.round(sample * (2 ** (bits - 1) - 1));
    for (let byte = 0; byte < bits / 8; byte++) view.setUint8(at + byte, (value >> (8 * byte)) & 255);
  }
}

/** ITU-T G.711, from 16 bits. */
function toALaw(sample: number): number {
  const magnitude = Math.min(32_767, Math.abs(Math.round(sample)));
  const exponent = magnitude < 256 ? 0 : Math.floor(Math.log2(magnitude)) - 7;
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 15;
  return ((exponent << 4) | mantissa | (sample < 0 ? 0 : 0x80)) ^ 0x55;
}

/** ITU-T G.711, from 16 bits. */
function toMuLaw(sample: number): number {
  const magnitude = Math.min(32_635, Math.abs(Math.round(sample))) + 132;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 255;
}
