import { bytesPerSample, type PcmEncoding } from './pcm-samples.ts';

const tags: Partial<Readonly<Record<PcmEncoding, number>>> = { s16: 1, 'a-law': 6, 'mu-law': 7 };

/**
 * The 44 bytes before the samples of a mono WAV file.
 * @see Multimedia Programming Interface and Data Specifications 1.0
 */
export function writeWavHeader({
  encoding,
  sampleRateHz,
  dataBytes,
}: {
  encoding: PcmEncoding;
  sampleRateHz: number;
  dataBytes: number;
}): Uint8Array {
  const tag = tags[encoding];
  if (tag === undefined)
    throw new RangeError(`encoding: expected ${Object.keys(tags).join(', ')}, got ${encoding}`);
  const header = new DataView(new ArrayBuffer(44));
  const ascii = (at: number, text: string): void =>
    [...text].forEach((letter, index) => header.setUint8(at + index, letter.charCodeAt(0)));
  const sampleBytes = bytesPerSample[encoding];
  ascii(0, 'RIFF');
  header.setUint32(4, 36 + dataBytes, true);
  ascii(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, tag, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, sampleRateHz, true);
  header.setUint32(28, sampleRateHz * sampleBytes, true);
  header.setUint16(32, sampleBytes, true);
  header.setUint16(34, 8 * sampleBytes, true);
  ascii(36, 'data');
  header.setUint32(40, dataBytes, true);
  return new Uint8Array(header.buffer);
}
