import type { RunEvent } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { TranscriptionEvent } from '../categories/transcription/events.ts';
import type { TranscriptionRequestInput } from '../categories/transcription/request.ts';
import type { TranscriptionStreamEvent } from '../categories/transcription/wire/schema.ts';
import { createTranscriptionStreamer } from '../categories/transcription/wire/to-events.ts';
import type { Configuration } from './listening.ts';
import type { SpokenAudio } from './speech-input.ts';

/** A transcribed recording; no text if it has no speech. */
export interface Heard {
  readonly text: string;
  readonly usage: Usage | undefined;
  readonly error?: InferenceError | undefined;
}

type Usage = Extract<TranscriptionStreamEvent, { type: 'transcript.text.done' }>['usage'];

interface HearingOptions {
  readonly run: (request: TranscriptionRequestInput) => AsyncIterable<RunEvent>;
  /** When it is aborted, no further recording begins. */
  readonly signal: AbortSignal;
  /** Called when a recording has ended. */
  readonly onEnd: () => void;
}

/** Transcribes recordings, one after the previous one. */
export class Hearing {
  /** Number of recordings that wait or are transcribed. */
  count = 0;
  /** Bytes of these recordings. */
  bytes = 0;
  readonly #run: (request: TranscriptionRequestInput) => AsyncIterable<RunEvent>;
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ run, signal, onEnd }: HearingOptions) {
    this.#run = run;
    this.#signal = signal;
    this.#onEnd = onEnd;
  }

  settled(): Promise<unknown> {
    return this.#last;
  }

  /** Never rejects. @param onText gets the text piece by piece */
  transcribe(
    { file: audio, bytes }: SpokenAudio,
    { model, language, prompt }: Configuration,
    onText?: (delta: string) => void,
  ): Promise<Heard> {
    this.count += 1;
    this.bytes += bytes;
    const heard = this.#last
      .then(() => this.#hear({ model, audio, language, prompt }, onText))
      .finally(() => {
        this.count -= 1;
        this.bytes -= bytes;
        this.#onEnd();
      })
      .catch((error: unknown) => ({ text: '', usage: undefined, error: InferenceError.from(error) }));
    this.#last = heard;
    return heard;
  }

  async #hear(
    request: TranscriptionRequestInput,
    onText: ((delta: string) => void) | undefined,
  ): Promise<Heard> {
    this.#signal.throwIfAborted();
    const toEvents = createTranscriptionStreamer();
    let heard: Heard = { text: '', usage: undefined };
    for await (const event of this.#run(request)) {
      for (const made of toEvents(event as TranscriptionEvent)) {
        if (made.type === 'transcript.text.delta') onText?.(made.delta);
        else if (made.type === 'transcript.text.done') heard = made;
      }
    }
    return heard;
  }
}

/** Joins the parts of a turn; it has failed if no part has a word. */
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
