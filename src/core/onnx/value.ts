import type { OnnxAttribute, OnnxGraph, OnnxNode, OnnxTensor, OnnxValue } from './model.ts';
import { WireWriter } from '../protobuf/writer.ts';
import { valueMessage } from './messages.ts';

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

export type NodeParts = Partial<Pick<OnnxNode, 'attributes' | 'domain'>>;

export function nodeOf(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  { attributes = [], domain = '' }: NodeParts = {},
): OnnxNode {
  return { name: '', operator, domain, inputs, outputs, attributes, unknown: [] };
}

export function integerAttribute(name: string, value: number): OnnxAttribute {
  return { name, value: { type: 'integer', value: BigInt(value) }, unknown: [] };
}

export function floatAttribute(name: string, value: number): OnnxAttribute {
  return { name, value: { type: 'float', value }, unknown: [] };
}

export function integersAttribute(name: string, values: readonly number[]): OnnxAttribute {
  return { name, value: { type: 'integers', value: values.map(BigInt) }, unknown: [] };
}

export function integerOf(node: OnnxNode, name: string): number | undefined {
  const value = find(node, name);
  return value?.type === 'integer' ? Number(value.value) : undefined;
}

export function integersOf(node: OnnxNode, name: string): readonly number[] | undefined {
  const value = find(node, name);
  return value?.type === 'integers' ? value.value.map(Number) : undefined;
}

export function textOf(node: OnnxNode, name: string): string | undefined {
  const value = find(node, name);
  return value?.type === 'text' ? new TextDecoder().decode(value.value) : undefined;
}

export function tensorOf(node: OnnxNode, name: string): OnnxTensor | undefined {
  const value = find(node, name);
  return value?.type === 'tensor' ? value.value : undefined;
}

/** The graphs in a node's attributes, such as the branches of an `If`. */
export function innerGraphs({ attributes }: OnnxNode): readonly OnnxGraph[] {
  return attributes.flatMap(({ value }) => {
    if (value.type === 'graph') return [value.value];
    return value.type === 'graphs' ? value.value : [];
  });
}

function find(node: OnnxNode, name: string) {
  return node.attributes.find((attribute) => attribute.name === name)?.value;
}
