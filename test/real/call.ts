import { join } from 'node:path';
import { createResampler } from '../../src/core/audio/resample.ts';
import { writeWav } from '../runtime/audio/write-wav.ts';
import { rate, readSamples } from './conversations.ts';

const models = process.env['SLASHV1_REAL_MODELS'] ?? '';
const lineHz = 8000;
const length = 19;

/** Turns of a call: channel, stretch of the speaker's recording, and when it is said; some begin half a second early. */
const turns = [
  [0, 0, 2.6, 0.5, 'and so my fellow americans'],
  [1, 0.2, 3, 3.3, 'ever tried ever failed'],
  [0, 3.1, 7.9, 5.6, 'ask not what your country can do for you'],
  [1, 3.3, 5.8, 9.9, 'no matter try again'],
  [0, 8, 10.9, 13, 'ask what you can do for your country'],
  [1, 6.4, 9.6, 15.2, 'fail again fail better'],
] as const;
/** Words of some of the speakers, in the order of their turns. */
export const saidOn = (...channels: number[]): string =>
  turns.flatMap(([channel, , , , said]) => (channels.includes(channel) ? [said] : [])).join(' ');

/** Words in small letters, with spaces between them. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A call as call centers record it, two channels of 8 kHz, µ-law; the second speaks by so many seconds earlier. */
export async function makeCall(seconds: number): Promise<Uint8Array> {
  const recordings = [join(import.meta.dirname, 'golden/jfk.wav'), join(models, 'recordings/beckett.wav')];
  const voices = await Promise.all(recordings.map(readSamples));
  const frames = new Float32Array(2 * length * lineHz);
  for (const [channel, from, to, at] of turns) {
    const resampler = createResampler({ fromHz: rate, toHz: lineHz });
    const piece = voices[channel]!.subarray(from * rate, to * rate);
    let place = 2 * Math.round((at - channel * seconds) * lineHz) + channel;
    for (const sample of [...resampler.push(piece), ...resampler.flush()]) {
      frames[place] = sample;
      place += 2;
    }
  }
  const file = Buffer.from(writeWav(frames, { format: 7, bits: 8, sampleRateHz: lineHz }));
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(2 * lineHz, 28);
  file.writeUInt16LE(2, 32);
  return file;
}
