import { describe, expect, it } from 'vitest';
import { readResizing } from '../../../../src/categories/detection/architectures/graph/input-sizes.ts';

const edges = (shortest: number, longest: number, multiple = 1) => ({
  edges: { shortest, longest, multiple },
});

describe('readResizing', () => {
  it.each([
    ['nothing', {}, undefined],
    [
      'RT-DETR',
      { size: { height: 640, width: 640 }, pad_size: null },
      { exact: { height: 640, width: 640 } },
    ],
    ['DETR', { size: { shortest_edge: 800, longest_edge: 1333 } }, edges(800, 1333)],
    ['DETR, older', { size: 800, max_size: 1000 }, edges(800, 1000)],
    ['DETR, oldest', { size: 800 }, edges(800, 1333)],
    [
      'YOLOS',
      { size: { shortest_edge: 512, longest_edge: 1333 }, image_processor_type: 'YolosImageProcessorFast' },
      edges(512, 1333, 16),
    ],
    ['YOLOS, older', { size: 512, feature_extractor_type: 'YolosFeatureExtractor' }, edges(512, 1333, 16)],
  ])('%s', (_title, preprocessor, expected) => expect(readResizing(preprocessor)).toEqual(expected));

  it.each([
    [{ size: { max_height: 800, max_width: 800 } }, 'size {"max_height":800,"max_width":800}'],
    [{ size: { shortest_edge: 0 } }, 'size {"shortest_edge":0}'],
    [{ size: 'large' }, 'size "large"'],
    [{ size: 800, pad_size: { height: 9, width: 9 } }, 'pad_size {"height":9,"width":9}'],
  ])('refuses %j', (preprocessor, got) => {
    expect(() => readResizing(preprocessor)).toThrow(`source: preprocessor_config.json has ${got}, expected`);
  });
});
