import { detectors } from '../../../../src/categories/detection/models.ts';
import { onnxSessions } from '../../../../src/backends/onnx/sessions.ts';
import type { DetectionSettings } from '../../../../src/categories/detection/settings.ts';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  completeDetectionRequest,
  type DetectionRequestInput,
  type DetectionRequest,
} from '../../../../src/categories/detection/request.ts';
import type { DetectionEvent, DetectionModelInfo } from '../../../../src/categories/detection/events.ts';
import type { ModelSpec } from '../../../../src/contracts/model.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import { loadDetectionPipeline } from '../../../../src/categories/detection/pipeline/detection-pipeline.ts';
import { colourDetector, type ColourDetectorOptions } from '../../../runtime/colour-detector.ts';

let folder: string;
const names = "{0: 'red', 1: 'green', 2: 'blue'}";
const opened: Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-detection-'));
});
afterAll(async () => {
  await Promise.all(opened.map((pipeline) => pipeline.close()));
  await rm(folder, { recursive: true });
});

let models = 0;
async function write(options: ColourDetectorOptions, files: Record<string, string> = {}): Promise<string> {
  const path = join(folder, String((models += 1)));
  await mkdir(join(path, 'onnx'), { recursive: true });
  await writeFile(join(path, 'onnx', 'model.onnx'), colourDetector(options));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

async function load(
  source: string,
  more: Partial<ModelSpec<DetectionSettings>> = {},
): Promise<Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>> {
  const spec = { id: 'colours', category: 'detection', source, threads: 1, ...more } as const;
  const pipeline = await loadDetectionPipeline(spec, onnxSessions, detectors[0]!);
  opened.push(pipeline);
  return pipeline;
}

type Request = Partial<DetectionRequestInput>;

async function detect(
  pipeline: Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>,
  request: Request,
): Promise<DetectionEvent> {
  const events: DetectionEvent[] = [];
  const complete = completeDetectionRequest({ model: 'colours', image: '', ...request });
  for await (const event of pipeline.run(complete)) events.push(event);
  expect(events).toHaveLength(1);
  return events[0]!;
}

/** Black, with rectangles of one colour. */
async function picture(
  width: number,
  height: number,
  rectangles: readonly [x: number, y: number, width: number, height: number, colour: string][],
): Promise<string> {
  const overlays = await Promise.all(
    rectangles.map(async ([left, top, w, h, background]) => ({
      left,
      top,
      input: await sharp({ create: { width: w, height: h, channels: 3, background } })
        .png()
        .toBuffer(),
    })),
  );
  const bytes = await sharp({ create: { width, height, channels: 3, background: 'black' } })
    .composite(overlays)
    .png()
    .toBuffer();
  return bytes.toString('base64');
}

const found = ({ detections }: DetectionEvent) =>
  detections.map(({ className, box: { x1, y1, x2, y2 } }) => [className, x1, y1, x2, y2]);

describe('a detection pipeline', () => {
  let pipeline: Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>;
  let image: string;
  beforeAll(async () => {
    pipeline = await load(await write({ metadata: { names, stride: '32', imgsz: '[320, 320]' } }));
    // One cell of 32 × 32 in the input of 320 × 320 is 64 × 64 here.
    image = await picture(640, 640, [
      [64, 128, 64, 64, '#ff0000'],
      [320, 320, 64, 64, '#0000e0'],
      [576, 0, 64, 64, '#00c000'],
    ]);
  });

  it('tells what it knows', () => {
    expect(pipeline.info).toMatchObject({
      category: 'detection',
      contextLength: 0,
      imageSizes: { default: 320, min: 320, max: 1280, step: 32 },
    });
    expect(pipeline.info.created).toBeGreaterThan(0);
  });

  it('finds boxes in pixels of the image, cut off at its edges, best first', async () => {
    const event = await detect(pipeline, { image });
    expect(event.image).toEqual({ width: 640, height: 640 });
    expect(found(event)).toEqual([
      ['red', 32, 96, 160, 224],
      ['blue', 288, 288, 416, 416],
      ['green', 544, 0, 640, 96],
    ]);
    for (const [index, score] of [1, 0xe0 / 255, 0xc0 / 255].entries()) {
      expect(event.detections[index]!.confidence).toBeCloseTo(score, 1);
    }
  });

  it.each<[string, Request, string[]]>([
    ['confidence', { confidence: 0.8 }, ['red', 'blue']],
    ['a high confidence', { confidence: 0.95 }, ['red']],
    ['maxDetections', { maxDetections: 1 }, ['red']],
    ['classes by name', { classes: 'Blue, green' }, ['blue', 'green']],
    ['classes by id', { classes: '2' }, ['blue']],
    ['classes before maxDetections', { classes: 'green', maxDetections: 1 }, ['green']],
  ])('%s acts', async (_title, request, expected) => {
    expect(found(await detect(pipeline, { image, ...request })).map(([name]) => name)).toEqual(expected);
  });

  it('iouThreshold acts', async () => {
    // Two cells side by side: their boxes overlap by a third.
    const pair = await picture(640, 640, [[128, 128, 128, 64, '#ff0000']]);
    expect((await detect(pipeline, { image: pair, iouThreshold: 0.4 })).detections).toHaveLength(2);
    expect((await detect(pipeline, { image: pair, iouThreshold: 0.3 })).detections).toHaveLength(1);
  });

  it('imageSize acts', async () => {
    const event = await detect(pipeline, { image, imageSize: 640, classes: 'red' });
    expect(event.detections).toHaveLength(4);
    expect(found(event)[0]).toEqual(['red', 48, 112, 112, 176]);
  });

  it('takes every imageSize of the range, up to the next stride', async () => {
    const between = await detect(pipeline, { image, imageSize: 609, classes: 'red' });
    expect(between).toEqual(await detect(pipeline, { image, imageSize: 640, classes: 'red' }));
  });

  it.each<[Request, string, RegExp]>([
    [{ classes: 'yellow' }, 'classes', /no "yellow"; there are red, green, blue \(ids 0 to 2\)/],
    [{ image: 'AAAA' }, 'image', /jpeg, png, webp, gif, avif, tiff/],
    [{ image: 'http://127.0.0.1/a.png' }, 'image', /address is not public/],
  ])('refuses %j', async (request, param, message) => {
    const refused = detect(pipeline, { image, ...request });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', param });
    await expect(refused).rejects.toThrow(message);
  });

  it('keeps the proportions, with as little padding as strides allow', async () => {
    const wide = await picture(640, 160, [[576, 96, 64, 64, '#ff0000']]);
    const event = await detect(pipeline, { image: wide, confidence: 0.6 });
    expect(event.image).toEqual({ width: 640, height: 160 });
    // 320 × 80 in an input of 320 × 96: the cell lies 8 above the rectangle.
    expect(found(event)).toEqual([['red', 544, 80, 640, 160]]);
  });

  it('finds nothing in one pixel of black, and everything in one of red', async () => {
    expect((await detect(pipeline, { image: await picture(1, 1, []) })).detections).toEqual([]);
    const event = await detect(pipeline, { image: await picture(1, 1, [[0, 0, 1, 1, '#ff0000']]) });
    expect(event.detections.length).toBeGreaterThan(0);
    for (const { box } of event.detections) {
      expect(Math.min(...Object.values(box))).toBeGreaterThanOrEqual(0);
      expect(Math.max(...Object.values(box))).toBeLessThanOrEqual(1);
    }
  });

  it('answers many at once, each with its own', async () => {
    const cells = Array.from({ length: 12 }, (_, index) => 64 * (index % 9));
    const events = await Promise.all(
      cells.map(async (x) =>
        detect(pipeline, { image: await picture(640, 640, [[x, 64, 64, 64, '#ff0000']]) }),
      ),
    );
    expect(events.map((event) => found(event)[0]![1])).toEqual(cells.map((x) => Math.max(0, x - 32)));
  });

  it('ends where it is cancelled', async () => {
    const request = completeDetectionRequest({ model: 'colours', image });
    const run = pipeline.run(request, { signal: AbortSignal.abort() })[Symbol.asyncIterator]();
    await expect(run.next()).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a model of one size', () => {
  it('takes that size alone', async () => {
    const pipeline = await load(await write({ fixedSize: 416, metadata: { names } }));
    expect(pipeline.info.imageSizes).toMatchObject({ default: 416, min: 416, max: 416 });
    const image = await picture(416, 208, [[0, 88, 32, 32, '#ff0000']]);
    // Padded above by 104, so that the rectangle is a cell again.
    const expected = [['red', 0, 72, 48, 136]];
    expect(found(await detect(pipeline, { image, confidence: 0.6 }))).toEqual(expected);
    expect(found(await detect(pipeline, { image, confidence: 0.6, imageSize: 416 }))).toEqual(expected);
    await expect(detect(pipeline, { image, imageSize: 640 })).rejects.toThrow(
      'image_size: the model takes only 416, got 640.',
    );
  });
});

describe('class names', () => {
  const classOf = async (pipeline: Pipeline<DetectionRequest, DetectionEvent, DetectionModelInfo>) => {
    const image = await picture(320, 320, [[0, 0, 32, 32, '#00ff00']]);
    return (await detect(pipeline, { image, confidence: 0.6, imageSize: 320 })).detections[0]?.className;
  };

  it('are those of the config', async () => {
    const config = JSON.stringify({ id2label: { 0: 'a', 1: 'b', 2: 'c' }, image_size: 320 });
    expect(await classOf(await load(await write({ metadata: { names } }, { 'config.json': config })))).toBe(
      'b',
    );
  });

  it('are those of a .names file', async () => {
    expect(await classOf(await load(await write({}, { 'colours.names': 'rot\r\ngrün\nblau\n' })))).toBe(
      'grün',
    );
  });

  it('are those that are given', async () => {
    const source = await write({ metadata: { names } }, { 'other.txt': 'x\ny\nz' });
    expect(await classOf(await load(source, { classNames: ['r', 'g', 'b'] }))).toBe('g');
    expect(await classOf(await load(source, { classNames: join(source, 'other.txt') }))).toBe('y');
  });

  it('are made up where there are none, with advice', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    expect(await classOf(await load(await write({ metadata: { names } })))).toBe('green');
    expect(warn).not.toHaveBeenCalled();
    expect(await classOf(await load(await write({})))).toBe('class_1');
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/class_0 to class_2; .* classNames /)]]);
  });

  it('a graph alone is enough', async () => {
    const source = join(await write({ metadata: { names } }), 'onnx', 'model.onnx');
    expect(await classOf(await load(source))).toBe('green');
  });
});

describe('a head of the user', () => {
  const module = async (source: string): Promise<string> => {
    const path = join(folder, `head-${(models += 1)}.mjs`);
    await writeFile(path, source);
    return path;
  };

  it('decodes the outputs of the graph', async () => {
    const head = await module(`export default {
      classCount: () => 3,
      decode: ({ output0 }, { input }) => [
        { box: [0, 0, input.width / 2, output0.dims[1]], score: 0.9, classId: 2 },
      ],
    };`);
    const pipeline = await load(await write({ metadata: { imgsz: '[320, 320]' } }), { head });
    const event = await detect(pipeline, { image: await picture(320, 320, []) });
    expect(found(event)).toEqual([['class_2', 0, 0, 160, 7]]);
  });

  it.each([
    ['no module', async (): Promise<string> => './nowhere.mjs', /can't be imported/],
    ['no head', (): Promise<string> => module('export default {};'), /an object with a function decode/],
    [
      'like no other',
      () => module("export default { like: 'x', decode() {} };"),
      /`like` of .* one of .*yolov5/,
    ],
  ] as const)('%s', async (_title, head, message) => {
    await expect(load(await write({}), { head: await head() })).rejects.toThrow(message);
  });
});

describe('a model that does not fit', () => {
  it.each<
    [
      string,
      ColourDetectorOptions,
      Record<string, string>,
      Partial<ModelSpec<DetectionSettings>>,
      string,
      RegExp,
    ]
  >([
    ['another head', {}, {}, { head: 'end-to-end' }, 'head', /output0 \[1, 7, 400\]/],
    ['too many names', {}, {}, { classNames: ['a', 'b', 'c', 'd'] }, 'head', /with 4 classes/],
    ['names that are missing', {}, {}, { classNames: '/nowhere.names' }, 'classNames', /nowhere/],
    ['another task', { metadata: { task: 'obb' } }, {}, {}, 'source', /for obb/],
  ])('%s', async (_title, options, files, spec, param, message) => {
    const loading = load(await write(options, files), spec);
    await expect(loading).rejects.toMatchObject({ code: 'invalid_request', param });
    await expect(loading).rejects.toThrow(message);
  });

  it('no graph, or more than one', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    await expect(load(empty)).rejects.toThrow(/found 0\.$/);
    await writeFile(join(empty, 'a.onnx'), colourDetector());
    await writeFile(join(empty, 'b.onnx'), colourDetector());
    await expect(load(empty)).rejects.toThrow(/found 2\.$/);
    await expect(load(join(folder, 'nowhere'))).rejects.toMatchObject({ param: 'source' });
    await writeFile(join(empty, 'text.onnx'), 'this is no model');
    await expect(load(join(empty, 'text.onnx'))).rejects.toThrow(/expected an ONNX model/);
  });
});
