/** A node to add to a graph: an operator of the default domain with int64 constants among its inputs. */
export interface GraphNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
}

export interface GraphExtension {
  /** Name → values of one-dimensional int64 constants. */
  readonly constants: Readonly<Record<string, readonly (number | bigint)[]>>;
  readonly nodes: readonly GraphNode[];
  /** Names of nodes' outputs that become outputs of the model, with their ONNX element type number if it isn't to be inferred. */
  readonly outputs: readonly { readonly name: string; readonly elementType?: number }[];
}

/** `TensorProto.DataType` numbers of the types that the extension's outputs may have. */
export const onnxElementType = { float32: 1, float16: 10, int64: 7 } as const;

/**
 * Adds nodes and outputs to an ONNX model without parsing it: concatenated protobuf messages merge, so a second `ModelProto`
 * that holds only the additions is appended to the bytes of the first.
 * @see https://protobuf.dev/programming-guides/encoding/#last-one-wins
 */
export function extendGraph(model: Uint8Array, { constants, nodes, outputs }: GraphExtension): Uint8Array {
  const graph = [
    ...nodes.map((node) =>
      message(1, [
        ...node.inputs.map((name) => text(1, name)),
        text(2, node.output),
        text(3, node.output),
        text(4, node.operator),
      ]),
    ),
    ...Object.entries(constants).map(([name, values]) =>
      message(5, [
        integer(1, values.length),
        integer(2, onnxElementType.int64),
        ...values.map((v) => integer(7, v)),
        text(8, name),
      ]),
    ),
    ...outputs.map(({ name, elementType }) =>
      message(12, [
        text(1, name),
        ...(elementType === undefined ? [] : [message(2, [message(1, [integer(1, elementType)])])]),
      ]),
    ),
  ];
  return Buffer.concat([model, message(7, graph)]);
}

function message(field: number, parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

function text(field: number, value: string): Uint8Array {
  return message(field, [Buffer.from(value)]);
}

function integer(field: number, value: number | bigint): Uint8Array {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
