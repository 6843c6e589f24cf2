import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertSizes } from '../../../../src/backends/onnx/chat/decoder-layout.ts';
import { loadDecoder } from '../../../../src/backends/onnx/chat/load-decoder.ts';
import { modelSignature } from '../../../../src/core/onnx/model-signature.ts';
import { readOnnxFile } from '../../../../src/runtime/onnx-file.ts';

type Config = Readonly<Record<string, unknown>>;
const root = join(import.meta.dirname, '../../../contract/models');
/** Encoders and the second parts of other models are none. */
const others = new Set(['whisper', 'moonshine-streaming']);
const decoders = readdirSync(root)
  .filter((name) => !others.has(name) && existsSync(join(root, name, 'config.json')))
  .flatMap((name) => {
    const files = ['onnx/model.onnx', 'onnx/decoder_model_merged.onnx'].map((file) => join(root, name, file));
    const path = files.find((file) => existsSync(file));
    if (path === undefined) return [];
    const signature = modelSignature(readOnnxFile(path));
    const config = JSON.parse(readFileSync(join(root, name, 'config.json'), 'utf8')) as Config;
    return signature.inputs.some((input) => input.name.startsWith('past'))
      ? [{ name, path, signature, config }]
      : [];
  });
const find = (name: string) => decoders.find((one) => one.name === name)!;

describe('a config whose sizes its graph contradicts', () => {
  it('is none of those that belong to their graphs', () => {
    expect(decoders.length).toBeGreaterThan(25);
    for (const { config, signature } of decoders) assertSizes(config, signature);
  });

  const { path, config } = find('llama');
  it.each([
    ['vocab_size', 317, '1 to 316'],
    ['vocab_size', 2 ** 30, '1 to 316'],
    ['num_hidden_layers', 1, '2 to 4'],
    ['num_hidden_layers', 5, '2 to 4'],
    ['num_attention_heads', 1e6, '1 to 128'],
  ])('is refused by name: %s %d', async (name, value, expected) => {
    const loading = loadDecoder(path, { threads: 1, config: { ...config, [name]: value } });
    const message = `config.json has ${name} ${value}, expected ${expected}, as the graph has it`;
    await expect(loading).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'source',
      message: expect.stringContaining(message),
    });
  });

  it.each(['qwen2-vl', 'idefics3', 'gemma3-vision'])(
    'is refused where its sizes are those of its text part: %s',
    (name) => {
      const { config: whole, signature } = find(name);
      const text = { ...(whole['text_config'] as Config | undefined), hidden_size: 33 };
      expect(() => assertSizes({ ...whole, text_config: text }, signature)).toThrow(
        'config.json has hidden_size 33, expected 32',
      );
    },
  );
});
