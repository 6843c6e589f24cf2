import type { OnnxGraph } from './model.ts';

/** Where `GroupQueryAttention` has the keys and values of earlier tokens among its inputs, and all of them among its outputs. */
const places = new Map([
  [3, 1],
  [4, 2],
]);

/**
 * Whether each `past_key_values.*` goes into `GroupQueryAttention` and nowhere else, and comes out of the same node as
 * `present.*`: only then may both be one tensor with room for more tokens than there are.
 *
 * @example
 * ```ts
 * hasInPlaceCaches(readOnnxModel(new Uint8Array(0)).graph); // false
 * ```
 */
export function hasInPlaceCaches({ inputs, outputs, nodes }: OnnxGraph): boolean {
  const pasts = new Set(inputs.map(({ name }) => name).filter((name) => name.startsWith('past_key_values.')));
  const presents = outputs.filter(({ name }) => name.startsWith('present.'));
  const found = new Set<string>();
  for (const { operator, inputs: operands, outputs: results, attributes } of nodes) {
    if (attributes.some(({ value }) => value.type === 'graph' || value.type === 'graphs')) return false;
    for (const [position, name] of operands.entries()) {
      if (!pasts.has(name)) continue;
      const result = operator === 'GroupQueryAttention' ? places.get(position) : undefined;
      if (result === undefined || found.has(name)) return false;
      if (results[result] !== name.replace('past_key_values', 'present')) return false;
      found.add(name);
    }
  }
  return pasts.size > 0 && found.size === pasts.size && presents.length === pasts.size;
}
