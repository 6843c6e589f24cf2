import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tinyChat, tinyChatWeights } from '../backends/llama/tiny-gguf.ts';

/** Names of GGUF → those of checkpoints. */
const names: Readonly<Record<string, string>> = {
  token_embd: 'embed_tokens',
  output_norm: 'norm',
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  attn_output: 'self_attn.o_proj',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

/** tiny-chat as a checkpoint with float32 weights in one file of safetensors, made of its ONNX file. */
export async function writeCheckpoint(folder: string): Promise<void> {
  await mkdir(folder);
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
    await cp(join(tinyChat, file), join(folder, file));
  }
  const header: Record<string, unknown> = {};
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { name, dims, values } of tinyChatWeights()) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    header[toCheckpointName(name)] = {
      dtype: 'F32',
      shape: dims,
      data_offsets: [at, (at += bytes.byteLength)],
    };
    parts.push(bytes);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.byteLength));
  await writeFile(join(folder, 'model.safetensors'), Buffer.concat([length, text, ...parts]));
}

/** `blk.3.attn_q.weight` → `model.layers.3.self_attn.q_proj.weight` */
function toCheckpointName(name: string): string {
  const [, block, part = ''] = /^(?:blk\.(\d+)\.)?(\w+)\.weight$/.exec(name)!;
  const layer = block === undefined ? '' : `layers.${block}.`;
  return `model.${layer}${names[part]!}.weight`;
}
