import { sourceOfBytes, WireReader, wireType, type ByteSource } from '../protobuf/reader.ts';
import { modelMessage } from './messages.ts';
import type { OnnxModel } from './model.ts';

/** A graph has two levels, and may contain nested graphs. */
const maxDepth = 40;

/**
 * Reads an ONNX model. The bytes of large tensors are skipped: the result refers to them.
 * @param source the bytes of the file, or a source that reads it
 * @param options.smallestMapped size in bytes from which tensors are skipped; default: none
 */
export function readOnnxModel(
  source: Uint8Array | ByteSource,
  { smallestMapped = Number.POSITIVE_INFINITY }: { smallestMapped?: number } = {},
): OnnxModel {
  const reader = new WireReader(source instanceof Uint8Array ? sourceOfBytes(source) : source);
  const whole = { number: 0, type: wireType.bytes, start: 0, content: 0, end: reader.source.size };
  return modelMessage.read(whole, { reader, smallestMapped, depth: maxDepth });
}
