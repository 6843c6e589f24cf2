import { EventStream } from '../../concurrency/event-stream.ts';
import type { InferenceBase } from '../../contracts/engine.ts';
import type { CallOptions } from '../../contracts/run.ts';
import { quote } from '../../core/text/quote.ts';
import { InferenceError } from '../../errors.ts';
import { wireErrorOf } from '../../http/error-responses.ts';
import { defaultMaxBytes } from '../../http/headers.ts';
import type { VoiceClientEvent, VoiceServerEvent } from './schema.ts';
import { VoiceSession } from './session.ts';
import type { VoiceInfo } from './voice.ts';

/** Options of a conversation in this process. */
export interface TalkOptions extends Pick<CallOptions, 'signal' | 'owner'> {
  /** Id of the agent. */
  readonly model: string;
}

/** A conversation: an iterable of the agent's events. */
export interface Talk extends AsyncIterable<VoiceServerEvent> {
  /** Hands over an event of the client. A fault is answered by an event `error`. */
  send(event: VoiceClientEvent): void;
  /** Ends the conversation and its runs. */
  close(): void;
}

export function openTalk(
  info: VoiceInfo,
  inference: Pick<InferenceBase, 'run' | 'models'>,
  { signal, owner }: TalkOptions,
): Talk {
  const events = new EventStream<VoiceServerEvent>({ onReturn: () => session.close() });
  const session = new VoiceSession(info, {
    maxBufferBytes: defaultMaxBytes,
    send: (event) => events.push([event as VoiceServerEvent]),
    room: async () => {},
    hold: () => {},
    pace: () => {},
    limits: () => ({}),
    fail(error) {
      const { type, code } = wireErrorOf(error);
      return { type, code, message: error.message, param: error.param ?? null };
    },
    findModel(id) {
      const model = inference.models().find((one) => one.id === id);
      if (model) return model;
      throw new InferenceError('model_not_found', `There is no model ${quote(id!)}.`, { param: 'model' });
    },
    run: (request, { category, signal: ending } = {}) =>
      inference.run(category!, request, { signal: ending, owner }),
  });
  const close = (): void => {
    session.close();
    events.end();
  };
  signal?.addEventListener('abort', close, { once: true });
  session.begin();
  return {
    send(event) {
      for (const _ of session.receive(event));
    },
    close,
    [Symbol.asyncIterator]: () => events,
  };
}
