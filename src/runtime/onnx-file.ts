import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readOnnxModel } from '../core/onnx/messages.ts';
import type { ByteSource } from '../core/protobuf/reader.ts';
import type { OnnxModel } from '../core/onnx/model.ts';

/** Smaller tensors are read: onnxruntime requires tensors that determine shapes inside the model. */
const smallestMapped = 1024;
/** Kokoro's nodes take about 1 MB. */
const nodeBytes = 2 ** 22;

/**
 * Reads an ONNX file without the data of its large tensors, so that the time depends on the number of nodes, not on the
 * size of the file.
 */
export function readOnnxFile(path: string): OnnxModel {
  try {
    return withFile(path, (source) => readOnnxModel(source, { smallestMapped }));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`${path}: expected an ONNX model, got other content (${error.message})`, {
      cause: error,
    });
  }
}

/** Whether a graph may have an operator: its nodes precede its weights, and parsing them takes several times as long. */
export function mentions(path: string, operator: string): boolean {
  return withFile(path, ({ read, size }) =>
    Buffer.from(read(0, Math.min(size, nodeBytes)).buffer).includes(operator),
  );
}

function withFile<Result>(path: string, use: (source: ByteSource) => Result): Result {
  const file = openSync(path, 'r');
  const read = (offset: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  };
  try {
    return use({ size: fstatSync(file).size, read });
  } finally {
    closeSync(file);
  }
}
