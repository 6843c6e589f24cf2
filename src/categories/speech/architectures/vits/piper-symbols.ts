import type { VitsVoice } from './vits-voice.ts';
import type { PiperConfig } from './piper-voice.ts';

/**
 * Makes ids of Piper's symbols: a padding after each, between a beginning and an end. A symbol without an id is left out;
 * capitals may have those of small letters.
 */
export function createPiperSymbols({
  phoneme_id_map: map,
  vowel_clusters: clusters,
}: Pick<PiperConfig, 'phoneme_id_map' | 'vowel_clusters'>): Pick<VitsVoice, 'knows' | 'toIds'> {
  const ids = new Map(Object.entries(map));
  const [padding, beginning, end] = [ids.get('_')!, ids.get('^')!, ids.get('$')!];
  const merged = clusters
    .map((cluster) => cluster.join(''))
    .toSorted((one, other) => other.length - one.length);
  const find = (symbol: string): readonly number[] | undefined =>
    ids.get(symbol) ?? ids.get(symbol.toLowerCase());
  return {
    knows: (symbol) => find(symbol) !== undefined || merged.some((cluster) => cluster.includes(symbol)),
    toIds(symbols) {
      const found = divide(symbols, merged).flatMap((symbol) => {
        const own = find(symbol);
        return own ? [...own, ...padding] : [];
      });
      return found.length === 0 ? [] : [...beginning, ...padding, ...found, ...end];
    },
  };
}

/** @param clusters of code points that are one symbol, the longest first */
function divide(symbols: string, clusters: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < symbols.length; at += parts.at(-1)!.length) {
    const cluster = clusters.find((one) => symbols.startsWith(one, at));
    parts.push(cluster ?? String.fromCodePoint(symbols.codePointAt(at)!));
  }
  return parts;
}
