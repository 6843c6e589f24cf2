import { Buffer } from 'node:buffer';
import type { SpeechEvent } from '../../categories/speech/events.ts';
import type { SpeechRequestInput } from '../../categories/speech/request.ts';
import { encodingOf, sampleRateOf } from '../listening.ts';
import { toSamples } from '../../core/audio/containers/pcm-samples.ts';
import { fromSamples, type LiveEncoding } from '../../core/audio/containers/wav-header.ts';
import { createResampler, type Resampler } from '../../core/audio/resample.ts';
import { splitSentences } from '../../core/speech/sentences.ts';
import { InferenceError } from '../../errors.ts';
import type { AnswerSettings } from './configuration.ts';
import type { SpokenMark } from './conversation.ts';

/** A text without an end of a sentence is spoken in such pieces. */
const longestPiece = 400;
/** People speak about so fast. */
const charactersPerMs = 0.015;
const messageSeconds = 0.5;

/** Makes what cuts a text that is being written into sentences. */
export function createSentenceCutter() {
  let left = '';
  const take = (length: number): string => {
    const spaces = /^\s*/.exec(left.slice(length))![0].length;
    const taken = left.slice(0, length + spaces);
    left = left.slice(length + spaces);
    return taken;
  };
  return {
    /** @returns the sentences that are complete, with the spaces after them */
    push(text: string): string[] {
      left += text;
      const complete = splitSentences(left).slice(0, -1);
      const pieces = complete.map((sentence) => take(left.indexOf(sentence) + sentence.length));
      if (left.length > longestPiece)
        pieces.push(take(1 + left.lastIndexOf(' ', longestPiece) || longestPiece));
      return pieces;
    },
    flush: (): string => take(left.length),
  };
}

interface SpeakerOptions {
  readonly model: string;
  readonly output: AnswerSettings['output'];
  readonly speak: (request: SpeechRequestInput) => AsyncIterable<SpeechEvent>;
  readonly onText: (text: string) => void;
  /** Audio in base64, in the format of the client. Resolves when there is room for more. */
  readonly onAudio: (audio: string) => Promise<void>;
}

export type Speaker = ReturnType<typeof createSpeaker>;

/** Makes what speaks sentences while others are written: those that wait are one run. */
export function createSpeaker({ model, output, speak, onText, onAudio }: SpeakerOptions) {
  const sampleRateHz = sampleRateOf(output.format);
  const { voice, speed } = output;
  const wishes = { ...(voice !== undefined && { voice }), ...(speed !== undefined && { speed }) };
  const marks: SpokenMark[] = [];
  let waiting: string[] = [];
  let running: Promise<void> | undefined;
  let characters = 0;
  /** Length of the piece that is being spoken. */
  let openCharacters = 0;
  let samples = 0;
  const spokenMs = (): number => (1000 * samples) / sampleRateHz;

  return {
    /** Places in the text, and when they are spoken; of a piece that was broken off, when it would be about. */
    get marks(): readonly SpokenMark[] {
      const { endMs = 0 } = marks.at(-1) ?? {};
      if (openCharacters === 0) return marks;
      const expectedMs = endMs + openCharacters / charactersPerMs;
      return [...marks, { characters: characters + openCharacters, endMs: Math.max(spokenMs(), expectedMs) }];
    },
    say(text: string): void {
      if (text === '') return;
      waiting.push(text);
      running ??= speakAll();
      running.catch(() => undefined); // Whoever waits for the end is told.
    },
    async end(): Promise<void> {
      await running;
    },
  };

  async function speakAll(): Promise<void> {
    while (waiting.length > 0) {
      const text = waiting.join('');
      waiting = [];
      await speakPiece(text);
    }
    running = undefined;
  }

  async function speakPiece(text: string): Promise<void> {
    let resampler: Resampler | undefined;
    // Text comes with its first sound.
    const tell = (): void => {
      if (openCharacters > 0) return;
      openCharacters = text.length;
      onText(text);
    };
    try {
      for await (const event of speak({ model, input: text, ...wishes, format: 'pcm' })) {
        if (event.type === 'speech-start')
          resampler = createResampler({ fromHz: event.sampleRateHz, toHz: sampleRateHz });
        if (event.type !== 'audio') continue;
        tell();
        const [spoken] = toSamples(event.bytes, { encoding: 's16', channels: 1 });
        await send(resampler!.push(spoken!));
      }
      if (resampler) await send(resampler.flush());
    } catch (error) {
      const { code, param } = InferenceError.from(error);
      // Signs and pictures alone: there is nothing to speak.
      if (code !== 'invalid_request' || param !== 'input') throw error;
    }
    tell();
    openCharacters = 0;
    characters += text.length;
    marks.push({ characters, endMs: spokenMs() });
  }

  async function send(spoken: Float32Array): Promise<void> {
    const encoding = encodingOf(output.format) as LiveEncoding;
    const most = Math.round(messageSeconds * sampleRateHz);
    for (let at = 0; at < spoken.length; at += most) {
      const bytes = fromSamples(spoken.subarray(at, at + most), encoding);
      samples += Math.min(most, spoken.length - at);
      await onAudio(Buffer.from(bytes.buffer).toString('base64'));
    }
  }
}
