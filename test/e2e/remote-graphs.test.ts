import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createInference, detection, embedding, image, chat, remote, rerank } from '../../dist/src/index.js';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { startInferenceServer, type InferenceServer } from '../backends/kserve/inference-server.ts';

// The bundled models with their graphs on another server, and folders that have everything but the graphs.
const models = new URL('../../examples/models/', import.meta.url).pathname;
const imageParts = ['unet', 'text_encoder', 'vae_decoder'] as const;
let folder: string;
let server: InferenceServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-remote-'));
  for (const name of ['tiny-detect', 'tiny-embed', 'tiny-image', 'tiny-rerank']) {
    await cp(join(models, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.endsWith('.onnx') && !path.includes('/recipe'),
    });
  }
  const open = (path: string) => createOnnxSession(join(models, path), { threads: 1 });
  server = await startInferenceServer(
    {
      detect: await open('tiny-detect/onnx/model.onnx'),
      embed: await open('tiny-embed/onnx/model.onnx'),
      rerank: await open('tiny-rerank/onnx/model.onnx'),
      ...Object.fromEntries(
        await Promise.all(
          imageParts.map(async (part) => [part, await open(`tiny-image/${part}/model.onnx`)]),
        ),
      ),
    },
    { isBinary: true },
  );
}, 120_000);

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

it('detection, embeddings, rerank and images are the same with graphs on another machine', async () => {
  const { url } = server;
  const parts = Object.fromEntries(imageParts.map((part) => [part, part]));
  const inference = createInference({
    models: {
      'near-detect': detection({ source: 'tiny-detect' }),
      'far-detect': detection({
        source: join(folder, 'tiny-detect'),
        backend: remote.kserve({ url, model: 'detect' }),
      }),
      'near-embed': embedding({ source: 'tiny-embed' }),
      'far-embed': embedding({
        source: join(folder, 'tiny-embed'),
        backend: remote.kserve({ url, model: 'embed' }),
      }),
      'near-rerank': rerank({ source: 'tiny-rerank' }),
      'far-rerank': rerank({
        source: join(folder, 'tiny-rerank'),
        backend: remote.kserve({ url, model: 'rerank' }),
      }),
      'near-image': image({ source: 'tiny-image' }),
      'far-image': image({
        source: join(folder, 'tiny-image'),
        backend: remote.kserve({ url, model: parts }),
      }),
    },
  });
  try {
    await inference.ready();
    const png = await draw('near-image');
    expect(await draw('far-image')).toEqual(png);
    const picture = `data:image/png;base64,${(await sharp(png).png().toBuffer()).toString('base64')}`;
    const found = await inference.detect({ model: 'near-detect', image: picture });
    expect(found.detections.length).toBeGreaterThan(0);
    expect(await inference.detect({ model: 'far-detect', image: picture })).toEqual(found);
    const input = ['a red circle', 'a black square above a green star'];
    expect(await inference.embed({ model: 'far-embed', input })).toEqual(
      await inference.embed({ model: 'near-embed', input }),
    );
    const asked = { query: 'a red circle', documents: [...input, 'The weather in Paris is sunny.'] };
    expect(await inference.rerank({ model: 'far-rerank', ...asked })).toEqual(
      await inference.rerank({ model: 'near-rerank', ...asked }),
    );
    expect(server.contentTypes).toContain('application/octet-stream');
    await inference.rerank({ model: 'far-rerank', ...asked }, { origin: { requestId: 'job-17' } });
    expect(server.requestIds).toEqual(['job-17']);
  } finally {
    await inference.close();
  }

  async function draw(model: string): Promise<Buffer> {
    const size = { width: 256, height: 256 };
    let pixels = Buffer.alloc(0);
    for await (const event of inference.image({
      model,
      prompt: 'a red circle',
      seed: 1,
      numInferenceSteps: 2,
      ...size,
    })) {
      if (event.type === 'image') pixels = await sharp(event.png).raw().toBuffer();
    }
    return sharp(pixels, { raw: { ...size, channels: 3 } })
      .png()
      .toBuffer();
  }
}, 120_000);

it.each([
  [
    'a chat model',
    () => chat({ source: 'tiny-chat', backend: graph('detect') }),
    "a model for chat can't run on remote.kserve({…})",
  ],
  [
    'one graph with many names',
    () => detection({ source: join(folder, 'tiny-detect'), backend: graph({ unet: 'unet' }) }),
    'backend.model: expected the name of one graph',
  ],
  [
    'many graphs with one name',
    () => image({ source: join(folder, 'tiny-image'), backend: graph('detect') }),
    'backend.model: expected one name per graph, unet among them',
  ],
  [
    'a part without a name',
    () => image({ source: join(folder, 'tiny-image'), backend: graph({ unet: 'unet' }) }),
    'backend.model: expected one name per graph, text_encoder among them',
  ],
  [
    'a detector on a server of chat',
    () => detection({ source: 'x', backend: remote.openai({ baseURL: server.url }) }),
    "a model for detection can't run on remote.openai({…})",
  ],
  [
    'no such graph',
    () => embedding({ source: 'tiny-embed', backend: graph('none') }),
    "unknown model 'none'",
  ],
])('%s is refused', async (_name, model, message) => {
  const load = async () => {
    const inference = createInference({ models: { it: model() }, isolation: 'inline' });
    onTestFinished(() => inference.close());
    await inference.ready();
  };
  await expect(load()).rejects.toThrow(message);
});

function graph(model: string | Record<string, string>) {
  return remote.kserve({ url: server.url, model, startTimeoutMs: 2000 });
}
