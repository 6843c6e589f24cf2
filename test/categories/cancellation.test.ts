import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import type { Category } from '../../src/categories/registry.ts';
import { completeChatRequest } from '../../src/categories/chat/request.ts';
import { completeDetectionRequest } from '../../src/categories/detection/request.ts';
import { completeEmbeddingRequest } from '../../src/categories/embedding/request.ts';
import { completeImageRequest } from '../../src/categories/image/request.ts';
import { completeRerankRequest } from '../../src/categories/rerank/request.ts';
import { completeSpeechRequest } from '../../src/categories/speech/request.ts';
import { completeTranscriptionRequest } from '../../src/categories/transcription/request.ts';
import type { BindableSession, Binding, Session } from '../../src/contracts/graph.ts';
import type { createOnnxSession } from '../../src/runtime/onnx.ts';
import { glide, toWav } from './transcription/pipeline/recordings.ts';

/** Runs since the start of a request, and those that ended because their signal was aborted. */
const runs = { begun: 0, ended: 0, onBegin: (): void => undefined };

// Every run of every graph is counted; the request is aborted while one is under way.
vi.mock('../../src/runtime/onnx.ts', async (original) => {
  const module = await original<{ createOnnxSession: typeof createOnnxSession }>();
  return {
    ...module,
    createOnnxSession: async (...parameters: Parameters<typeof createOnnxSession>) =>
      counted(await module.createOnnxSession(...parameters)),
  };
});

function counted(session: Session): Session {
  return overridden(session, {
    run: (...parameters: Parameters<Session['run']>) => count(session.run(...parameters), parameters[2]),
    createBinding() {
      const binding = (session as BindableSession).createBinding();
      return overridden(binding, {
        run: (...parameters: Parameters<Binding['run']>) => count(binding.run(...parameters), parameters[0]),
      });
    },
  });
}

async function count<Result>(
  run: Promise<Result>,
  options: { readonly signal?: AbortSignal | undefined } | undefined,
): Promise<Result> {
  runs.begun++;
  runs.onBegin();
  try {
    return await run;
  } catch (error) {
    if (options?.signal?.aborted) runs.ended++;
    throw error;
  }
}

function overridden<T extends object>(target: T, overrides: object): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(name in target && name in overrides ? overrides : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

const messages = [{ role: 'user', content: 'Describe a red ball above a blue box.' }] as const;
const picture = (await readFile('test/contract/pictures/small.png')).toString('base64');
const wav = toWav(glide(6));

it.each<[Category, source: string, run: number, request: (model: string) => object]>([
  ['chat', 'test/contract/models/llama-gqa', 1, (model) => completeChatRequest({ model, messages })],
  ['chat', 'test/contract/models/llama-gqa', 4, (model) => completeChatRequest({ model, messages, seed: 3 })],
  ['chat', 'tiny-chat', 3, (model) => completeChatRequest({ model, messages })],
  ['image', 'tiny-image', 1, (model) => completeImageRequest({ model, prompt: 'a red ball' })],
  ['image', 'tiny-image', 5, (model) => completeImageRequest({ model, prompt: 'a red ball' })],
  ['transcription', 'tiny-whisper', 1, (model) => completeTranscriptionRequest({ model, audio: wav })],
  ['transcription', 'tiny-whisper', 3, (model) => completeTranscriptionRequest({ model, audio: wav })],
  ['speech', 'tiny-speech', 1, (model) => completeSpeechRequest({ model, input: 'A red ball.' })],
  ['detection', 'tiny-detect', 1, (model) => completeDetectionRequest({ model, image: picture })],
  ['embedding', 'tiny-embed', 1, (model) => completeEmbeddingRequest({ model, input: ['a red ball'] })],
  [
    'rerank',
    'tiny-rerank',
    1,
    (model) => completeRerankRequest({ model, query: 'a ball', documents: ['a red ball'] }),
  ],
])('%s of %s ends within run %d of the graph', async (category, source, last, createRequest) => {
  const pipeline: Pipeline = await loadPipeline({ id: 'model', category, source, threads: 1 });
  const controller = new AbortController();
  Object.assign(runs, {
    begun: 0,
    ended: 0,
    onBegin: () => {
      if (runs.begun === last) controller.abort();
    },
  });
  const drain = async () => {
    for await (const event of pipeline.run(createRequest('model'), controller)) void event;
  };
  await expect(drain()).rejects.toThrow();
  expect(runs).toMatchObject({ begun: last, ended: 1 });
  await pipeline.close();
});
