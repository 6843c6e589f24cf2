import type { ResidentTensor, TensorSignature } from '../contract.ts';
import { NativeTensor } from './native-tensor.ts';

/** @throws TypeError when there is none of that name */
export function findSignature(
  signatures: readonly TensorSignature[],
  name: string,
  side: 'input' | 'output',
): TensorSignature {
  const signature = signatures.find((candidate) => candidate.name === name);
  if (!signature) throw new TypeError(`${name}: the graph has no such ${side}`);
  return signature;
}

/**
 * Checks that a tensor can be what a graph declares: the runtime takes what it is given for such.
 *
 * @param device on which the graph runs: it can read that memory and this process's
 * @throws TypeError when it is no tensor of the native runtime, of another type or on another device
 * @throws RangeError when its dimensions differ from the fixed ones
 */
export function assertFits(
  tensor: ResidentTensor,
  { name, type, dims }: TensorSignature,
  device: string,
): NativeTensor {
  if (!(tensor instanceof NativeTensor)) {
    throw new TypeError(`${name}: expected a tensor that a session made`);
  }
  if (tensor.type !== type) throw new TypeError(`${name}: expected ${type}, got ${tensor.type}`);
  if (tensor.device !== 'cpu' && tensor.device !== device) {
    throw new TypeError(`${name}: expected memory of ${device}, got ${tensor.device}`);
  }
  const fits =
    tensor.dims.length === dims.length &&
    dims.every((dim, axis) => typeof dim === 'string' || dim === tensor.dims[axis]);
  if (!fits) {
    throw new RangeError(`${name}: expected [${dims.join(', ')}], got [${tensor.dims.join(', ')}]`);
  }
  return tensor;
}
