import { describe, expect, it } from 'vitest';
import {
  readInputs,
  toFeeds,
} from '../../../../src/categories/detection/architectures/graph/graph-detector.ts';
import type { ElementType, Session, TensorSignature } from '../../../../src/contracts/graph.ts';

const pixels: TensorSignature = { name: 'pixel_values', type: 'float32', dims: ['n', 3, 'height', 'width'] };
const maskOf = (type: ElementType, dims: TensorSignature['dims'] = ['n', 64, 64]): TensorSignature => ({
  name: 'pixel_mask',
  type,
  dims,
});
const graph = (...inputs: TensorSignature[]): Session => ({
  inputs,
  outputs: [],
  run: () => Promise.reject(new Error('not run')),
  release: () => Promise.resolve(),
});

describe('the inputs of a detector', () => {
  it('are an image', () => {
    const feeds = toFeeds(readInputs(graph(pixels)), new Float32Array(18), { width: 3, height: 2 });
    expect(feeds).toEqual({
      pixel_values: { type: 'float32', dims: [1, 3, 2, 3], data: new Float32Array(18) },
    });
  });

  it.each([
    ['int64', ['n', 64, 64], [1, 64, 64]],
    ['bool', ['n', 'height', 'width'], [1, 2, 3]],
    ['float32', [1, -1, -1], [1, 2, 3]],
  ] as const)('may be a mask of %s, too, %j', (type, dims, expected) => {
    const inputs = readInputs(graph(maskOf(type, dims), pixels));
    const feeds = toFeeds(inputs, new Float32Array(18), { width: 3, height: 2 });
    const mask = feeds['pixel_mask']!;
    expect(mask).toMatchObject({ type, dims: expected });
    expect(new Set(Array.from(mask.data as Iterable<number | bigint>, Number))).toEqual(new Set([1]));
    expect(mask.data).toHaveLength(expected[1] * expected[2]);
  });

  it('refuses a mask of another type', () => {
    const inputs = readInputs(graph(pixels, maskOf('int8')));
    expect(() => toFeeds(inputs, new Float32Array(18), { width: 3, height: 2 })).toThrow(
      'source: pixel_mask is int8, expected int64, bool or float32',
    );
  });

  it.each([
    ['nothing', []],
    ['text', [{ ...pixels, dims: ['n', 'length'] }]],
    ['gray', [{ ...pixels, dims: ['n', 1, 8, 8] }]],
    ['another type', [{ ...pixels, type: 'uint8' as const }]],
    ['two images at least', [{ ...pixels, dims: [2, 3, 8, 8] }]],
    ['a prompt', [pixels, { name: 'prompt', type: 'int64' as const, dims: ['n'] }]],
  ])('refuses %s', (_title, inputs) => {
    expect(() => readInputs(graph(...inputs))).toThrow('source: expected a graph with one input');
  });
});
