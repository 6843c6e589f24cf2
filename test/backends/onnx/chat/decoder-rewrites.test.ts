import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasInPlaceCaches } from '../../../../src/core/onnx/has-in-place-caches.ts';
import type { OnnxModel, OnnxNode } from '../../../../src/core/onnx/model.ts';
import { modelSignature } from '../../../../src/core/onnx/model-signature.ts';
import { rewriteDecoderGraph, type RewriteOptions } from '../../../../src/core/onnx/rewrite-decoder-graph.ts';
import { activationsOf } from '../../../../src/core/onnx/rewrites/accuracy-level.ts';
import { integerAttribute } from '../../../../src/core/onnx/value.ts';
import { candidateOutputs } from '../../../../src/core/onnx/rewrites/candidates.ts';
import { newSlotsOutput } from '../../../../src/core/onnx/rewrites/new-slots.ts';
import { writeOnnxModel } from '../../../../src/core/onnx/messages.ts';
import { readAttentionWindows } from '../../../../src/runtime/attention-windows.ts';
import type { Session, Tensor } from '../../../../src/contracts/graph.ts';
import { compareLogits, probeDecoder } from '../../../../src/backends/onnx/chat/graph-probe.ts';
import { hasFastPlainAttention } from '../../../../src/backends/onnx/chat/load-decoder.ts';
import { createOnnxSession } from '../../../../src/runtime/onnx.ts';
import { readOnnxFile } from '../../../../src/runtime/onnx-file.ts';
import { contractGraph } from '../../../core/onnx/contract-models.ts';
import { decimalsWithin, within } from '../../../tolerance.ts';

// Exports of real architectures with random weights. Sliding windows of 16 and 24 tokens are shorter than the prompts.
const families: readonly {
  readonly name: string;
  readonly windows: readonly (number | 'full')[];
  readonly file?: string;
}[] = [
  { name: 'llama', windows: ['full'] },
  { name: 'llama', windows: ['full'], file: 'onnx/model_fp16.onnx' },
  { name: 'qwen2', windows: ['full'] },
  { name: 'qwen3', windows: ['full'] },
  { name: 'gemma2', windows: [16, 'full'] },
  { name: 'gemma3', windows: [16, 'full'] },
  { name: 'phi', windows: ['full'] },
  { name: 'phi3', windows: [24] },
  { name: 'smollm3', windows: ['full'] },
  { name: 'mistral', windows: [16] },
  { name: 'olmo2', windows: ['full'] },
  { name: 'gpt-neox', windows: ['full'] },
];

describe('hub-style attention as GroupQueryAttention', () => {
  it.each(families)('$name sees $windows', async ({ name, windows, file }) => {
    const path = contractGraph(name, file);
    const source = readOnnxFile(path);
    const found = await readAttentionWindows(source);
    expect([...found.values()]).toEqual(windows);
    const { model, applied, skipped } = rewriteDecoderGraph(source, { attention: { windows: found } });
    expect(skipped).toEqual([]);
    expect(applied).toEqual(['attention', 'last-position']);
    const { operators } = modelSignature(model);
    expect(operators.has('Softmax')).toBe(false);
    expect(model.graph.nodes.length).toBeLessThan(source.graph.nodes.length / 2);
    const expected = await probe(path, source);
    const actual = await probe(path, model);
    const { difference } = compareLogits(expected, actual);
    // Half precision rounds the scores of the original, too.
    expect(difference).toBeLessThan(within(file === undefined ? 1e-4 : 0.02));
  });

  it.each([
    ['gpt2', 'onnx/model.onnx', 'keys with a factor that is no constant'],
    ['llama-gqa', 'onnx/model.onnx', 'no Softmax'],
    ['gpt2-merged', 'onnx/decoder_model_merged.onnx', 'no Softmax'],
  ])('%s stays: %s, %s', async (name, file, reason) => {
    const source = readOnnxFile(contractGraph(name, file));
    const windows = await readAttentionWindows(source);
    const { applied, skipped } = rewriteDecoderGraph(source, { attention: { windows }, lastPosition: false });
    expect(applied).toEqual([]);
    expect(skipped).toEqual([{ name: 'attention', reason }]);
  });

  it.each([
    ['that hide the position itself', 'LessOrEqual', 'Less'],
    ['that show what comes later', 'LessOrEqual', 'GreaterOrEqual'],
  ])('does not accept masks %s', async (_title, from, to) => {
    const source = readOnnxFile(contractGraph('llama'));
    const changed = changeNodes(source, (node) =>
      node.operator === from ? { ...node, operator: to } : node,
    );
    const windows = await readAttentionWindows(changed);
    expect(windows.size).toBe(0);
    const { skipped } = rewriteDecoderGraph(changed, { attention: { windows } });
    expect(skipped).toEqual([{ name: 'attention', reason: 'a mask that is not understood' }]);
  });
});

describe('the last position', () => {
  it.each([
    ['llama', 'onnx/model.onnx'],
    ['llama', 'onnx/model_q4.onnx'],
    ['llama', 'onnx/model_q4f16.onnx'],
    ['gemma2', 'onnx/model.onnx'],
    ['phi', 'onnx/model.onnx'],
    ['smollm3', 'onnx/model.onnx'],
    ['gpt2', 'onnx/model.onnx'],
    ['qwen3-gqa', 'onnx/model.onnx'],
  ])('of %s in %s has the same logits', async (name, file) => {
    const path = contractGraph(name, file);
    const source = readOnnxFile(path);
    const { model, applied } = rewriteDecoderGraph(source);
    expect(applied).toEqual(['last-position']);
    expect(modelSignature(model).outputs[0]?.dims[1]).toBe('positions');
    const { difference } = compareLogits(await probe(path, source), await probe(path, model));
    // Products of fewer rows may round differently.
    expect(difference).toBeLessThan(within(file.includes('f16') ? 1e-3 : 1e-5));
  });
});

describe('candidates', () => {
  it('are the largest logits and the mass of all', async () => {
    const { logits, results } = await oneStep('qwen2', { candidates: 20 });
    const sorted = [...logits.entries()].toSorted(([, one], [, other]) => other - one).slice(0, 20);
    expect([...results[candidateOutputs.tokens]!.data]).toEqual(sorted.map(([token]) => token));
    expect([...results[candidateOutputs.logits]!.data]).toEqual(
      sorted.map(([, logit]) => expect.closeTo(logit, decimalsWithin(10)) as number),
    );
    const mass = logits.reduce((sum, logit) => sum + Math.exp(logit - sorted[0]![1]), 0);
    expect(results[candidateOutputs.mass]!.data[0]).toBeCloseTo(mass, decimalsWithin(3));
  });

  it('need logits of one position', () => {
    const source = readOnnxFile(contractGraph('qwen2'));
    const { skipped } = rewriteDecoderGraph(source, { lastPosition: false, candidates: 20 });
    expect(skipped).toEqual([{ name: 'candidates', reason: 'no logits of one position' }]);
  });
});

describe('new slots', () => {
  it('are the end of present', async () => {
    const { results } = await oneStep('qwen2', { newSlots: true });
    for (const present of ['present.0.key', 'present.1.value']) {
      const whole = results[present]!;
      // Without a past all slots are new.
      expect(results[newSlotsOutput(present)]!.dims).toEqual(whole.dims);
      expect([...results[newSlotsOutput(present)]!.data]).toEqual(
        [...whole.data].map((value) => expect.closeTo(Number(value), decimalsWithin(10)) as number),
      );
    }
  });

  it('are not there where caches are changed in place', () => {
    const { skipped } = rewriteDecoderGraph(readOnnxFile(contractGraph('llama-gqa')), { newSlots: true });
    expect(skipped).toEqual([{ name: 'new-slots', reason: 'present.0.key comes from GroupQueryAttention' }]);
  });
});

describe('accuracy level', () => {
  it('is set where the exporter left it open', () => {
    const source = readOnnxFile(contractGraph('llama', 'onnx/model_q4f16.onnx'));
    const { model, applied } = rewriteDecoderGraph(source, { accuracyLevel: true, lastPosition: false });
    expect(applied).toEqual(['accuracy-level']);
    expect([activationsOf(source.graph), activationsOf(model.graph)]).toEqual(['open', 'int8']);
    expect(activationsOf(readOnnxFile(contractGraph('llama')).graph)).toBeUndefined();
    const levels = model.graph.nodes
      .filter(({ operator }) => operator === 'MatMulNBits')
      .map(({ attributes }) => attributes.find(({ name }) => name === 'accuracy_level')?.value);
    expect(new Set(levels.map((level) => level?.type === 'integer' && level.value))).toEqual(new Set([4n]));
    expect(rewriteDecoderGraph(model, { accuracyLevel: true, lastPosition: false }).applied).toEqual([]);
  });
});

describe('plain attention', () => {
  const wanted = { plainAttention: 2, lastPosition: false };

  it('has the same logits, and no fused kernel', async () => {
    const path = contractGraph('llama-gqa');
    const source = readOnnxFile(path);
    const { model, applied } = rewriteDecoderGraph(source, wanted);
    expect(applied).toEqual(['plain-attention']);
    for (const { inputs } of model.graph.nodes.filter(isAttention)) expect(inputs).toHaveLength(12);
    expect(hasInPlaceCaches(model.graph)).toBe(true);
    const { difference } = compareLogits(await probe(path, source), await probe(path, model));
    expect(difference).toBeLessThan(within(1e-5));
    const skipped = [{ name: 'plain-attention', reason: 'no GroupQueryAttention with a fused kernel' }];
    expect(rewriteDecoderGraph(model, wanted).skipped).toEqual(skipped);
  });

  it.each<[string, (node: OnnxNode) => OnnxNode]>([
    ['fewer heads than threads', (node) => setInteger(node, 'num_heads', 1)],
    ['a sink of its own kind', (node) => setInteger(node, 'smooth_softmax', 1)],
    ['keys that are no input', ({ inputs, ...node }) => ({ ...node, inputs: inputs.with(3, '') })],
  ])('is left to the fused kernel: %s', (_title, change) => {
    const source = changeNodes(readOnnxFile(contractGraph('llama-gqa')), (node) =>
      isAttention(node) ? change(node) : node,
    );
    expect(rewriteDecoderGraph(source, wanted).applied).toEqual([]);
  });

  it.each([
    ['vendor_id\t: GenuineIntel\nflags\t\t: fpu avx2 avx512f avx512_vnni', true],
    ['vendor_id\t: AuthenticAMD\nflags\t\t: fpu avx2 avx512f avx512_vnni', false],
    ['vendor_id\t: GenuineIntel\nflags\t\t: fpu avx2', false],
    ['', false],
  ])('is faster with %j: %s', (processor, expected) => {
    expect(hasFastPlainAttention(processor)).toBe(expected);
  });
});

async function probe(path: string, model: OnnxModel): Promise<readonly Float32Array[]> {
  const session = await open(path, model);
  try {
    return await probeDecoder(session, modelSignature(model), {
      cachesInPlace: hasInPlaceCaches(model.graph),
    });
  } finally {
    await session.release();
  }
}

async function oneStep(name: string, options: RewriteOptions, attention = false) {
  const path = contractGraph(name);
  const source = readOnnxFile(path);
  const windows = await readAttentionWindows(source);
  const { model } = rewriteDecoderGraph(source, { ...options, attention: attention && { windows } });
  const session = await open(path, model);
  const past = modelSignature(model).inputs.filter((input) => input.name.startsWith('past_key_values.'));
  const feeds: Record<string, Tensor> = {
    input_ids: int64([1, 3], [5, 6, 7]),
    attention_mask: int64([1, 3], [1, 1, 1]),
    position_ids: int64([1, 3], [0, 1, 2]),
    last_positions: int64([1, 1], [-1]),
  };
  for (const input of past) {
    const dims = input.dims.map((dim, axis) => (axis === 0 ? 1 : axis === 2 ? 0 : Number(dim)));
    feeds[input.name] = { type: 'float32', dims, data: new Float32Array(0) };
  }
  const results = await session.run(feeds);
  await session.release();
  return { logits: results['logits']!.data as Float32Array, results };
}

function open(path: string, model: OnnxModel): Promise<Session> {
  const bytes = writeOnnxModel(model, { location: basename(path) });
  return createOnnxSession(bytes, { threads: 1, weightsFolder: dirname(path) });
}

function int64(dims: readonly number[], values: readonly number[]): Tensor {
  return { type: 'int64', dims, data: BigInt64Array.from(values, BigInt) };
}

const isAttention = ({ operator }: OnnxNode): boolean => operator === 'GroupQueryAttention';

function setInteger(node: OnnxNode, name: string, value: number): OnnxNode {
  const others = node.attributes.filter((attribute) => attribute.name !== name);
  return { ...node, attributes: [...others, integerAttribute(name, value)] };
}

function changeNodes(model: OnnxModel, change: (node: OnnxNode) => OnnxNode): OnnxModel {
  return { ...model, graph: { ...model.graph, nodes: model.graph.nodes.map(change) } };
}
