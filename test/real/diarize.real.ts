import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transcription } from '../../dist/src/index.js';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import { limitConcurrency } from '../../src/concurrency/limit-concurrency.ts';
import {
  createDiarizer,
  type DiarizationTools,
} from '../../src/categories/transcription/pipeline/diarizer.ts';
import { openDiarization } from '../../src/categories/transcription/pipeline/open-diarization.ts';
import { toWav } from '../categories/transcription/pipeline/recordings.ts';
import { serve, type RunningService } from '../e2e/serve.ts';
import { makeCall, plain, saidOn } from './call.ts';
import { mixConversations, rate, readSamples, type Conversation } from './conversations.ts';
import { diarizationError, type Turn } from './diarization-error.ts';
import { wordErrorRate } from './word-error-rate.ts';

/** What the program of `golden/diarize.py` hears in the same recordings with the same graphs. */
interface Golden {
  readonly threshold: number;
  readonly heard: Readonly<Record<string, { readonly turns: readonly Turn[]; readonly error: number }>>;
}

const golden = JSON.parse(await readFile(new URL('golden/diarize.json', import.meta.url), 'utf8')) as Golden;
const models = process.env['SLASHV1_REAL_MODELS'] ?? '';
/** A folder for the recordings, which the reference hears. */
const output = process.env['SLASHV1_CONVERSATIONS'];
/** The least error of the conversations of `choosing` is at 0.75, of those between 0.4 and 1.3 in steps of 0.05. */
const chosenThreshold = 0.75;
const diarization = {
  segmentation: join(models, 'diarization/segmentation.onnx'),
  embedding: join(models, 'diarization/embedding.onnx'),
};

async function* secondsOf(samples: Float32Array): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += rate) yield samples.subarray(at, at + rate);
}

let opened: DiarizationTools;
beforeAll(async () => {
  opened = (await openDiarization(
    { id: 'ears', category: 'transcription', source: '', diarization, threads: 2 },
    onnxSessions,
  ))!;
});
afterAll(() => opened.release());

/** Turns by the chosen threshold and by the default one. */
async function turnsOf(samples: Float32Array): Promise<Record<'chosen' | 'default', Turn[]>> {
  const tools: { -readonly [key in keyof DiarizationTools]: DiarizationTools[key] } = { ...opened };
  const diarizer = createDiarizer(tools, { inTurn: limitConcurrency(1) });
  for await (const block of diarizer.listen(secondsOf(samples))) void block;
  const byDefault = diarizer.turns();
  tools.threshold = chosenThreshold;
  return { default: byDefault, chosen: diarizer.turns() };
}

const speakersOf = (turns: readonly Turn[]): number => new Set(turns.map(({ speaker }) => speaker)).size;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('conversations of people that the threshold was not chosen by', () => {
  let conversations: Conversation[];
  beforeAll(async () => {
    conversations = await mixConversations(models, 'judging');
    if (output === undefined) return;
    await mkdir(output, { recursive: true });
    for (const { name, samples, turns } of [
      ...(await mixConversations(models, 'choosing')),
      ...conversations,
    ]) {
      await writeFile(join(output, `${name}.wav`), toWav(samples));
      await writeFile(join(output, `${name}.json`), JSON.stringify(turns));
    }
  });

  it('are told apart as well as by the reference', async () => {
    const rows: (Readonly<Record<'chosen' | 'default' | 'reference', number>> & { speakers: number })[] = [];
    for (const { name, speakers, samples, turns } of conversations) {
      const heard = await turnsOf(samples);
      const theirs = golden.heard[name]!;
      // As pyannote.metrics counts.
      expect(Math.abs(diarizationError(turns, theirs.turns) - theirs.error)).toBeLessThan(0.02);
      const all = { ...heard, reference: theirs.turns };
      const errorOf = (who: keyof typeof all): number => diarizationError(turns, all[who]);
      const row = { chosen: errorOf('chosen'), default: errorOf('default'), reference: errorOf('reference') };
      console.log(name, JSON.stringify(row), Object.values(all).map(speakersOf).join(' '));
      rows.push({ speakers, ...row });
    }
    const errorOf = (who: 'chosen' | 'default' | 'reference', of = rows): number =>
      mean(of.map((row) => row[who]));
    for (const speakers of [2, 3, 4]) {
      const own = rows.filter((row) => row.speakers === speakers);
      const errors = (['chosen', 'default', 'reference'] as const).map(
        (who) => `${who} ${errorOf(who, own).toFixed(3)}`,
      );
      console.log(`${speakers} speakers: ${errors.join(', ')}`);
    }
    expect(errorOf('chosen')).toBeLessThanOrEqual(Math.min(0.2, errorOf('reference') + 0.01));
    expect(errorOf('default')).toBeLessThanOrEqual(errorOf('chosen') + 0.02);
  });
});

it('tells two people of a meeting apart', async () => {
  const spoken = (await readFile(join(models, 'meeting/sample.rttm'), 'utf8'))
    .trim()
    .split('\n')
    .map((line): Turn => {
      const [, , , start, length, , , speaker] = line.split(' ');
      const startSeconds = Number(start);
      return {
        speaker: Number(speaker === 'speaker91'),
        startSeconds,
        endSeconds: startSeconds + Number(length),
      };
    });
  const { chosen } = await turnsOf(await readSamples(join(models, 'meeting/sample.wav')));
  console.log('meeting', diarizationError(spoken, chosen), golden.heard['meeting']?.error);
  expect(speakersOf(chosen)).toBe(2);
  expect(diarizationError(spoken, chosen)).toBeLessThanOrEqual(0.25);
});

describe('diarized_json of tiny.en, asked for by the openai package', () => {
  let service: RunningService;
  let openai: OpenAI;
  beforeAll(async () => {
    const source = join(models, 'whisper-tiny-en');
    service = await serve({ ears: transcription({ source, dtype: 'fp32', diarization }) }, { auth: 'none' });
    openai = new OpenAI({ baseURL: `${service.origin}/v1`, apiKey: 'none', maxRetries: 0 });
  });
  afterAll(() => service.close());

  const hear = async (wav: Uint8Array): Promise<OpenAI.Audio.TranscriptionDiarized> => {
    const answer = await openai.audio.transcriptions.create({
      model: 'ears',
      file: await toFile(wav, 'call.wav'),
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
    });
    // The package types this format as plain JSON.
    return answer as OpenAI.Audio.TranscriptionDiarized;
  };

  it.each([
    ['in turns', 0, 0.35],
    ['at once', 1.5, 0.5],
  ])('gives most words of a call to who says them: two people who speak %s', async (kind, early, most) => {
    const { text, segments } = await hear(await makeCall(early));
    const spokenBy = (label: string): string =>
      plain(segments.flatMap((segment) => (segment.speaker === label ? [segment.text] : [])).join(' '));
    const said = [saidOn(0), saidOn(1)];
    const counts = said.map((words) => words.split(' ').length);
    // Concatenated minimum-permutation word error rate: a word of the other speaker is left out here and inserted there.
    const errorOf = (labels: string): number =>
      said.reduce((sum, words, at) => sum + wordErrorRate(words, spokenBy(labels[at]!)) * counts[at]!, 0) /
      (counts[0]! + counts[1]!);
    const error = Math.min(errorOf('AB'), errorOf('BA'));
    const unnamed = wordErrorRate(saidOn(0, 1), plain(text));
    console.log(`a call ${kind}: cpWER ${error.toFixed(3)}, word error rate ${unnamed.toFixed(3)}`);
    expect(error).toBeLessThanOrEqual(most);
  });

  it('gives most words of conversations to who speaks at their time', async () => {
    const shares: number[] = [];
    for (const { name, speakers, samples, turns } of await mixConversations(models, 'judging')) {
      if (speakers !== 2) continue;
      const { segments } = await hear(toWav(samples));
      /** For each word that is said in a turn, who speaks then and the label that it has. */
      const words = segments.flatMap(({ text, start, end, speaker }) =>
        plain(text)
          .split(' ')
          .flatMap((_, at, { length }) => {
            const seconds = start + ((at + 0.5) * (end - start)) / length;
            const now = turns.filter((turn) => turn.startSeconds <= seconds && seconds < turn.endSeconds);
            return now.length === 0 ? [] : [{ label: speaker, speaking: now.map((turn) => turn.speaker) }];
          }),
      );
      const rightBy = (labels: string): number =>
        words.filter(({ label, speaking }) => speaking.some((one) => labels[one] === label)).length;
      const share = Math.max(rightBy('AB'), rightBy('BA')) / words.length;
      console.log(`${name}: ${(share * words.length).toFixed()} of ${words.length} words`);
      shares.push(share);
    }
    expect(mean(shares)).toBeGreaterThan(0.8);
  });
});
