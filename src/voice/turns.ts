import {
  appendAudio,
  tooShortError,
  type AudioTarget,
} from '../categories/transcription/wire/live/append-audio.ts';
import { sampleRateOf } from '../categories/transcription/wire/live/configuration.ts';
import {
  SpeechInput,
  type SpeechChange,
  type SpokenAudio,
} from '../categories/transcription/wire/live/speech-input.ts';
import type { InferenceError } from '../errors.ts';
import { createId } from '../http/headers.ts';
import { longestPauseMs, type VoiceConfiguration } from './configuration.ts';
import type { Heard } from './hearing.ts';

export interface Turn {
  readonly itemId: string;
  readonly parts: readonly Promise<Heard>[];
  /** Left out where the client ended it. */
  readonly endMs?: number | undefined;
}

interface TurnOptions extends Pick<AudioTarget, 'maxBufferBytes' | 'hold'> {
  readonly transcribe: (audio: SpokenAudio) => Promise<Heard>;
  readonly onStart: (itemId: string, startMs: number) => void;
  readonly onTurn: (turn: Turn) => void;
}

/** A turn that may go on: the end of its last part, and the audio that had come by then. */
interface OpenTurn extends Turn {
  readonly parts: Promise<Heard>[];
  endMs: number;
  endedAtMs: number;
}

const endsSentence = /[.!?…。！？؟।]["'”’»)\]]*\s*$/u;

/** Audio in, turns out: each ends with a pause, or where its text ends as a sentence does. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #input: SpeechInput;
  #configuration: VoiceConfiguration;
  #open: OpenTurn | undefined;
  #receivedMs = 0;

  constructor(configuration: VoiceConfiguration, options: TurnOptions) {
    this.#options = options;
    this.#configuration = configuration;
    this.#input = new SpeechInput(configuration.input);
  }

  /** Bytes of audio that wait. */
  get length(): number {
    return this.#input.length;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** @throws InferenceError for another format after the first audio */
  configure(after: VoiceConfiguration): void {
    if (this.#input.configure(after.input, 'session.audio.input.format')) this.#finish();
    this.#configuration = after;
  }

  /** @throws InferenceError for audio that can't be read, or more than the buffer takes */
  *append(text: string): Generator<void> {
    const onChange = (change: SpeechChange): void => this.#change(change);
    yield* appendAudio(text, { ...this.#options, input: this.#input, onChange });
    const bytes = (text.length / 4) * 3;
    const perSecond = this.#input.sampleBytes * sampleRateOf(this.#configuration.input.format);
    this.#receivedMs += (1000 * bytes) / perSecond;
    const open = this.#open;
    const longest = longestPauseMs(this.#configuration.rules);
    if (open && !this.#input.isSpeech && this.#receivedMs - open.endedAtMs >= longest) this.#finish();
  }

  /** Ends the turn, by the wish of the client. @returns the refusal of less than a word */
  commit(): InferenceError | undefined {
    const error = tooShortError(this.#input);
    if (error && !this.#open) return error;
    const open = this.#openTurn();
    if (!error) open.parts.push(this.#options.transcribe(this.#input.cutSpeech()));
    this.#open = undefined;
    this.#options.onTurn({ itemId: open.itemId, parts: open.parts });
    return undefined;
  }

  clear(): void {
    this.#input.clear();
    this.#open = undefined;
  }

  #openTurn(): OpenTurn {
    return (this.#open ??= { itemId: createId('item_'), parts: [], endMs: 0, endedAtMs: this.#receivedMs });
  }

  #change(change: SpeechChange): void {
    if (change.type === 'start') {
      if (this.#open) return;
      return this.#options.onStart(this.#openTurn().itemId, change.startMs);
    }
    const open = this.#openTurn();
    open.endMs = change.audio.endMs;
    open.endedAtMs = this.#receivedMs;
    const heard = this.#options.transcribe(change.audio);
    open.parts.push(heard);
    if (longestPauseMs(this.#configuration.rules) === 0) return this.#finish();
    void this.#judge(open, heard);
  }

  /** Ends a turn whose text so far ends as a sentence does, unless it has gone on. */
  async #judge(open: OpenTurn, heard: Promise<Heard>): Promise<void> {
    const { text } = await heard;
    const isLast = this.#open === open && open.parts.at(-1) === heard && !this.#input.isSpeech;
    if (isLast && endsSentence.test(text)) this.#finish();
  }

  #finish(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open && open.parts.length > 0) this.#options.onTurn(open);
  }
}
