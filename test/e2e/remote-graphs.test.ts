import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInference, detection, embedding, image, chat, remote } from '../../dist/src/index.js';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { startInferenceServer, type InferenceServer } from '../backends/kserve/inference-server.ts';

// The bundled models with their graphs on another server, and folders that have everything but the graphs.
const models = new URL('../../examples/models/', import.meta.url).pathname;
const imageParts = ['unet', 'text_encoder', 'vae_decoder'] as const;
let folder: string;
let server: InferenceServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-remote-'));
  for (const name of ['tiny-detect', 'tiny-embed', 'tiny-image']) {
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
      ...Object.fromEntries(
        await Promise.all(
          imageParts.map(async (part) => [part, await open(`tiny-image/${part}/model.onnx`)]),
        ),
      ),
    },
    { isBinary: true },
  );
}, 60_000);

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

it('detection, embeddings and images are the same with graphs on another machine', async () => {
  const { url } = server;
  const parts = Object.fromEntries(imageParts.map((part) => [part, part]));
  const inference = createInference({
    models: {
      'near-detect': detection({ source: 'tiny-detect' }),
      'far-detect': detection({
        source: join(folder, 'tiny-detect'),
        remote: remote.kserve({ url, model: 'detect' }),
      }),
      'near-embed': embedding({ source: 'tiny-embed' }),
      'far-embed': embedding({
        source: join(folder, 'tiny-embed'),
        remote: remote.kserve({ url, model: 'embed' }),
      }),
      'near-image': image({ source: 'tiny-image' }),
      'far-image': image({
        source: join(folder, 'tiny-image'),
        remote: remote.kserve({ url, model: parts }),
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
    expect(server.contentTypes).toContain('application/octet-stream');
  } finally {
    await inference.close();
  }

  async function draw(model: string): Promise<Buffer> {
    const size = { width: 256, height: 256 };
    let pixels = Buffer.alloc(0);
    for await (const event of inference.generateImages({
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
  ['a chat model', () => chat({ source: 'tiny-chat', remote: graph('detect') }), "models for chat can't run"],
  [
    'one graph with many names',
    () => detection({ source: join(folder, 'tiny-detect'), remote: graph({ unet: 'unet' }) }),
    'remote.model: expected the name of one graph',
  ],
  [
    'many graphs with one name',
    () => image({ source: join(folder, 'tiny-image'), remote: graph('detect') }),
    'remote.model: expected a name for each graph, unet among them',
  ],
  [
    'a part without a name',
    () => image({ source: join(folder, 'tiny-image'), remote: graph({ unet: 'unet' }) }),
    'remote.model: expected a name for each graph, text_encoder among them',
  ],
  [
    'a detector on a server of chat',
    () => detection({ source: 'x', remote: remote.openai({ baseURL: server.url }) }),
    "models for detection can't run on a server of this wire format",
  ],
  ['no such graph', () => embedding({ source: 'tiny-embed', remote: graph('none') }), "unknown model 'none'"],
])('%s is refused', async (_name, model, message) => {
  const inference = createInference({ models: { it: model() }, isolation: 'inline' });
  await expect(inference.ready()).rejects.toThrow(message);
  await inference.close();
});

function graph(model: string | Record<string, string>) {
  return remote.kserve({ url: server.url, model });
}
