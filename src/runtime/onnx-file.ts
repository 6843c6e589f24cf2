import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readOnnxModel } from '../core/onnx/read-model.ts';
import type { OnnxModel } from '../core/onnx/model.ts';

/** Tensors below that size are read: onnxruntime wants those that decide shapes within the model. */
const smallestMapped = 1024;

/**
 * Reads an ONNX file without the bytes of its large tensors, so that the time it takes depends on the number of nodes, not on
 * the size of the file.
 */
export function readOnnxFile(path: string): OnnxModel {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const source = {
      size,
      read(offset: number, length: number) {
        const bytes = new Uint8Array(length);
        const count = readSync(file, bytes, 0, length, offset);
        return bytes.subarray(0, count);
      },
    };
    return readOnnxModel(source, { smallestMapped });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`${path}: expected an ONNX model, got other content (${error.message})`, {
      cause: error,
    });
  } finally {
    closeSync(file);
  }
}
