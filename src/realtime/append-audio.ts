import { Buffer } from 'node:buffer';
import type { SocketCall } from '../contracts/endpoint.ts';
import { fieldError, InferenceError } from '../errors.ts';
import type { SpeechChange, SpeechInput } from './speech-input.ts';

/** Bytes per slice of turn detection: a few milliseconds for any content. */
const sliceBytes = 2 ** 15;
/** Shorter audio has no word. */
const minCommitMs = 100;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Client libraries handle this code: it is common to commit while the server detects turns. */
export const emptyCommitCode = 'input_audio_buffer_commit_empty';

export interface AudioTarget {
  readonly input: SpeechInput;
  readonly maxBufferBytes: number;
  /** Called with the number of bytes that the buffer is about to hold. */
  readonly hold: (bytes: number) => void;
  readonly onChange: (change: SpeechChange) => void;
}

/**
 * Appends the audio of a message, in slices between which other work may run.
 *
 * @throws InferenceError for audio that can't be read, or more than the buffer takes
 */
export function* appendAudio(
  text: string,
  { input, maxBufferBytes, hold, onChange }: AudioTarget,
): Generator<void> {
  const bytes = readAudio(text, input.sampleBytes());
  const isFull = (): boolean => input.length() + bytes.length > maxBufferBytes;
  // Speech without a pause is transcribed in pieces.
  if (isFull() && input.isSpeech()) onChange({ type: 'end', audio: input.cutSpeech() });
  if (isFull()) {
    const left = maxBufferBytes - input.length();
    throw fieldError('audio', `expected at most ${left} bytes before the next commit, got ${bytes.length}`);
  }
  hold(input.length() + bytes.length);
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (at > 0) yield;
    for (const change of input.append(bytes.subarray(at, at + sliceBytes))) onChange(change);
  }
}

/** @throws InferenceError for anything but whole samples in base64 */
export function readAudio(text: string, sampleBytes: number): Uint8Array {
  if (text.length % 4 !== 0 || !base64.test(text))
    throw fieldError('audio', 'expected audio in base64, with its padding');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % sampleBytes === 0) return bytes;
  throw fieldError('audio', `expected whole samples of ${sampleBytes} bytes, got ${bytes.length} bytes`);
}

/** The error of a commit of less than a word; `undefined` if there is enough audio. */
export function tooShortError(input: SpeechInput): InferenceError | undefined {
  const durationMs = input.durationMs();
  if (durationMs >= minCommitMs) return undefined;
  const message = `The buffer is too small to commit: expected at least ${minCommitMs} ms of audio, got ${durationMs} ms.`;
  return new InferenceError('invalid_request', message);
}

/** Runs the slices of one message: the first immediately, the rest in their turns. */
export function inTurns(
  slices: Iterator<void>,
  { turn, signal }: Pick<SocketCall<unknown, unknown>, 'turn' | 'signal'>,
): Promise<void> | void {
  const isOver = (): boolean => slices.next().done === true;
  const goOn = async (): Promise<void> => {
    do await turn();
    while (!signal.aborted && !isOver());
  };
  return isOver() ? undefined : goOn();
}

/** The client's own name of a message, which comes back with an error. */
export function eventIdOf(message: unknown): string | null {
  const { event_id: id } = (message ?? {}) as { readonly event_id?: unknown };
  return typeof id === 'string' ? id.slice(0, 512) : null;
}
