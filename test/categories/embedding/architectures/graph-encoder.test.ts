import { describe, expect, it } from 'vitest';
import {
  createGraphEncoder,
  type EncoderOptions,
} from '../../../../src/categories/embedding/architectures/text/open-text-encoder.ts';
import type { ElementType, Session, TensorMap } from '../../../../src/contracts/graph.ts';

const lengthOfVector = 2;

interface FakeGraph {
  readonly inputs?: Readonly<Record<string, ElementType>>;
  readonly outputs?: readonly string[];
  readonly type?: ElementType;
  readonly shape?: readonly (number | string)[];
  /** Shape of an input `past_key_values.0.key`, where the graph has one. */
  readonly past?: readonly (number | string)[];
  readonly pastType?: ElementType;
}

/** Gives each token the vector `[id, position in the row + 1]`; `sentence_embedding` is `[first id, 7]`. */
function createGraph({
  inputs = { input_ids: 'int64', attention_mask: 'int64' },
  outputs = ['last_hidden_state'],
  type = 'float32',
  shape = ['batch', 'length'],
  past,
  pastType = 'float32',
}: FakeGraph = {}): Session & { readonly fed: TensorMap[] } {
  const fed: TensorMap[] = [];
  const dims = (name: string) => (name === 'sentence_embedding' ? ['batch', 2] : ['batch', 'length', 2]);
  return {
    fed,
    inputs: [
      ...Object.entries(inputs).map(([name, inputType]) => ({ name, type: inputType, dims: shape })),
      ...(past ? [{ name: 'past_key_values.0.key', type: pastType, dims: past }] : []),
    ],
    outputs: outputs.map((name) => ({ name, type, dims: dims(name) })),
    async run(feeds, fetches) {
      fed.push(feeds);
      const [rows, length] = feeds['input_ids']!.dims as [number, number];
      const ids = Array.from(feeds['input_ids']!.data as Iterable<bigint | number>, Number);
      const [name] = fetches!;
      const isPooled = name === 'sentence_embedding';
      const values = isPooled
        ? Array.from({ length: rows }, (_, row) => [ids[row * length]!, 7]).flat()
        : ids.flatMap((id, index) => [id, (index % length) + 1]);
      const half = (value: number) =>
        ({ 0: 0, 1: 0x3c00, 2: 0x4000, 3: 0x4200, 4: 0x4400, 5: 0x4500 })[value] ?? 0;
      const data = type === 'float16' ? Uint16Array.from(values, half) : Float32Array.from(values);
      return {
        [name!]: {
          type,
          dims: isPooled ? [rows, lengthOfVector] : [rows, length, lengthOfVector],
          data,
        },
      };
    },
    async release() {},
  };
}

const options: EncoderOptions = { pooling: undefined, poolsPrompt: true };
const sequences = [
  { ids: [4, 2], promptTokens: 0 },
  { ids: [5, 3, 1], promptTokens: 1 },
];
const encodeWith = async (graph: FakeGraph, changes: Partial<EncoderOptions> = {}) => {
  const encoder = await createGraphEncoder(createGraph(graph), { ...options, ...changes });
  return (await encoder.encode(sequences)).map((vector) => [...vector]);
};

describe('createGraphEncoder', () => {
  it.each<[string, FakeGraph, Partial<EncoderOptions>, number[][]]>([
    [
      'the mean by default',
      {},
      {},
      [
        [3, 1.5],
        [3, 2],
      ],
    ],
    [
      'cls',
      {},
      { pooling: 'cls' },
      [
        [4, 1],
        [5, 1],
      ],
    ],
    [
      'the last token, not padding',
      {},
      { pooling: 'last-token' },
      [
        [2, 2],
        [1, 3],
      ],
    ],
    [
      'without the prompt',
      {},
      { poolsPrompt: false },
      [
        [3, 1.5],
        [2, 2.5],
      ],
    ],
    [
      'token_embeddings',
      { outputs: ['other', 'token_embeddings'] },
      {},
      [
        [3, 1.5],
        [3, 2],
      ],
    ],
    [
      "the graph's own vectors",
      { outputs: ['token_embeddings', 'sentence_embedding'] },
      {},
      [
        [4, 7],
        [5, 7],
      ],
    ],
    [
      'a pooling that is wanted',
      { outputs: ['token_embeddings', 'sentence_embedding'] },
      { pooling: 'cls' },
      [
        [4, 1],
        [5, 1],
      ],
    ],
    [
      'float16',
      { type: 'float16' },
      {},
      [
        [3, 1.5],
        [3, 2],
      ],
    ],
    [
      'the last token of a decoder',
      { past: ['batch', 2, 'past', 8] },
      {},
      [
        [2, 2],
        [1, 3],
      ],
    ],
    [
      'int32 ids',
      { inputs: { input_ids: 'int32', attention_mask: 'int32' } },
      {},
      [
        [3, 1.5],
        [3, 2],
      ],
    ],
  ])('%s', async (_title, graph, changes, expected) => {
    expect(await encodeWith(graph, changes)).toEqual(expected);
  });

  it('feeds what the graph asks for, padded to the longest', async () => {
    const inputs = {
      input_ids: 'int64',
      attention_mask: 'int64',
      token_type_ids: 'int64',
      position_ids: 'int64',
    } as const;
    const graph = createGraph({ inputs });
    await (await createGraphEncoder(graph, options)).encode(sequences);
    const fed = Object.entries(graph.fed.at(-1)!).map(([name, { dims, data }]) => [
      name,
      dims,
      Array.from(data as BigInt64Array, Number),
    ]);
    expect(fed).toEqual([
      ['input_ids', [2, 3], [4, 2, 0, 5, 3, 1]],
      ['attention_mask', [2, 3], [1, 1, 0, 1, 1, 1]],
      ['token_type_ids', [2, 3], [0, 0, 0, 0, 0, 0]],
      ['position_ids', [2, 3], [0, 1, 0, 0, 1, 2]],
    ]);
  });

  it.each(['float32', 'float16'] as const)('feeds a decoder an empty past in %s', async (pastType) => {
    const graph = createGraph({ past: ['batch', 2, 'past', 8], pastType });
    await (await createGraphEncoder(graph, options)).encode(sequences);
    expect(graph.fed.at(-1)!['past_key_values.0.key']).toMatchObject({
      type: pastType,
      dims: [2, 2, 0, 8],
      data: { length: 0 },
    });
  });

  it('knows the length of its vectors', async () => {
    expect((await createGraphEncoder(createGraph(), options)).dimensions).toBe(2);
  });

  it.each<[string, FakeGraph, string]>([
    ['images', { inputs: { pixel_values: 'float32' } }, 'unknown input pixel_values'],
    ['no ids', { inputs: { attention_mask: 'int64' } }, 'no input input_ids'],
    [
      'a fixed shape',
      { shape: [1, 'length'] },
      'input_ids has the shape [1, length], expected one that is not fixed',
    ],
    [
      'a past of unknown size',
      { past: ['batch', 'heads', 'past', 8] },
      'past_key_values.0.key has the shape [batch, heads, past, 8], expected [rows, heads, tokens, size]',
    ],
    [
      'a past of integers',
      { past: ['batch', 2, 'past', 8], pastType: 'int8' },
      'past_key_values.0.key is int8, expected float32 or float16',
    ],
    ['no mask', { inputs: { input_ids: 'int64' } }, 'no input attention_mask'],
    [
      'ids that are no integers',
      { inputs: { input_ids: 'float32', attention_mask: 'int64' } },
      'input_ids is float32, expected int64 or int32',
    ],
    [
      'no vectors',
      { outputs: ['logits'] },
      'none of the outputs last_hidden_state, token_embeddings, only logits',
    ],
    ['vectors of integers', { type: 'uint8' }, 'outputs of uint8, expected float32 or float16'],
  ])('refuses a graph with %s', async (_title, graph, reason) => {
    await expect(createGraphEncoder(createGraph(graph), options)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'source',
      message: expect.stringContaining(reason),
    });
  });
});
