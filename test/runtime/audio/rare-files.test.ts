import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readAiffLayout } from '../../../src/core/audio/containers/aiff.ts';
import { performOn } from '../../../src/core/audio/containers/reading.ts';
import { readWavLayout } from '../../../src/core/audio/containers/wav.ts';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { readAll } from './read-all.ts';

interface RareFile {
  readonly kind: string;
  readonly file: string;
  readonly samples: readonly string[];
}

const golden = JSON.parse(readFileSync(new URL('golden/rare.json', import.meta.url), 'utf8')) as {
  readonly rate: number;
  readonly files: readonly RareFile[];
};
const decoded = golden.files.filter(({ samples }) => samples.length > 0);
const foreign = golden.files.filter(({ samples }) => samples.length === 0);

const bytesOf = (kind: string): Buffer =>
  Buffer.from(golden.files.find((one) => one.kind === kind)!.file, 'base64');
const layoutOf = (file: Uint8Array) =>
  performOn(file, file[0] === 'F'.charCodeAt(0) ? readAiffLayout() : readWavLayout());

/** As libsndfile reads them. */
function floatsOf(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
}

describe('files of rare kinds', () => {
  it.each(decoded)('have the samples that libsndfile reads: $kind', ({ file, samples }) => {
    const bytes = Buffer.from(file, 'base64');
    const layout = layoutOf(bytes);
    expect(layout.sampleRateHz).toBe(golden.rate);
    const data = bytes.subarray(layout.dataOffset, layout.dataOffset + layout.dataLength);
    const channels = layout.decode(data);
    expect(channels).toHaveLength(samples.length);
    channels.forEach((channel, index) => expect(channel).toEqual(floatsOf(samples[index]!)));
  });

  it.each(decoded)('are read whole: $kind', async ({ file, samples }) => {
    const read = await readAll(Buffer.from(file, 'base64'));
    expect(read.samples).toHaveLength(2 * floatsOf(samples[0]!).length);
    expect(read.samples.some((sample) => Math.abs(sample) > 0.3)).toBe(true);
  });

  it.each(['WAV IMA_ADPCM 2', 'WAV MS_ADPCM 2'])(
    'end with the last whole sample where cut off: %s',
    (kind) => {
      const bytes = bytesOf(kind);
      const layout = layoutOf(bytes);
      const whole = layout.decode(bytes.subarray(layout.dataOffset));
      for (let length = 0; length < 2 * layout.blockBytes; length += 5) {
        const channels = layout.decode(bytes.subarray(layout.dataOffset, layout.dataOffset + length));
        expect(channels[0]).toEqual(whole[0]!.subarray(0, channels[0]!.length));
        expect(channels[1]).toHaveLength(channels[0]!.length);
      }
    },
  );

  it('name a block that is shorter than its header', async () => {
    const bytes = bytesOf('WAV IMA_ADPCM 1');
    bytes.writeUInt16LE(3, 32);
    await expect(readAll(bytes)).rejects.toThrow('a WAV file with IMA ADPCM in it needs an ffmpeg program');
  });

  it('name the parts that an AIFF file lacks', async () => {
    const aiff = bytesOf('AIFF PCM_16 2');
    await expect(readAll(aiff.subarray(0, 12))).rejects.toThrow('an AIFF file without a format');
    await expect(readAll(aiff.subarray(0, 40))).rejects.toThrow('an AIFF file without samples');
    const at = aiff.indexOf('COMM') + 8;
    aiff.writeUInt16BE(40, at + 6);
    await expect(readAll(aiff)).rejects.toThrow('an AIFF file with samples of 40 bits');
    aiff.writeUInt16BE(0, at);
    await expect(readAll(aiff)).rejects.toThrow('an AIFF file of 0 channels (1 to 64 are read)');
  });

  it.each(foreign)('name the program that decodes them: $kind', async ({ kind, file }) => {
    const found = kind.startsWith('WAV') ? 'a WAV file with GSM 6.10 in it' : 'an AIFF file with GSM in it';
    const options = { maxSeconds: 60, ffmpegPath: '/nonexistent/ffmpeg' };
    await expect(openAudio(Buffer.from(file, 'base64'), options)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'file',
      message: `file: ${found} needs an ffmpeg program to be decoded, which this service lacks; send another format, such as by ffmpeg -i FILE FILE.wav.`,
    });
  });
});
