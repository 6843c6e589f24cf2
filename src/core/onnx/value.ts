import type { OnnxValue, OnnxAttribute, OnnxNode, OnnxTensor } from './model.ts';
import { WireWriter } from '../protobuf/writer.ts';

/** Describes an input or output of a graph. */
export function tensorValue(
  name: string,
  elementType: number,
  dims: readonly (number | string)[],
): OnnxValue {
  const bytes = new WireWriter()
    .text(1, name)
    .message(2, (type) =>
      type.message(1, (tensor) =>
        tensor.integer(1, elementType).message(2, (shape) => {
          for (const dim of dims) {
            shape.message(1, (entry) =>
              typeof dim === 'number' ? entry.integer(1, dim) : entry.text(2, dim),
            );
          }
        }),
      ),
    )
    .finish();
  return { name, elementType, dims, bytes };
}

/** A node without a name. */
export function nodeOf(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  { attributes = [], domain = '' }: Partial<Pick<OnnxNode, 'attributes' | 'domain'>> = {},
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

function find(node: OnnxNode, name: string) {
  return node.attributes.find((attribute) => attribute.name === name)?.value;
}
