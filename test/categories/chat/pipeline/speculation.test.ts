import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../../../src/categories/chat/pipeline/chat-pipeline.ts';
import type { Decoder } from '../../../../src/contracts/decoder.ts';
import type { DecoderOptions, loadDecoder } from '../../../../src/backends/onnx/chat/load-decoder.ts';
import { completeChatRequest, type ChatRequestInput } from '../../../../src/categories/chat/request.ts';
import type { ChatEvent, ChatModelInfo } from '../../../../src/categories/chat/events.ts';
import type { ChatRequest } from '../../../../src/categories/chat/request.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import { runs } from '../../../thorough.ts';

const counts = { drafts: 0, guesses: 0, kept: 0 };

// Kernels round a product of several rows as they like, another processor otherwise. So drafts are verified here by steps of
// one token: what is compared is how drafts are made, drawn, kept and taken back. `test/contract/resident-decoder.test.ts`
// compares the logits of both kinds of steps.
vi.mock('../../../../src/backends/onnx/chat/load-decoder.ts', async (original) => {
  const module = await original<{ loadDecoder: typeof loadDecoder }>();
  return {
    async loadDecoder(path: string, options: DecoderOptions): Promise<Decoder> {
      const decoder = await module.loadDecoder(path, options);
      const size = decoder.vocabularySize;
      const counted: Decoder = {
        ...decoder,
        async verify(cache, tokens, accept) {
          const before = cache.lengths[0]!;
          const logits = new Float32Array(tokens.length * size);
          for (const [at, token] of tokens.entries()) {
            logits.set(await decoder.forward(cache, Int32Array.of(token), 1), at * size);
          }
          const kept = accept(logits);
          cache.lengths[0] = before + kept;
          counts.drafts++;
          counts.guesses += tokens.length - 1;
          counts.kept += kept - 1;
        },
      };
      return counted;
    },
  };
});

type ChatPipeline = Pipeline<ChatRequest, ChatEvent, ChatModelInfo>;

let plain: ChatPipeline;
let speculating: ChatPipeline;

beforeAll(async () => {
  const spec = {
    id: 'llama-gqa',
    category: 'chat',
    source: 'test/contract/models/llama-gqa',
    threads: 1,
  } as const;
  plain = await loadChatPipeline(spec, onnxSessions);
  speculating = await loadChatPipeline({ ...spec, speculation: true }, onnxSessions);
});

afterAll(() => Promise.all([plain.close(), speculating.close()]));

type Parameters = Omit<ChatRequestInput, 'model' | 'messages'>;

/** Answers of three tokens repeat soon. */
const few = new Map([85, 99, 118].map((token) => [token, 60]));
/** The others seldom do. */
const endless = new Map([311, 312, 313].map((token) => [token, -100]));
const messages = [
  { role: 'user', content: 'Describe a scene with three shapes.' },
  { role: 'assistant', content: 'three red squares, two blue circles, three red squares, two blue circles' },
  { role: 'user', content: 'Describe it again.' },
] as const;

async function answer(pipeline: ChatPipeline, parameters: Parameters) {
  const events: ChatEvent[] = [];
  for await (const event of pipeline.run(
    completeChatRequest({ model: 'llama-gqa', messages, ...parameters }),
  )) {
    events.push(event);
  }
  return events.map((event) => (event.type === 'usage' ? { ...event, cachedTokens: 0 } : event));
}

const shape = { enum: ['circle', 'square', 'star'] };
const scene = { type: 'array', minItems: 6, maxItems: 9, items: { type: 'object', properties: { shape } } };

const requests = fc.record<Parameters>(
  {
    seed: fc.nat({ max: 1e6 }),
    temperature: fc.constantFrom(0, 0, 0.2, 0.7, 1),
    logitBias: fc.constantFrom(few, few, endless),
    maxTokens: fc.integer({ min: 1, max: 90 }),
    n: fc.constantFrom(1, 1, 2),
    repeatPenalty: fc.constantFrom(1, 1.1),
    frequencyPenalty: fc.constantFrom(0, 0.3),
    presencePenalty: fc.constantFrom(0, 0.3),
    topK: fc.constantFrom(0, 1, 40),
    topP: fc.constantFrom(0.5, 1),
    mirostatMode: fc.constantFrom(0, 0, 2),
    stop: fc.constantFrom([], ['blue'], ['e s'], ['circles two']),
    logprobs: fc.boolean(),
    responseFormat: fc.constantFrom(undefined, undefined, { type: 'json-schema', schema: scene } as const),
  },
  { requiredKeys: ['seed', 'logitBias', 'maxTokens'] },
);

test('any request is answered as without it, whatever runs beside it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 3 }), async (cases) => {
      const wanted = await Promise.all(cases.map((parameters) => answer(plain, parameters)));
      const got = await Promise.all(cases.map((parameters) => answer(speculating, parameters)));
      expect(got).toEqual(wanted);
    }),
    { numRuns: runs(15) },
  );
  expect(counts.kept).toBeGreaterThan(30);
  expect(counts.guesses).toBeGreaterThan(counts.kept);
}, 120_000);

test.each<[string, Parameters]>([
  ['greedy', { temperature: 0, repeatPenalty: 1 }],
  ['a low temperature', { temperature: 0.2, repeatPenalty: 1, seed: 4 }],
])('%s: most tokens of a repeating answer come from drafts', async (_name, parameters) => {
  Object.assign(counts, { drafts: 0, guesses: 0, kept: 0 });
  const request = { ...parameters, logitBias: new Map([[85, 100]]), maxTokens: 120 };
  const wanted = await answer(plain, request);
  expect(counts.drafts).toBe(0);
  expect(await answer(speculating, request)).toEqual(wanted);
  expect(counts.kept).toBeGreaterThan(90);
});

test('answers that repeat nothing are left alone', async () => {
  Object.assign(counts, { drafts: 0, guesses: 0, kept: 0 });
  await answer(speculating, {
    temperature: 2,
    topP: 1,
    topK: 0,
    seed: 1,
    logitBias: endless,
    maxTokens: 200,
  });
  expect(counts.guesses).toBeLessThan(20);
});

test('a conversation goes on from what was computed with drafts', async () => {
  const request = { temperature: 0, repeatPenalty: 1, logitBias: few, maxTokens: 60 };
  const turns = async (pipeline: ChatPipeline) => {
    const first = await answer(pipeline, request);
    const text = first.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    const next = [...messages, { role: 'assistant', content: text }, { role: 'user', content: 'Again.' }];
    return answer(pipeline, { ...request, messages: next } as Parameters);
  };
  expect(await turns(speculating)).toEqual(await turns(plain));
});
