import { appendAudio, tooShortError, type AudioTarget } from '../append-audio.ts';
import { sampleRateOf } from '../listening.ts';
import type { Heard } from '../hearing.ts';
import { createSpeechInput, type SpeechChange, type SpokenAudio } from '../speech-input.ts';
import type { InferenceError } from '../../errors.ts';
import { createId } from '../../http/headers.ts';
import { longestPauseMs, type VoiceConfiguration } from './configuration.ts';

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

/** Makes turns of audio: each ends with a pause, or where its text ends as a sentence does. */
export function createTurns(begun: VoiceConfiguration, options: TurnOptions) {
  const input = createSpeechInput(begun.input);
  let configuration = begun;
  let open: OpenTurn | undefined;
  let receivedMs = 0;

  const openTurn = (): OpenTurn =>
    (open ??= { itemId: createId('item_'), parts: [], endMs: 0, endedAtMs: receivedMs });
  const finish = (): void => {
    const finished = open;
    open = undefined;
    if (finished && finished.parts.length > 0) options.onTurn(finished);
  };
  const onChange = (change: SpeechChange): void => {
    if (change.type === 'start') {
      if (open) return;
      return options.onStart(openTurn().itemId, change.startMs);
    }
    const turn = openTurn();
    turn.endMs = change.audio.endMs;
    turn.endedAtMs = receivedMs;
    const heard = options.transcribe(change.audio);
    turn.parts.push(heard);
    if (longestPauseMs(configuration.rules) === 0) return finish();
    void judge(turn, heard);
  };
  /** Ends a turn whose text so far ends as a sentence does, unless it has gone on. */
  const judge = async (turn: OpenTurn, heard: Promise<Heard>): Promise<void> => {
    const { text } = await heard;
    const isLast = open === turn && turn.parts.at(-1) === heard && !input.isSpeech();
    if (isLast && endsSentence.test(text)) finish();
  };

  return {
    /** Bytes of audio that wait. */
    length: input.length,
    isOpen: () => open !== undefined,
    /** @throws InferenceError for another format after the first audio */
    configure(after: VoiceConfiguration): void {
      if (input.configure(after.input, 'session.audio.input.format')) finish();
      configuration = after;
    },
    /** @throws InferenceError for audio that can't be read, or more than the buffer takes */
    *append(text: string): Generator<void> {
      yield* appendAudio(text, { ...options, input, onChange });
      const bytes = (text.length / 4) * 3;
      receivedMs += (1000 * bytes) / (input.sampleBytes() * sampleRateOf(configuration.input.format));
      const longest = longestPauseMs(configuration.rules);
      if (open && !input.isSpeech() && receivedMs - open.endedAtMs >= longest) finish();
    },
    /** Ends the turn, by the wish of the client. @returns the refusal of less than a word */
    commit(): InferenceError | undefined {
      const error = tooShortError(input);
      if (error && !open) return error;
      const { itemId, parts } = openTurn();
      if (!error) parts.push(options.transcribe(input.cutSpeech()));
      open = undefined;
      options.onTurn({ itemId, parts });
      return undefined;
    },
    clear(): void {
      input.clear();
      open = undefined;
    },
  };
}
