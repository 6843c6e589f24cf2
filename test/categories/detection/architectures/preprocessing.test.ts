import { describe, expect, it } from 'vitest';
import { createCandidates } from '../../../../src/core/vision/candidates.ts';
import { toHeadOutput } from '../../../../src/categories/detection/architectures/graph/graph-detector.ts';
import {
  readInputSizes,
  layOut,
} from '../../../../src/categories/detection/architectures/graph/input-sizes.ts';
import { chooseSize } from '../../../../src/categories/detection/pipeline/detection-pipeline.ts';
import type { HeadName } from '../../../../src/core/vision/heads/registry.ts';
import { headNamed } from '../../../../src/core/vision/heads/registry.ts';
import { defaultPreprocessing, type Preprocessing } from '../../../../src/core/vision/heads/head.ts';

const input = { name: 'images', type: 'float32', dims: ['n', 3, 'height', 'width'] } as const;
const nothing = {
  graph: '',
  classNames: undefined,
  config: {},
  preprocessor: {},
  metadata: new Map(),
  created: 0,
};
const plain = { scale: 1 / 255, mean: [0, 0, 0], deviation: [1, 1, 1] };

function preprocessingOf(name: HeadName, preprocessor: Readonly<Record<string, unknown>>): Preprocessing {
  return headNamed(name)!.preprocessing?.(preprocessor) ?? defaultPreprocessing;
}

describe('preprocessing of a head', () => {
  it.each(['yolov5', 'yolov8', 'end-to-end'] as const)('%s', (head) => {
    expect(preprocessingOf(head, { do_normalize: true, image_mean: [1, 1, 1] })).toEqual({
      fit: 'letterbox-center',
      format: { ...plain, channelOrder: 'rgb', padding: 114 },
    });
  });

  it('yolox', () => {
    expect(preprocessingOf('yolox', {})).toEqual({
      fit: 'letterbox-start',
      format: { ...plain, channelOrder: 'bgr', scale: 1, padding: 114 },
    });
  });

  const mean = [0.485, 0.456, 0.406];
  const deviation = [0.229, 0.224, 0.225];
  it.each([
    ['no config', {}, {}],
    ['RT-DETR', { do_normalize: false, image_mean: mean, image_std: deviation }, {}],
    ['RF-DETR', { do_normalize: true, image_mean: mean, image_std: deviation }, { mean, deviation }],
    ['another scale', { rescale_factor: 0.5 }, { scale: 0.5 }],
    ['no scale', { do_rescale: false }, { scale: 1 }],
    ['a mean of another shape', { do_normalize: true, image_mean: [1] }, {}],
  ])('detr with %s', (_title, preprocessor, expected) => {
    expect(preprocessingOf('detr', preprocessor)).toEqual({
      fit: 'stretch',
      format: { ...plain, channelOrder: 'rgb', padding: 0, ...expected },
    });
  });
});

describe('layOut', () => {
  const image = { width: 1280, height: 720 };
  const open = { fixed: undefined, longerSide: 640, step: 32 };
  const fixed = { ...open, fixed: { width: 640, height: 640 } };

  const edges = { shortest: 800, longest: 1333, multiple: 1 };
  it.each([
    ['letterbox-center', open, [640, 384], [0, 12, 640, 360]],
    ['letterbox-start', open, [640, 384], [0, 0, 640, 360]],
    ['stretch', open, [640, 640], [0, 0, 640, 640]],
    ['letterbox-center', fixed, [640, 640], [0, 140, 640, 360]],
    ['letterbox-start', fixed, [640, 640], [0, 0, 640, 360]],
    ['stretch', { ...fixed, fixed: { width: 320, height: 160 } }, [320, 160], [0, 0, 320, 160]],
    ['stretch', { ...open, edges, longerSide: 1333 }, [1333, 750], [0, 0, 1333, 750]],
    ['stretch', { ...open, edges, longerSide: 400 }, [400, 225], [0, 0, 400, 225]],
    ['stretch', { ...fixed, edges }, [640, 640], [0, 0, 640, 640]],
  ] as const)('%s %j', (fit, sizes, size, [left, top, width, height]) => {
    expect(layOut(image, fit, sizes)).toEqual({
      input: { width: size[0], height: size[1] },
      placement: { left, top, width, height },
    });
  });
});

describe('readInputSizes', () => {
  it.each([
    ['nothing known', {}, { default: 640, step: 32, min: 320, max: 1280 }],
    [
      'the config',
      { config: { image_size: 512, stride: 64 } },
      { default: 512, step: 64, min: 320, max: 1280 },
    ],
    [
      'metadata',
      {
        metadata: new Map([
          ['imgsz', '[480, 960]'],
          ['stride', '32'],
        ]),
      },
      { default: 960, step: 32 },
    ],
    [
      'the preprocessor',
      { preprocessor: { size: { height: 560, width: 560 } }, config: { stride: 56 } },
      { default: 560, min: 336, max: 1232 },
    ],
    ['a size between strides', { config: { image_size: 650 } }, { default: 640 }],
    [
      'nonsense',
      { config: { image_size: 'large', stride: null }, metadata: new Map([['imgsz', '']]) },
      { default: 640, step: 32 },
    ],
  ])('%s', (_title, files, expected) => {
    expect(readInputSizes(input, { ...nothing, ...files })).toMatchObject({ fixed: undefined, ...expected });
  });

  it('takes over the edges of a preprocessor', () => {
    const edges = { shortest: 800, longest: 1333, multiple: 1 };
    const sizes = readInputSizes(input, { ...nothing, config: { image_size: 512 } }, { edges });
    expect(sizes).toEqual({ fixed: undefined, edges, default: 1333, min: 320, max: 1280, step: 1 });
  });

  it('takes a size that is not square as the only one', () => {
    const exact = { width: 640, height: 480 };
    expect(readInputSizes(input, nothing, { exact })).toMatchObject({ fixed: exact, min: 640, max: 640 });
    expect(readInputSizes(input, nothing, { exact: { width: 64, height: 64 } }).fixed).toBeUndefined();
  });

  it('takes a size that is built in before all others', () => {
    const built = { ...input, dims: [1, 3, 320, 416] };
    expect(readInputSizes(built, { ...nothing, config: { image_size: 640 } })).toMatchObject({
      fixed: { width: 416, height: 320 },
      default: 416,
      min: 416,
      max: 416,
    });
  });
});

describe('chooseSize', () => {
  const sizes = { default: 640, min: 320, max: 1280, step: 32, fixed: undefined };
  it.each([
    [undefined, 640],
    [320, 320],
    [1280, 1280],
    [321, 352],
    [337, 352],
    [352, 352],
    [1279, 1280],
  ])('%s → %i', (wanted, expected) => expect(chooseSize(wanted, sizes)).toBe(expected));

  it('stays within the sizes of a coarse stride', () => {
    expect(chooseSize(1280, { ...sizes, step: 48, min: 336, max: 1248 })).toBe(1248);
  });
});

describe('decoding of outputs', () => {
  const options = { classCount: 1, confidence: 0.1, input: { width: 64, height: 64 } };

  it('reads half precision', () => {
    const data = Uint16Array.of(0x4800, 0x4800, 0x4400, 0x4400, 0x3800); // 8, 8, 4, 4, 0.5
    const output = toHeadOutput({ type: 'float16', dims: [1, 5, 1], data });
    const { boxes, scores } = headNamed('yolov8')!.decode(createCandidates(), [output], options);
    expect([...boxes, ...scores]).toEqual([6, 6, 10, 10, 0.5]);
  });

  it('reads the two outputs of a pair', () => {
    const logits = { dims: [1, 1, 1], data: Float32Array.of(0) };
    const boxesOfQueries = { dims: [1, 1, 4], data: Float32Array.of(0.5, 0.5, 0.5, 0.5) };
    const outputs = [logits, boxesOfQueries] as const;
    const { boxes, scores } = headNamed('detr')!.decode(createCandidates(), outputs, options);
    expect([...boxes, ...scores]).toEqual([16, 16, 48, 48, 0.5]);
  });

  it('refuses other types', () => {
    expect(() => toHeadOutput({ type: 'int8', dims: [1, 5, 1], data: new Int8Array(5) })).toThrow(
      /float32, float16, int64 or int32, got int8/,
    );
  });
});
