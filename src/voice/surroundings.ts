import type { ErrorBody } from '../contracts/endpoint.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { RunEvent } from '../contracts/run.ts';
import type { InferenceError } from '../errors.ts';
import type { VoiceServerEvent } from './schema.ts';
import type { VoiceModel } from './voice.ts';

/** The things that a session of a voice agent is given. */
export interface VoiceSurroundings {
  /** Id of the agent. */
  readonly id: string;
  readonly model: VoiceModel;
  /** Most bytes of audio that wait for the end of their turn, and of the conversation's text. */
  readonly maxBufferBytes: number;
  readonly createId: (prefix: string) => string;
  readonly send: (event: VoiceServerEvent) => void;
  /** Resolves when the client has taken most of what it was sent. */
  readonly room: () => Promise<void>;
  /** Told how many bytes are held, more or less than before. */
  readonly hold: (bytes: number) => void;
  /** So many runs wait or run. */
  readonly pace: (runs: number) => void;
  /** An error as the body of a response says it. */
  readonly describe: (error: InferenceError) => ErrorBody['error'];
  /** @throws InferenceError for a model that the client can't have */
  readonly assertModel: (id: string, category: string) => void;
  /** Runs a model of a category, which counts and costs as a request of its own. */
  readonly run: (category: string, request: AnyRequest, signal: AbortSignal) => AsyncIterable<RunEvent>;
  /** `x-ratelimit-*` of the client's last run; none without limits. */
  readonly limits: () => Readonly<Record<string, string>>;
}
