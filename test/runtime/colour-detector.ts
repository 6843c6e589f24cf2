import { float, int, int64s, ints, model, node, value } from './onnx-writer.ts';

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
  return model({
    name: 'colours',
    nodes,
    constants,
    inputs: [value('images', [1, 3, side('height'), side('width')])],
    outputs: [value('output0', [1, 7, 'cells'])],
    metadata,
  });
}
