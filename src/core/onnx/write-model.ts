import { WireWriter } from '../protobuf/writer.ts';
import type { WriteOptions } from './message.ts';
import { modelMessage } from './messages.ts';
import type { OnnxModel } from './model.ts';

/** Writes an ONNX model; tensors whose bytes were skipped while reading refer to the original file. */
export function writeOnnxModel(model: OnnxModel, options: WriteOptions = {}): Uint8Array {
  const writer = new WireWriter();
  modelMessage.writeMembers(writer, model, options);
  return writer.finish();
}
