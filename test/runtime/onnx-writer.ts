/** A part of a protobuf message. */
export type Bytes = readonly number[];

export function node(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: readonly Bytes[] = [],
): Bytes {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...text(2, output),
    ...text(4, operator),
    ...attributes.flatMap((attribute) => message(5, attribute)),
  ];
}

export function ints(name: string, values: readonly number[]): Bytes {
  return [...text(1, name), ...values.flatMap((item) => integer(8, item)), ...integer(20, 7)];
}

export function int(name: string, item: number): Bytes {
  return [...text(1, name), ...integer(3, item), ...integer(20, 2)];
}

export function int64s(
  name: string,
  values: readonly number[],
  dims: readonly number[] = [values.length],
): Bytes {
  return [
    ...dims.flatMap((dim) => integer(1, dim)),
    ...integer(2, 7),
    ...values.flatMap((item) => integer(7, item)),
    ...text(8, name),
  ];
}

export function float(name: string, item: number): Bytes {
  return [
    ...integer(1, 1),
    ...integer(2, 1),
    ...message(9, [...new Uint8Array(Float32Array.of(item).buffer)]),
    ...text(8, name),
  ];
}

/** A float32 tensor whose numbers are in a file beside the model. */
export function external(name: string, dims: readonly number[], file: string): Bytes {
  return [
    ...dims.flatMap((dim) => integer(1, dim)),
    ...integer(2, 1),
    ...text(8, name),
    ...message(13, [...text(1, 'location'), ...text(2, file)]),
    ...integer(14, 1),
  ];
}

/** Numbers of ONNX for the types of tensors. */
export const elementTypes = {
  float32: 1,
  uint8: 2,
  int8: 3,
  uint16: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
  float16: 10,
  float64: 11,
} as const;

export type ElementTypeName = keyof typeof elementTypes;

export function value(
  name: string,
  dims: readonly (number | string)[],
  type: ElementTypeName = 'float32',
): Bytes {
  const shape = dims.flatMap((dim) => message(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)));
  const tensor = [...integer(1, elementTypes[type]), ...message(2, shape)];
  return [...text(1, name), ...message(2, message(1, tensor))];
}

export interface GraphParts {
  readonly name: string;
  readonly nodes: readonly Bytes[];
  readonly constants: readonly Bytes[];
  readonly inputs: readonly Bytes[];
  readonly outputs: readonly Bytes[];
}

/** An attribute that is a graph, the body of a loop for instance. */
export function subgraph(name: string, parts: GraphParts): Bytes {
  return [...text(1, name), ...message(6, graph(parts)), ...integer(20, 5)];
}

/** A whole model of these parts. */
export function model(
  parts: GraphParts & { readonly metadata?: Readonly<Record<string, string>> | undefined },
): Uint8Array {
  return Uint8Array.from([
    ...integer(1, 8),
    ...message(7, graph(parts)),
    ...message(8, integer(2, 17)),
    ...Object.entries(parts.metadata ?? {}).flatMap(([key, content]) =>
      message(14, [...text(1, key), ...text(2, content)]),
    ),
  ]);
}

function graph(parts: GraphParts): Bytes {
  return [
    ...parts.nodes.map((content) => message(1, content)),
    text(2, parts.name),
    ...parts.constants.map((content) => message(5, content)),
    ...parts.inputs.map((content) => message(11, content)),
    ...parts.outputs.map((content) => message(12, content)),
  ].flat();
}

function message(field: number, content: Bytes): number[] {
  return [...varint((field << 3) | 2), ...varint(content.length), ...content];
}

function text(field: number, content: string): number[] {
  return message(field, [...Buffer.from(content)]);
}

function integer(field: number, item: number): number[] {
  return [...varint(field << 3), ...varint(item)];
}

function varint(given: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(given));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}
