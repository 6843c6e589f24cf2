import { withEd, withLessStress, withS, type Pronunciation } from './arpabet-sounds.ts';

/** Finds a word in a dictionary; words are in small letters. */
export type LookUp = (word: string) => Pronunciation | undefined;

/** An ending, what may stand in its place in the base, and how the base is changed by it. */
interface Ending {
  readonly ending: RegExp;
  /** Tried one after the other; `*` is the base without its doubled consonant. */
  readonly bases: readonly string[];
  readonly add: (base: Pronunciation) => Pronunciation;
}

const sounding =
  (sounds: string) =>
  (base: Pronunciation): Pronunciation =>
    `${base} ${sounds}`;

const endings: readonly Ending[] = [
  { ending: /'s$|s'$/, bases: ['', 's'], add: withS },
  { ending: /n't$/, bases: [''], add: sounding('AH0 N T') },
  { ending: /'ll$/, bases: [''], add: sounding('AH0 L') },
  { ending: /'ve$/, bases: [''], add: sounding('AH0 V') },
  { ending: /'re$/, bases: [''], add: sounding('ER0') },
  { ending: /'d$/, bases: [''], add: withEd },
  { ending: /ies$/, bases: ['y', 'ie'], add: withS },
  { ending: /es$/, bases: ['e', ''], add: withS },
  { ending: /(?<!s)s$/, bases: [''], add: withS },
  { ending: /ied$/, bases: ['y'], add: withEd },
  { ending: /ed$/, bases: ['', 'e', '*'], add: withEd },
  { ending: /ing$/, bases: ['', 'e', '*'], add: sounding('IH0 NG') },
  { ending: /ings$/, bases: ['', 'e', '*'], add: sounding('IH0 NG Z') },
  { ending: /ier$/, bases: ['y'], add: sounding('ER0') },
  { ending: /er$/, bases: ['', 'e', '*'], add: sounding('ER0') },
  { ending: /ers$/, bases: ['', 'e', '*'], add: sounding('ER0 Z') },
  { ending: /iest$/, bases: ['y'], add: sounding('AH0 S T') },
  { ending: /est$/, bases: ['', 'e', '*'], add: sounding('AH0 S T') },
  { ending: /ically$/, bases: ['ic', 'ical'], add: (base) => base.replace(/(?: AH0 L)?$/, ' L IY0') },
  { ending: /ily$/, bases: ['y'], add: sounding('L IY0') },
  { ending: /ly$/, bases: ['', 'le'], add: (base) => base.replace(/(?: AH0 L)?$/, ' L IY0') },
  { ending: /iness$/, bases: ['y'], add: sounding('N AH0 S') },
  { ending: /ness$/, bases: [''], add: sounding('N AH0 S') },
  { ending: /less$/, bases: [''], add: sounding('L AH0 S') },
  { ending: /ful$/, bases: [''], add: sounding('F AH0 L') },
  { ending: /ment$/, bases: [''], add: sounding('M AH0 N T') },
  { ending: /ments$/, bases: [''], add: sounding('M AH0 N T S') },
  { ending: /able$/, bases: ['', 'e', '*'], add: sounding('AH0 B AH0 L') },
  { ending: /ship$/, bases: [''], add: sounding('SH IH2 P') },
  { ending: /hood$/, bases: [''], add: sounding('HH UH2 D') },
  { ending: /like$/, bases: [''], add: sounding('L AY2 K') },
  { ending: /ish$/, bases: ['', 'e', '*'], add: sounding('IH0 SH') },
  { ending: /ise$/, bases: ['ize'], add: (base) => base },
  { ending: /ize$/, bases: ['', 'e', 'y'], add: sounding('AY2 Z') },
  { ending: /ism$/, bases: ['', 'e'], add: sounding('IH2 Z AH0 M') },
  { ending: /ist$/, bases: ['', 'e'], add: sounding('IH0 S T') },
  { ending: /y$/, bases: ['', 'e', '*'], add: sounding('IY0') },
];

const prefixes: Readonly<Record<string, Pronunciation>> = {
  anti: 'AE2 N T IY0',
  auto: 'AO2 T OW0',
  bio: 'B AY2 OW0',
  co: 'K OW2',
  counter: 'K AW2 N T ER0',
  cyber: 'S AY2 B ER0',
  de: 'D IY0',
  dis: 'D IH0 S',
  hyper: 'HH AY2 P ER0',
  inter: 'IH2 N T ER0',
  macro: 'M AE2 K R OW0',
  mega: 'M EH2 G AH0',
  micro: 'M AY2 K R OW0',
  mid: 'M IH2 D',
  mini: 'M IH2 N IY0',
  mis: 'M IH0 S',
  multi: 'M AH2 L T IY0',
  nano: 'N AE2 N OW0',
  non: 'N AA2 N',
  out: 'AW2 T',
  over: 'OW2 V ER0',
  post: 'P OW2 S T',
  pre: 'P R IY0',
  re: 'R IY0',
  semi: 'S EH2 M IY0',
  sub: 'S AH2 B',
  super: 'S UW2 P ER0',
  tele: 'T EH2 L AH0',
  trans: 'T R AE2 N Z',
  ultra: 'AH2 L T R AH0',
  un: 'AH0 N',
  under: 'AH2 N D ER0',
};

const longestPrefix = 7;
const shortestBase = 3;
/** Short words and pieces of names would be found within anything. */
const shortestPart = 4;
/** Endings that are taken off one after the other: `token` + `ize` + `er` + `s`. */
const mostEndings = 3;

/**
 * Puts a word together from parts that a dictionary has: a base with an ending, a prefix with a base, or two words
 * written as one.
 *
 * @param lookUp finds the parts
 * @returns `undefined` where it can't be done
 *
 * @example
 * ```ts
 * const lookUp = (word: string) => (word === 'box' ? 'B AA1 K S' : undefined);
 * pronounceParts('unboxings', lookUp); // 'AH0 N B AA1 K S IH0 NG Z'
 * ```
 */
export function pronounceParts(word: string, lookUp: LookUp): Pronunciation | undefined {
  return withEnding(word, lookUp) ?? withPrefix(word, lookUp) ?? asCompound(word, lookUp);
}

function withEnding(word: string, lookUp: LookUp, most = mostEndings): Pronunciation | undefined {
  if (most === 0) return undefined;
  for (const { ending, bases, add } of endings) {
    if (!ending.test(word)) continue;
    const stem = word.replace(ending, '');
    for (const replacement of bases) {
      const base = replacement === '*' ? withoutDouble(stem) : stem + replacement;
      if (base.length < shortestBase && !ending.source.includes("'")) continue;
      const found =
        lookUp(base) ??
        withEnding(base, lookUp, most - 1) ??
        withPrefix(base, lookUp, most - 1) ??
        asCompound(base, lookUp);
      if (found !== undefined) return add(found);
    }
  }
  return undefined;
}

function withPrefix(word: string, lookUp: LookUp, most = mostEndings): Pronunciation | undefined {
  for (let length = Math.min(longestPrefix, word.length - shortestBase); length > 1; length--) {
    const prefix = prefixes[word.slice(0, length)];
    const base = prefix && (lookUp(word.slice(length)) ?? withEnding(word.slice(length), lookUp, most));
    if (base) return `${prefix} ${base}`;
  }
  return undefined;
}

function asCompound(word: string, lookUp: LookUp): Pronunciation | undefined {
  for (let split = word.length - shortestPart; split >= shortestPart; split--) {
    const first = lookUp(word.slice(0, split));
    const second = first && lookUp(word.slice(split));
    if (second) return `${first} ${withLessStress(second)}`;
  }
  return undefined;
}

/** `stopp` → `stop` */
function withoutDouble(stem: string): string {
  return stem.replace(/([bdfgklmnprtz])\1$/, '$1');
}
