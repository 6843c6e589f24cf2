import { readList } from '../definition.ts';
import { createPairTable, type PairTable } from '../pair-table.ts';
import type { Vocabulary } from '../vocabulary.ts';

/** Takes part in every merge, in the order of their ranks. */
export type VisitMerge = (left: number, right: number) => void;

/**
 * Reads merges: `[left, right]`, or `"left right"` in older files.
 *
 * @param prefixLength how much of the right token isn't part of the merged one
 * @throws TypeError or RangeError for a merge that is none, or whose tokens the vocabulary doesn't have
 */
export function readMerges(
  label: string,
  value: unknown,
  { vocabulary, prefixLength, visit }: { vocabulary: Vocabulary; prefixLength: number; visit: VisitMerge },
): PairTable {
  const merges = readList(label, value);
  const pairs = createPairTable(merges.length);
  const joined = new Uint16Array(2 * vocabulary.longest);
  let rank = 0;
  for (let index = 0; index < merges.length; index++) {
    const merge = merges[index];
    const [left, right] =
      typeof merge === 'string' ? splitMerge(label, index, merge) : checkMerge(label, index, merge);
    if (left === undefined) continue;
    const leftId = idOf(left);
    const rightId = idOf(right!);
    let length = 0;
    for (let at = 0; at < left.length; at++) joined[length++] = left.charCodeAt(at);
    for (let at = prefixLength; at < right!.length; at++) joined[length++] = right!.charCodeAt(at);
    const merged = vocabulary.find(joined, 0, length);
    if (merged === -1) throw unknown(left + right!.slice(prefixLength));
    pairs.set(leftId, rightId, rank++, merged);
    visit(leftId, rightId);
  }
  return pairs;

  function idOf(token: string): number {
    const id = vocabulary.findText(token);
    if (id === -1) throw unknown(token);
    return id;
  }

  function unknown(token: string): RangeError {
    return new RangeError(`${label}: token ${JSON.stringify(token)} is not in the vocabulary`);
  }
}

/** Nothing for the comment with the version of the format. */
function splitMerge(label: string, index: number, merge: string): [string, string] | [] {
  if (merge.startsWith('#version')) return [];
  const gap = merge.indexOf(' ');
  if (gap === -1 || merge.includes(' ', gap + 1)) {
    throw new RangeError(
      `${label}[${index}]: expected two tokens, got ${JSON.stringify(merge.slice(0, 80))}`,
    );
  }
  return [merge.slice(0, gap), merge.slice(gap + 1)];
}

function checkMerge(label: string, index: number, merge: unknown): [string, string] {
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
