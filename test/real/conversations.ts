import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openAudio } from '../../src/runtime/audio/open-audio.ts';
import type { Turn } from './diarization-error.ts';

export const rate = 16_000;

/** People whose recordings are mixed; the threshold is chosen by the conversations of some and judged by those of others. */
const people = {
  choosing: 'angie deniro emma geralt lj myself snakes tom train_daws train_dotrice train_grace'.split(' '),
  judging:
    'daniel freeman halle jlaw mol pat tim_reynolds train_atkins train_kennard train_lescault weaver william'.split(
      ' ',
    ),
} as const;

export interface Conversation {
  readonly name: string;
  readonly speakers: number;
  readonly samples: Float32Array;
  readonly turns: readonly Turn[];
}

const counts = [2, 3, 4];
const rounds = 4;

/** Numbers from 0 to below 1 by a linear congruential generator of Numerical Recipes. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

export async function readSamples(path: string): Promise<Float32Array> {
  const blocks: Float32Array[] = [];
  for await (const block of (await openAudio({ path }, { maxSeconds: 600 })).blocks) blocks.push(block);
  const samples = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    samples.set(block, at);
    at += block.length;
  }
  return samples;
}

/** @returns twelve conversations: four each of two, three and four people, whose recordings are cut into turns */
export async function mixConversations(models: string, set: keyof typeof people): Promise<Conversation[]> {
  const folder = join(models, 'speakers');
  const files = (await readdir(folder)).toSorted();
  const conversations: Conversation[] = [];
  for (const speakers of counts) {
    for (let round = 0; round < rounds; round++) {
      const random = numbersFrom(100 * speakers + round);
      const chosen = people[set]
        .map((name) => ({ name, place: random() }))
        .toSorted((a, b) => a.place - b.place)
        .slice(0, speakers)
        .map(({ name }) => files.filter((file) => file.startsWith(`${name}-`)));
      const clips = await Promise.all(
        chosen.map((own) => readClip(join(folder, own[Math.floor(random() * own.length)]!))),
      );
      conversations.push({ name: `${set}-${speakers}-${round}`, speakers, ...mix(clips, random) });
    }
  }
  return conversations;
}

/** Each speaks by turns of 1.5 to 6 s, to the end of what they say; every fifth interrupts the one before. */
function mix(clips: readonly Float32Array[], random: () => number): Pick<Conversation, 'samples' | 'turns'> {
  const samples = new Float32Array(clips.reduce((sum, { length }) => sum + length + 10 * rate, 0));
  const spoken = clips.map(() => 0);
  const turns: Turn[] = [];
  let [end, speaker] = [rate / 2, -1];
  for (;;) {
    const waiting = [...clips.keys()].filter((one) => spoken[one]! < clips[one]!.length - rate);
    const others = waiting.filter((one) => one !== speaker);
    if (waiting.length === 0) return { samples: samples.slice(0, end + rate / 2), turns };
    const candidates = others.length > 0 ? others : waiting;
    speaker = candidates[Math.floor(random() * candidates.length)]!;
    const from = spoken[speaker]!;
    const piece = clips[speaker]!.subarray(from, from + Math.round((1.5 + 4.5 * random()) * rate));
    spoken[speaker]! += piece.length;
    const gap = random() < 0.2 ? -(0.3 + 0.5 * random()) : 0.2 + 0.7 * random();
    const start = Math.max(0, Math.round(end + gap * rate));
    for (let at = 0; at < piece.length; at++) samples[start + at]! += piece[at]!;
    for (const [first, last] of voiced(piece))
      turns.push({ speaker, startSeconds: start / rate + first, endSeconds: start / rate + last });
    end = start + piece.length;
  }
}

/** A recording as loud as all others. */
async function readClip(path: string): Promise<Float32Array> {
  const samples = await readSamples(path);
  const power = samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length;
  return samples.map((value) => (0.06 * value) / Math.sqrt(power));
}

/** Stretches of a clip, in seconds, without pauses of half a second: 35 dB below the loudest twentieth is silence. */
function voiced(clip: Float32Array): [number, number][] {
  const step = rate / 50;
  const powers = Array.from({ length: Math.floor(clip.length / step) }, (_, at) =>
    clip.subarray(at * step, (at + 1) * step).reduce((sum, value) => sum + value ** 2, 0),
  );
  const loud = powers.toSorted((a, b) => a - b)[Math.floor(0.95 * powers.length)]!;
  const stretches: [number, number][] = [];
  for (const [at, power] of powers.entries()) {
    if (power < loud * 10 ** -3.5) continue;
    const last = stretches.at(-1);
    if (last && at / 50 - last[1] < 0.5) last[1] = (at + 1) / 50;
    else stretches.push([at / 50, (at + 1) / 50]);
  }
  return stretches;
}
