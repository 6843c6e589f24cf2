import { orElse } from '../../text/or-else.ts';
import { LanguageTooHard, type Language, type LanguageStore, type Transition } from './language.ts';
import { transitionsOf } from './transitions.ts';

/**
 * Whether a language contains any text. Intersections are searched; all languages on the path to a text are then known
 * to be live, so a reader that follows only live languages never reaches an empty one.
 */
export function isLive(language: Language, store: LanguageStore): boolean {
  if (!language.isConditional) return language !== store.never;
  if (language.isLive !== undefined) return language.isLive;
  const visited = new Set([language]);
  const trail = [{ language, transitions: promising(language, store), next: 0 }];
  for (let here = trail.at(-1); here; here = trail.at(-1)) {
    const isFound = here.next === 0 && here.transitions.some(({ target }) => isKnownLive(target, store));
    if (isFound || isKnownLive(here.language, store)) {
      for (const { language: live } of trail) live.isLive = true;
      return true;
    }
    const transition = here.transitions[here.next++];
    if (!transition) {
      trail.pop();
      continue;
    }
    const { target } = transition;
    store.spend(1);
    if (visited.has(target) || target.isLive === false) continue;
    visited.add(target);
    trail.push({ language: target, transitions: promising(target, store), next: 0 });
  }
  for (const dead of visited) dead.isLive = false;
  return false;
}

/** Narrow transitions lead to new languages more often than wide ones, which mostly loop. */
function promising(language: Language, store: LanguageStore): readonly Transition[] {
  return transitionsOf(language, store).toSorted((a, b) => a.to - a.from - (b.to - b.from));
}

function isKnownLive(language: Language, store: LanguageStore): boolean {
  if (language.nullable || language.isLive === true) return true;
  return !language.isConditional && language !== store.never;
}

/** The transitions from which a text can be completed. A transition is omitted if checking costs too much. */
export function liveTransitionsOf(language: Language, store: LanguageStore): readonly Transition[] {
  language.liveTransitions ??= transitionsOf(language, store).filter(({ target }) =>
    orElse(() => isLive(target, store), false, LanguageTooHard),
  );
  return language.liveTransitions;
}

export function includesText(language: Language, text: string, store: LanguageStore): boolean {
  let here = language;
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    const next = transitionsOf(here, store).find(({ from, to }) => codePoint >= from && codePoint <= to);
    if (!next) return false;
    here = next.target;
  }
  return here.nullable;
}

/** Number of texts of a language: exact below `most`, `most` for that many or more, Infinity for an infinite language. */
export function countTexts(language: Language, store: LanguageStore, most: number): number {
  const known = new Map<Language, number>();
  const open = new Set<Language>();
  const count = (here: Language): number => {
    const found = known.get(here);
    if (found !== undefined) return found;
    if (open.has(here)) return Infinity;
    open.add(here);
    let total = here.nullable ? 1 : 0;
    for (const { from, to, target } of liveTransitionsOf(here, store)) {
      total += (to - from + 1) * store.nested(() => count(target));
      if (total === Infinity) break;
    }
    open.delete(here);
    const bounded = total === Infinity ? Infinity : Math.min(total, most);
    known.set(here, bounded);
    return bounded;
  };
  return count(language);
}
