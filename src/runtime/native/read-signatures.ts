import type { TensorSignature } from '../contract.ts';
import type { Api } from './load-api.ts';
import { readShape } from './read-shape.ts';

/**
 * Reads names, types and dimensions of a session's inputs or outputs.
 *
 * @throws Error when one of them is no tensor
 */
export function readSignatures(api: Api, session: bigint, side: 'Input' | 'Output'): TensorSignature[] {
  const count = Number(api.find(`SessionGet${side}Count`, session));
  return Array.from({ length: count }, (_, index) => {
    const text = api.create(`SessionGet${side}Name`, session, index, api.allocator);
    const name = api.readString(text);
    api.call('AllocatorFree', api.allocator, text);
    const typeInfo = api.create(`SessionGet${side}TypeInfo`, session, index);
    try {
      // Belongs to the type information.
      const info = api.find('CastTypeInfoToTensorInfo', typeInfo);
      if (info === 0n) throw new Error(`${name}: only tensors are supported as inputs and outputs`);
      const { type, dims } = readShape(api, info);
      const symbols = new BigUint64Array(dims.length);
      if (dims.length > 0) api.call('GetSymbolicDimensions', info, symbols, dims.length);
      return { name, type, dims: dims.map((dim, axis) => (dim < 0 ? api.readString(symbols[axis]!) : dim)) };
    } finally {
      api.call('ReleaseTypeInfo', typeInfo);
    }
  });
}
