import { Buffer } from 'node:buffer';
import type { SpeechEvent } from '../../categories/speech/events.ts';
import type { SpeechRequestInput } from '../../categories/speech/request.ts';
import { encodingOf, sampleRateOf } from '../listening.ts';
import { toSamples } from '../../core/audio/containers/pcm-samples.ts';
import { fromSamples, type LiveEncoding } from '../../core/audio/containers/wav-header.ts';
import { createResampler, type Resampler } from '../../core/audio/resample.ts';
import { InferenceError } from '../../errors.ts';
import type { AnswerSettings } from './configuration.ts';
import type { Spoken, SpokenMark } from './conversation.ts';

/** Typical speed of speech. */
const charactersPerMs = 0.015;
const messageSeconds = 0.5;

interface SpeakerOptions {
  readonly model: string;
  readonly output: AnswerSettings['output'];
  readonly speak: (request: SpeechRequestInput) => AsyncIterable<SpeechEvent>;
  readonly onText: (text: string) => void;
  /** Audio in base64, in the format of the client. Resolves when there is room for more. */
  readonly onAudio: (audio: string) => Promise<void>;
}

/** Speaks pieces of text while the next ones are written: all waiting pieces are one run. */
export class Speaker {
  readonly #options: SpeakerOptions;
  readonly #sampleRateHz: number;
  readonly #marks: SpokenMark[] = [];
  #waiting: string[] = [];
  #running: Promise<void> | undefined;
  #characters = 0;
  /** Length of the piece that is being spoken. */
  #openCharacters = 0;
  #samples = 0;

  constructor(options: SpeakerOptions) {
    this.#options = options;
    this.#sampleRateHz = sampleRateOf(options.output.format);
  }

  /** The audio so far; the end of an interrupted piece is estimated. */
  get spoken(): Spoken {
    const audioMs = this.#spokenMs();
    if (this.#openCharacters === 0) return { marks: this.#marks, audioMs };
    const { endMs = 0 } = this.#marks.at(-1) ?? {};
    const expectedMs = endMs + this.#openCharacters / charactersPerMs;
    const characters = this.#characters + this.#openCharacters;
    return { marks: [...this.#marks, { characters, endMs: Math.max(audioMs, expectedMs) }], audioMs };
  }

  say(text: string): void {
    if (text === '') return;
    this.#waiting.push(text);
    this.#running ??= this.#speakAll();
    this.#running.catch(() => undefined); // `end` reports it.
  }

  async end(): Promise<void> {
    await this.#running;
  }

  #spokenMs(): number {
    return (1000 * this.#samples) / this.#sampleRateHz;
  }

  async #speakAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const text = this.#waiting.join('');
      this.#waiting = [];
      await this.#speakPiece(text);
    }
    this.#running = undefined;
  }

  async #speakPiece(text: string): Promise<void> {
    const { model, output, speak, onText } = this.#options;
    let resampler: Resampler | undefined;
    // The text of a piece is emitted with its first sound.
    const tell = (): void => {
      if (this.#openCharacters > 0) return;
      this.#openCharacters = text.length;
      onText(text);
    };
    try {
      for await (const event of speak(toSpeechRequest(model, output, text))) {
        if (event.type === 'speech-start')
          resampler = createResampler({ fromHz: event.sampleRateHz, toHz: this.#sampleRateHz });
        if (event.type !== 'audio') continue;
        tell();
        const [spoken] = toSamples(event.bytes, { encoding: 's16', channels: 1 });
        await this.#send(resampler!.push(spoken!));
      }
      if (resampler) await this.#send(resampler.flush());
    } catch (error) {
      const { code, param } = InferenceError.from(error);
      // Punctuation or emoji alone: there is nothing to speak.
      if (code !== 'invalid_request' || param !== 'input') throw error;
    }
    tell();
    this.#openCharacters = 0;
    this.#characters += text.length;
    this.#marks.push({ characters: this.#characters, endMs: this.#spokenMs() });
  }

  async #send(spoken: Float32Array): Promise<void> {
    const encoding = encodingOf(this.#options.output.format) as LiveEncoding;
    const most = Math.round(messageSeconds * this.#sampleRateHz);
    for (let at = 0; at < spoken.length; at += most) {
      const bytes = fromSamples(spoken.subarray(at, at + most), encoding);
      this.#samples += Math.min(most, spoken.length - at);
      await this.#options.onAudio(Buffer.from(bytes.buffer).toString('base64'));
    }
  }
}

export function toSpeechRequest(
  model: string,
  { voice, speed }: AnswerSettings['output'],
  input: string,
): SpeechRequestInput {
  const wishes = { ...(voice !== undefined && { voice }), ...(speed !== undefined && { speed }) };
  return { model, input, ...wishes, format: 'pcm' };
}
