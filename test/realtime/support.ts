import {
  createFakeInference,
  type FakeInference,
  type FakeInferenceOptions,
} from '../../src/testing/fake-inference.ts';
import { voiceServerEventSchema } from '../../src/realtime/agent/schema.ts';
import type { Talk } from '../../src/realtime/agent/talk.ts';
import { voice, type VoiceOptions } from '../../src/realtime/agent/voice.ts';
import { pcm, pieces } from './audio.ts';

export const parts = { hears: 'ears', thinks: 'mind', speaks: 'mouth' } as const;
export const partModels = [
  { id: 'ears', category: 'transcription' },
  { id: 'mind', category: 'chat' },
  { id: 'mouth', category: 'speech' },
] as const;

/** Speech and the silence after it. */
export const utterance = pcm([0.3, 0], [0.6, 0.4], [0.8, 0]);

export interface Conversation {
  readonly inference: FakeInference;
  readonly talk: Talk;
  /** All events so far, each valid. */
  readonly events: any[];
  send(...events: object[]): void;
  speak(audio?: Buffer): void;
  /** Resolves with the next event of that type that nobody has waited for. */
  next(type: string): Promise<any>;
}

/** A conversation with fakes that hear "hello" and answer what they are told to. */
export function converse({
  agent,
  ...options
}: Partial<FakeInferenceOptions> & { agent?: Partial<VoiceOptions> } = {}): Conversation {
  const inference = createFakeInference({
    models: partModels as FakeInferenceOptions['models'],
    transcript: 'hello',
    reply: { text: 'Good day. How are you?' },
    voices: { agent: voice({ ...parts, ...agent }) },
    ...options,
  });
  const talk = inference.talk({ model: 'agent' });
  const events: any[] = [];
  const unread: any[] = [];
  const waiters: { type: string; resolve: (event: any) => void }[] = [];
  void (async () => {
    for await (const event of talk) {
      events.push(voiceServerEventSchema.parse(event));
      const at = waiters.findIndex(({ type }) => type === event.type);
      if (at >= 0) waiters.splice(at, 1)[0]!.resolve(event);
      else unread.push(event);
    }
  })();
  const send = (...all: object[]): void => all.forEach((event) => talk.send(event as never));
  return {
    inference,
    talk,
    events,
    send,
    speak(audio = utterance) {
      send(
        ...pieces(audio).map((piece) => ({
          type: 'input_audio_buffer.append',
          audio: piece.toString('base64'),
        })),
      );
    },
    next(type) {
      const at = unread.findIndex((event) => event.type === type);
      if (at >= 0) return Promise.resolve(unread.splice(at, 1)[0]);
      return new Promise((resolve) => waiters.push({ type, resolve }));
    },
  };
}

export const update = (session: object) => ({
  type: 'session.update',
  session: { type: 'realtime', ...session },
});
export const say = (text: string, id?: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }], ...(id && { id }) },
});
export const respond = (response?: object) => ({ type: 'response.create', ...(response && { response }) });
