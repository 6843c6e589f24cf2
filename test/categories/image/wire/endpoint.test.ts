import { describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../../../src/create-handler.ts';
import { imageEventSchema, imageResponseSchema } from '../../../../src/categories/image/wire/schema.ts';
import { toImageStreamEvent } from '../../../../src/categories/image/wire/to-response.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../../../src/testing/fake-inference.ts';
import { eventsOf, expectError, key, send, toRequest } from '../../../server/support.ts';

const models = [
  'fake-chat',
  { id: 'first', category: 'image' as const },
  { id: 'second', category: 'image' as const },
];

function serve(options: FakeInferenceOptions = {}) {
  const inference = createFakeInference({ models, ...options });
  const handler = createHandler(inference, { auth: { keys: [key] }, onError: () => undefined });
  const draw = (json: unknown) => send(handler, { url: '/v1/images/generations', json });
  return { inference, handler, draw };
}

const prompt = 'a red circle above a blue square';

describe('POST /images/generations', () => {
  it('answers with every image and its seed', async () => {
    const { draw, inference } = serve();
    const { status, json } = await draw({ prompt, seed: 7, n: 2, negative_prompt: 'green' });
    expect(status).toBe(200);
    expect(json).toEqual({
      created: expect.any(Number),
      data: [7, 8].map((seed) => ({ b64_json: expect.stringMatching(/^iVBORw0KGgo/), seed })),
    });
    expect(imageResponseSchema.safeParse(json).success).toBe(true);
    expect(inference.requestsOf('image')).toEqual([
      {
        model: 'first',
        prompt,
        negativePrompt: 'green',
        numInferenceSteps: 4,
        guidanceScale: 7.5,
        width: 1024,
        height: 1024,
        seed: 7,
        n: 2,
        previews: false,
      },
    ]);
  });

  it.each([
    [{}, 'first'],
    [{ model: '' }, 'first'],
    [{ model: null }, 'first'],
    [{ model: 'second' }, 'second'],
  ])('%j is for the model %s', async (given, model) => {
    const { draw, inference } = serve();
    expect((await draw({ prompt, ...given })).status).toBe(200);
    expect(inference.requestsOf('image')[0]!.model).toBe(model);
  });

  it.each([
    [{ size: '512x768' }, 512, 768],
    [{ size: '512x768', height: 768 }, 512, 768],
    [{ size: '512x768', width: 512, height: 768 }, 512, 768],
    [{ size: 'auto' }, 1024, 1024],
    [{ width: 256 }, 256, 1024],
    [{ width: 2048, height: 2048 }, 2048, 2048],
  ])('%j is an image of %i × %i', async (given, width, height) => {
    const { draw, inference } = serve();
    expect((await draw({ prompt, ...given })).status).toBe(200);
    expect(inference.requestsOf('image')[0]).toMatchObject({ width, height });
  });

  it.each([
    ['prompt', {}],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: '  ' }],
    ['prompt', { prompt: 5 }],
    ['prompt', { prompt: ['a'] }],
    ['prompt', { prompt: 'a'.repeat(20_000) }],
    ['negative_prompt', { prompt, negative_prompt: 'a'.repeat(20_000) }],
    ['negative_prompt', { prompt, negative_prompt: 5 }],
    ['num_inference_steps', { prompt, num_inference_steps: 0 }],
    ['num_inference_steps', { prompt, num_inference_steps: 151 }],
    ['num_inference_steps', { prompt, num_inference_steps: 4.5 }],
    ['guidance_scale', { prompt, guidance_scale: 0.5 }],
    ['guidance_scale', { prompt, guidance_scale: 31 }],
    ['guidance_scale', { prompt, guidance_scale: '7.5' }],
    ['width', { prompt, width: 300 }],
    ['width', { prompt, width: 192 }],
    ['width', { prompt, width: 2112 }],
    ['width', { prompt, width: '512' }],
    ['height', { prompt, height: 1000 }],
    ['height', { prompt, height: 0 }],
    ['height', { prompt, height: 4096 }],
    ['seed', { prompt, seed: -1 }],
    ['seed', { prompt, seed: 2 ** 31 + 1 }],
    ['n', { prompt, n: 0 }],
    ['n', { prompt, n: 5 }],
    ['size', { prompt, size: '1024' }],
    ['size', { prompt, size: '1024 x 1024' }],
    ['size', { prompt, size: '300x1024' }],
    ['size', { prompt, size: '1024x4096' }],
    ['size', { prompt, size: '1024x99999999999' }],
    ['size', { prompt, size: 1024 }],
    ['size', { prompt, size: '512x512', width: 1024 }],
    ['size', { prompt, size: '512x512', width: 512, height: 1024 }],
    ['response_format', { prompt, response_format: 'png' }],
    ['stream', { prompt, stream: 'yes' }],
    ['partial_images', { prompt, stream: true, partial_images: 4 }],
    ['partial_images', { prompt, partial_images: 2 }],
    ['stream_options', { prompt, stream_options: { include_progress: true } }],
    [
      'stream_options.include_progress',
      { prompt, stream: true, stream_options: { include_progress: 'yes' } },
    ],
    ['model', { prompt, model: 'fake-chat' }],
    [null, 'a red circle'],
  ])('refuses a bad %s: %.80j', async (param, body) => {
    const { draw, inference } = serve();
    expectError(await draw(body), 400, 'invalid_request', param);
    expect(inference.requestsOf('image')).toEqual([]);
  });

  it.each([
    ['response_format', 'url'],
    ['quality', 'hd'],
    ['style', 'natural'],
    ['background', 'transparent'],
    ['output_format', 'webp'],
    ['output_compression', 50],
    ['image', 'iVBORw0KGgo='],
  ])('says that %s %j is not offered', async (param, value) => {
    const { draw } = serve();
    expectError(await draw({ prompt, [param]: value }), 400, 'unsupported_feature', param);
  });

  it('takes what asks for nothing but what happens anyway', async () => {
    const { draw } = serve();
    const harmless = {
      response_format: 'b64_json',
      quality: 'standard',
      style: 'vivid',
      background: 'opaque',
      output_format: 'png',
      moderation: 'auto',
      user: 'me',
    };
    expect((await draw({ prompt, ...harmless })).status).toBe(200);
  });

  it('refuses an unknown model', async () => {
    expectError(await serve().draw({ prompt, model: 'third' }), 404, 'model_not_found', 'model');
  });
});

describe('a stream of images', () => {
  const streaming = { prompt, seed: 3, num_inference_steps: 3, size: '512x768', stream: true };

  it('has an event for every step and every image', async () => {
    const { draw } = serve();
    const { headers, text } = await draw({ ...streaming, n: 2 });
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const events = eventsOf(text);
    expect(events.pop()).toBe('[DONE]');
    for (const event of events) expect(imageEventSchema.safeParse(event).error).toBeUndefined();
    const step = 'image_generation.partial_image';
    const image = 'image_generation.completed';
    expect(events.map(({ type }) => type)).toEqual([step, step, step, image, step, step, step, image]);
    expect(events.map(({ image_index }) => image_index)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(events[1]).toMatchObject({ step: 2, steps: 3, partial_image_index: 1, size: '512x768' });
    expect(events.at(-1)).toMatchObject({ seed: 4, b64_json: expect.stringMatching(/^iVBORw0KGgo/) });
  });

  it('can do without pictures', async () => {
    const { draw, inference } = serve();
    const events = eventsOf((await draw({ ...streaming, partial_images: 0 })).text);
    expect(events.map(({ type }) => type)).toEqual(['image_generation.completed', undefined]);
    expect(inference.requestsOf('image')[0]!.previews).toBe(false);
  });

  it.each([
    [0, Array(3).fill('image_generation.progress')],
    [1, ['image_generation.progress', 'image_generation.progress', 'image_generation.partial_image']],
  ])('tells of steps without a picture when asked, with %i pictures', async (partial_images, types) => {
    const { draw } = serve();
    const stream_options = { include_progress: true };
    const events = eventsOf((await draw({ ...streaming, partial_images, stream_options })).text);
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(types);
    expect(events[3].type).toBe('image_generation.completed');
  });

  it.each([
    [1, [4]],
    [2, [2, 4]],
    [3, [2, 3, 4]],
  ])('shows as many partial images as asked for: %i', (partialImages, expected) => {
    const head = { created: 0, size: '64x64', partialImages, includeProgress: false };
    const preview = new Uint8Array(1);
    const shown = [1, 2, 3, 4].map((step) =>
      toImageStreamEvent({ type: 'image-step', image: 0, step, steps: 4, preview }, head),
    );
    const pictures = shown.flatMap((event) =>
      event?.type === 'image_generation.partial_image' ? [event] : [],
    );
    expect(pictures.map(({ step }) => step)).toEqual(expected);
    expect(pictures.map((event) => event.partial_image_index)).toEqual(expected.map((_, index) => index));
  });

  it('fails with a status before its first step, with an event after it', async () => {
    const error = new Error('secret');
    const early = await serve({ drawing: { error } }).draw(streaming);
    expectError(early, 500, 'internal_error');
    const { text } = await serve({ drawing: { error, failAfter: 1 } }).draw(streaming);
    expect(eventsOf(text).at(-1).error).toMatchObject({ code: 'internal_error' });
    expect(text).not.toContain('secret');
  });

  it('ends with its client', async () => {
    const { handler, inference } = serve({ drawing: { delayMs: 5 } });
    const json = { ...streaming, num_inference_steps: 150 };
    const request = toRequest({ url: '/v1/images/generations', json });
    const { body } = await handler(request);
    const chunks = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await chunks.next();
    await chunks.return!();
    await vi.waitFor(() => expect(inference.running).toBe(0));
    expect(inference.cancelled).toBe(1);
  });
});
