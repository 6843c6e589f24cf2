import { describe, expect, it } from 'vitest';
import type { FileTree, ModelFiles } from '../../src/contracts/files.ts';
import { assertDtype, findGraph, needGraph, graphsIn, weightFiles } from '../../src/folder/graph-files.ts';
import { categories } from '../../src/categories/registry.ts';

function tree(...paths: string[]): FileTree {
  const inFolder = (path: string, folder: string) =>
    path.slice(0, Math.max(0, path.lastIndexOf('/'))) === folder;
  return {
    name: 'a model',
    has: (path) => paths.includes(path),
    list: (folder) => paths.filter((path) => inFolder(path, folder)).map((path) => path.split('/').at(-1)!),
  };
}

describe('findGraph', () => {
  const stems = ['onnx/model', 'model'];

  it.each([
    [['onnx/model.onnx', 'onnx/model_fp16.onnx'], undefined, 'onnx/model.onnx'],
    [['model.onnx', 'onnx/model_fp16.onnx'], 'auto', 'model.onnx'],
    [['onnx/model_q4f16.onnx', 'onnx/model_quantized.onnx'], 'auto', 'onnx/model_quantized.onnx'],
    [['onnx/model_q4f16.onnx', 'onnx/model_q4.onnx'], 'auto', 'onnx/model_q4.onnx'],
    [['onnx/model.onnx', 'onnx/model_fp16.onnx'], 'fp16', 'onnx/model_fp16.onnx'],
    [['onnx/model.onnx', 'onnx/model_q4f16.onnx'], 'q4f16', 'onnx/model_q4f16.onnx'],
    [['onnx/model.onnx'], 'q8', undefined],
    [['onnx/other.onnx'], 'auto', undefined],
  ] as const)('of %j as %s is %s', (paths, dtype, found) => {
    expect(findGraph(tree(...paths), stems, dtype)).toBe(found);
  });

  it('says what is there', () => {
    const files = tree('onnx/model.onnx', 'model_q4.onnx');
    expect(() => needGraph(files, stems, 'q8')).toThrow(
      expect.objectContaining({
        param: 'dtype',
        message: 'dtype: a model has weights in fp32, q4, not in q8.',
      }),
    );
    expect(() => needGraph(tree(), stems, 'q8')).toThrow(
      expect.objectContaining({
        param: 'source',
        message: 'source: none of onnx/model.onnx, model.onnx exists in a model, in any dtype.',
      }),
    );
  });
});

it('finds the weights of a graph, not those of others', () => {
  const files = tree(
    'onnx/model.onnx',
    'onnx/model.onnx_data',
    'onnx/model.onnx_data_1',
    'onnx/model_q4.onnx_data',
    'onnx/model.onnx_data_x',
    'model.onnx_data',
  );
  expect(weightFiles(files, 'onnx/model.onnx')).toEqual(['onnx/model.onnx_data', 'onnx/model.onnx_data_1']);
  expect(weightFiles(tree('unet/weights.pb', 'unet/model.data'), 'unet/model.onnx')).toEqual([
    'unet/model.data',
    'unet/weights.pb',
  ]);
});

it('lists the graphs of one folder', () => {
  const files = tree('yolo.onnx', 'config.json', 'onnx/a.onnx', 'onnx/b.onnx');
  expect(graphsIn(files, '')).toEqual(['yolo.onnx']);
  expect(graphsIn(files, 'onnx')).toEqual(['onnx/a.onnx', 'onnx/b.onnx']);
  expect(graphsIn(files, 'other')).toEqual([]);
});

it.each(['auto', 'fp32', 'fp16', 'q8', 'q4', 'q4f16'])('knows %s', (dtype) => {
  expect(() => assertDtype(dtype)).not.toThrow();
});

const filesOf = (name: string): ModelFiles => {
  const { architectures, files } = categories.get(name)!;
  return architectures?.[0]?.files ?? files!;
};

describe('files of a category', () => {
  const whisper = ['encoder_model', 'decoder_model', 'decoder_with_past_model'].map((name) => `onnx/${name}`);

  it.each([
    ['chat', ['onnx/decoder_model_merged_quantized.onnx'], 'q8'],
    ['detection', ['yolo11n.onnx'], 'auto'],
    ['transcription', whisper.map((name) => `${name}.onnx`), 'auto'],
    ['transcription', whisper.map((name) => `${name}_fp16.onnx`), 'fp16'],
    ['image', ['unet/model.onnx', 'vae/decoder/decoder.onnx', 'text_encoder/model.onnx'], 'auto'],
    [
      'image',
      [
        'transformer/model.onnx',
        'vae_decoder/model.onnx',
        'text_encoder/model.onnx',
        'text_encoder_2/model.onnx',
      ],
      'fp32',
    ],
  ] as const)('%s finds %j as %s', (category, paths, dtype) => {
    expect(filesOf(category).graphs(tree(...paths, 'other/model.onnx'), dtype)).toEqual(paths);
  });

  it.each([
    ['detection', ['yolo11n.onnx'], 'q8', 'source'],
    ['transcription', ['onnx/encoder_model.onnx', 'onnx/decoder_model.onnx'], 'auto', 'source'],
    [
      'transcription',
      ['onnx/encoder_model_q4.onnx', 'onnx/encoder_model.onnx', 'onnx/decoder_model_merged.onnx'],
      'q4',
      'dtype',
    ],
    [
      'image',
      [
        'unet/model_fp16.onnx',
        'vae_decoder/model_fp16.onnx',
        'text_encoder/model_fp16.onnx',
        'text_encoder_2/model.onnx',
      ],
      'fp16',
      'dtype',
    ],
  ] as const)('%s misses a graph among %j as %s', (category, paths, dtype, param) => {
    expect(() => filesOf(category).graphs(tree(...paths), dtype)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }),
    );
  });
});
