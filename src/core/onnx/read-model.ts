import { sourceOfBytes, WireReader, wireType, type ByteSource } from '../protobuf/reader.ts';
import { modelMessage } from './messages.ts';
import type { OnnxModel } from './model.ts';

/** A graph has two of them, and may hold others. */
const mostDepth = 40;

/**
 * Reads an ONNX model. The bytes of large tensors are skipped: the result says where they are.
 * @param source the bytes of the file, or a source that reads it
 * @param options.smallestMapped bytes from which a tensor is skipped; default: none is
 */
export function readOnnxModel(
  source: Uint8Array | ByteSource,
  { smallestMapped = Number.POSITIVE_INFINITY }: { smallestMapped?: number } = {},
): OnnxModel {
  const reader = new WireReader(source instanceof Uint8Array ? sourceOfBytes(source) : source);
  const whole = { number: 0, type: wireType.bytes, start: 0, content: 0, end: reader.source.size };
  return modelMessage.read(whole, { reader, smallestMapped, depth: mostDepth });
}
