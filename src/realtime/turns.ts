import { fieldError, InferenceError } from '../errors.ts';
import { createId } from '../http/headers.ts';
import { GrowingText, type Heard, type Hearing, type Pause } from './hearing.ts';
import { sampleRateOf, type Configuration } from './listening.ts';
import { readAudio, SpeechInput, type SpeechChange, type SpokenAudio } from './speech-input.ts';

/** Bytes per slice of turn detection: a few milliseconds for any content. */
const sliceBytes = 2 ** 15;
/** Shorter audio has no word. */
const minCommitMs = 100;

export interface Turn {
  readonly itemId: string;
  readonly parts: Promise<Heard>[];
  readonly text: GrowingText;
  /** Undefined if the client has ended it. */
  endMs?: number | undefined;
}

interface TurnOptions {
  readonly maxBufferBytes: number;
  /** Called with the number of bytes that the buffer is about to hold. */
  readonly hold: (bytes: number) => void;
  readonly hearing: Hearing;
  readonly onStart: (itemId: string, startMs: number) => void;
  /** Called when speech has paused: the turn may be over. @param parts transcripts of the turn before it */
  readonly onPause: (pause: Pause, parts: readonly Promise<Heard>[]) => void;
  readonly onTurn: (turn: Turn) => void;
}

/** A turn that may continue, and the audio received by the end of its last part. */
interface OpenTurn extends Turn {
  endedAtMs: number;
}

export const endsSentence = (text: string): boolean => /[.!?…。！？؟।]["'”’»)\]]*\s*$/u.test(text);

/** Splits audio into turns: a turn ends with a pause, or with a text that ends like a sentence. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #input: SpeechInput;
  #configuration: Configuration;
  /** 0 if each silence ends a turn. */
  #maxPauseMs = 0;
  #open: OpenTurn | undefined;
  #receivedMs = 0;

  constructor(begun: Configuration, options: TurnOptions) {
    this.#options = options;
    this.#input = new SpeechInput(begun);
    this.#configuration = begun;
  }

  /** Bytes of audio that wait. */
  length(): number {
    return this.#input.length();
  }

  isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** @throws InferenceError for a change of the format after the first audio */
  configure(after: Configuration, maxPauseMs = 0): void {
    if (this.#input.configure(after, 'session.audio.input.format')) this.#finish();
    this.#configuration = after;
    this.#maxPauseMs = maxPauseMs;
  }

  /**
   * Appends the audio of a message, in slices between which other work may run.
   *
   * @throws InferenceError for audio that can't be read, or more than the buffer takes
   */
  *append(text: string): Generator<void> {
    const input = this.#input;
    const { maxBufferBytes, hold } = this.#options;
    const bytes = readAudio(text, input.sampleBytes());
    const isFull = (): boolean => input.length() + bytes.length > maxBufferBytes;
    // Speech without a pause is transcribed in pieces.
    if (isFull() && input.isSpeech()) this.#notice({ type: 'end', audio: input.cutSpeech() });
    if (isFull()) {
      const left = maxBufferBytes - input.length();
      throw fieldError('audio', `expected at most ${left} bytes before the next commit, got ${bytes.length}`);
    }
    hold(input.length() + bytes.length);
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      if (at > 0) yield;
      for (const change of input.append(bytes.subarray(at, at + sliceBytes))) this.#notice(change);
    }
    this.#follow();
    const byteRate = input.sampleBytes() * sampleRateOf(this.#configuration.format);
    this.#receivedMs += (1000 * (text.length / 4) * 3) / byteRate;
    if (this.#open && !input.isSpeech() && this.#receivedMs - this.#open.endedAtMs >= this.#maxPauseMs)
      this.#finish();
  }

  /** Commits the turn at the client's request. @returns an error for less audio than a word */
  commit(): InferenceError | undefined {
    const durationMs = this.#input.durationMs();
    const isTooShort = durationMs < minCommitMs;
    if (isTooShort && !this.#open?.parts.length) {
      const message = `The buffer is too small to commit: expected at least ${minCommitMs} ms of audio, got ${durationMs} ms.`;
      return new InferenceError('invalid_request', message);
    }
    const turn = this.#openTurn();
    if (!isTooShort) turn.parts.push(this.#transcribe(this.#input.cutSpeech(), turn.text));
    this.#open = undefined;
    this.#options.onTurn({ ...turn, endMs: undefined });
    return undefined;
  }

  clear(): void {
    this.#input.clear();
    this.#follow();
    this.#open = undefined;
  }

  #notice(change: SpeechChange): void {
    if (change.type === 'start') {
      if (this.#open) return;
      return this.#options.onStart(this.#openTurn().itemId, change.startMs);
    }
    const turn = this.#openTurn();
    turn.endMs = change.audio.endMs;
    turn.endedAtMs = this.#receivedMs;
    const heard = this.#transcribe(change.audio, turn.text);
    turn.parts.push(heard);
    if (this.#maxPauseMs === 0) return this.#finish();
    void this.#judge(turn, heard);
  }

  #transcribe(audio: SpokenAudio, text: GrowingText): Promise<Heard> {
    return this.#options.hearing.transcribe(audio, this.#configuration, text.add());
  }

  #follow(): void {
    const pause = this.#options.hearing.follow(this.#input, this.#configuration);
    if (pause) this.#options.onPause(pause, this.#open?.parts ?? []);
  }

  #openTurn(): OpenTurn {
    const begun = { parts: [], text: new GrowingText(), endedAtMs: this.#receivedMs };
    return (this.#open ??= { itemId: createId('item_'), ...begun });
  }

  #finish(): void {
    const finished = this.#open;
    this.#open = undefined;
    if (finished && finished.parts.length > 0) this.#options.onTurn(finished);
  }

  /** Ends a turn if its text so far ends like a sentence and no further speech has begun. */
  async #judge(turn: OpenTurn, heard: Promise<Heard>): Promise<void> {
    const { text } = await heard;
    const isLast = this.#open === turn && turn.parts.at(-1) === heard && !this.#input.isSpeech();
    if (isLast && endsSentence(text)) this.#finish();
  }
}
