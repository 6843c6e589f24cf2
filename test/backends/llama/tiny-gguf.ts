import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOnnxModel } from '../../../src/core/onnx/messages.ts';
import { float, writeGguf, type WrittenTensor, type WrittenValue } from './write-gguf.ts';

export const tinyChat = new URL('../../../examples/models/tiny-chat/', import.meta.url).pathname;

interface Definition {
  readonly model: { readonly vocab: Readonly<Record<string, number>>; readonly merges: readonly string[][] };
  readonly added_tokens: readonly { readonly id: number; readonly special: boolean }[];
}

/** Our graph's names of a block's weights → GGUF's. */
const blockNames = {
  attention_norm: 'attn_norm',
  query: 'attn_q',
  key: 'attn_k',
  value: 'attn_v',
  query_norm: 'attn_q_norm',
  key_norm: 'attn_k_norm',
  output: 'attn_output',
  mlp_norm: 'ffn_norm',
  gate: 'ffn_gate',
  up: 'ffn_up',
  down: 'ffn_down',
};

export interface TinyGgufOptions {
  /** Whether the file carries `tokenizer.json` along; default true. */
  readonly carriesTokenizer?: boolean;
  /** `enum llama_pooling_type`; default: the file says none. */
  readonly pooling?: number;
  /** Weights of a head with one logit, `[size]`. */
  readonly head?: Float32Array;
  readonly metadata?: Readonly<Record<string, WrittenValue>>;
}

/** tiny-chat as GGUF with float32 weights, made of its ONNX file. */
export function tinyChatAsGguf({
  carriesTokenizer = true,
  pooling,
  head,
  metadata = {},
}: TinyGgufOptions = {}): Uint8Array {
  const read = (name: string) => readFileSync(join(tinyChat, name), 'utf8');
  const config = JSON.parse(read('config.json')) as Record<string, number>;
  const { chat_template: template } = JSON.parse(read('tokenizer_config.json')) as { chat_template: string };
  const definition = JSON.parse(read('tokenizer.json')) as Definition;
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(definition.model.vocab)) tokens[id] = token;
  const kinds = new Int32Array(tokens.length).fill(1);
  for (const { id, special } of definition.added_tokens) kinds[id] = special ? 3 : 4;
  return writeGguf(
    {
      'general.architecture': 'qwen3',
      'general.name': 'tiny-chat',
      'general.file_type': 0,
      'qwen3.context_length': config['max_position_embeddings']!,
      'qwen3.embedding_length': config['hidden_size']!,
      'qwen3.block_count': config['num_hidden_layers']!,
      'qwen3.feed_forward_length': config['intermediate_size']!,
      'qwen3.attention.head_count': config['num_attention_heads']!,
      'qwen3.attention.head_count_kv': config['num_key_value_heads']!,
      'qwen3.attention.key_length': config['head_dim']!,
      'qwen3.attention.value_length': config['head_dim']!,
      'qwen3.attention.layer_norm_rms_epsilon': float(config['rms_norm_eps']!),
      'qwen3.rope.freq_base': float(config['rope_theta']!),
      ...(pooling === undefined ? {} : { 'qwen3.pooling_type': pooling }),
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': 'llama-bpe',
      'tokenizer.ggml.tokens': tokens,
      'tokenizer.ggml.token_type': kinds,
      'tokenizer.ggml.merges': definition.model.merges.map((pair) => pair.join(' ')),
      'tokenizer.ggml.eos_token_id': config['eos_token_id']!,
      'tokenizer.ggml.padding_token_id': config['pad_token_id']!,
      'tokenizer.ggml.add_bos_token': false,
      'tokenizer.chat_template': template,
      ...(carriesTokenizer ? { 'tokenizer.huggingface.json': read('tokenizer.json') } : {}),
      ...metadata,
    },
    [
      ...tinyChatWeights(),
      ...(head ? [{ name: 'cls.output.weight', dims: [1, head.length], values: head }] : []),
    ],
  );
}

/** The weights of tiny-chat under the names of GGUF. */
export function tinyChatWeights(): readonly WrittenTensor[] {
  const path = join(tinyChat, 'onnx/model.onnx');
  const tensors: WrittenTensor[] = [];
  for (const { name, dims, data } of readOnnxModel(readFileSync(path)).graph.initializers) {
    const written = nameOf(name);
    if (written === undefined || data.place !== 'inline') continue;
    tensors.push({ name: written, dims, values: new Float32Array(data.bytes.slice().buffer) });
  }
  return tensors;
}

function nameOf(name: string): string | undefined {
  if (name === 'model.embedding.weight') return 'token_embd.weight';
  const [, block, part = ''] = /^model\.blocks\.(\d+)\.(\w+)\.weight$/.exec(name) ?? [];
  if (block === undefined) return name === finalNorm ? 'output_norm.weight' : undefined;
  return `blk.${block}.${blockNames[part as keyof typeof blockNames]}.weight`;
}

const finalNorm = 'model.norm.weight';
