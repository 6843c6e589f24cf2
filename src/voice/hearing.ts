import type { TranscriptionEvent } from '../categories/transcription/events.ts';
import type { TranscriptionRequestInput } from '../categories/transcription/request.ts';
import type { SpokenAudio } from '../categories/transcription/wire/live/speech-input.ts';
import type { TranscriptionStreamEvent } from '../categories/transcription/wire/schema.ts';
import { createTranscriptionStreamer } from '../categories/transcription/wire/to-events.ts';
import { InferenceError } from '../errors.ts';
import type { VoiceConfiguration } from './configuration.ts';
import type { VoiceSurroundings } from './surroundings.ts';

/** A recording, written down. */
export interface Heard {
  /** Empty where nobody speaks. */
  readonly text: string;
  readonly usage: TranscriptionUsage | undefined;
  readonly error?: InferenceError | undefined;
}

type TranscriptionUsage = Extract<TranscriptionStreamEvent, { type: 'transcript.text.done' }>['usage'];

/** The surroundings of a recognizer. */
export interface HearingOptions extends Pick<VoiceSurroundings, 'run'> {
  readonly signal: AbortSignal;
  /** Told when another recording waits, or has ended. */
  readonly onCount: () => void;
}

/** Writes recordings down, one after the other. */
export class Hearing {
  readonly #options: HearingOptions;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;
  #bytes = 0;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** Recordings that wait or are written down. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of those recordings. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when all are written down. */
  async settled(): Promise<void> {
    await this.#last;
  }

  /** Never rejects. */
  transcribe({ file, bytes }: SpokenAudio, { input }: VoiceConfiguration): Promise<Heard> {
    const { model, language, prompt } = input;
    const heard = this.#last
      .then(() => this.#hear({ model, audio: file, language, prompt }))
      .catch((error: unknown) => ({ text: '', usage: undefined, error: InferenceError.from(error) }))
      .finally(() => this.#add(-1, -bytes));
    this.#last = heard;
    this.#add(1, bytes);
    return heard;
  }

  async #hear(request: TranscriptionRequestInput): Promise<Heard> {
    const { run, signal } = this.#options;
    const toEvents = createTranscriptionStreamer();
    let heard: Heard = { text: '', usage: undefined };
    for await (const event of run('transcription', request, signal) as AsyncIterable<TranscriptionEvent>) {
      for (const made of toEvents(event))
        if (made.type === 'transcript.text.done') heard = { text: made.text.trim(), usage: made.usage };
    }
    return heard;
  }

  #add(count: number, bytes: number): void {
    this.#count += count;
    this.#bytes += bytes;
    this.#options.onCount();
  }
}

/** The parts of a turn as one. */
export function joinHeard(parts: readonly Heard[]): Heard {
  const text = parts
    .map((part) => part.text)
    .filter(Boolean)
    .join(' ');
  const usages = parts.flatMap(({ usage }) => usage ?? []);
  const error = text === '' ? parts.find((part) => part.error)?.error : undefined;
  const [first, ...rest] = usages;
  const usage = first && rest.reduce(addUsage, first);
  return { text, usage, error };
}

function addUsage(a: TranscriptionUsage, b: TranscriptionUsage): TranscriptionUsage {
  if (a.type !== 'tokens' || b.type !== 'tokens') return b;
  return {
    type: 'tokens',
    input_tokens: a.input_tokens + b.input_tokens,
    input_token_details: {
      audio_tokens: a.input_token_details.audio_tokens + b.input_token_details.audio_tokens,
    },
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
}
