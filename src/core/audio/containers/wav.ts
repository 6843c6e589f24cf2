import { imaAdpcm, msAdpcm } from './adpcm.ts';
import { maxPcmChannels, pcmBlocks, type PcmEncoding } from './pcm-samples.ts';
import { ContainerError, ForeignAudio, type Reading, toDataView, toLatin1 } from './reading.ts';
import { adpcmBlocks, type SampleBlocks, type SampleLayout } from './sample-layout.ts';

const maxChunks = 1000;
const unknownLength = 0xffff_ffff;

const formatTags = {
  pcm: 1,
  float: 3,
  aLaw: 6,
  muLaw: 7,
  extensible: 0xfffe,
} as const;

const adpcmCodecs = new Map([
  [0x0002, msAdpcm],
  [0x0011, imaAdpcm],
]);

const otherFormats: ReadonlyMap<number, string> = new Map([
  [0x0002, 'Microsoft ADPCM'],
  [0x0011, 'IMA ADPCM'],
  [0x0031, 'GSM 6.10'],
  [0x0050, 'MPEG layer I or II'],
  [0x0055, 'MP3'],
  [0x0092, 'AC-3'],
  [0x00ff, 'AAC'],
  [0x0161, 'Windows Media audio'],
  [0x2000, 'AC-3'],
]);

/** Bytes after the format tag in the subformat of a WAVE_FORMAT_EXTENSIBLE header. */
const subformatTail = '\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71';

/**
 * Reads a header of RIFF, RIFX, RF64 or BW64: integers of 8 to 32 bits, floats, A-law and µ-law, 4-bit ADPCM.
 * @see Multimedia Programming Interface and Data Specifications 1.0; Multiple channel audio data and WAVE files; EBU Tech 3306 (RF64)
 */
export function* readWavLayout(start = 0): Reading<SampleLayout> {
  const riff = toLatin1(yield { offset: start, length: 12 });
  if (!/^(RIFF|RF64|BW64|RIFX)[^]{4}WAVE$/.test(riff)) throw new ContainerError('not a WAV file');
  const isLittle = !riff.startsWith('RIFX');
  let format: WavFormat | undefined;
  let length64: number | undefined;
  let offset = start + 12;
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const header: Uint8Array = yield { offset, length: 8 };
    if (header.length < 8) break;
    const id = toLatin1(header.subarray(0, 4));
    const length = toDataView(header).getUint32(4, isLittle);
    offset += 8;
    if (id === 'data') {
      if (format === undefined) throw new ContainerError('a WAV file without a format before its samples');
      const known = length === unknownLength ? (length64 ?? 0) : length;
      return { ...format, dataOffset: offset, dataLength: known === 0 ? Infinity : known };
    }
    if (id === 'fmt ') {
      format = toFormat(yield { offset, length: Math.min(length, 40) }, isLittle);
    } else if (id === 'ds64') {
      const sizes: Uint8Array = yield { offset, length: 16 };
      if (sizes.length === 16) length64 = Number(toDataView(sizes).getBigUint64(8, true));
    }
    offset += length;
    // Some writers omit the padding byte of an odd chunk: a chunk's name never begins with a zero.
    if (length % 2 === 1 && (yield { offset, length: 1 })[0] === 0) offset += 1;
  }
  throw new ContainerError('a WAV file without samples');
}

type WavFormat = SampleBlocks & Pick<SampleLayout, 'sampleRateHz'>;

function toFormat(bytes: Uint8Array, isLittle: boolean): WavFormat {
  if (bytes.length < 16) throw new ContainerError('a WAV file whose format is cut off');
  const view = toDataView(bytes);
  const channels = view.getUint16(2, isLittle);
  const sampleRateHz = view.getUint32(4, isLittle);
  const blockBytes = view.getUint16(12, isLittle);
  const bits = view.getUint16(14, isLittle);
  let tag = view.getUint16(0, isLittle);
  if (tag === formatTags.extensible) {
    if (bytes.length < 40) throw new ContainerError('a WAV file whose format is cut off');
    if (toLatin1(bytes.subarray(26, 40)) !== subformatTail)
      throw new ContainerError('a WAV file with samples of an unknown subformat');
    tag = view.getUint16(24, isLittle);
  }
  if (channels < 1 || channels > maxPcmChannels)
    throw new ContainerError(`a WAV file of ${channels} channels (1 to ${maxPcmChannels} are read)`);
  const codec = bits === 4 ? adpcmCodecs.get(tag)?.(channels, blockBytes) : undefined;
  if (codec && blockBytes >= codec.headerBytes) return { ...adpcmBlocks(codec), sampleRateHz };
  const encoding = toEncoding(tag, blockBytes / channels, bits);
  const byteOrder = isLittle ? 'little' : 'big';
  return { ...pcmBlocks({ encoding, channels, byteOrder }), sampleRateHz };
}

/**
 * Samples narrower than their bytes are aligned to the most significant bit, so the byte count alone determines the encoding.
 */
function toEncoding(tag: number, bytes: number, bits: number): PcmEncoding {
  const encoding = encodings[`${tag}/${bytes}`];
  if (encoding !== undefined && bits <= 8 * bytes) return encoding;
  const name = otherFormats.get(tag);
  if (name !== undefined) throw new ForeignAudio(`a WAV file with ${name} in it`, 'wav');
  const known = Object.values<number>(formatTags).includes(tag);
  const kind = known ? `${bits} bits in ${bytes} bytes each` : `format 0x${tag.toString(16)}`;
  throw new ContainerError(`a WAV file with samples of ${kind}`);
}

/** By format tag and bytes per sample. */
const encodings: Readonly<Record<string, PcmEncoding>> = {
  [`${formatTags.pcm}/1`]: 'u8',
  [`${formatTags.pcm}/2`]: 's16',
  [`${formatTags.pcm}/3`]: 's24',
  [`${formatTags.pcm}/4`]: 's32',
  [`${formatTags.float}/4`]: 'f32',
  [`${formatTags.float}/8`]: 'f64',
  [`${formatTags.aLaw}/1`]: 'a-law',
  [`${formatTags.muLaw}/1`]: 'mu-law',
};
