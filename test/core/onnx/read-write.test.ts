import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelSignature } from '../../../src/core/onnx/model-signature.ts';
import type { OnnxTensor } from '../../../src/core/onnx/model.ts';
import { readOnnxModel, writeOnnxModel } from '../../../src/core/onnx/messages.ts';
import { tensorValues } from '../../../src/core/onnx/tensor-values.ts';
import { WireWriter } from '../../../src/core/protobuf/writer.ts';
import { float, ints, int64s, model, node, value } from '../../runtime/onnx-writer.ts';
import { contractGraph } from './contract-models.ts';
import { runs } from '../../thorough.ts';

const paths = [
  contractGraph('llama'),
  contractGraph('llama', 'onnx/model_q4f16.onnx'),
  contractGraph('gpt2-merged', 'onnx/decoder_model_merged.onnx'),
  contractGraph('detr'),
];

describe('readOnnxModel and writeOnnxModel', () => {
  it.each(paths)('are inverses for %s', (path) => {
    const read = readOnnxModel(readFileSync(path));
    expect(read.graph.nodes.length).toBeGreaterThan(0);
    // A difference would be too long to print.
    expect(isDeepStrictEqual(readOnnxModel(writeOnnxModel(read)), read)).toBe(true);
  });

  it('keep fields that have no place', () => {
    const unknown = new WireWriter().text(6, 'a comment').integer(5, 7n).finish();
    const read = readOnnxModel(Buffer.concat([small(), unknown]));
    expect(Buffer.from(writeOnnxModel(read)).includes(Buffer.from(unknown))).toBe(true);
  });

  it('join the parts of a graph that several fields hold', () => {
    const { graph } = readOnnxModel(Buffer.concat([small(), small()]));
    expect(graph.nodes).toHaveLength(2);
  });

  it('leave large tensors where they are', () => {
    const bytes = readFileSync(contractGraph('llama'));
    const mapped = readOnnxModel(bytes, { smallestMapped: 1024 });
    const whole = readOnnxModel(bytes);
    let count = 0;
    for (const [index, { data }] of mapped.graph.initializers.entries()) {
      if (data.place !== 'model') continue;
      const tensor = whole.graph.initializers[index]!;
      expect(bytes.subarray(data.offset, data.offset + data.length).equals(inline(tensor))).toBe(true);
      count++;
    }
    expect(count).toBeGreaterThan(10);
    const written = writeOnnxModel(mapped, { location: 'model.onnx' });
    expect(written.length).toBeLessThan(bytes.length / 4);
    const again = readOnnxModel(written).graph.initializers.find(({ data }) => data.place === 'file');
    expect(again?.data).toMatchObject({ location: 'model.onnx' });
    expect(() => writeOnnxModel(mapped)).toThrow(/expected a location/);
  });

  it('read typed elements as bytes', () => {
    const [tensor] = readOnnxModel(small()).graph.initializers;
    expect(tensorValues(tensor!)).toEqual([5, -2]);
  });
});

describe('modelSignature', () => {
  it('says what a session would say', () => {
    const { inputs, outputs, operators, opsets, producerName } = modelSignature(
      readOnnxModel(readFileSync(contractGraph('qwen3-gqa'))),
    );
    expect(inputs[0]).toEqual({ name: 'input_ids', type: 'int64', dims: ['batch_size', 'sequence_length'] });
    expect(outputs[0]?.dims.at(-1)).toBe(328);
    expect(operators.get('com.microsoft:GroupQueryAttention')).toBe(2);
    expect(opsets).toContainEqual({ domain: 'com.microsoft', version: 1 });
    expect(producerName).toBe('onnxruntime-genai');
  });

  it('counts the nodes of inner graphs', () => {
    const read = readOnnxModel(readFileSync(paths[2]!));
    const { operators } = modelSignature(read);
    expect(operators.get('If')).toBe(1);
    expect(operators.get('Softmax')).toBe(4);
  });
});

describe('hostile bytes', () => {
  it.each([
    ['text', Buffer.from('this is no model')],
    ['a number without end', Buffer.alloc(40, 0xff)],
    ['a group', Buffer.of(0x0b)],
    ['a length beyond the file', Buffer.of(0x3a, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3)],
    ['a length beyond all files', Buffer.of(0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)],
    ['a length beyond its message', Buffer.of(0x3a, 0x02, 0x0a, 0x05, 0x00, 0x00, 0x00, 0x00)],
    ['the field 0', Buffer.of(0x02, 0x00)],
  ])('give an error: %s', (_title, bytes) => {
    expect(() => readOnnxModel(bytes)).toThrow(RangeError);
  });

  it('give an error: graphs within graphs without end', () => {
    let graph: Uint8Array = new Uint8Array(0);
    for (let depth = 0; depth < 40; depth++) {
      const inner = graph;
      graph = new WireWriter()
        .message(1, (message) => message.message(5, (attribute) => attribute.bytes(6, inner).integer(20, 5)))
        .finish();
    }
    const bytes = new WireWriter().bytes(7, graph).finish();
    expect(() => readOnnxModel(bytes)).toThrow(/nested too deeply/);
  });

  const seed = readFileSync(contractGraph('llama', 'onnx/model_q4f16.onnx'));
  const change = fc.record({ at: fc.nat(seed.length - 1), byte: fc.nat(255) });

  it('changed at random, give an error or a model', () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.nat(seed.length),
        (changes, length) => {
          const bytes = Uint8Array.from(seed.subarray(0, length));
          for (const { at, byte } of changes) if (at < length) bytes[at] = byte;
          expectErrorOrModel(bytes);
        },
      ),
      { numRuns: runs(300), seed: 14 },
    );
  });

  it('at random, give an error or a model', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => expectErrorOrModel(bytes)),
      { numRuns: runs(500), seed: 14 },
    );
  });
});

function expectErrorOrModel(bytes: Uint8Array): void {
  try {
    const read = readOnnxModel(bytes, { smallestMapped: 64 });
    writeOnnxModel(read, { location: 'model.onnx' });
    for (const tensor of read.graph.initializers) tensorValues(tensor);
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
  }
}

function inline({ data }: OnnxTensor): Uint8Array {
  if (data.place !== 'inline') throw new Error('expected bytes');
  return data.bytes;
}

function small(): Uint8Array {
  return model({
    name: 'small',
    nodes: [node('Transpose', ['x'], 'y', [ints('perm', [1, 0])])],
    constants: [int64s('sizes', [5, -2]), float('one', 1)],
    inputs: [value('x', ['rows', 2])],
    outputs: [value('y', [2, 'rows'])],
  });
}
