import { float, model, node, subgraph, value, type Bytes, type ElementTypeName } from '../onnx-writer.ts';

/** `y = x` over `[n]`. */
export function identityModel(type: ElementTypeName): Uint8Array {
  return model({
    name: 'identity',
    nodes: [node('Identity', ['x'], 'y')],
    constants: [],
    inputs: [value('x', ['n'], type)],
    outputs: [value('y', ['n'], type)],
  });
}

/** `sum = past + x` over `[2, n]`, and `flat`, of which only a run knows the length: the positions of what is not 0. */
export function accumulatingModel(): Uint8Array {
  return model({
    name: 'accumulating',
    nodes: [node('Add', ['past', 'x'], 'sum'), node('NonZero', ['x'], 'flat')],
    constants: [],
    inputs: [value('past', [2, 'n']), value('x', [2, 'n'])],
    outputs: [value('sum', [2, 'n']), value('flat', [2, 'count'], 'int64')],
  });
}

/** `y = x + 1 + 1 + …`, `trips` times, which an input says: without end for as long as a test lives where it is large. */
export function loopingModel(): Uint8Array {
  const body = {
    name: 'body',
    nodes: [node('Identity', ['going'], 'still'), node('Add', ['before', 'one'], 'after')] as Bytes[],
    constants: [float('one', 1)],
    inputs: [value('trip', [], 'int64'), value('going', [], 'bool'), value('before', ['n'])],
    outputs: [value('still', [], 'bool'), value('after', ['n'])],
  };
  return model({
    name: 'looping',
    nodes: [node('Loop', ['trips', '', 'x'], 'y', [subgraph('body', body)])],
    constants: [],
    inputs: [value('trips', [], 'int64'), value('x', ['n'])],
    outputs: [value('y', ['n'])],
  });
}
