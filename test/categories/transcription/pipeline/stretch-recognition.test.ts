import { expect, test } from 'vitest';
import { limitConcurrency } from '../../../../src/concurrency/limit-concurrency.ts';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import type { TranscriptionEvent } from '../../../../src/categories/transcription/events.ts';
import { openVoiceGate } from '../../../../src/categories/transcription/pipeline/transcription-pipeline.ts';
import { beginStretches } from '../../../../src/categories/transcription/pipeline/stretch-recognition.ts';
import { transcribe } from '../../../../src/categories/transcription/pipeline/transcriber.ts';
import { collectTranscription } from '../../../../src/categories/transcription/result.ts';
import { sampleRateHz, type StretchRecognizer } from '../../../../src/categories/transcription/recognizer.ts';

/** Tones and silence, in seconds. */
function recording(
  ...parts: readonly (readonly [kind: 'tone' | 'silence', seconds: number])[]
): Float32Array {
  const pieces = parts.map(([kind, seconds]) =>
    Float32Array.from({ length: Math.round(seconds * sampleRateHz) }, (_, at) =>
      kind === 'tone' ? 0.2 * Math.sin(at / 5) * (1 + Math.sin(at / 2000)) : 0,
    ),
  );
  const joined = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

async function* inBlocks(samples: Float32Array): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += sampleRateHz) yield samples.subarray(at, at + sampleRateHz);
}

const plain = {
  language: undefined,
  prompt: undefined,
  task: 'transcribe',
  temperature: 0,
  wordTimestamps: false,
} as const;

/** Hears a word in each stretch, from its beginning to its end. */
async function recognize(samples: Float32Array, maxSeconds: number) {
  const stretches: Float32Array[] = [];
  const recognizer: StretchRecognizer = {
    maxSeconds,
    contextLength: 0,
    languages: [],
    abilities: new Set(['wordTimestamps']),
    async recognize(stretch) {
      stretches.push(stretch);
      const words = [{ word: 'word', startSeconds: 0, endSeconds: stretch.length / sampleRateHz }];
      return { text: 'word', tokens: [stretches.length], averageLogprob: -1, words };
    },
    release: async () => {},
  };
  const recognition = beginStretches(recognizer, { ...plain, wordTimestamps: true });
  const gate = await openVoiceGate('energy', onnxSessions);
  const tools = { maxSeconds, gate, inTurn: limitConcurrency(1) };
  const events: TranscriptionEvent[] = [];
  for await (const event of transcribe(tools, { blocks: inBlocks(samples), recognition })) events.push(event);
  const segments = events.filter((event) => event.type === 'segment').map(({ segment }) => segment);
  return { stretches, segments, events, end: events.at(-1) };
}

test('silence is left out, and each stretch tells where it was', async () => {
  const { stretches, segments, end } = await recognize(
    recording(['silence', 2], ['tone', 3], ['silence', 4], ['tone', 2]),
    28,
  );
  expect(end).toEqual({ type: 'transcription-end', language: undefined, durationSeconds: 11 });
  expect(segments.map(({ startSeconds }) => Math.round(startSeconds))).toEqual([2, 9]);
  expect(stretches.map(({ length }) => Math.round(length / sampleRateHz))).toEqual([4, 2]);
  expect(segments[1]).toMatchObject({
    id: 1,
    text: ' word',
    tokens: [2],
    averageLogprob: -1,
    temperature: 0,
  });
  const { startSeconds, endSeconds } = segments[1]!;
  expect(segments[1]!.words).toEqual([{ word: 'word', startSeconds, endSeconds }]);
});

test('speech that goes on after a window waits for the next one', async () => {
  const { segments } = await recognize(
    recording(['tone', 2], ['silence', 5], ['tone', 6], ['silence', 2]),
    10,
  );
  expect(segments.map(({ startSeconds }) => Math.round(startSeconds))).toEqual([0, 7]);
  expect(segments[1]!.endSeconds).toBeGreaterThan(12.9);
});

test('speech without a pause is cut, and nothing of it is lost or said twice', async () => {
  const { stretches, segments, end } = await recognize(recording(['tone', 25]), 10);
  expect(end).toMatchObject({ durationSeconds: 25 });
  let at = 0;
  for (const [index, { startSeconds }] of segments.entries()) {
    expect(stretches[index]!.length).toBeLessThanOrEqual(10 * sampleRateHz);
    expect(Math.abs(startSeconds - at)).toBeLessThan(0.5);
    at = startSeconds + stretches[index]!.length / sampleRateHz;
  }
  expect(at).toBeGreaterThan(24.5);
  expect(stretches.length).toBeGreaterThan(2);
});

test('silence alone has no stretch', async () => {
  const { segments, end } = await recognize(recording(['silence', 31]), 28);
  expect(segments).toEqual([]);
  expect(end).toMatchObject({ durationSeconds: 31 });
});

test('words on both sides of a cut are said once, and whole', async () => {
  const wordLength = 0.7 * sampleRateHz;
  const count = 60;
  // The samples of a word are its number.
  const samples = Float32Array.from(
    { length: wordLength * count },
    (_, at) => 1 + Math.floor(at / wordLength),
  );
  const recognizer: StretchRecognizer = {
    maxSeconds: 10,
    contextLength: 0,
    languages: [],
    leavesOutWords: true,
    abilities: new Set(['wordTimestamps']),
    async recognize(heard, { kept: [from, until] = [0, heard.length] }) {
      const words = new Map<number, { at: number; length: number }>();
      for (const [at, word] of heard.entries()) {
        const known = words.get(word);
        if (known) known.length++;
        else words.set(word, { at, length: 1 });
      }
      const found = [...words]
        .filter(([, { at }]) => at >= from && at < until)
        .map(([word, { at, length }]) => ({
          word: length === wordLength ? String(word) : `part of ${word}`,
          startSeconds: (at - from) / sampleRateHz,
          endSeconds: (at - from + length) / sampleRateHz,
        }));
      return { text: found.map(({ word }) => word).join(' '), tokens: [], averageLogprob: 0, words: found };
    },
    release: async () => {},
  };
  const recognition = beginStretches(recognizer, { ...plain, wordTimestamps: true });
  const gate = await openVoiceGate('none', onnxSessions);
  const tools = { maxSeconds: 10, gate, inTurn: limitConcurrency(1) };
  const { segments } = await collectTranscription(
    transcribe(tools, { blocks: inBlocks(samples), recognition }),
  );
  expect(segments.length).toBeGreaterThan(4);
  const words = segments.flatMap((segment) => segment.words!);
  expect(words.map(({ word }) => word)).toEqual(Array.from({ length: count }, (_, at) => String(at + 1)));
  for (const [at, { startSeconds }] of words.entries()) expect(startSeconds).toBeCloseTo(0.7 * at, 3);
});
