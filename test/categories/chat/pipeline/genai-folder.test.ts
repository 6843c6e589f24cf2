import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../../../src/categories/chat/pipeline/chat-pipeline.ts';
import { completeChatRequest } from '../../../../src/categories/chat/request.ts';
import { describeModel, recognizeModel } from '../../../../src/loading/facts.ts';

const original = 'examples/models/tiny-chat';
let folder: string;

/** As onnxruntime-genai's builder leaves it: the graph outermost, no config of the hub. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-genai-'));
  await cp(original, folder, { recursive: true, filter: (path) => !/recipe|README/.test(path) });
  await rename(join(folder, 'onnx/model.onnx'), join(folder, 'model.onnx'));
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
  for (const name of ['config.json', 'generation_config.json', 'onnx']) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
  const { head_dim: head_size, hidden_size, num_attention_heads, num_hidden_layers } = config;
  const decoder = {
    filename: 'model.onnx',
    session_options: { provider_options: [] },
    head_size,
    hidden_size,
    num_attention_heads,
    num_hidden_layers,
  };
  const { eos_token_id, pad_token_id, vocab_size, max_position_embeddings: context_length } = config;
  await write({ type: 'qwen3', eos_token_id, pad_token_id, vocab_size, context_length, decoder });
});
afterAll(() => rm(folder, { recursive: true }));

const write = (model: object) =>
  writeFile(join(folder, 'genai_config.json'), JSON.stringify({ model, search: {} }));

async function answerOf(source: string) {
  const pipeline = await loadChatPipeline({ id: 'a', category: 'chat', source, threads: 1 }, onnxSessions);
  try {
    const messages = [{ role: 'user', content: 'What is 3 plus 4?' }] as const;
    let text = '';
    for await (const event of pipeline.run(completeChatRequest({ model: 'a', messages, temperature: 0 }))) {
      if (event.type === 'text-delta') text += event.text;
    }
    return { text, contextLength: pipeline.info.contextLength };
  } finally {
    await pipeline.close();
  }
}

test("a folder of onnxruntime-genai's builder runs as it is", async () => {
  expect(await answerOf(folder)).toEqual(await answerOf(original));
  expect(recognizeModel(folder)).toBe('chat');
  const described = await describeModel(folder);
  expect(described.category).toBe('chat');
  expect(await described.readJson('config.json')).toMatchObject({ model_type: 'qwen3', vocab_size: 1244 });
});

test('of several graphs, it is refused with what to copy', async () => {
  const before = await readFile(join(folder, 'genai_config.json'), 'utf8');
  await write({ type: 'phi3v', decoder: {}, vision: { filename: 'vision.onnx' } });
  try {
    await expect(answerOf(folder)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'source',
      message: expect.stringMatching(/config\.json is missing in .*; copy config\.json from the model that/),
    });
    expect(recognizeModel(folder)).toBeUndefined();
  } finally {
    await writeFile(join(folder, 'genai_config.json'), before);
  }
});
