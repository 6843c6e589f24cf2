import { orElse } from '../../text/or-else.ts';
import { LanguageTooHard, type Language, type LanguageStore } from './language.ts';
import { liveTransitionsOf } from './live.ts';

/** Maximum languages and steps per search. */
const maxVisited = 1000;
const maxWork = 20_000;

const found = new WeakMap<Language, string>();

/** A text with the fewest characters that a language has, by breadth-first search. */
export function findShortestText(language: Language, store: LanguageStore): string | undefined {
  const known = found.get(language);
  if (known !== undefined) return known;
  store.allow(maxWork);
  return orElse(() => search(language, store), undefined, LanguageTooHard);
}

function search(language: Language, store: LanguageStore): string | undefined {
  const ways = new Map<Language, { readonly from: Language; readonly character: string } | undefined>([
    [language, undefined],
  ]);
  // Visits languages that are added during the loop, too.
  for (const here of ways.keys()) {
    if (here.nullable) {
      let text = '';
      found.set(here, text);
      for (let way = ways.get(here); way; way = ways.get(way.from)) {
        text = way.character + text;
        found.set(way.from, text);
      }
      return text;
    }
    if (ways.size > maxVisited) return undefined;
    for (const { from, to, target } of liveTransitionsOf(here, store)) {
      if (ways.has(target)) continue;
      ways.set(target, { from: here, character: String.fromCodePoint(plainestOf(from, to)) });
    }
  }
  return undefined;
}

/** A letter, digit or blank of a range if it contains one, else its first code point. */
export function plainestOf(from: number, to: number): number {
  return [0x61, 0x30, 0x20].find((code) => code >= from && code <= to) ?? from;
}
