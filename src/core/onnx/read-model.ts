import { sourceOfBytes, type ByteSource, WireReader, type WireField } from '../protobuf/reader.ts';
import type { OnnxModel, OpsetImport } from './model.ts';
import { readEntry, type ReadContext } from './read-tensor.ts';
import { readGraph } from './read-graph.ts';

const mostDepth = 16;

// Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
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
  const context: ReadContext = { reader, smallestMapped, depth: mostDepth };
  let irVersion = 0;
  let producerName = '';
  let producerVersion = '';
  const opsets: OpsetImport[] = [];
  const metadata = new Map<string, string>();
  const graphs: WireField[] = [];
  const unknown: Uint8Array[] = [];
  for (const field of reader.fields(0, reader.source.size)) {
    switch (field.number) {
      case 1:
        irVersion = reader.number(field);
        break;
      case 2:
        producerName = reader.text(field);
        break;
      case 3:
        producerVersion = reader.text(field);
        break;
      case 7:
        graphs.push(field);
        break;
      case 8:
        opsets.push(readOpset(reader, field));
        break;
      case 14:
        metadata.set(...readEntry(reader, field));
        break;
      default:
        unknown.push(reader.bytes(field.start, field.end));
    }
  }
  return {
    irVersion,
    producerName,
    producerVersion,
    opsets,
    metadata,
    graph: readGraph(context, graphs),
    unknown,
  };
}

function readOpset(reader: WireReader, { content, end }: WireField): OpsetImport {
  let domain = '';
  let version = 0;
  for (const field of reader.fields(content, end)) {
    if (field.number === 1) domain = reader.text(field);
    if (field.number === 2) version = reader.number(field);
  }
  return { domain, version };
}
