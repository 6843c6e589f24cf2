import type { ChatEvent, ChatModelInfo } from '../../src/categories/chat/events.ts';
import type { ChatRequest } from '../../src/categories/chat/request.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat } from '../../dist/src/index.js';
import type { Dtype } from '../../src/contracts/files.ts';
import { createChatTemplate } from '../../src/folder/chat-template.ts';
import { locateDecoder, openModelFolder } from '../../src/folder/model-folder.ts';
import { createTextTokenizer } from '../../src/folder/tokenizer.ts';
import { onnxSessions } from '../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../src/categories/chat/pipeline/chat-pipeline.ts';
import type { Decoder } from '../../src/contracts/decoder.ts';
import { loadDecoder } from '../../src/backends/onnx/chat/load-decoder.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import { serve, type RunningService } from '../e2e/serve.ts';
import { ask, decoderFolder, readGolden, type Answer, type GoldenConversation } from './decoder-golden.ts';
import { someRows, isThorough } from '../thorough.ts';
import { countSure, marginOf, within } from '../tolerance.ts';

// Miniatures of real architectures with random weights, exported by the reference exporters; what they have to answer
// comes from the reference implementation (generate/decoders.py).
const models: readonly (readonly [name: string, dtypes: readonly Dtype[]])[] = [
  ['llama', ['fp32', 'fp16', 'q4', 'q4f16']],
  ['llama-gqa', ['fp32']],
  ['qwen2', ['fp32']],
  ['qwen3', ['fp32']],
  ['qwen3-gqa', ['fp32']],
  ['gemma2', ['fp32']],
  ['gemma3', ['fp32']],
  ['phi', ['fp32']],
  ['phi3', ['fp32']],
  ['smollm3', ['fp32']],
  ['mistral', ['fp32']],
  ['mistral-gqa', ['fp32']],
  ['olmo2', ['fp32']],
  ['gpt-neox', ['fp32']],
  ['gpt2', ['fp32']],
  ['gpt2-merged', ['fp32']],
  ['lfm2', ['fp32']],
  ['lfm2-gqa', ['fp32']],
  ['granite-hybrid', ['fp32']],
  ['falcon-h1', ['fp32']],
  ['nemotron-h', ['fp32']],
  ['qwen3.5', ['fp32']],
  ['qwen3-next', ['fp32']],
  ['olmo-hybrid', ['fp32']],
  ['qwen3-moe', ['fp32']],
  ['lfm2-moe', ['fp32', 'q4']],
];

/** How far a logit may be from the reference's: arithmetic in 16 bits rounds differently on every machine. */
const tolerances: Partial<Readonly<Record<Dtype, number>>> = {
  fp32: 1e-4,
  fp16: 0.012,
  q4: 1e-3,
  q4f16: 0.012,
};

/** Outside of CI, models whose graphs also run without being rewritten. */
const asTheyAre = new Set(['llama', 'llama-gqa', 'gpt2-merged', 'lfm2', 'qwen3.5', 'lfm2-moe']);
/** Small models are rewritten only when asked for; activations of 8 bits would give other logits. */
const cases = models.flatMap(([name, dtypes]) =>
  dtypes.flatMap((dtype) =>
    (isThorough || asTheyAre.has(name) ? [undefined, true] : [true]).map(
      (optimize) => [name, dtype, optimize] as const,
    ),
  ),
);
const int8Activations = false;

describe.each(someRows(cases))('%s in %s, optimize: %s', (name, dtype, optimize) => {
  const source = decoderFolder(name);
  const conversations = readGolden(name).goldens[dtype]!;
  const [first, next, long] = conversations;
  const tolerance = tolerances[dtype]!;
  let pipeline: Pipeline<ChatRequest, ChatEvent, ChatModelInfo>;
  let decoder: Decoder;

  beforeAll(async () => {
    const settings = { threads: 1, optimize, int8Activations };
    pipeline = await loadChatPipeline(
      { id: 'model', category: 'chat', source, dtype, ...settings },
      onnxSessions,
    );
    decoder = await loadDecoder(locateDecoder(source, dtype), settings);
  });
  afterAll(() => Promise.all([pipeline.close(), decoder.release()]));

  it('makes the same prompts', async () => {
    const folder = await openModelFolder(source);
    const [template, tokenizer] = [createChatTemplate(folder), createTextTokenizer(folder)];
    for (const { messages, promptTokens } of conversations) {
      expect(tokenizer.encode(template.render(messages, []))).toEqual(promptTokens);
    }
  });

  it.each([1000, 23])('has the same logits, prompts fed in pieces of %d', async (most) => {
    for (const { promptTokens, tokens, finishReason, firstLogits, lastLogits } of conversations) {
      const cache = decoder.createCache();
      let logits = new Float32Array();
      for (let at = 0; at < promptTokens.length; at += most) {
        const piece = Int32Array.from(promptTokens.slice(at, at + most));
        logits = Float32Array.from(await decoder.forward(cache, piece, piece.length));
      }
      expectClose(logits, firstLogits, tolerance);
      // The last logits are those that chose the end, or the last token.
      for (const token of finishReason === 'stop' ? tokens : tokens.slice(0, -1)) {
        if (marginOf(logits) > 2 * within(tolerance)) expect(logits.indexOf(Math.max(...logits))).toBe(token);
        logits = Float32Array.from(await decoder.forward(cache, Int32Array.of(token), 1));
      }
      expectClose(logits, lastLogits, tolerance);
      cache.release();
    }
  });

  it('gives the same answers', async () => {
    for (const conversation of conversations) {
      const { choices, promptTokens, completionTokens } = await ask(pipeline, conversation, { seed: 1 });
      const isWhole = expectAnswer(choices[0]!, conversation, tolerance);
      expect(promptTokens).toBe(conversation.promptTokens.length);
      if (isWhole) expect(completionTokens).toBe(conversation.tokens.length);
    }
  });

  it('gives them in batches of rows that differ in length', async () => {
    const all = await Promise.all(
      conversations.flatMap((one) => [ask(pipeline, one, { n: 2 }), ask(pipeline, one, { n: 2, seed: 5 })]),
    );
    all.forEach(({ choices }, index) => {
      expect(choices).toHaveLength(2);
      for (const choice of choices) expectAnswer(choice, conversations[index >> 1]!, tolerance);
    });
  });

  it('continues a conversation without reading it again', async () => {
    const begun = await ask(pipeline, first);
    const isWhole = expectAnswer(begun.choices[0]!, first, tolerance);
    const { choices, cachedTokens } = await ask(pipeline, next);
    expectAnswer(choices[0]!, next, tolerance);
    if (isWhole) {
      if (decoder.cutsSequences === false) expect(cachedTokens).toBe(wholeLength(first, next));
      else expect(cachedTokens).toBeGreaterThanOrEqual(sharedLength(first, next));
    }
    const again = await ask(pipeline, long);
    expectAnswer(again.choices[0]!, long, tolerance);
  });
});

describe('over /v1', () => {
  const served = ['llama', 'gemma3', 'gpt2-merged'];
  let service: RunningService;
  beforeAll(async () => {
    const options = served.map((name) => [name, chat({ source: decoderFolder(name), threads: 1 })] as const);
    service = await serve(Object.fromEntries(options), { auth: 'none' });
  }, 120_000);
  afterAll(() => service.close());

  it.each(served)('%s gives the same answers', async (name) => {
    for (const { messages, tokens, promptTokens, text, finishReason } of readGolden(name).goldens.fp32!) {
      const response = await fetch(`${service.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: name,
          messages,
          temperature: 0,
          repeat_penalty: 1,
          max_tokens: tokens.length + (finishReason === 'stop' ? 20 : 0),
        }),
      });
      expect(await response.json()).toMatchObject({
        choices: [{ message: { role: 'assistant', content: text }, finish_reason: finishReason }],
        usage: { prompt_tokens: promptTokens.length, completion_tokens: tokens.length },
      });
    }
  });
});

/** Tokens of the two prompts that are the same: what has to be kept at least. */
function sharedLength(first: GoldenConversation, next: GoldenConversation): number {
  const different = first.promptTokens.findIndex((token, index) => token !== next.promptTokens[index]);
  return different === -1 ? first.promptTokens.length - 1 : different;
}

/** All that was read and answered, where the next prompt begins with it. */
function wholeLength(first: GoldenConversation, next: GoldenConversation): number {
  const kept = [...first.promptTokens, ...first.tokens];
  return kept.every((token, index) => token === next.promptTokens[index]) ? kept.length : 0;
}

/** Compares up to a token that rounding may decide, and tells whether there is none. */
function expectAnswer(answer: Answer, golden: GoldenConversation, tolerance: number): boolean {
  const sure = countSure(answer.margins, tolerance);
  const isWhole = sure === answer.margins.length;
  if (isWhole) expect(answer).toMatchObject({ text: golden.text, finishReason: golden.finishReason });
  expectClose(answer.logprobs.slice(0, sure), golden.logprobs.slice(0, sure), 2 * tolerance);
  if (isWhole) expect(answer.logprobs).toHaveLength(golden.logprobs.length);
  return isWhole;
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  let most = 0;
  for (let index = 0; index < expected.length; index++) {
    most = Math.max(most, Math.abs(actual[index]! - expected[index]!));
  }
  expect(most).toBeLessThan(within(tolerance));
}
