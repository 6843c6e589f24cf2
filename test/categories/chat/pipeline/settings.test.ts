import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { completeChatRequest } from '../../../../src/categories/chat/request.ts';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../../../src/categories/chat/pipeline/chat-pipeline.ts';

test('refuses a contextLength that the model does not have', async () => {
  const spec = {
    id: 'a',
    category: 'chat',
    source: 'examples/models/tiny-chat',
    contextLength: 2049,
  } as const;
  await expect(loadChatPipeline(spec, onnxSessions)).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'contextLength',
  });
});

test.each([
  ['speculation', 'llama', {}, 'can take no tokens back'],
  ['int8Activations', 'llama-gqa', { optimize: true }, 'no MatMulNBits'],
  ['int8Activations', 'llama-gqa', { optimize: false }, 'not rewritten'],
])('refuses %s where it can not act', async (param, name, settings, reason) => {
  const source = `test/contract/models/${name}`;
  const spec = { id: 'a', category: 'chat', source, threads: 1, ...settings, [param]: true } as const;
  const message = expect.stringContaining(reason);
  await expect(loadChatPipeline(spec, onnxSessions)).rejects.toMatchObject({
    code: 'invalid_request',
    param,
    message,
  });
});

test('refuses a backend without decoders', async () => {
  const spec = { id: 'a', category: 'chat', source: 'examples/models/tiny-chat' } as const;
  const { hasGraphs, openSession } = onnxSessions;
  await expect(loadChatPipeline(spec, { hasGraphs, openSession })).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'backend',
  });
});

test('takes a shorter context', async () => {
  const pipeline = await loadChatPipeline(
    {
      id: 'a',
      category: 'chat',
      source: 'examples/models/tiny-chat',
      threads: 1,
      contextLength: 100,
    },
    onnxSessions,
  );
  expect(pipeline.info.contextLength).toBe(100);
  await pipeline.close();
});

test('chatTemplate gives a base model the conversation', async () => {
  const source = await mkdtemp(join(tmpdir(), 'slashv1-base-'));
  onTestFinished(() => rm(source, { recursive: true }));
  await cp('examples/models/tiny-chat', source, {
    recursive: true,
    filter: (path) => !path.includes('recipe'),
  });
  const file = join(source, 'tokenizer_config.json');
  const { chat_template: chatTemplate, ...rest } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify(rest));
  const spec = { id: 'a', category: 'chat', source, threads: 1 } as const;
  await expect(loadChatPipeline(spec, onnxSessions)).rejects.toMatchObject({
    param: 'source',
    message: expect.stringContaining('setting chatTemplate'),
  });
  const request = completeChatRequest({
    model: 'a',
    messages: [{ role: 'user', content: 'What is 3 plus 4?' }],
    temperature: 0,
  });
  const answerWith = async (template: string) => {
    const pipeline = await loadChatPipeline({ ...spec, chatTemplate: template }, onnxSessions);
    try {
      let text = '';
      for await (const event of pipeline.run(request)) if (event.type === 'text-delta') text += event.text;
      return text;
    } finally {
      await pipeline.close();
    }
  };
  expect(await answerWith(chatTemplate)).toMatch(/7|seven/i);
  expect(await answerWith('{{ messages[0].role }}')).not.toMatch(/7|seven/i);
});
