import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import type { TranscriptionEvent } from '../../../../src/categories/transcription/events.ts';
import { mergeChannels } from '../../../../src/categories/transcription/pipeline/transcription-pipeline.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
  type TranscriptionRequestInput,
} from '../../../../src/categories/transcription/request.ts';
import { collectTranscription } from '../../../../src/categories/transcription/result.ts';
import {
  toSubtitles,
  toVerboseTranscription,
  createTranscriptionStreamer,
} from '../../../../src/categories/transcription/wire/to-response.ts';
import { transcriptionCategory } from '../../../../src/categories/transcription/category.ts';
import type { UsageTally } from '../../../../src/contracts/run.ts';
import { loadPipeline } from '../../../../src/loading/load-pipeline.ts';
import * as audio from '../../../../src/runtime/audio/open-audio.ts';
import { join, readSpeech, silence, toWav } from './recordings.ts';

vi.mock('../../../../src/runtime/audio/open-audio.ts', async (load) => {
  const original = await load<typeof audio>();
  return { ...original, openAudio: vi.fn(original.openAudio) };
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A WAV file of several channels; shorter ones end with silence. */
function toChannels(...channels: readonly Float32Array[]): Uint8Array {
  const length = Math.max(...channels.map((channel) => channel.length));
  const frames = Float32Array.from(
    { length: length * channels.length },
    (_, at) => channels[at % channels.length]![Math.floor(at / channels.length)] ?? 0,
  );
  const file = Buffer.from(toWav(frames));
  file.writeUInt16LE(channels.length, 22);
  file.writeUInt16LE(2 * channels.length, 32);
  return file;
}

let pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent>;
let call: Uint8Array;
beforeAll(async () => {
  pipeline = await loadPipeline({
    id: 'tiny-whisper',
    category: 'transcription',
    source: 'tiny-whisper',
    threads: 1,
  });
  const [circle, star, triangles] = await Promise.all(['circle', 'star', 'triangles'].map(readSpeech));
  call = toChannels(join([circle!, silence(8), triangles!]), join([silence(5), star!]));
});
afterAll(() => pipeline.close());

const said = [
  [' There is a red circle above a blue square.', 0],
  [' Draw a yellow star to the left of a purple diamond.', 1],
  [' How many green triangles are there?', 0],
];

async function hear(
  options: Partial<TranscriptionRequestInput> = {},
  file = call,
): Promise<TranscriptionEvent[]> {
  const request = { model: 'tiny-whisper', audio: file, multichannel: true, ...options };
  return collect(pipeline.run(completeTranscriptionRequest(request)));
}

describe('a recording of two channels', () => {
  it('is heard channel by channel, in the order of time', async () => {
    const result = await collectTranscription(await hear({ wordTimestamps: true }));
    expect(result.segments.map(({ text, channel }) => [text, channel])).toEqual(said);
    expect(result.segments.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(result.text).toBe(
      said
        .map(([text]) => text)
        .join('')
        .trim(),
    );
    const answer = toVerboseTranscription(result, { segments: true, words: true });
    expect(answer.segments!.map(({ channel }) => channel)).toEqual([0, 1, 0]);
    expect(answer.words!.find(({ word }) => word === 'yellow')!.channel).toBe(1);
  });

  it('has its speakers in subtitles where the segments have channels', async () => {
    const result = await collectTranscription(await hear());
    const speakers = ['Speaker 1', 'Speaker 2', 'Speaker 1'];
    expect(toSubtitles(result, 'vtt').match(/<v [^>]*>\w+/g)).toEqual(
      said.map(([text], index) => `<v ${speakers[index]}>${String(text).trim().split(' ')[0]}`),
    );
    expect(toSubtitles(result, 'srt').match(/^Speaker.*$/gm)).toEqual(
      said.map(([text], index) => `${speakers[index]}:${text}`),
    );
    const mixed = await collectTranscription(await hear({ multichannel: false }));
    expect(toSubtitles(mixed, 'vtt') + toSubtitles(mixed, 'srt')).not.toMatch(/<v |Speaker/);
  });

  it('is opened once, whatever the number of its channels', async () => {
    vi.mocked(audio.openAudio).mockClear();
    await hear({}, toChannels(...Array.from({ length: 8 }, () => silence(1))));
    expect(audio.openAudio).toHaveBeenCalledTimes(1);
  });

  it('counts each channel as audio of its own', async () => {
    const events = await hear();
    const tally: UsageTally = { usage: {}, finishReasons: [] };
    let before = 0;
    for (const event of events) {
      transcriptionCategory.tally(event, tally);
      expect(tally.usage.audioSeconds).toBeGreaterThanOrEqual(before);
      before = tally.usage.audioSeconds!;
    }
    const { durationSeconds } = await collectTranscription(events);
    expect(before).toBeCloseTo(2 * durationSeconds, 6);
    const { usage } = toVerboseTranscription(await collectTranscription(events), {
      segments: true,
      words: false,
    });
    expect(usage.seconds).toBe(Math.ceil(2 * durationSeconds));
  });

  it('streams deltas with their channels', async () => {
    const toEvents = createTranscriptionStreamer();
    const sent = (await hear()).flatMap((event) => toEvents(event));
    expect(sent.slice(0, -1)).toMatchObject(said.map(([, channel]) => ({ channel })));
  });

  it('is heard as one where nobody asks for its channels', async () => {
    const events = await hear({ multichannel: false });
    expect(events.at(-1)).not.toHaveProperty('channels');
    expect(events.find(({ type }) => type === 'segment')).not.toHaveProperty('segment.channel');
  });

  it('may have one channel, and eight, but no more', async () => {
    const mono = await collectTranscription(await hear({}, toChannels(silence(1))));
    expect(mono).toMatchObject({ text: '', channels: 1 });
    const eight = await hear({}, toChannels(...Array.from({ length: 8 }, () => silence(1))));
    expect(eight.at(-1)).toMatchObject({ channels: 8, durationSeconds: 1 });
    const nine = toChannels(...Array.from({ length: 9 }, () => silence(1)));
    await expect(hear({}, nine)).rejects.toMatchObject({
      param: 'multichannel',
      message: 'multichannel: expected at most 8 channels, got 9.',
    });
  });

  it('is refused together with speakers', () => {
    const request = { model: 'tiny-whisper', audio: call, multichannel: true, diarize: true };
    expect(() => completeTranscriptionRequest(request)).toThrow(
      'multichannel: expected false with diarization',
    );
  });
});

describe('channels under way', () => {
  const closed: number[] = [];
  async function* scripted(channel: number, ends: boolean): AsyncGenerator<TranscriptionEvent> {
    try {
      yield { type: 'progress', seconds: 1 + channel };
      if (!ends) throw new Error('damaged');
      yield { type: 'transcription-end', language: undefined, durationSeconds: 3 };
    } finally {
      closed.push(channel);
    }
  }

  it('are closed at the end, after an error, and where nobody reads on', async () => {
    const merged = (fails: number) =>
      mergeChannels([0, 1].map((channel) => scripted(channel, channel !== fails)));
    await collect(merged(2));
    expect(closed.splice(0).toSorted()).toEqual([0, 1]);
    await expect(collect(merged(1))).rejects.toThrow('damaged');
    expect(closed.splice(0).toSorted()).toEqual([0, 1]);
    const left = merged(2);
    expect((await left.next()).value).toEqual({ type: 'progress', seconds: 1, channels: 2 });
    await left.return(undefined);
    expect(closed.splice(0).toSorted()).toEqual([0, 1]);
  });
});
