import { tmpdir } from 'node:os';
import type { HandlerOptions } from '../../src/server/options.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../src/testing/fake-inference.ts';
import { sentForm, uploadOf } from '../server/forms.ts';
import { key, send, type Answer, type Sent } from '../server/support.ts';

/** One model of each category; the chat model's context leaves room for every `max_tokens`. */
const models = [
  { id: 'thinker', name: 'Thinker', category: 'chat', contextLength: 200_000 },
  { id: 'painter', category: 'image' },
  { id: 'listener', category: 'transcription', languages: ['en', 'de'] },
  { id: 'speaker', category: 'speech', voices: [{ id: 'af_heart', name: 'Heart', language: 'en-US' }] },
  { id: 'finder', category: 'detection' },
  { id: 'embedder', category: 'embedding' },
] as const;

/** The least that each endpoint has to be asked for. */
export const least = {
  '/v1/chat/completions': { model: 'thinker', messages: [{ role: 'user', content: 'Hello there' }] },
  '/v1/images/generations': { prompt: 'a red circle' },
  '/v1/audio/transcriptions': {},
  '/v1/audio/speech': { input: 'a red circle' },
  '/v1/detect': { image: 'iVBORw0KGgo=' },
  '/v1/embeddings': { input: 'a red circle' },
} as const satisfies Record<string, object>;

export type Path = keyof typeof least;

/** A whole service without any model after it. */
export function serve(fake: FakeInferenceOptions = {}, options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ models, ...fake });
  const handler = createHandler(inference, {
    auth: { keys: [key] },
    onError: () => undefined,
    uploadDirectory: tmpdir(),
    ...options,
  });
  const requests = {
    '/v1/chat/completions': inference.requests,
    '/v1/images/generations': inference.requestsOf('image'),
    '/v1/audio/transcriptions': inference.requestsOf('transcription'),
    '/v1/audio/speech': inference.requestsOf('speech'),
    '/v1/detect': inference.requestsOf('detection'),
    '/v1/embeddings': inference.requestsOf('embedding'),
  };
  return {
    /** Sends the least body with additions; one that is `undefined` is left out. */
    post(path: Path, additions: object = {}, more: Partial<Sent> = {}): Promise<Answer> {
      const body = { ...least[path], ...additions };
      if (path !== '/v1/audio/transcriptions') return send(handler, { url: path, json: body, ...more });
      const given = Object.entries(body).filter(([, value]) => value !== undefined);
      const form = sentForm(
        uploadOf(Object.fromEntries(given.map(([name, value]) => [name, String(value)]))),
      );
      const headers = { ...form.headers, ...more.headers };
      return send(handler, { ...form, ...more, headers });
    },
    get: (url: string, more: Partial<Sent> = {}): Promise<Answer> => send(handler, { url, ...more }),
    send: (sent: Sent): Promise<Answer> => send(handler, sent),
    /** What the inference was asked last, complete with defaults. */
    last: (path: Path): Record<string, unknown> => ({ ...requests[path].at(-1)! }),
  };
}
