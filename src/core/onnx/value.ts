import type { OnnxAttribute, OnnxGraph, OnnxNode, OnnxTensor, OnnxValue } from './model.ts';
import { WireWriter } from '../protobuf/writer.ts';
import { valueMessage } from './messages.ts';

/** Describes an input or output of a graph. */
export function tensorValue(
  name: string,
  elementType: number,
  dims: readonly (number | string)[],
): OnnxValue {
  const sizes = dims.map((dim) =>
    typeof dim === 'number' ? { size: dim, name: undefined } : { size: undefined, name: dim },
  );
  const writer = new WireWriter();
  valueMessage.writeMembers(writer, { name, type: { tensor: { elementType, shape: { dims: sizes } } } }, {});
  return { name, elementType, dims, bytes: writer.finish() };
}

/** Parts of a node that most have not. */
export type NodeParts = Partial<Pick<OnnxNode, 'attributes' | 'domain'>>;

/** A node without a name. */
export function nodeOf(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  { attributes = [], domain = '' }: NodeParts = {},
): OnnxNode {
  return { name: '', operator, domain, inputs, outputs, attributes, unknown: [] };
}

/** An attribute that is a whole number. */
export function integerAttribute(name: string, value: number): OnnxAttribute {
  return { name, value: { type: 'integer', value: BigInt(value) }, unknown: [] };
}

/** An attribute that is a number of single precision. */
export function floatAttribute(name: string, value: number): OnnxAttribute {
  return { name, value: { type: 'float', value }, unknown: [] };
}

/** An attribute that is a list of whole numbers. */
export function integersAttribute(name: string, values: readonly number[]): OnnxAttribute {
  return { name, value: { type: 'integers', value: values.map(BigInt) }, unknown: [] };
}

/** The value of a node's attribute that is a whole number. */
export function integerOf(node: OnnxNode, name: string): number | undefined {
  const value = find(node, name);
  return value?.type === 'integer' ? Number(value.value) : undefined;
}

/** The value of a node's attribute that is a list of whole numbers. */
export function integersOf(node: OnnxNode, name: string): readonly number[] | undefined {
  const value = find(node, name);
  return value?.type === 'integers' ? value.value.map(Number) : undefined;
}

/** The value of a node's attribute that is a tensor. */
export function tensorOf(node: OnnxNode, name: string): OnnxTensor | undefined {
  const value = find(node, name);
  return value?.type === 'tensor' ? value.value : undefined;
}

/** The graphs that a node's attributes hold, such as the branches of an `If`. */
export function innerGraphs({ attributes }: OnnxNode): readonly OnnxGraph[] {
  return attributes.flatMap(({ value }) => {
    if (value.type === 'graph') return [value.value];
    return value.type === 'graphs' ? value.value : [];
  });
}

function find(node: OnnxNode, name: string) {
  return node.attributes.find((attribute) => attribute.name === name)?.value;
}
