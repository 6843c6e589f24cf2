import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OnnxTensor } from '../../../src/core/onnx/model.ts';
import { readOnnxModel } from '../../../src/core/onnx/messages.ts';
import { float, writeGguf, type WrittenTensor } from './write-gguf.ts';

export const tinyEmbed = new URL('../../../examples/models/tiny-embed/', import.meta.url).pathname;

/** Names of the graph's weights, without `bert.` → GGUF's. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^embeddings\.word_embeddings$/, 'token_embd'],
  [/^embeddings\.position_embeddings$/, 'position_embd'],
  [/^embeddings\.token_type_embeddings$/, 'token_types'],
  [/^embeddings\.LayerNorm$/, 'token_embd_norm'],
  [/^encoder\.layer\.(\d+)\.attention\.self\.query$/, 'blk.$1.attn_q'],
  [/^encoder\.layer\.(\d+)\.attention\.self\.key$/, 'blk.$1.attn_k'],
  [/^encoder\.layer\.(\d+)\.attention\.self\.value$/, 'blk.$1.attn_v'],
  [/^encoder\.layer\.(\d+)\.attention\.output\.dense$/, 'blk.$1.attn_output'],
  [/^encoder\.layer\.(\d+)\.attention\.output\.LayerNorm$/, 'blk.$1.attn_output_norm'],
  [/^encoder\.layer\.(\d+)\.intermediate\.dense$/, 'blk.$1.ffn_up'],
  [/^encoder\.layer\.(\d+)\.output\.dense$/, 'blk.$1.ffn_down'],
  [/^encoder\.layer\.(\d+)\.output\.LayerNorm$/, 'blk.$1.layer_output_norm'],
];

export interface TinyBertOptions {
  /** `enum llama_pooling_type`: 1 mean, 2 first, 4 rank. */
  readonly pooling: number;
  /** Weights of a head with one logit. */
  readonly head?: Float32Array;
}

/** tiny-embed as GGUF with float32 weights, made of its ONNX file; with llama.cpp's tokenizer. */
export function tinyBertAsGguf({ pooling, head }: TinyBertOptions): Uint8Array {
  const readJson = (name: string) => JSON.parse(readFileSync(join(tinyEmbed, name), 'utf8')) as never;
  const config = readJson('config.json') as Record<string, number>;
  const { model } = readJson('tokenizer.json') as { model: { vocab: Record<string, number> } };
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  const isControl = (token: string) => /^\[[A-Z]+\]$/.test(token);
  return writeGguf(
    {
      'general.architecture': 'bert',
      'general.name': 'tiny-embed',
      'bert.context_length': config['max_position_embeddings']!,
      'bert.embedding_length': config['hidden_size']!,
      'bert.block_count': config['num_hidden_layers']!,
      'bert.feed_forward_length': config['intermediate_size']!,
      'bert.attention.head_count': config['num_attention_heads']!,
      'bert.attention.layer_norm_epsilon': float(config['layer_norm_eps']!),
      'bert.attention.causal': false,
      'bert.pooling_type': pooling,
      'tokenizer.ggml.model': 'bert',
      'tokenizer.ggml.tokens': tokens.map((token) => {
        if (isControl(token)) return token;
        return token.startsWith('##') ? token.slice(2) : `▁${token}`;
      }),
      'tokenizer.ggml.token_type': Int32Array.from(tokens, (token) => (isControl(token) ? 3 : 1)),
      'tokenizer.ggml.token_type_count': 2,
      'tokenizer.ggml.padding_token_id': model.vocab['[PAD]']!,
      'tokenizer.ggml.unknown_token_id': model.vocab['[UNK]']!,
      'tokenizer.ggml.cls_token_id': model.vocab['[CLS]']!,
      'tokenizer.ggml.bos_token_id': model.vocab['[CLS]']!,
      'tokenizer.ggml.seperator_token_id': model.vocab['[SEP]']!,
      'tokenizer.ggml.mask_token_id': model.vocab['[MASK]']!,
    },
    [
      ...readWeights(),
      ...(head ? [{ name: 'cls.output.weight', dims: [1, head.length], values: head }] : []),
    ],
  );
}

function readWeights(): readonly WrittenTensor[] {
  const { nodes, initializers } = readOnnxModel(readFileSync(join(tinyEmbed, 'onnx/model.onnx'))).graph;
  const byName = new Map(initializers.map((tensor) => [tensor.name, tensor]));
  const tensors: WrittenTensor[] = [];
  for (const tensor of initializers) {
    const name = nameOf(tensor.name.replace(/^bert\./, ''));
    if (name === undefined) continue;
    const values = valuesOf(tensor);
    tensors.push({ name, dims: tensor.dims, values });
    if (!name.endsWith('.bias') || name.includes('norm')) continue;
    // Matrices have lost their names: each stands before its bias.
    const add = nodes.find(({ operator, inputs }) => operator === 'Add' && inputs.includes(tensor.name))!;
    const product = nodes.find(({ outputs }) => outputs.some((output) => add.inputs.includes(output)))!;
    const matrix = byName.get(product.inputs[1]!)!;
    const [rows, columns] = matrix.dims as [number, number];
    tensors.push({
      name: name.replace('.bias', '.weight'),
      dims: [columns, rows],
      values: transposed(valuesOf(matrix), rows, columns),
    });
  }
  return tensors;
}

function nameOf(name: string): string | undefined {
  const [, stem, kind] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
  const [pattern, written] = names.find(([candidate]) => stem !== undefined && candidate.test(stem)) ?? [];
  return pattern && `${stem!.replace(pattern, written!)}.${kind}`;
}

function valuesOf({ data }: OnnxTensor): Float32Array {
  if (data.place !== 'inline') throw new Error('expected weights in the file');
  return new Float32Array(data.bytes.slice().buffer);
}

function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  return Float32Array.from(values, (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!);
}
