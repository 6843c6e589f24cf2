import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readOnnxModel } from '../core/onnx/messages.ts';
import type { OnnxModel } from '../core/onnx/model.ts';

/** Smaller tensors are read: onnxruntime requires tensors that determine shapes inside the model. */
const smallestMapped = 1024;

/**
 * Reads an ONNX file without the data of its large tensors, so that the time depends on the number of nodes, not on the
 * size of the file.
 */
export function readOnnxFile(path: string): OnnxModel {
  const file = openSync(path, 'r');
  const read = (offset: number, length: number): Uint8Array => {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  };
  try {
    return readOnnxModel({ size: fstatSync(file).size, read }, { smallestMapped });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`${path}: expected an ONNX model, got other content (${error.message})`, {
      cause: error,
    });
  } finally {
    closeSync(file);
  }
}
