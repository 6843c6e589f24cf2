import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { chat, createInference, embedding, onnx } from '../../dist/src/index.js';
import { loadDecoder, type DecoderOptions } from '../../src/backends/onnx/chat/load-decoder.ts';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../src/categories/chat/pipeline/chat-pipeline.ts';
import type { PromptSession } from '../../src/backends/onnx/chat/prompt-session.ts';
import type { Decoder, DecoderCache } from '../../src/contracts/decoder.ts';
import { usePlugins } from '../../src/runtime/choose-runtime.ts';
import type { Dtype } from '../../src/contracts/files.ts';
import { locateDecoder } from '../../src/folder/model-folder.ts';
import { loadWithPrompts } from '../backends/onnx/chat/with-prompts.ts';
import { missingWheel, wheelFolder } from '../runtime/native/wheels.js';
import { countSure, within } from '../tolerance.ts';
import { ask, decoderFolder, readGolden } from './decoder-golden.ts';
import { feed, prompt, readAlone } from './rows-alone.ts';

const path = locateDecoder(decoderFolder('llama'), 'q4f16');
const rounded = { threads: 1, optimize: true } as const;

describe('a decoder with a session for prompts', () => {
  let decoder: Decoder;
  let read: number[] = [];
  let end: (() => void) | undefined;
  beforeAll(async () => {
    decoder = await loadWithPrompts(locateDecoder(decoderFolder('llama-gqa')), (prompts) => ({
      ...prompts,
      async read(tokens, storage, place, options) {
        read.push(tokens.length);
        end?.();
        await prompts.read(tokens, storage, place, options);
      },
    }));
  });
  afterAll(() => decoder.release());

  it.each([
    [1, []],
    [31, []],
    [32, [31]],
    [70, [69]],
  ])('reads %d tokens, of which it gives the other one %j', async (length, expected) => {
    read = [];
    const cache = decoder.createCache();
    await feed(decoder, cache, prompt(length, 0));
    expect(read).toEqual(expected);
    expect([...cache.lengths]).toEqual([length]);
    cache.release();
  });

  it('goes on with the same bits in a copy', async () => {
    const { pieceTokens } = decoder;
    const tokens = prompt(pieceTokens! + 200, 0);
    const readFrom = async (cache: DecoderCache, start: number): Promise<number[]> => {
      let logits: Iterable<number> = [];
      for (let at = start; at < tokens.length; at += pieceTokens!) {
        logits = await feed(decoder, cache, tokens.subarray(at, at + pieceTokens!));
      }
      return [...logits];
    };
    const first = decoder.createCache();
    const expected = await readFrom(first, 0);
    const copy = await decoder.gather([{ cache: first, row: 0, length: pieceTokens! }]);
    expect(await readFrom(copy, pieceTokens!)).toEqual(expected);
    for (const cache of [first, copy]) cache.release();
  });

  it.each([
    ['before', () => decoder.interrupt!()],
    ['during', () => void setImmediate(() => decoder.interrupt!())],
  ])('leaves the cache as it was when it is interrupted %s a prompt', async (_, interrupt) => {
    const cache = decoder.createCache();
    await feed(decoder, cache, prompt(40, 1));
    end = interrupt;
    const reading = feed(decoder, cache, prompt(250, 2));
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    end = undefined;
    expect([...cache.lengths]).toEqual([40]);
    const [resumed] = [await feed(decoder, cache, prompt(60, 3))];
    const fresh = decoder.createCache();
    await feed(decoder, fresh, prompt(40, 1));
    expect(resumed).toEqual(await feed(decoder, fresh, prompt(60, 3)));
    for (const one of [cache, fresh]) one.release();
  });

  it('leaves the cache as it was when a token is wrong', async () => {
    const cache = decoder.createCache();
    for (const at of [5, 39]) {
      const tokens = prompt(40, 0);
      tokens[at] = decoder.vocabularySize;
      await expect(decoder.forward(cache, tokens, 40)).rejects.toThrow(RangeError);
      expect([...cache.lengths]).toEqual([0]);
    }
    cache.release();
  });
});

it('releases both sessions', async () => {
  let prompts: PromptSession | undefined;
  const decoder = await loadWithPrompts(locateDecoder(decoderFolder('llama-gqa')), (own) => (prompts = own));
  await decoder.release();
  await expect(prompts!.release()).rejects.toThrow('already released');
});

it('rounds no activations of prompts on the CPU', async () => {
  const read = async (options: DecoderOptions): Promise<Float32Array> => {
    const decoder = await loadDecoder(path, { ...rounded, ...options });
    const [[logits]] = (await readAlone(decoder, [200])) as [[Float32Array]];
    await decoder.release();
    return logits;
  };
  const [exact, prefilled] = [await read({ int8Activations: false }), await read({ prefill: {} })];
  expect(distance(prefilled, exact)).toBeLessThan(within(0.05));
  expect(distance(prefilled, await read({}))).toBeGreaterThan(0);
});

describe('a pipeline with a session for prompts', () => {
  const conversations = readGolden('llama').goldens.q4f16!;
  const spec = { id: 'model', category: 'chat', source: decoderFolder('llama'), dtype: 'q4f16' } as const;
  const open = async (settings: object = {}) => {
    const pipeline = await loadChatPipeline({ ...spec, ...rounded, prefill: {}, ...settings }, onnxSessions);
    onTestFinished(() => pipeline.close());
    return pipeline;
  };

  it('gives the same answer with the same seed, whatever was kept', async () => {
    const pipeline = await open();
    const seeded = { seed: 4, temperature: 1 };
    const answers = [];
    for (const one of [...conversations, ...conversations]) {
      answers.push((await ask(pipeline, one, seeded)).choices[0]!.text);
    }
    expect(answers.slice(3)).toEqual(answers.slice(0, 3));
  });

  it('goes on with what was kept, in batches and with guesses', async () => {
    const pipeline = await open({ speculation: true });
    const long = conversations[2];
    const first = await ask(pipeline, long);
    const again = await ask(pipeline, long);
    expect(again.cachedTokens).toBeGreaterThanOrEqual(long.promptTokens.length - 1);
    const together = await Promise.all(conversations.map((one) => ask(pipeline, one, { n: 2 })));
    const { margins, logprobs } = first.choices[0]!;
    const sure = countSure(margins, 0.05);
    for (const { choices } of [again, together[2]!]) {
      for (const choice of choices) {
        for (let at = 0; at < Math.min(sure, logprobs.length); at++) {
          expect(Math.abs(choice.logprobs[at]! - logprobs[at]!)).toBeLessThan(within(0.05));
        }
      }
    }
  });
});

it.each<[object, string, string]>([
  [
    { optimize: false, dtype: 'fp32' },
    'prefill',
    'expected a graph that changes its caches in place: turned off.',
  ],
  [{ device: 'webgpu' }, 'prefill', 'expected a model on the CPU, got webgpu.'],
  [{ dtype: 'fp32' }, 'prefill.device', 'expected another device than the CPU'],
  [{ dtype: 'q4' }, 'prefill.device', 'expected another device than the CPU'],
  [{ int8Activations: false }, 'prefill.device', 'expected another device than the CPU'],
  [{ prefill: { device: 'coreml' } }, 'prefill.device', '"coreml" doesn\'t work here'],
  [{ source: 'lfm2-gqa', dtype: 'fp32' }, 'prefill', 'expected a graph that takes tokens'],
  [{ source: 'gpt2-merged', dtype: 'fp32' }, 'prefill', 'expected a graph that changes its caches in place'],
])('refuses %j', async (settings, param, reason) => {
  const { source = 'llama', dtype = 'q4f16', ...others } = settings as { source?: string; dtype?: Dtype };
  const options = { ...rounded, prefill: {}, ...others };
  const loading = loadDecoder(locateDecoder(decoderFolder(source), dtype), options);
  await expect(loading).rejects.toMatchObject({
    code: 'invalid_request',
    param,
    message: expect.stringContaining(reason),
  });
});

it.each([
  [chat({ source: 'tiny-chat', prefill: { device: 'openvino' } }), 'models.a.prefill.device'],
  [chat({ source: 'tiny-chat', prefill: { threads: 2 } as never }), 'models.a.prefill'],
  [embedding({ source: 'tiny-embed', prefill: {} } as never), 'models.a.prefill'],
  [chat({ source: 'model.gguf', prefill: {} }), 'models.a.prefill'],
])('refuses settings before anything is loaded', (model, param) => {
  expect(() => createInference({ models: { a: model } })).toThrow(
    expect.objectContaining({ code: 'invalid_request', param }),
  );
});

const wheel = 'onnxruntime-ep-openvino';
const library = join(
  wheelFolder(wheel),
  'onnxruntime_ep_openvino/libonnxruntime_providers_openvino_plugin.so',
);

const refusal = missingWheel(wheel) ?? (await refusalOf(library));

describe('a session for prompts on OpenVINO', () => {
  beforeEach(({ skip }) => {
    if (refusal) skip(refusal);
  });

  it.each(['llama-gqa', 'mistral-gqa', 'qwen3-gqa', 'llama', 'phi3'])('reads those of %s', async (name) => {
    const file = locateDecoder(decoderFolder(name));
    const load = (options: DecoderOptions) => loadDecoder(file, { ...rounded, ...options });
    const [alone, prefilled] = [await load({}), await load({ prefill: { device: 'openvino' } })];
    const lengths = [32, 70, 250];
    const [expected, got] = [await readAlone(alone, lengths), await readAlone(prefilled, lengths)];
    for (const [row, steps] of expected.entries()) {
      for (const [index, logits] of steps.entries()) {
        // It may compute in 16 bits.
        expect(distance(got[row]![index]!, logits)).toBeLessThan(within(0.1));
      }
    }
    await Promise.all([alone.release(), prefilled.release()]);
  });

  it('answers', async () => {
    const backend = onnx({ plugins: [{ provider: 'openvino', library }] });
    const source = decoderFolder('llama-gqa');
    const model = chat({ source, backend, optimize: true, prefill: { device: 'openvino' } });
    const inference = createInference({ models: { model } });
    onTestFinished(() => inference.close());
    const request = { messages: [{ role: 'user' as const, content: 'word '.repeat(60) }], maxTokens: 5 };
    const events = [];
    for await (const event of inference.chat({ model: 'model', ...request })) events.push(event);
    expect(events.find(({ type }) => type === 'usage')).toMatchObject({ completionTokens: 5 });
  });
});

async function refusalOf(file: string): Promise<string | undefined> {
  try {
    await usePlugins([{ provider: 'openvino', library: file }]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Root mean square of the differences over that of the expected numbers. */
function distance(actual: Float32Array, expected: Float32Array): number {
  const squares = actual.map((value, at) => (value - expected[at]!) ** 2);
  const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0);
  return Math.sqrt(sum(squares) / sum(expected.map((value) => value ** 2)));
}
