import type { TranscriptionEvent } from '../categories/transcription/events.ts';
import type { TranscriptionRequestInput } from '../categories/transcription/request.ts';
import type { SpokenAudio } from '../categories/transcription/wire/live/speech-input.ts';
import type { TranscriptionStreamEvent } from '../categories/transcription/wire/schema.ts';
import { createTranscriptionStreamer } from '../categories/transcription/wire/to-events.ts';
import type { RunEvent } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { VoiceConfiguration } from './configuration.ts';

/** A recording, written down: no text where nobody speaks. */
export interface Heard {
  readonly text: string;
  readonly usage: Usage | undefined;
  readonly error?: InferenceError | undefined;
}

type Usage = Extract<TranscriptionStreamEvent, { type: 'transcript.text.done' }>['usage'];

/** Makes what writes recordings down, one after the other. */
export function createHearing(
  run: (request: TranscriptionRequestInput) => AsyncIterable<RunEvent>,
  onCount: () => void,
) {
  let last: Promise<unknown> = Promise.resolve();
  const hear = async (request: TranscriptionRequestInput): Promise<Heard> => {
    const toEvents = createTranscriptionStreamer();
    let heard: Heard = { text: '', usage: undefined };
    for await (const event of run(request)) {
      for (const made of toEvents(event as TranscriptionEvent))
        if (made.type === 'transcript.text.done') heard = { text: made.text.trim(), usage: made.usage };
    }
    return heard;
  };
  const hearing = {
    /** Recordings that wait or are written down, and their bytes. */
    count: 0,
    bytes: 0,
    settled: (): Promise<unknown> => last,
    /** Never rejects. */
    transcribe({ file, bytes }: SpokenAudio, { input }: VoiceConfiguration): Promise<Heard> {
      const { model, language, prompt } = input;
      const heard = last
        .then(() => hear({ model, audio: file, language, prompt }))
        .catch((error: unknown) => ({ text: '', usage: undefined, error: InferenceError.from(error) }))
        .finally(() => add(-1, -bytes));
      last = heard;
      add(1, bytes);
      return heard;
    },
  };
  const add = (count: number, bytes: number): void => {
    hearing.count += count;
    hearing.bytes += bytes;
    onCount();
  };
  return hearing;
}

/** The parts of a turn as one, which has failed where no part has a word. */
export function joinHeard(parts: readonly Heard[]) {
  const text = parts.flatMap((part) => part.text || []).join(' ');
  const error = text === '' ? parts.find((part) => part.error)?.error : undefined;
  const usages = parts.flatMap(({ usage }) => usage ?? []);
  const sum = (count: 'input_tokens' | 'output_tokens' | 'total_tokens'): number =>
    usages.reduce((total, usage) => total + usage[count], 0);
  const input_tokens = sum('input_tokens');
  const usage: Usage = {
    type: 'tokens',
    input_tokens,
    input_token_details: { audio_tokens: input_tokens },
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
  };
  return { text, usage, error };
}
