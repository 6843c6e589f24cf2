import type { SpeechEvent, SpeechModelInfo } from '../../../../src/categories/speech/events.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import {
  completeSpeechRequest,
  type SpeechRequestInput,
  type SpeechRequest,
} from '../../../../src/categories/speech/request.ts';
import { loadPipeline } from '../../../../src/loading/load-pipeline.ts';

let pipeline: Pipeline<SpeechRequest, SpeechEvent, SpeechModelInfo>;
beforeAll(async () => {
  pipeline = await loadPipeline({
    id: 'tiny-speech',
    category: 'speech',
    source: 'tiny-speech',
    threads: 1,
  });
});
afterAll(() => pipeline.close());

const sampleRateHz = 24_000;

async function speak(input: string, request: Partial<SpeechRequestInput> = {}): Promise<Float32Array> {
  const bytes: Uint8Array[] = [];
  const complete = completeSpeechRequest({ model: 'tiny-speech', input, format: 'pcm', ...request });
  for await (const event of pipeline.run(complete)) {
    if (event.type === 'audio') bytes.push(event.bytes);
  }
  const all = Buffer.concat(bytes);
  return Float32Array.from({ length: all.length / 2 }, (_, at) => all.readInt16LE(2 * at) / 32_767);
}

/** The median, over frames of 40 ms, of the period at which a loud frame is most like itself. */
function pitchHz(samples: Float32Array): number {
  const length = 0.04 * sampleRateHz;
  const pitches: number[] = [];
  for (let start = 0; start + 2 * length < samples.length; start += length) {
    const at = (lag: number): number => {
      let sum = 0;
      for (let index = start; index < start + length; index++) sum += samples[index]! * samples[index + lag]!;
      return sum;
    };
    const energy = at(0);
    if (energy / length < 0.003) continue;
    let best = { lag: 0, likeness: 0 };
    for (let lag = Math.round(sampleRateHz / 350); lag < sampleRateHz / 70; lag++) {
      const likeness = at(lag) / energy;
      // A multiple of the period is about as good, so it has to be clearly better.
      if (likeness > best.likeness * 1.1) best = { lag, likeness };
    }
    if (best.likeness > 0.5) pitches.push(sampleRateHz / best.lag);
  }
  return pitches.sort((one, other) => one - other)[pitches.length >> 1]!;
}

describe('tiny-speech', () => {
  const text = 'A red circle is above the blue square.';

  it('has the default voice and others', () => {
    const voices = pipeline.info.voices!.map(({ id }) => id);
    expect(voices).toContain('af_heart');
    expect(voices.length).toBeGreaterThanOrEqual(3);
  });

  it('speaks for about as long as a person would, loud enough, and not too loud', async () => {
    const samples = await speak(text);
    expect(samples.length / sampleRateHz).toBeGreaterThan(1.5);
    expect(samples.length / sampleRateHz).toBeLessThan(4);
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(0.2);
    expect(peak).toBeLessThan(1);
  });

  it('says the same each time', async () => {
    expect(await speak(text)).toEqual(await speak(text));
  });

  it.each([0.5, 2])('keeps its pitch at speed %f', async (speed) => {
    const plain = await speak(text);
    const other = await speak(text, { speed });
    expect(other.length).toBeGreaterThan((plain.length / speed) * 0.9);
    expect(other.length).toBeLessThan((plain.length / speed) * 1.15);
    expect(pitchHz(other) / pitchHz(plain)).toBeGreaterThan(0.9);
    expect(pitchHz(other) / pitchHz(plain)).toBeLessThan(1.1);
  });

  it('has voices of different pitch, and mixes between them', async () => {
    const [low, mixed, high] = await Promise.all(
      ['am_adam', 'af_heart+am_adam', 'af_heart'].map(async (voice) => pitchHz(await speak(text, { voice }))),
    );
    expect(low).toBeGreaterThan(70);
    expect(mixed).toBeGreaterThan(low! * 1.1);
    expect(high).toBeGreaterThan(mixed! * 1.1);
  });

  it('knows every phoneme of English', async () => {
    const words =
      'the judge chose a measure of thick oil, yet how could we sing good vows at our own fair show';
    for (const word of words.split(' ')) {
      const samples = await speak(word);
      expect(samples.length / sampleRateHz).toBeGreaterThan(0.1);
    }
  });

  it('spells what it has to', async () => {
    const spelled = await speak('B C D E F G');
    expect(spelled.length / sampleRateHz).toBeGreaterThan(1);
  });
});
