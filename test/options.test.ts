import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { toFetch } from '../adapters/fetch.ts';
import { toNodeListener } from '../adapters/node.ts';
import { categories } from '../src/categories/registry.ts';
import { createLogMel, createResampler, createVoiceActivityDetector } from '../src/entries/audio.ts';
import { createAnswerParser, createReasoningSplitter } from '../src/entries/chat.ts';
import { createScheduler, planTiles } from '../src/entries/diffusion.ts';
import { createPlayground } from '../src/entries/playground.ts';
import {
  candidatesFrom,
  createMirostat,
  createSampler,
  logProbabilitiesOf,
} from '../src/entries/sampling.ts';
import { createFakeInference } from '../src/entries/testing.ts';
import {
  findHead,
  fitEdges,
  letterbox,
  nms,
  nmsPerClass,
  rankScores,
  selectDetections,
} from '../src/entries/vision.ts';
import {
  chat,
  createHandler,
  createInference,
  detection,
  embedding,
  image,
  obtainModel,
  remote,
  rerank,
  speech,
  transcription,
} from '../src/index.ts';
import { createMetrics } from '../src/create-metrics.ts';
import { createTelemetry } from '../src/observability/telemetry.ts';

const source = 'tiny-chat';
const load = (model: object) => createInference({ models: { it: model as never }, isolation: 'inline' });
const handler = (options: object) =>
  createHandler(createFakeInference(), { auth: { keys: ['k'] }, ...options } as never);
const fake = createFakeInference();

/** The message of the error that a call throws or rejects with. */
async function messageOf(call: () => unknown): Promise<string> {
  try {
    const result = call();
    if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
      for await (const _ of result as AsyncIterable<unknown>);
    } else await result;
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
}

it.each([
  ['maxPixels', detection({ source: 'tiny-detect', maxPixels: 0 })],
  ['maxSide', detection({ source: 'tiny-detect', maxSide: 0 })],
  ['imageFetch', detection({ source: 'tiny-detect', imageFetch: { timeoutMs: -1 } })],
  ['imageFetch', detection({ source: 'tiny-detect', imageFetch: { maxBytes: 0.5 } })],
  ['contextLength', embedding({ source: 'tiny-embed', contextLength: 1 })],
  ['contextLength', embedding({ source: 'tiny-embed', contextLength: 4.5 })],
  ['maxBatchTokens', embedding({ source: 'tiny-embed', maxBatchTokens: 0 })],
  ['maxBatchSize', chat({ source, maxBatchSize: 0 })],
  ['maxBatchSize', chat({ source, maxBatchSize: 1.5 })],
  ['threads', chat({ source, threads: 0 })],
  ['contextLength', chat({ source, contextLength: 0 })],
  ['contextLength', chat({ source, contextLength: 10.5 })],
  ['maxAudioSeconds', transcription({ source: 'mini-whisper', maxAudioSeconds: 0 })],
  ['maxAudioSeconds', transcription({ source: 'mini-whisper', maxAudioSeconds: Number.NaN })],
  ['maxPixels', image({ source: 'tiny-image', maxPixels: 0 })],
  ['phonemizer', speech({ source: 'tiny-speech', phonemizer: 'other' as never })],
])('a setting out of its bounds is refused with its place: %s', (name, model) => {
  const place = expect.stringMatching(new RegExp(`^models\\.it\\.${name}`)) as string;
  expect(() => load(model)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: place }) as Error,
  );
});

describe('a setting that does not exist is refused, with its place and the one that was probably meant', () => {
  it.each<[string, () => unknown, string]>([
    // Misspelt.
    [
      'chat',
      () => load(chat({ source, maxBatchsize: 4 } as never)),
      'models.it.maxBatchsize: A model for chat has no such setting. Did you mean maxBatchSize?',
    ],
    [
      'detection',
      () => load(detection({ source: 'tiny-detect', classNmes: [] } as never)),
      'models.it.classNmes: A model for detection has no such setting. Did you mean classNames?',
    ],
    [
      'embedding',
      () => load(embedding({ source: 'tiny-embed', poling: 'mean' } as never)),
      'models.it.poling: A model for embedding has no such setting. Did you mean pooling?',
    ],
    [
      'image',
      () => load(image({ source: 'tiny-image', isDistiled: true } as never)),
      'models.it.isDistiled: A model for image has no such setting. Did you mean isDistilled?',
    ],
    [
      'rerank',
      () => load(rerank({ source: './x', contextlength: 9 } as never)),
      'models.it.contextlength: A model for rerank has no such setting. Did you mean contextLength?',
    ],
    [
      'speech',
      () => load(speech({ source: 'tiny-speech', phonemiser: 'espeak' } as never)),
      'models.it.phonemiser: A model for speech has no such setting. Did you mean phonemizer?',
    ],
    [
      'transcription',
      () => load(transcription({ source: 'tiny-whisper', maxAudioSecond: 9 } as never)),
      'models.it.maxAudioSecond: A model for transcription has no such setting. Did you mean maxAudioSeconds?',
    ],
    [
      'no category',
      () => load({ source, tread: 2 }),
      'models.it.tread: A model for chat has no such setting.',
    ],
    [
      'limits',
      () => load(chat({ source, maxQueu: 3 } as never)),
      'models.it.maxQueu: A model for chat has no such setting. Did you mean maxQueue?',
    ],
    [
      'hub',
      () => load(chat({ source, hub: { ofline: true } as never })),
      'models.it.hub: there is no setting ofline. Did you mean offline?',
    ],
    [
      'imageFetch',
      () => load(detection({ source: 'tiny-detect', imageFetch: { maxByte: 1 } as never })),
      'models.it.imageFetch: there is no setting maxByte. Did you mean maxBytes?',
    ],
    [
      'remote.openai',
      () =>
        load(chat({ source, backend: remote.openai({ baseURL: 'http://a/v1', dialekt: 'vllm' } as never) })),
      'models.it.backend.dialekt: The backend remote.openai({…}) has no such setting. Did you mean dialect?',
    ],
    [
      'remote.kserve',
      () =>
        load(
          detection({
            source: 'tiny-detect',
            backend: remote.kserve({ url: 'http://a', model: 'm', timeoutMS: 1 } as never),
          }),
        ),
      'models.it.backend.timeoutMS: The backend remote.kserve({…}) has no such setting. Did you mean timeoutMs?',
    ],
    [
      'createInference',
      () => createInference({ models: {}, isolaton: 'inline' } as never),
      'isolaton: createInference has no such setting. Did you mean isolation?',
    ],
    [
      'createHandler',
      () => handler({ plan: {} }),
      'plan: createHandler has no such setting. Did you mean plans?',
    ],
    [
      'a plan',
      () => handler({ plans: { free: { ratelimit: {} } } }),
      'plans.free: there is no setting ratelimit. Did you mean rateLimit?',
    ],
    [
      'a plan with a foreign name',
      () => handler({ plans: { free: { model: ['a'] } } }),
      'plans.free: there is no setting model. Did you mean models?',
    ],
    [
      'a limit',
      () => handler({ plans: { free: { quota: { token: 1, perSeconds: 1 } } } }),
      'plans.free.quota: there is no setting token. Did you mean tokens?',
    ],
    [
      'auth',
      () => handler({ auth: { key: ['k'] } }),
      'auth.key: auth has no such setting. Did you mean keys?',
    ],
    [
      'createSampler',
      () => createSampler({ top_k: 3 } as never, { vocabularySize: 4, seed: 1 }),
      'top_k: createSampler has no such option. Did you mean topK?',
    ],
    [
      'createSampler, nonsense',
      () => createSampler({ nonsense: 1 } as never, { vocabularySize: 4, seed: 1 }),
      'nonsense: createSampler has no such option.',
    ],
    [
      'createSampler, its second',
      () => createSampler({}, { vocabularySize: 4, sed: 1 } as never),
      'sed: createSampler has no such option. Did you mean seed?',
    ],
    [
      'createMetrics',
      () => createMetrics({ prefx: 'a' } as never),
      'prefx: createMetrics has no such option. Did you mean prefix?',
    ],
    [
      'createTelemetry',
      () => createTelemetry({ capturecontent: true } as never),
      'capturecontent: createTelemetry has no such option. Did you mean captureContent?',
    ],
    [
      'createPlayground',
      () => createPlayground({ apis: '/v1' } as never),
      'apis: createPlayground has no such option. Did you mean api?',
    ],
    [
      'createFakeInference',
      () => createFakeInference({ repl: 'x' } as never),
      'repl: createFakeInference has no such option. Did you mean reply?',
    ],
    [
      'obtainModel',
      () => obtainModel({ source, category: 'chat', dtyp: 'q4' } as never),
      'dtyp: obtainModel has no such option. Did you mean dtype?',
    ],
    [
      'toNodeListener',
      () =>
        toNodeListener(async () => ({ status: 200, headers: {}, body: '' }), { mountpath: '/v1' } as never),
      'mountpath: expected no option other than mountPath',
    ],
    [
      'toFetch',
      () => toFetch(async () => ({ status: 200, headers: {}, body: '' }), { mountpath: '/v1' } as never),
      'mountpath: expected no option other than mountPath',
    ],
    // Of another category.
    [
      'chat with pooling',
      () => load(chat({ source, pooling: 'mean' } as never)),
      'models.it.pooling: it is a setting of models for embedding, and this is one for chat.',
    ],
    [
      'chat with voiceActivity',
      () => load(chat({ source, voiceActivity: 'none' } as never)),
      'models.it.voiceActivity: it is a setting of models for transcription',
    ],
    [
      'chat with head',
      () => load(chat({ source, head: 'yolov8' } as never)),
      'models.it.head: it is a setting of models for detection',
    ],
    [
      'chat with isDistilled',
      () => load(chat({ source, isDistilled: true } as never)),
      'models.it.isDistilled: it is a setting of models for image',
    ],
    [
      'chat with phonemizer',
      () => load(chat({ source, phonemizer: 'espeak' } as never)),
      'models.it.phonemizer: it is a setting of models for speech',
    ],
    [
      'embedding with toolCallFormat',
      () => load(embedding({ source: 'tiny-embed', toolCallFormat: 'hermes' } as never)),
      'models.it.toolCallFormat: it is a setting of models for chat',
    ],
    [
      'no category, by its files',
      () => load({ source, pooling: 'mean' }),
      'models.it.pooling: it is a setting of models for embedding, and this is one for chat.',
    ],
    // Of another backend.
    [
      'threads of a remote model',
      () => load(chat({ source, threads: 2, backend: remote.openai({ baseURL: 'http://a/v1' }) })),
      'models.it.threads: a model with the backend remote.openai({…}) has no such setting.',
    ],
    [
      'a backend that does not exist',
      () => load(chat({ source, backend: { kind: 'cloud' } as never })),
      'models.it.backend: expected one of onnx(), llama({…}), transformers(), remote.openai({…}), remote.kserve({…}), got "cloud".',
    ],
    [
      'a backend that does not run the category',
      () => load(speech({ source: 'tiny-speech', backend: remote.kserve({ url: 'http://a', model: 'm' }) })),
      "models.it.backend: a model for speech can't run on remote.kserve({…}) (its graph runs on this machine only), expected onnx() or transformers() or remote.openai({…}).",
    ],
  ])('%s', async (_name, call, expected) => {
    expect(await messageOf(call)).toContain(expected);
  });
});

describe('an in-process request is checked as a body of HTTP is', () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const ask = (more: object) => () => fake.chat({ model: 'fake-chat', messages, ...more } as never);
  it.each<[string, () => unknown, string]>([
    ['top_p', ask({ top_p: 0.5 }), 'top_p: A chat request has no such setting. Did you mean topP?'],
    [
      'max_tokens',
      ask({ max_tokens: 5 }),
      'max_tokens: A chat request has no such setting. Did you mean maxTokens?',
    ],
    ['a role', ask({ messages: [{ role: 'usr', content: 'Hello' }] }), 'messages[0]'],
    ['messages as text', ask({ messages: 'Hello' }), 'messages: expected an array, got "Hello".'],
    [
      'no messages',
      () => fake.chat({ model: 'fake-chat' } as never),
      'messages: expected an array, got nothing.',
    ],
    ['no model', () => fake.chat({ messages } as never), 'model: expected a string, got nothing.'],
    [
      'a field of the wire',
      ask({ messages: [{ role: 'tool', content: 'x', tool_call_id: 'a' }] }),
      'messages[0]',
    ],
    ['stop', ask({ stop: 5 }), 'stop: expected a text or a list of texts.'],
    ['logit_bias', ask({ logitBias: { 5: 1 } }), 'logitBias: expected a Map of token ids and numbers'],
    [
      'image of detect',
      () => fake.detect({ model: 'fake-chat', image: 7 } as never),
      'image: expected base64, a URL or bytes, got 7.',
    ],
    [
      'encoding_format of embed',
      () => fake.embed({ model: 'fake-chat', input: 'a', encodingFormat: 'base64' } as never),
      'encodingFormat: An embedding request has no such setting.',
    ],
    [
      'documents of rerank',
      () => fake.rerank({ model: 'fake-chat', query: 'a', documents: 'b' } as never),
      'documents: expected an array, got "b".',
    ],
    [
      'prompt of image',
      () => fake.image({ model: 'fake-chat' } as never),
      'prompt: expected a string, got nothing.',
    ],
    [
      'audio of transcribe',
      () => fake.transcribe({ model: 'fake-chat', audio: 'a.wav' } as never),
      'audio: expected the bytes of an audio file or { path: … }, got "a.wav".',
    ],
    [
      'input of speak',
      () => fake.speak({ model: 'fake-chat', input: 7 } as never),
      'input: expected a string, got 7.',
    ],
  ])('%s', async (_name, call, expected) => {
    expect(await messageOf(call)).toContain(expected);
  });

  it('of every category refuses a field that does not exist', () => {
    for (const category of categories.values()) {
      expect(() => category.complete({ model: 'm', nonsense: 1 })).toThrow(
        /nonsense: A.* request has no such setting/,
      );
    }
  });
});

it('an option of a call that does not exist is refused', async () => {
  const inference = createInference({ models: {}, isolation: 'inline' });
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  const call = () => inference.chat({ model: 'm', messages }, { timeoutMs: 5 } as never);
  expect(await messageOf(call)).toContain('timeoutMs: A run has no such setting.');
  await inference.close();
});

it('the category may be left to the files', async () => {
  const inference = createInference({
    models: { it: { source: 'tiny-embed' }, other: { source: 'tiny-chat', maxBatchSize: 2 } },
    isolation: 'inline',
  });
  expect(inference.models().map(({ category }) => category)).toEqual(['embedding', 'chat']);
  const { embeddings } = await inference.embed({ model: 'it', input: 'a red circle' });
  expect(embeddings).toHaveLength(1);
  await inference.close();
});

it('the handler of Node takes what it takes', () => {
  expect(createServer(toNodeListener(handler({}))).listening).toBe(false);
});

describe('an option that a pure function does not have is refused', () => {
  const size = { width: 8, height: 8 };
  const scores = Float32Array.of(0.5);
  const boxes = Float32Array.of(0, 0, 1, 1);
  const classIds = Int32Array.of(0);
  const found = { boxes, scores, classIds, count: 1 };
  const ddim = { _class_name: 'DDIMScheduler' };
  it.each<[string, (options: never) => unknown, object]>([
    ['nms', (o) => nms(boxes, scores, o), { iouThreshold: 0.5 }],
    ['nmsPerClass', (o) => nmsPerClass(boxes, scores, classIds, o), { iouThreshold: 0.5 }],
    ['rankScores', (o) => rankScores(scores, o), {}],
    ['selectDetections', (o) => selectDetections(found, o), { iouThreshold: 0.5, maxDetections: 1 }],
    ['letterbox', (o) => letterbox(size, size, o), { align: 'start' }],
    ['fitEdges', (o) => fitEdges(size, o), { shortest: 4, longest: 8, multiple: 1 }],
    ['findHead', (o) => findHead(o), { outputs: [{ name: 'a', dims: [1, 84, 8400] }], input: size }],
    ['planTiles', (o) => planTiles(9, o), { max: 12, overlap: 2 }],
    ['createScheduler', (o) => createScheduler(ddim, o), { steps: 2 }],
    ['createLogMel', (o) => createLogMel(o), { melBins: 8 }],
    ['createResampler', (o) => createResampler(o), { fromHz: 8000, toHz: 16_000 }],
    ['createVoiceActivityDetector', (o) => createVoiceActivityDetector(o), { sampleRateHz: 16_000 }],
    ['createAnswerParser', (o) => createAnswerParser(o), { createToolCallId: () => 'a' }],
    [
      'createReasoningSplitter',
      (o) => createReasoningSplitter(o),
      { open: '<a>', close: '</a>', startsOpen: false },
    ],
    ['logProbabilitiesOf', (o) => logProbabilitiesOf([0, 1], 1, o), {}],
    ['candidatesFrom', (o) => candidatesFrom([0, 1], o), {}],
    [
      'createMirostat',
      (o) => createMirostat(o),
      { mirostatMode: 2, mirostatTau: 5, mirostatEta: 0.1, vocabularySize: 4 },
    ],
  ])('%s', (name, call, options) => {
    expect(() => call(options as never)).not.toThrow();
    const message = `nonsense: ${name} has no such option.`;
    expect(() => call({ ...options, nonsense: 1 } as never)).toThrow(message);
  });
});
