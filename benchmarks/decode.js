// Decoding on SmolLM2 with trained weights, where `npm run test:real` has made it, else on tiny-chat: the whole chat pipeline (sampler, detokenizer, answer parser) beside the bare session loop
// and beside transformers.js, one thread each, in one process. Times are processor time, which other load changes little.
// Usage: node benchmarks/decode.js [tokens] [rounds]
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { AutoModelForCausalLM, AutoTokenizer, env } from '@huggingface/transformers';
import * as onnxruntime from 'onnxruntime-node';
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeChatRequest } from '../dist/src/categories/chat/request.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';
import { findRealModel } from './real-models.js';

const tokens = Number(process.argv[2] ?? 256);
const rounds = Number(process.argv[3] ?? 9);
const tinyModels = dirname(createRequire(import.meta.url).resolve('@slashv1/tiny-models/package.json'));
const source = findRealModel('smollm2-q4') ?? join(tinyModels, 'tiny-chat');
const model = basename(source);
const [dtype, graph] =
  model === 'tiny-chat'
    ? [/** @type {const} */ ('fp32'), 'model.onnx']
    : [/** @type {const} */ ('q4'), 'model_q4.onnx'];
const messages = [{ role: /** @type {const} */ ('user'), content: 'Describe a scene with three shapes.' }];

env.localModelPath = dirname(source);
env.allowRemoteModels = false;
const tokenizer = await AutoTokenizer.from_pretrained(model);
const reference = await AutoModelForCausalLM.from_pretrained(model, {
  dtype,
  session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
});
const session = await onnxruntime.InferenceSession.create(join(source, 'onnx', graph), {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  extra: { session: { intra_op: { allow_spinning: '0' } } },
});
const pipeline = await loadPipeline({ id: model, category: 'chat', source, threads: 1 });

const inputs = /** @type {any} */ (
  tokenizer.apply_chat_template(messages, { add_generation_prompt: true, return_dict: true })
);
const prompt = Array.from(inputs.input_ids.data, Number);
const endTokens = [tokenizer.convert_tokens_to_ids(['<|im_end|>'])].flat().map(Number);

/** The likeliest token, again and again, with nothing around it: what the runtime itself costs. */
async function bareLoop() {
  const pasts = session.inputMetadata.filter(({ name }) => name.startsWith('past_key_values'));
  /** @type {Record<string, onnxruntime.Tensor>} */
  const cache = {};
  for (const past of pasts) {
    const [, heads, , size] = /** @type {any} */ (past).shape;
    cache[past.name] = new onnxruntime.Tensor('float32', new Float32Array(0), [1, heads, 0, size]);
  }
  let ids = prompt;
  let length = 0;
  const used = cpuTimer();
  for (let step = 0; step < tokens; step++) {
    const total = length + ids.length;
    const positions = ids.map((_, index) => BigInt(length + index));
    const outputs = await session.run({
      ...cache,
      input_ids: new onnxruntime.Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      attention_mask: new onnxruntime.Tensor('int64', new BigInt64Array(total).fill(1n), [1, total]),
      position_ids: new onnxruntime.Tensor('int64', BigInt64Array.from(positions), [1, ids.length]),
    });
    for (const { name } of pasts) {
      cache[name] = /** @type {any} */ (outputs[name.replace('past_key_values', 'present')]);
    }
    const logits = /** @type {any} */ (outputs['logits']);
    const size = logits.dims[2];
    const last = logits.data.subarray((ids.length - 1) * size);
    let best = 0;
    for (let token = 1; token < size; token++) {
      if (last[token] > last[best] && !endTokens.includes(token)) best = token;
    }
    ids = [best];
    length = total;
  }
  return used() / tokens;
}

/** @param {Partial<import('../dist/src/categories/chat/request.js').ChatRequestInput>} parameters */
async function pipelineLoop(parameters) {
  const logitBias = new Map(endTokens.map((token) => [token, -100]));
  const request = completeChatRequest({
    model,
    messages,
    maxTokens: tokens,
    logitBias,
    seed: 1,
    ...parameters,
  });
  const used = cpuTimer();
  for await (const event of pipeline.run(request)) void event;
  return used() / tokens;
}

/** @param {object} parameters */
async function transformersLoop(parameters) {
  const used = cpuTimer();
  await reference.generate({ ...inputs, max_new_tokens: tokens, min_new_tokens: tokens, ...parameters });
  return used() / tokens;
}

const results = await compare(
  {
    'bare session loop': bareLoop,
    'slashv1, greedy': () => pipelineLoop({ temperature: 0, repeatPenalty: 1 }),
    'slashv1, default sampling': () => pipelineLoop({}),
    'transformers.js, greedy': () => transformersLoop({ do_sample: false }),
    'transformers.js, sampling': () =>
      transformersLoop({ do_sample: true, temperature: 0.7, repetition_penalty: 1.1 }),
  },
  rounds,
);
printRatios(`${model}, ${tokens} tokens after a prompt of ${prompt.length}, ${machine()}`, results, {
  unit: 'CPU ms per token',
  baseline: 'bare session loop',
});
await pipeline.close();
await session.release();
