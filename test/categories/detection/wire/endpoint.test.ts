import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectionParameters } from '../../../../src/categories/detection/parameters.ts';
import { toWireName, type ParameterDescriptor } from '../../../../src/core/parameters/descriptor.ts';
import type { DetectionResult } from '../../../../src/categories/detection/events.ts';
import { createHandler } from '../../../../src/create-handler.ts';
import {
  fromDetectRequest,
  detectRequestSchema,
  toDetectResponse,
} from '../../../../src/categories/detection/wire/bodies.ts';
import { createFakeInference } from '../../../../src/testing/fake-inference.ts';
import { expectError, send, type Answer } from '../../../server/support.ts';
import { runs } from '../../../thorough.ts';

const result: DetectionResult = {
  detections: [
    {
      className: 'red circle',
      classId: 3,
      confidence: 0.87654321,
      box: { x1: 0, y1: 1.23456, x2: 99.999, y2: 640 },
    },
  ],
  image: { width: 480, height: 640 },
};
const sizes = { default: 416, min: 416, max: 416, step: 1 };
const models = [
  'fake-chat',
  { id: 'eyes', category: 'detection', contextLength: 0 },
  { id: 'nano', category: 'detection', contextLength: 0, imageSizes: sizes },
] as const;
const inference = createFakeInference({ models, detections: result });
const handler = createHandler(inference, { auth: 'none', onError: () => {} });
const detect = (body: unknown): Promise<Answer> => send(handler, { url: '/v1/detect', json: body });

describe('POST /detect', () => {
  it('answers with what was found', async () => {
    const { status, json } = await detect({ image: 'AAAA', model: 'nano' });
    expect(status).toBe(200);
    expect(json).toEqual({
      detections: [
        {
          class_name: 'red circle',
          class_id: 3,
          confidence: 0.8765,
          box: { x1: 0, y1: 1.23, x2: 100, y2: 640 },
        },
      ],
      image: { width: 480, height: 640 },
      model: 'nano',
    });
  });

  it('takes the first detection model where none is named', async () => {
    for (const model of [undefined, null])
      expect((await detect({ image: 'AAAA', model })).json.model).toBe('eyes');
  });

  it('hands every parameter on', async () => {
    await detect({
      image: 'AAAA',
      classes: 'cat, 3',
      confidence: 0.5,
      iou_threshold: 0.9,
      max_detections: 7,
      image_size: 320,
    });
    expect(inference.requestsOf('detection').at(-1)).toEqual({
      model: 'eyes',
      image: 'AAAA',
      classes: 'cat, 3',
      confidence: 0.5,
      iouThreshold: 0.9,
      maxDetections: 7,
      imageSize: 320,
    });
  });

  it('leaves to the model what only the model knows', async () => {
    await detect({ image: 'AAAA', iou_threshold: null });
    expect(inference.requestsOf('detection').at(-1)).toMatchObject({
      confidence: 0.25,
      maxDetections: 100,
      iouThreshold: undefined,
      imageSize: undefined,
      classes: undefined,
    });
  });

  it.each([
    [{}, 'image'],
    [{ image: '' }, 'image'],
    [{ image: ' ' }, 'image'],
    [{ image: 7 }, 'image'],
    [{ image: 'AAAA', classes: ['cat'] }, 'classes'],
    [{ image: 'AAAA', classes: 'a'.repeat(10_001) }, 'classes'],
    [{ image: 'AAAA', model: 3 }, 'model'],
  ])('refuses %j', async (body, param) => {
    expectError(await detect(body), 400, 'invalid_request', param);
  });

  it.each(Object.entries<ParameterDescriptor>(detectionParameters))(
    'has the bounds of %s',
    async (name, descriptor) => {
      const { min, max, type } = descriptor;
      const param = toWireName(name);
      for (const value of [min, max])
        expect((await detect({ image: 'AAAA', [param]: value })).status).toBe(200);
      const outside: unknown[] = [min! - 0.005, max! + 1, 'a', true, ...(type === 'int' ? [min! + 0.5] : [])];
      for (const value of outside) {
        expectError(await detect({ image: 'AAAA', [param]: value }), 400, 'invalid_request', param);
      }
    },
  );

  it('knows models', async () => {
    expectError(await detect({ image: 'AAAA', model: 'none' }), 404, 'model_not_found', 'model');
    expectError(await detect({ image: 'AAAA', model: 'fake-chat' }), 400, 'invalid_request', 'model');
    const blind = createHandler(createFakeInference(), { auth: 'none' });
    const answer = await send(blind, { url: '/v1/detect', json: { image: 'AAAA' } });
    expectError(answer, 404, 'model_not_found', 'model');
    expect(answer.json.error.message).toMatch(/no detection model/);
  });

  it('counts against quotas, unless it fails', async () => {
    let fails = true;
    const flaky = createFakeInference({
      models,
      detections: () => {
        if (fails) throw new Error('lost');
        return result;
      },
    });
    const metered = createHandler(flaky, {
      auth: { keys: [{ key: 'test-key', plan: 'one' }] },
      plans: { one: { quota: { requests: 1, perSeconds: 3600 } } },
      onError: () => {},
    });
    const ask = () => send(metered, { url: '/v1/detect', json: { image: 'AAAA' } });
    expect((await ask()).status).toBe(500);
    fails = false;
    expect((await ask()).status).toBe(200);
    expectError(await ask(), 403, 'quota_exceeded');
  });

  it('answers any value of any field with 200 or an error of the client', async () => {
    const field = fc.constantFrom(...Object.keys(detectRequestSchema.shape));
    await fc.assert(
      fc.asyncProperty(field, fc.jsonValue(), async (name, value) => {
        const { status } = await detect({ image: 'AAAA', [name]: value });
        expect([200, 400, 404]).toContain(status);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('GET /models/{id}/parameters', () => {
  it('has the parameters of the table', async () => {
    const { json } = await send(handler, { url: '/v1/models/eyes/parameters' });
    expect(json).toMatchObject({ category: 'detection', context_length: 0 });
    expect(json.parameters).toEqual(
      Object.fromEntries(
        Object.entries(detectionParameters).map(([name, descriptor]) => [toWireName(name), descriptor]),
      ),
    );
  });

  it('has the sizes that a model can have', async () => {
    const { json } = await send(handler, { url: '/v1/models/nano/parameters' });
    expect(json.parameters.image_size).toMatchObject(sizes);
  });
});

describe('the mapping', () => {
  it('reads a body', () => {
    expect(fromDetectRequest({ image: 'AAAA', max_detections: 5, user: 'me' })).toEqual({
      image: 'AAAA',
      model: undefined,
      classes: undefined,
      maxDetections: 5,
    });
  });

  it('writes numbers short, and never beyond the image', () => {
    const box = { x1: 0.004, y1: 0.006, x2: 479.999, y2: 640 };
    const [detection] = toDetectResponse(
      { ...result, detections: [{ ...result.detections[0]!, box }] },
      'm',
    ).detections;
    expect(detection!.box).toEqual({ x1: 0, y1: 0.01, x2: 480, y2: 640 });
  });
});
