import type { Tensor, TensorMap } from '../../contracts/graph.ts';
import { readTensor, wrapTensor } from './native-tensor.ts';
import type { SessionCore } from './session-core.ts';

/** Memory that the runtime reads during a run: nothing else may refer to it any more. */
const inUse = new Set<unknown>();

/**
 * Runs a session's graph over tensors of JavaScript.
 * @param feeds a tensor for every input; others are ignored
 */
export async function runGraph(
  { api, inputs, outputs, session, runOptions }: SessionCore,
  feeds: TensorMap,
  fetches: readonly string[],
  inThisThread: boolean,
): Promise<TensorMap> {
  const unknown = fetches.find((fetch) => outputs.every(({ name }) => name !== fetch));
  if (unknown !== undefined) throw new TypeError(`${unknown}: the graph has no such output`);
  const tensors = inputs.map(({ name, type }) => {
    const tensor = feeds[name];
    if (!tensor) throw new Error(`${name}: this input is missing`);
    if (tensor.type !== type) throw new TypeError(`${name}: expected ${type}, got ${tensor.type}`);
    return tensor;
  });
  const names = inputs.map(({ name }) => name);
  const values = new BigUint64Array(inputs.length);
  const results = new BigUint64Array(fetches.length);
  const data = tensors.map((tensor) => tensor.data);
  inUse.add(data);
  try {
    for (const [index, tensor] of tensors.entries()) values[index] = wrapTensor(api, tensor, names[index]!);
    const fed = [session, runOptions, names, values, names.length] as const;
    const wanted = [fetches, fetches.length, results] as const;
    if (inThisThread) api.call('Run', ...fed, ...wanted);
    else await api.callAsync('Run', ...fed, ...wanted);
    const read = fetches.map((name, index): [string, Tensor] => [
      name,
      readTensor(api, results[index]!, name),
    ]);
    return Object.fromEntries(read);
  } finally {
    inUse.delete(data);
    for (const value of [...values, ...results]) if (value !== 0n) api.call('ReleaseValue', value);
  }
}
