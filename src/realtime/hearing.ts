import type { SocketRunOptions } from '../contracts/endpoint.ts';
import type { RunEvent } from '../contracts/run.ts';
import { InferenceError } from '../errors.ts';
import type { TranscriptionEvent } from '../categories/transcription/events.ts';
import type { TranscriptionRequestInput } from '../categories/transcription/request.ts';
import {
  createTranscriptionStreamer,
  toTokenUsage,
  type TokenUsage,
} from '../categories/transcription/wire/to-response.ts';
import type { Configuration } from './listening.ts';
import { EarlyRun } from './early-run.ts';
import type { SpeechInput, SpokenAudio } from './speech-input.ts';

/** A transcribed recording; no text if it has no speech. */
export interface Heard {
  readonly text: string;
  readonly usage?: TokenUsage | undefined;
  readonly error?: InferenceError | undefined;
}

type Run = (
  request: TranscriptionRequestInput,
  options?: Pick<SocketRunOptions, 'signal' | 'isUsed'>,
) => AsyncIterable<RunEvent>;

/** A text that grows piece by piece, and may be read later than it begins. */
export class GrowingText {
  #unread = '';
  #isEmpty = true;
  #onText: ((delta: string) => void) | undefined;

  /** Adds the text of one more recording, whose pieces the returned function gets. */
  add(): (delta: string) => void {
    let isFirst = true;
    return (delta) => {
      this.#unread += isFirst && !this.#isEmpty ? ` ${delta}` : delta;
      isFirst = this.#isEmpty = false;
      this.#read();
    };
  }

  read(onText: (delta: string) => void): void {
    this.#onText = onText;
    this.#read();
  }

  #read(): void {
    if (!this.#onText || this.#unread === '') return;
    this.#onText(this.#unread);
    this.#unread = '';
  }
}

/** A transcription of speech that has paused, and may be over. */
interface Guess {
  readonly configuration: Configuration;
  readonly bytes: number;
  readonly soundEnd: number;
  readonly run: EarlyRun<RunEvent>;
}

/** Speech that has paused, and may be over. */
export interface Pause {
  /** Its transcript. */
  readonly heard: Promise<Heard>;
  /** Resolves with false if the speech continues, or was transcribed again. */
  readonly isOver: Promise<boolean>;
}

interface HearingOptions {
  readonly run: Run;
  /** Whether speech is transcribed at each pause, before it is known that it is over. */
  readonly isEager: boolean;
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
  readonly #options: HearingOptions;
  #last: Promise<Heard> | Promise<void> = Promise.resolve();
  #guess: Guess | undefined;

  constructor(options: HearingOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#setGuess(undefined), { once: true });
  }

  settled(): Promise<unknown> {
    return this.#last;
  }

  /** Call it when audio has arrived. Transcribes speech that has paused. @returns the pause, if it has just begun */
  follow(input: SpeechInput, configuration: Configuration): Pause | undefined {
    const soundEnd = input.pausedAt();
    if (!this.#options.isEager || soundEnd === this.#guess?.soundEnd) return undefined;
    this.#setGuess(undefined);
    if (soundEnd === undefined || this.#options.signal.aborted) return undefined;
    const { file, bytes } = input.speech();
    const run = new EarlyRun((options) => this.#options.run(toRequest(file, configuration), options));
    this.#setGuess({ configuration, bytes, soundEnd, run });
    return { heard: settle(readTranscript(run)), isOver: run.isUsed };
  }

  /** Never rejects. @param onText gets the text piece by piece */
  transcribe(
    { file, bytes, soundEnd }: SpokenAudio,
    configuration: Configuration,
    onText?: (delta: string) => void,
  ): Promise<Heard> {
    const guess = this.#guess;
    const isGuessed = guess?.soundEnd === soundEnd && guess?.configuration === configuration;
    const early = isGuessed && !guess.run.hasFailed ? guess.run.use(this.#options.signal) : undefined;
    this.#setGuess(undefined);
    this.count += 1;
    this.bytes += bytes;
    const heard = this.#last
      .then(() => {
        this.#options.signal.throwIfAborted();
        return readTranscript(early ?? this.#options.run(toRequest(file, configuration)), onText);
      })
      .finally(() => {
        this.count -= 1;
        this.bytes -= bytes;
        this.#options.onEnd();
      });
    return (this.#last = settle(heard));
  }

  #setGuess(guess: Guess | undefined): void {
    this.#guess?.run.drop();
    this.bytes += (guess?.bytes ?? 0) - (this.#guess?.bytes ?? 0);
    this.#guess = guess;
  }
}

function toRequest(
  audio: Uint8Array,
  { model, language, prompt, keywords }: Configuration,
): TranscriptionRequestInput {
  const list = keywords?.length ? `${keywords.join(', ')}.` : undefined;
  const guide = prompt && list ? `${prompt} ${list}` : (list ?? prompt);
  return { model, audio, language: language ?? undefined, prompt: guide ?? undefined };
}

/** Never rejects. */
function settle(heard: Promise<Heard>): Promise<Heard> {
  return heard.catch((error: unknown) => ({ text: '', error: InferenceError.from(error) }));
}

async function readTranscript(
  events: AsyncIterable<RunEvent>,
  onText?: (delta: string) => void,
): Promise<Heard> {
  const toEvents = createTranscriptionStreamer();
  let heard: Heard = { text: '' };
  for await (const event of events) {
    for (const made of toEvents(event as TranscriptionEvent)) {
      if (made.type === 'transcript.text.delta') onText?.(made.delta);
      else if (made.type === 'transcript.text.done') heard = made;
    }
  }
  return heard;
}

export type JoinedHeard = ReturnType<typeof joinHeard>;

/** Joins the parts of a turn; it has failed if no part has a word. */
export function joinHeard(parts: readonly Heard[]) {
  const text = parts.flatMap((part) => part.text || []).join(' ');
  const error = text === '' ? parts.find((part) => part.error)?.error : undefined;
  const usages = parts.flatMap(({ usage }) => usage ?? []);
  const sum = (count: 'input_tokens' | 'output_tokens'): number =>
    usages.reduce((total, usage) => total + usage[count], 0);
  return { text, usage: toTokenUsage(sum('input_tokens'), sum('output_tokens')), error };
}
