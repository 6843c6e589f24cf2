import type { PiperConfig } from './piper-config.ts';
import type { VitsVoice } from './vits-voice.ts';

/**
 * Makes ids of Piper's symbols: a padding after each, between a beginning and an end. A symbol without an id is left out;
 * capitals may have those of small letters.
 */
export function createPiperSymbols({
  ids,
  clusters,
}: Pick<PiperConfig, 'ids' | 'clusters'>): Pick<VitsVoice, 'knows' | 'toIds'> {
  const [padding, beginning, end] = [ids.get('_')!, ids.get('^')!, ids.get('$')!];
  const longestFirst = clusters.toSorted((one, other) => other.length - one.length);
  const find = (symbol: string): readonly number[] | undefined =>
    ids.get(symbol) ?? ids.get(symbol.toLowerCase());
  return {
    knows: (symbol) => find(symbol) !== undefined || clusters.some((cluster) => cluster.includes(symbol)),
    toIds(symbols) {
      const found: (readonly number[])[] = [];
      const places: number[] = [];
      let place = 0;
      for (const part of divide(symbols, longestFirst)) {
        const own = find(part);
        if (own) {
          const withPadding = [...own, ...padding];
          found.push(withPadding);
          places.push(...withPadding.map(() => place));
        }
        place += Array.from(part).length;
      }
      if (found.length === 0) return { ids: [] };
      const before = [...beginning, ...padding];
      return {
        ids: [...before, ...found.flat(), ...end],
        places: [...before.map(() => -1), ...places, ...end.map(() => place)],
      };
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
