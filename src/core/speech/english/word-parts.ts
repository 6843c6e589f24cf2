import { tableOf } from '../table-of.ts';
import { withEd, withLessStress, withS, type Pronunciation } from './arpabet-sounds.ts';

/** Finds a word in a dictionary, in lower case. */
export type LookUp = (word: string) => Pronunciation | undefined;

/** An ending, its replacements in the base, and its effect on the pronunciation. */
interface Ending {
  readonly ending: RegExp;
  /** Tried in order; `*` is the base without its doubled consonant. */
  readonly bases: readonly string[];
  readonly add: (base: Pronunciation, word: string) => Pronunciation;
}

const following =
  (sounds: string) =>
  (base: Pronunciation): Pronunciation =>
    `${base} ${sounds}`;

/** Begins with a vowel, before which `-le` loses its own vowel: `handle`, `handling`. */
const sounding =
  (sounds: string) =>
  (base: Pronunciation, word: string): Pronunciation =>
    `${word.endsWith('le') ? base.replace(/(?<=[^R]) AH0 L$/, ' L') : base} ${sounds}`;

/** Takes the stress from its base. */
const stressing =
  (sounds: string) =>
  (base: Pronunciation): Pronunciation =>
    `${withLessStress(base)} ${sounds}`;

/** Endings with their sounds: first endings that keep the base unchanged, then endings that start with a vowel. */
const consonantal = tableOf(
  `ness:N AH0 S, less:L AH0 S, ful:F AH0 L, ment:M AH0 N T, ments:M AH0 N T S, ship:SH IH2 P, hood:HH UH2 D,
like:L AY2 K, dom:D AH0 M, some:S AH0 M, ward:W ER0 D, wards:W ER0 D Z, wise:W AY2 Z, man:M AH0 N,
men:M IH0 N`,
);
const vocalic = tableOf(
  `ing:IH0 NG, ings:IH0 NG Z, er:ER0, ers:ER0 Z, est:IH0 S T, able:AH0 B AH0 L, ish:IH0 SH, y:IY0`,
);

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
  { ending: /ier$/, bases: ['y'], add: sounding('ER0') },
  { ending: /iest$/, bases: ['y'], add: sounding('IH0 S T') },
  { ending: /ically$/, bases: ['ic', 'ical'], add: (base) => base.replace(/(?: AH0 L)?$/, ' L IY0') },
  { ending: /ily$/, bases: ['y'], add: (base) => `${base.replace(/IY0$/, 'AH0')} L IY0` },
  {
    ending: /ly$/,
    bases: ['', 'le'],
    add: (base, word) => `${base.replace(word.endsWith('le') ? /(?: AH0)? L$/ : / L$/, '')} L IY0`,
  },
  { ending: /iness$/, bases: ['y'], add: following('N AH0 S') },
  {
    ending: /ability$/,
    bases: ['able', '', 'e'],
    add: (base) => `${withLessStress(base.replace(/ AH0 B AH0 L$/, ''))} AH0 B IH1 L AH0 T IY0`,
  },
  { ending: /i[sz]ation$/, bases: ['', 'e', 'y'], add: stressing('AH0 Z EY1 SH AH0 N') },
  {
    ending: /ation$/,
    bases: ['ate'],
    add: (base) => `${withLessStress(base.replace(/ (?:EY|AH|IH)\d T$/, ''))} EY1 SH AH0 N`,
  },
  { ending: /ator$/, bases: ['ate'], add: (base) => `${base.replace(/(?:AH|IH)0(?= T$)/, 'EY2')} ER0` },
  { ending: /ise$/, bases: ['ize'], add: (base) => base },
  { ending: /ize$/, bases: ['', 'e', 'y'], add: sounding('AY2 Z') },
  { ending: /ism$/, bases: ['', 'e'], add: sounding('IH2 Z AH0 M') },
  { ending: /ist$/, bases: ['', 'e'], add: sounding('IH0 S T') },
  ...toEndings(consonantal, [''], following),
  ...toEndings(vocalic, ['', 'e', '*'], sounding),
];

function toEndings(
  sounds: Readonly<Record<string, string>>,
  bases: readonly string[],
  add: (sounds: string) => Ending['add'],
): Ending[] {
  return Object.entries(sounds).map(([ending, end]) => ({
    ending: new RegExp(`${ending}$`),
    bases,
    add: add(end),
  }));
}

const prefixes = tableOf(
  `anti:AE2 N T IY0, auto:AO2 T OW0, bio:B AY2 OW0, co:K OW2, counter:K AW2 N T ER0, cyber:S AY2 B ER0, de:D IY0,
dis:D IH0 S, hyper:HH AY2 P ER0, inter:IH2 N T ER0, macro:M AE2 K R OW0, mega:M EH2 G AH0, micro:M AY2 K R OW0,
mid:M IH2 D, mini:M IH2 N IY0, mis:M IH0 S, multi:M AH2 L T IY0, nano:N AE2 N OW0, non:N AA2 N, out:AW2 T,
over:OW2 V ER0, post:P OW2 S T, pre:P R IY0, re:R IY0, semi:S EH2 M IY0, sub:S AH2 B, super:S UW2 P ER0,
tele:T EH2 L AH0, trans:T R AE2 N Z, ultra:AH2 L T R AH0, un:AH2 N, up:AH2 P, tri:T R AY2, bi:B AY2, be:B IH0,
em:EH0 M, en:EH0 N, im:IH0 M, in:IH0 N, aero:EH2 R OW0, agro:AE2 G R OW0, astro:AE2 S T R OW0,
cardio:K AA2 R D IY0 OW0, chemo:K IY2 M OW0, cryo:K R AY2 OW0, cyto:S AY2 T AH0, eco:IY2 K OW0,
electro:IH0 L EH2 K T R OW0, endo:EH2 N D OW0, ethno:EH2 TH N OW0, extra:EH2 K S T R AH0, geo:JH IY2 OW0,
hemo:HH IY2 M AH0, hetero:HH EH2 T ER0 OW0, homo:HH AA2 M AH0, hydro:HH AY2 D R AH0, hypo:HH AY2 P OW0,
immuno:IH2 M Y AH0 N OW0, infra:IH2 N F R AH0, intra:IH2 N T R AH0, iso:AY2 S AH0, mal:M AE2 L,
meso:M EH2 Z AH0, meta:M EH2 T AH0, mono:M AA2 N AH0, neuro:N UH2 R OW0, ortho:AO2 R TH OW0,
osteo:AA2 S T IY0 OW0, paleo:P EY2 L IY0 OW0, para:P EH2 R AH0, poly:P AA2 L IY0, proto:P R OW2 T OW0,
pseudo:S UW2 D OW0, psycho:S AY2 K OW0, pyro:P AY2 R OW0, socio:S OW2 S IY0 OW0, stereo:S T EH2 R IY0 AH0,
techno:T EH2 K N OW0, tetra:T EH2 T R AH0, thermo:TH ER2 M AH0, uni:Y UW2 N AH0, under:AH2 N D ER0`,
);

const maxPrefixLength = 7;
const minBaseLength = 3;
/** Maximum parts to strip: `token` + `ize` + `er` + `s`. */
const maxParts = 3;

/** Composes a word from parts in the dictionary: a base with an ending, a prefix with a base, or a compound of two words. */
export function* pronounceParts(word: string, lookUp: LookUp, left = maxParts): Generator<Pronunciation> {
  if (left === 0) return;
  for (const { ending, bases, add } of endings) {
    if (!ending.test(word)) continue;
    const stem = word.replace(ending, '');
    for (const replacement of bases) {
      const base = replacement === '*' ? withoutDouble(stem) : stem + replacement;
      if (replacement === '*' && base === stem) continue;
      if (base.length < minBaseLength && !ending.source.includes("'")) continue;
      for (const found of pronounceBase(base, lookUp, left)) yield add(found, base);
    }
  }
  for (let length = Math.min(maxPrefixLength, word.length - minBaseLength); length > 1; length--) {
    const prefix = prefixes[word.slice(0, length)];
    if (prefix === undefined) continue;
    for (const found of pronounceBase(word.slice(length), lookUp, left)) yield `${prefix} ${found}`;
  }
  for (let split = word.length - minBaseLength; split >= minBaseLength; split--) {
    const first = lookUp(word.slice(0, split));
    const second = first && lookUp(word.slice(split));
    if (second) yield `${first} ${withLessStress(second)}`;
  }
}

function* pronounceBase(base: string, lookUp: LookUp, left: number): Generator<Pronunciation> {
  const found = lookUp(base);
  if (found !== undefined) yield found;
  yield* pronounceParts(base, lookUp, left - 1);
}

/** `stopp` → `stop` */
function withoutDouble(stem: string): string {
  return stem.replace(/([bdfgklmnprtz])\1$/, '$1');
}
