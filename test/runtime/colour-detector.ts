/** How the graph is written. */
export interface ColourDetectorOptions {
  /** Built into the graph as height and width of its input; otherwise any multiple of 32 fits. */
  readonly fixedSize?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * A YOLOv8-style detector as an ONNX model, written by hand: each cell of 32 × 32 pixels is a box of 64 × 64 around it,
 * of the classes red, green and blue, with the mean of that colour in the cell for a score.
 *
 * Input `images` `[1, 3, height, width]` in 0 to 1; output `output0` `[1, 7, cells]`.
 */
export function colourDetector({ fixedSize, metadata = {} }: ColourDetectorOptions = {}): Uint8Array {
  const nodes = [
    node('AveragePool', ['images'], 'cells', [ints('kernel_shape', [32, 32]), ints('strides', [32, 32])]),
    node('Slice', ['cells', 'zero', 'one', 'one'], 'first'),
    node('Mul', ['first', 'zeros'], 'nothing'),
    node('Add', ['nothing', 'ones'], 'each'),
    node('Mul', ['each', 'cell'], 'stride'),
    node('Mul', ['each', 'half'], 'halfCell'),
    node('Add', ['stride', 'stride'], 'side'),
    node('CumSum', ['stride', 'three'], 'right'),
    node('CumSum', ['stride', 'two'], 'bottom'),
    node('Sub', ['right', 'halfCell'], 'x'),
    node('Sub', ['bottom', 'halfCell'], 'y'),
    node('Concat', ['x', 'y', 'side', 'side', 'cells'], 'rows', [int('axis', 1)]),
    node('Reshape', ['rows', 'shape'], 'output0'),
  ];
  const constants = [
    int64s('zero', [0]),
    int64s('one', [1]),
    int64s('two', [2], []),
    int64s('three', [3], []),
    int64s('shape', [1, 7, -1]),
    float('zeros', 0),
    float('ones', 1),
    float('cell', 32),
    float('half', 16),
  ];
  const side = (name: string) => fixedSize ?? name;
  const graph = [
    ...nodes.map((content) => message(1, content)),
    text(2, 'colours'),
    ...constants.map((content) => message(5, content)),
    message(11, value('images', [1, 3, side('height'), side('width')])),
    message(12, value('output0', [1, 7, 'cells'])),
  ];
  return Uint8Array.from([
    ...integer(1, 8),
    ...message(7, graph.flat()),
    ...message(8, integer(2, 17)),
    ...Object.entries(metadata).flatMap(([key, content]) =>
      message(14, [...text(1, key), ...text(2, content)]),
    ),
  ]);
}

type Bytes = readonly number[];

function node(
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

function ints(name: string, values: readonly number[]): Bytes {
  return [...text(1, name), ...values.flatMap((item) => integer(8, item)), ...integer(20, 7)];
}

function int(name: string, item: number): Bytes {
  return [...text(1, name), ...integer(3, item), ...integer(20, 2)];
}

function int64s(name: string, values: readonly number[], dims: readonly number[] = [values.length]): Bytes {
  return [
    ...dims.flatMap((dim) => integer(1, dim)),
    ...integer(2, 7),
    ...values.flatMap((item) => integer(7, item)),
    ...text(8, name),
  ];
}

function float(name: string, item: number): Bytes {
  return [
    ...integer(1, 1),
    ...integer(2, 1),
    ...message(9, [...new Uint8Array(Float32Array.of(item).buffer)]),
    ...text(8, name),
  ];
}

function value(name: string, dims: readonly (number | string)[]): Bytes {
  const shape = dims.flatMap((dim) => message(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)));
  return [...text(1, name), ...message(2, message(1, [...integer(1, 1), ...message(2, shape)]))];
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
