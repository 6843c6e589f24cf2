import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createInference, detection, image } from '../../dist/src/index.js';
import { openaiImages } from './openai-images.ts';
import { serve, type RunningService } from './serve.ts';

// The whole way: HTTP, handler, engine, a worker process and graphs with random weights.
const key = 'sk-of-a-test';
let service: RunningService;

beforeAll(async () => {
  const source = fileURLToPath(new URL('../categories/image/pipeline/miniatures/sdxl', import.meta.url));
  service = await serve({ painter: image({ source, threads: 1 }) }, { auth: { keys: [key] } });
}, 120_000);
afterAll(() => service.close());

const idle = () =>
  vi.waitFor(() => expect(service.inference.status()).toMatchObject([{ running: 0, waiting: 0 }]));

interface Answer {
  readonly data: { readonly b64_json: string; readonly seed: number }[];
}

async function draw(body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const asked = { prompt: 'a red circle', size: '256x256', ...body };
  return fetch(`${service.origin}/v1/images/generations`, {
    method: 'POST',
    headers,
    body: JSON.stringify(asked),
  });
}

async function imagesOf(body: object): Promise<Answer['data']> {
  const response = await draw(body);
  expect(response.status).toBe(200);
  return ((await response.json()) as Answer).data;
}

describe('POST /v1/images/generations', () => {
  it('answers with PNGs of the size that was asked for', async () => {
    const [drawn] = await imagesOf({ size: undefined, width: 320, height: 256 });
    const { format, width, height, comments } = await sharp(
      Buffer.from(drawn!.b64_json, 'base64'),
    ).metadata();
    expect({ format, width, height }).toEqual({ format: 'png', width: 320, height: 256 });
    expect(comments).toEqual([
      {
        keyword: 'parameters',
        text: expect.stringContaining(`Seed: ${drawn!.seed}, Size: 320x256, Model: painter`),
      },
    ]);
  });

  it('gives the same bytes for the same seed, also under load', async () => {
    const several = await imagesOf({ seed: 40, n: 3 });
    expect(several.map(({ seed }) => seed)).toEqual([40, 41, 42]);
    const alone = await Promise.all([42, 41, 40].map((seed) => imagesOf({ seed })));
    expect(alone.flat()).toEqual(several.toReversed());
  });

  it('says which parameter the model cannot follow', async () => {
    const response = await draw({ prompt: '🔴'.repeat(1000) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'context_length_exceeded', param: 'prompt' },
    });
  });

  it('stops within one step of its client leaving, and can be asked again', async () => {
    const events = service.inference.image({
      model: 'painter',
      prompt: 'a',
      numInferenceSteps: 150,
      width: 256,
      height: 256,
    });
    for await (const event of events) if (event.type === 'image-step' && event.step === 2) break;
    await idle();
    expect(await imagesOf({})).toHaveLength(1);
  });
});

describe('tiny-image', () => {
  it.each([
    [512, 512],
    [1024, 768],
  ])(
    'draws at %i × %i what tiny-detect finds',
    async (width, height) => {
      const inference = createInference({
        models: {
          painter: image({ source: 'tiny-image' }),
          detector: detection({ source: 'tiny-detect' }),
        },
      });
      onTestFinished(() => inference.close());
      const prompt = 'a red circle above a blue square';
      const request = { model: 'painter', prompt, width, height, seed: 1 };
      for await (const event of inference.image(request)) {
        if (event.type !== 'image') continue;
        const drawn = Buffer.from(event.png).toString('base64');
        const { detections } = await inference.detect({ model: 'detector', image: drawn, confidence: 0.5 });
        const byHeight = detections.toSorted((a, b) => a.box.y1 - b.box.y1);
        expect(byHeight.map(({ className }) => className)).toEqual(['red circle', 'blue square']);
      }
    },
    120_000,
  );
});

openaiImages(() => ({ baseUrl: `${service.origin}/v1`, apiKey: key, model: 'painter', idle }));
