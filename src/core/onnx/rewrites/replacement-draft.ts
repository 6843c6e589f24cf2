import { elementTypes } from '../element-types.ts';
import type { OnnxAttribute, OnnxNode, OnnxTensor } from '../model.ts';
import { int64Tensor } from '../tensor-values.ts';
import { integerAttribute, nodeOf } from '../value.ts';
import type { Replacement } from './rewrite-nodes.ts';

/** Nodes in place of another one; names begin with that of the value which it made. */
export class ReplacementDraft implements Replacement {
  readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxTensor[] = [];
  readonly #output: string;

  constructor(output: string) {
    this.#output = output;
  }

  int64(stem: string, values: readonly number[]): string {
    return this.#constant(int64Tensor(`${this.#output}.${stem}`, values));
  }

  float32(stem: string, value: number): string {
    const data = { place: 'inline', bytes: new Uint8Array(Float32Array.of(value).buffer) } as const;
    const name = `${this.#output}.${stem}`;
    return this.#constant({ name, elementType: elementTypes.float32, dims: [], data, unknown: [] });
  }

  /** Adds a node. @returns the name of its first output */
  add(
    stem: string,
    operator: string,
    inputs: readonly string[],
    attributes: readonly OnnxAttribute[] = [],
    { domain = '', others = [] }: { domain?: string; others?: readonly string[] } = {},
  ): string {
    const outputs = [stem, ...others].map((name) => `${this.#output}.${name}`);
    this.nodes.push(nodeOf(operator, inputs, outputs, { attributes, domain }));
    return outputs[0]!;
  }

  /** Adds a node that gives a value another type. */
  cast(stem: string, input: string, elementType: number): string {
    return this.add(stem, 'Cast', [input], [integerAttribute('to', elementType)]);
  }

  /** Adds the node that makes the value itself. */
  finish(operator: string, inputs: readonly string[], attributes: readonly OnnxAttribute[] = []): void {
    this.nodes.push(nodeOf(operator, inputs, [this.#output], { attributes }));
  }

  #constant(tensor: OnnxTensor): string {
    this.initializers.push(tensor);
    return tensor.name;
  }
}
