import { sourceOfBytes, type ByteSource, WireReader, type WireField } from '../protobuf/reader.ts';
import type { OnnxModel, OpsetImport } from './model.ts';
import { readEntry, readMessage, type ReadContext } from './read-tensor.ts';
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
  readMessage(
    reader,
    { content: 0, end: reader.source.size },
    {
      1: (field) => (irVersion = reader.number(field)),
      2: (field) => (producerName = reader.text(field)),
      3: (field) => (producerVersion = reader.text(field)),
      7: (field) => graphs.push(field),
      8: (field) => opsets.push(readOpset(reader, field)),
      14: (field) => metadata.set(...readEntry(reader, field)),
    },
    unknown,
  );
  const graph = readGraph(context, graphs);
  return { irVersion, producerName, producerVersion, opsets, metadata, graph, unknown };
}

function readOpset(reader: WireReader, message: WireField): OpsetImport {
  let [domain, version] = ['', 0];
  readMessage(reader, message, {
    1: (field) => (domain = reader.text(field)),
    2: (field) => (version = reader.number(field)),
  });
  return { domain, version };
}
