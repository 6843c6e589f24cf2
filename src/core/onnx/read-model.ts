import { sourceOfBytes, type ByteSource } from './byte-source.ts';
import type { OnnxGraph, OnnxModel, OnnxNode, OnnxValue, OpsetImport } from './model.ts';
import { readAttribute } from './read-attribute.ts';
import { readTensor } from './read-tensor.ts';
import { readValue } from './read-value.ts';
import { WireReader, wireType, type WireField } from './wire-reader.ts';

/** What the parts of a model are read with. */
export interface ReadContext {
  readonly reader: WireReader;
  /** Tensors of at least that many bytes stay where they are. */
  readonly smallestMapped: number;
  /** How many graphs this one may hold within one another. */
  readonly depth: number;
}

const mostDepth = 16;

/**
 * Reads an ONNX model. The bytes of large tensors are skipped: the result says where they are.
 *
 * @param source the bytes of the file, or a source that reads it
 * @param options.smallestMapped bytes from which a tensor is skipped; default: none is
 * @throws RangeError when the bytes are no ONNX model
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 *
 * @example
 * ```ts
 * const model = readOnnxModel(writeOnnxModel(emptyModel));
 * model.graph.nodes.length; // 0
 * ```
 */
export function readOnnxModel(
  source: Uint8Array | ByteSource,
  { smallestMapped = Number.POSITIVE_INFINITY }: { readonly smallestMapped?: number } = {},
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

/** Reads a graph; several fields of it are parts of one message. */
export function readGraph(context: ReadContext, fields: readonly WireField[]): OnnxGraph {
  if (context.depth === 0) throw new RangeError(`graph: expected at most ${mostDepth} levels`);
  const inner = { ...context, depth: context.depth - 1 };
  const { reader } = context;
  let name = '';
  const nodes: OnnxNode[] = [];
  const initializers = [];
  const inputs: OnnxValue[] = [];
  const outputs: OnnxValue[] = [];
  const values: OnnxValue[] = [];
  const unknown: Uint8Array[] = [];
  for (const { content, end, type } of fields) {
    if (type !== wireType.bytes) throw new RangeError(`graph: expected a message, got wire type ${type}`);
    for (const field of reader.fields(content, end)) {
      switch (field.number) {
        case 1:
          nodes.push(readNode(inner, field));
          break;
        case 2:
          name = reader.text(field);
          break;
        case 5:
          initializers.push(readTensor(context, field));
          break;
        case 11:
          inputs.push(readValue(reader, field));
          break;
        case 12:
          outputs.push(readValue(reader, field));
          break;
        case 13:
          values.push(readValue(reader, field));
          break;
        default:
          unknown.push(reader.bytes(field.start, field.end));
      }
    }
  }
  return { name, nodes, initializers, inputs, outputs, values, unknown };
}

function readNode(context: ReadContext, { content, end }: WireField): OnnxNode {
  const { reader } = context;
  const texts = { name: '', operator: '', domain: '' };
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = [];
  const unknown: Uint8Array[] = [];
  for (const field of reader.fields(content, end)) {
    switch (field.number) {
      case 1:
        inputs.push(reader.text(field));
        break;
      case 2:
        outputs.push(reader.text(field));
        break;
      case 3:
        texts.name = reader.text(field);
        break;
      case 4:
        texts.operator = reader.text(field);
        break;
      case 5:
        attributes.push(readAttribute(context, field));
        break;
      case 7:
        texts.domain = reader.text(field);
        break;
      default:
        unknown.push(reader.bytes(field.start, field.end));
    }
  }
  return { ...texts, inputs, outputs, attributes, unknown };
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

/** A `StringStringEntryProto`. */
export function readEntry(reader: WireReader, { content, end }: WireField): [key: string, value: string] {
  let key = '';
  let value = '';
  for (const field of reader.fields(content, end)) {
    if (field.number === 1) key = reader.text(field);
    if (field.number === 2) value = reader.text(field);
  }
  return [key, value];
}
