import {
  attributeTypes,
  type OnnxAttribute,
  type OnnxGraph,
  type OnnxModel,
  type OnnxNode,
  type OnnxTensor,
} from './model.ts';

import { WireWriter } from '../protobuf/writer.ts';

/** Writing of tensor bytes that were skipped while reading. */
export interface WriteOptions {
  /** Name of the file that the model was read from, relative to the folder of the weights. */
  readonly location?: string | undefined;
}

export function writeOnnxModel(model: OnnxModel, options: WriteOptions = {}): Uint8Array {
  const writer = new WireWriter().integer(1, model.irVersion);
  if (model.producerName !== '') writer.text(2, model.producerName);
  if (model.producerVersion !== '') writer.text(3, model.producerVersion);
  writer.message(7, (graph) => writeGraph(graph, model.graph, options));
  for (const { domain, version } of model.opsets)
    writer.message(8, (entry) => (domain === '' ? entry : entry.text(1, domain)).integer(2, version));
  for (const [key, value] of model.metadata) writer.message(14, (entry) => entry.text(1, key).text(2, value));
  for (const field of model.unknown) writer.raw(field);
  return writer.finish();
}

function writeGraph(writer: WireWriter, graph: OnnxGraph, options: WriteOptions): void {
  for (const node of graph.nodes) writer.message(1, (inner) => writeNode(inner, node, options));
  writer.text(2, graph.name);
  for (const tensor of graph.initializers) writer.message(5, (inner) => writeTensor(inner, tensor, options));
  for (const { bytes } of graph.inputs) writer.bytes(11, bytes);
  for (const { bytes } of graph.outputs) writer.bytes(12, bytes);
  for (const { bytes } of graph.values) writer.bytes(13, bytes);
  for (const field of graph.unknown) writer.raw(field);
}

function writeNode(writer: WireWriter, node: OnnxNode, options: WriteOptions): void {
  for (const name of node.inputs) writer.text(1, name);
  for (const name of node.outputs) writer.text(2, name);
  if (node.name !== '') writer.text(3, node.name);
  writer.text(4, node.operator);
  for (const attribute of node.attributes)
    writer.message(5, (inner) => writeAttribute(inner, attribute, options));
  if (node.domain !== '') writer.text(7, node.domain);
  for (const field of node.unknown) writer.raw(field);
}

function writeAttribute(
  writer: WireWriter,
  { name, value, unknown }: OnnxAttribute,
  options: WriteOptions,
): void {
  writer.text(1, name);
  if (value.type === 'float') writer.float(2, value.value);
  if (value.type === 'integer') writer.integer(3, value.value);
  if (value.type === 'text') writer.bytes(4, value.value);
  if (value.type === 'tensor') writer.message(5, (tensor) => writeTensor(tensor, value.value, options));
  if (value.type === 'graph') writer.message(6, (graph) => writeGraph(graph, value.value, options));
  if (value.type === 'floats') for (const item of value.value) writer.float(7, item);
  if (value.type === 'integers') for (const item of value.value) writer.integer(8, item);
  if (value.type === 'graphs')
    for (const item of value.value) writer.message(11, (graph) => writeGraph(graph, item, options));
  if (value.type !== 'other') writer.integer(20, attributeTypes[value.type]);
  for (const field of unknown) writer.raw(field);
}

function writeTensor(writer: WireWriter, tensor: OnnxTensor, { location }: WriteOptions): void {
  const { name, elementType, dims, data } = tensor;
  for (const dim of dims) writer.integer(1, dim);
  writer.integer(2, elementType);
  if (name !== '') writer.text(8, name);
  if (data.place === 'inline') {
    // Elements of text are among the unknown fields.
    if (data.bytes.length > 0) writer.bytes(9, data.bytes);
  } else {
    const file = data.place === 'file' ? data.location : location;
    if (file === undefined)
      throw new RangeError(`tensor ${name}: expected a location for bytes that were not read`);
    entry('location', file);
    entry('offset', String(data.offset));
    if (data.length !== undefined) entry('length', String(data.length));
    writer.integer(14, 1);
  }
  for (const field of tensor.unknown) writer.raw(field);

  function entry(key: string, value: string): void {
    writer.message(13, (inner) => inner.text(1, key).text(2, value));
  }
}
