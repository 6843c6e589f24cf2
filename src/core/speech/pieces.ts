/** Cut points of a text, best first: after sentences, clauses, phrases, words. */
const boundaries = [/[.!?…]["”)]*(?= )/gu, /[;:—]["”)]*(?= )|\)(?= )| (?=\()/gu, /,["”)]*(?= )/gu, / /gu];

/** A cut that leaves a shorter piece than this part of the limit waits for a lesser boundary. */
const shortestShare = 1 / 3;

/**
 * Cuts phonemes into pieces that a model can speak at once: after clauses where it can, else between words, within a word only
 * where that alone exceeds the limit.
 */
export function* splitPhonemes(phonemes: string, { limit }: { limit: number }): Generator<string> {
  const all = [...phonemes.trim()];
  for (let start = 0; start < all.length;) {
    const isLast = all.length - start <= limit;
    const end = isLast ? all.length : start + findCut(all.slice(start, start + limit + 1).join(''), limit);
    const piece = all.slice(start, end).join('').trim();
    if (piece !== '') yield piece;
    start = end;
  }
}

/** @param head the first `limit + 1` code points of what is left */
function findCut(head: string, limit: number): number {
  const words = boundaries.at(-1);
  for (const boundary of boundaries) {
    const last = [...head.matchAll(boundary)].at(-1);
    if (!last) continue;
    const end = [...head.slice(0, last.index), ...last[0].trimEnd()].length;
    if (end >= limit * shortestShare || (end > 0 && boundary === words)) return end;
  }
  return limit;
}
