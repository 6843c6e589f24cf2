import { detectors } from '../../../../src/categories/detection/models.ts';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import { loadDetectionPipeline } from '../../../../src/categories/detection/pipeline/detection-pipeline.ts';
import { completeDetectionRequest } from '../../../../src/categories/detection/request.ts';
import type * as images from '../../../../src/runtime/image.ts';
import { colourDetector } from '../../../runtime/colour-detector.ts';

const decodes = { now: 0, most: 0, all: 0 };

vi.mock('../../../../src/runtime/image.ts', async (original) => {
  const actual = await original<typeof images>();
  const openImage: typeof actual.openImage = async (bytes, options) => {
    const image = await actual.openImage(bytes, options);
    return {
      ...image,
      async toPixels(size) {
        decodes.now++;
        decodes.all++;
        decodes.most = Math.max(decodes.most, decodes.now);
        await delay(5);
        try {
          return await image.toPixels(size);
        } finally {
          decodes.now--;
        }
      },
    };
  };
  return { ...actual, openImage };
});

it.each([
  ['large', 2100, 1],
  ['small', 64, 2],
])('%s pictures: of several at once, %i pixels wide each, at most %i is decoded', async (_, side, most) => {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-large-'));
  await mkdir(join(folder, 'onnx'));
  const metadata = { names: "{0: 'red', 1: 'green', 2: 'blue'}", stride: '32', imgsz: '320' };
  await writeFile(join(folder, 'onnx/model.onnx'), colourDetector({ metadata }));
  const spec = { id: 'm', category: 'detection', source: folder, threads: 1 } as const;
  const pipeline = await loadDetectionPipeline(spec, onnxSessions, detectors[0]!);
  onTestFinished(async () => {
    await pipeline.close();
    await rm(folder, { recursive: true });
  });
  const png = await sharp({ create: { width: side, height: side, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  Object.assign(decodes, { now: 0, most: 0, all: 0 });
  const request = completeDetectionRequest({ model: 'm', image: png.toString('base64') });
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for await (const { image } of pipeline.run(request)) expect(image.width).toBe(side);
    }),
  );
  expect(decodes).toMatchObject({ all: 6, most });
});
