import { writeUnits } from '../code-units.ts';
import { readList } from '../definition.ts';
import { createPairTable, type PairTable } from '../pair-table.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Joints } from './joints.ts';

/** Reads merges: `[left, right]`, or `"left right"` in older files. */
export function readMerges(
  label: string,
  value: unknown,
  { vocabulary, prefixLength, joints }: { vocabulary: Vocabulary; prefixLength: number; joints: Joints },
): PairTable {
  const merges = readList(label, value);
  const { longest } = vocabulary;
  const pairs = createPairTable(merges.length);
  /** Both tokens, one after the other. */
  const joined = new Uint16Array(2 * longest);
  for (let index = 0; index < merges.length; index++) {
    const [left, right] = readMerge(label, index, merges[index]);
    if (left === undefined) continue;
    if (left.length > longest) throw unknown(left);
    if (right!.length > longest) throw unknown(right!);
    const middle = writeUnits(joined, 0, left);
    const end = writeUnits(joined, middle, right!);
    const leftId = vocabulary.find(joined, 0, middle);
    if (leftId === -1) throw unknown(left);
    const rightId = vocabulary.find(joined, middle, end);
    if (rightId === -1) throw unknown(right!);
    joints.add(joined, middle, end);
    if (prefixLength > 0) joined.copyWithin(middle, middle + prefixLength, end);
    const merged = vocabulary.find(joined, 0, Math.max(middle, end - prefixLength));
    if (merged === -1) throw unknown(left + right!.slice(prefixLength));
    pairs.add(leftId, rightId, merged);
  }
  return pairs;

  function unknown(token: string): RangeError {
    return new RangeError(`${label}: token ${JSON.stringify(token)} is not in the vocabulary`);
  }
}

/** Nothing for the comment with the version of the format. */
function readMerge(label: string, index: number, merge: unknown): readonly [string, string] | readonly [] {
  if (typeof merge === 'string') {
    if (merge.startsWith('#version')) return [];
    const gap = merge.indexOf(' ');
    if (gap !== -1 && !merge.includes(' ', gap + 1)) return [merge.slice(0, gap), merge.slice(gap + 1)];
    const given = JSON.stringify(merge.slice(0, 80));
    throw new RangeError(`${label}[${index}]: expected two tokens, got ${given}`);
  }
  if (
    Array.isArray(merge) &&
    merge.length === 2 &&
    typeof merge[0] === 'string' &&
    typeof merge[1] === 'string'
  ) {
    return merge as [string, string];
  }
  throw new TypeError(`${label}[${index}]: expected two tokens`);
}
