import type { Pronunciation } from './arpabet-sounds.ts';
import { placeStress } from './stress.ts';

/** Letters, what has to stand before and after them, and their sounds. */
type LetterRule = readonly [
  letters: string,
  before: RegExp | undefined,
  after: RegExp | undefined,
  sounds: string,
];

const start = /^$/;
const end = /^$/;
const anything = undefined;
const consonantThenE = /^[bcdfgklmnprstvz]e(?:s|d)?$/;
/** Makes a vowel before one consonant long: a silent e, or an ending that once was a syllable of its own. */
const magic = /^(?:[bcdfgklmnprstvz]|th|st)(?:e(?:s|d|r|rs)?|ing|ely|ement)$/;
const open = /^[bcdfgklmnprtv][aeiou]/;
const frontVowel = /^[eiy]/;

/** For each first letter, the first rule that fits applies. */
const rules: readonly LetterRule[] = [
  // a
  ['aa', anything, anything, 'AA'],
  ['augh', anything, anything, 'AO'],
  ['au', anything, anything, 'AO'],
  ['aw', anything, anything, 'AO'],
  ['ai', anything, /^r/, 'EH'],
  ['ai', anything, anything, 'EY'],
  ['ay', anything, anything, 'EY'],
  ['ae', anything, anything, 'IY'],
  ['all', anything, end, 'AO L'],
  ['al', anything, /^k/, 'AO'],
  ['al', anything, /^[dt]/, 'AO L'],
  ['arr', anything, anything, 'EH R'],
  ['are', anything, end, 'EH R'],
  ['ar', /w$/, anything, 'AO R'],
  ['ar', anything, /^[aeiouy]/, 'EH R'],
  ['ar', /[aeiouy].*[^aeiouy]$/, end, 'ER'],
  ['ar', anything, anything, 'AA R'],
  ['ange', anything, end, 'EY N JH'],
  ['age', /[aeiouy].*$/, end, 'IH JH'],
  ['ate', anything, end, 'EY T'],
  ['a', anything, /^ti(?:on|ous|al|ent)/, 'EY'],
  ['a', anything, magic, 'EY'],
  ['a', anything, /^ble/, 'EY'],
  ['a', /w$/, /^[^kgx]/, 'AA'],
  ['a', /^.*[aeiouy].*$/, end, 'AH'],
  ['a', anything, end, 'AA'],
  ['a', anything, anything, 'AE'],
  // b
  ['bb', anything, anything, 'B'],
  ['b', /m$/, end, ''],
  ['b', anything, anything, 'B'],
  // c
  ['ch', anything, /^[rl]/, 'K'],
  ['chs', anything, end, 'K S'],
  ['ch', anything, anything, 'CH'],
  ['ck', anything, anything, 'K'],
  ['cc', anything, frontVowel, 'K S'],
  ['cc', anything, anything, 'K'],
  ['cqu', anything, anything, 'K W'],
  ['ci', anything, /^(?:a|o|ent)/, 'SH'],
  ['cz', anything, anything, 'CH'],
  ['c', /s$/, frontVowel, ''],
  ['c', anything, frontVowel, 'S'],
  ['c', anything, anything, 'K'],
  // d
  ['dge', anything, /^(?!r)/, 'JH'],
  ['dg', anything, anything, 'JH'],
  ['dd', anything, anything, 'D'],
  ['d', anything, anything, 'D'],
  // e
  ['eau', anything, anything, 'OW'],
  ['ee', anything, anything, 'IY'],
  ['eigh', anything, anything, 'EY'],
  ['ei', /c$/, anything, 'IY'],
  ['ei', anything, anything, 'AY'],
  ['ey', anything, end, 'IY'],
  ['ey', anything, anything, 'EY'],
  ['ear', anything, /^[nltch]/, 'ER'],
  ['ear', anything, anything, 'IH R'],
  ['ea', anything, /^(?:d$|th|sure|v[ey])/, 'EH'],
  ['ea', anything, anything, 'IY'],
  ['eu', anything, anything, 'UW'],
  ['ew', anything, anything, 'UW'],
  ['eo', anything, anything, 'IY OW'],
  ['err', anything, anything, 'EH R'],
  ['ere', anything, end, 'IH R'],
  ['er', anything, /^[aiou]/, 'EH R'],
  ['er', anything, anything, 'ER'],
  ['es', /(?:[sxz]|ch|sh|c|g)$/, end, 'IH Z'],
  ['es', /[aeiouy].*[pktf]$/, end, 'S'],
  ['es', /[aeiouy].*[^aeiouy]$/, end, 'Z'],
  ['ed', /[aeiouy].*[td]$/, end, 'IH D'],
  ['ed', /[aeiouy].*[pkfsx]$|[aeiouy].*(?:ch|sh)$/, end, 'T'],
  ['ed', /[aeiouy].*$/, end, 'D'],
  ['e', /[aeiouy].*$/, end, ''],
  ['e', anything, end, 'IY'],
  ['e', /[aeiouy].*[^aeiouy]$/, /^(?:ly|ment|ness|less|ful|s)$/, ''],
  ['e', anything, /^[bcdfgklmnprstvz](?:e|es)$/, 'IY'],
  ['e', start, /^[mv][aeiouy]/, 'IH'],
  ['e', /^(?:r|d|pr|b)$/, open, 'IH'],
  ['el', anything, end, 'AH L'],
  ['en', /[aeiouy].*[^aeiouy]$/, end, 'AH N'],
  ['e', anything, anything, 'EH'],
  // f
  ['ff', anything, anything, 'F'],
  ['f', anything, anything, 'F'],
  // g
  ['gn', start, anything, 'N'],
  ['gn', anything, end, 'N'],
  ['gh', start, anything, 'G'],
  ['gh', /(?:ou|au)$/, end, 'F'],
  ['gh', anything, anything, ''],
  ['gg', anything, anything, 'G'],
  ['gu', anything, /^[ei]/, 'G'],
  ['ge', anything, /^(?:o|ous)/, 'JH'],
  ['g', start, /^(?:et|iv|ir|ild|ift)/, 'G'],
  ['g', anything, frontVowel, 'JH'],
  ['g', anything, anything, 'G'],
  // h
  ['h', anything, /^[aeiouy]/, 'HH'],
  ['h', anything, anything, ''],
  // i
  ['igh', anything, anything, 'AY'],
  ['ign', anything, end, 'AY N'],
  ['ind', anything, end, 'AY N D'],
  ['ild', anything, end, 'AY L D'],
  ['ique', anything, end, 'IY K'],
  ['ier', anything, end, 'IY ER'],
  ['ie', /^[^aeiouy]+$/, end, 'AY'],
  ['ie', anything, /^[lfvgckdsr]/, 'IY'],
  ['ie', anything, end, 'IY'],
  ['ir', anything, /^[aeiou]/, 'IH R'],
  ['ir', anything, anything, 'ER'],
  ['io', anything, /^(?:n|us)/, 'IY AH'],
  ['ine', /[aeiouy].*$/, end, 'IY N'],
  ['ive', /[aeiouy].*$/, end, 'IH V'],
  ['ice', /[aeiouy].*$/, end, 'IH S'],
  ['ite', anything, end, 'AY T'],
  ['i', anything, magic, 'AY'],
  ['i', /^[^aeiouy]*$/, /^[aou]/, 'AY'],
  ['i', anything, /^[aeou]/, 'IY'],
  ['i', anything, end, 'IY'],
  ['i', anything, anything, 'IH'],
  // j
  ['j', anything, anything, 'JH'],
  // k
  ['kn', start, anything, 'N'],
  ['kk', anything, anything, 'K'],
  ['k', anything, anything, 'K'],
  // l
  ['le', /[bcdfgkptz]$/, end, 'AH L'],
  ['les', /[bcdfgkptz]$/, end, 'AH L Z'],
  ['ll', anything, anything, 'L'],
  ['l', /a$/, /^[fvm]$/, ''],
  ['l', anything, anything, 'L'],
  // m
  ['mm', anything, anything, 'M'],
  ['mn', anything, end, 'M'],
  ['mc', start, anything, 'M AH K'],
  ['m', /(?:th|s)$/, end, 'AH M'],
  ['m', anything, anything, 'M'],
  // n
  ['nn', anything, anything, 'N'],
  ['ng', anything, end, 'NG'],
  ['ngs', anything, end, 'NG Z'],
  ['ng', anything, /^[^eiyaou]/, 'NG'],
  ['ng', anything, /^[aoulr]/, 'NG G'],
  ['n', anything, /^[kx]|^c[^eiyh]|^qu/, 'NG'],
  ['n', anything, anything, 'N'],
  // o
  ['oor', anything, anything, 'AO R'],
  ['ook', anything, anything, 'UH K'],
  ['oo', anything, anything, 'UW'],
  ['ough', anything, /^t/, 'AO'],
  ['ough', anything, end, 'OW'],
  ['oul', anything, /^d/, 'UH'],
  ['our', anything, anything, 'AO R'],
  ['ous', anything, end, 'AH S'],
  ['ou', anything, anything, 'AW'],
  ['ow', anything, /^(?:n$|er|el|d)/, 'AW'],
  ['ow', /^[^aeiouy]{1,2}$/, end, 'AW'],
  ['ow', anything, anything, 'OW'],
  ['oi', anything, anything, 'OY'],
  ['oy', anything, anything, 'OY'],
  ['oa', anything, anything, 'OW'],
  ['oe', anything, anything, 'OW'],
  ['or', /w$/, anything, 'ER'],
  ['or', /[aeiouy].*[^aeiouy]$/, end, 'ER'],
  ['or', anything, anything, 'AO R'],
  ['old', anything, anything, 'OW L D'],
  ['oll', anything, end, 'OW L'],
  ['olk', anything, end, 'OW K'],
  ['ost', anything, end, 'OW S T'],
  ['on', /[aeiouy].*[^aeiouy]$/, end, 'AH N'],
  ['ology', anything, anything, 'AA L AH JH IY'],
  ['o', anything, magic, 'OW'],
  ['o', anything, end, 'OW'],
  ['o', anything, /^[aeiou]/, 'OW'],
  ['o', anything, /^(?:[bcdfgklmnprstvz])[aeiou]/, 'OW'],
  ['o', anything, /^(?:ng|ff|ss|st)/, 'AO'],
  ['o', anything, anything, 'AA'],
  // p
  ['ph', anything, anything, 'F'],
  ['pp', anything, anything, 'P'],
  ['ps', start, anything, 'S'],
  ['pn', start, anything, 'N'],
  ['p', anything, anything, 'P'],
  // q
  ['que', anything, end, 'K'],
  ['qu', anything, anything, 'K W'],
  ['q', anything, anything, 'K'],
  // r
  ['rrh', anything, anything, 'R'],
  ['rr', anything, anything, 'R'],
  ['rh', anything, anything, 'R'],
  ['r', anything, anything, 'R'],
  // s
  ['sch', start, /^[^aeiouy]/, 'SH'],
  ['sch', anything, anything, 'SH'],
  ['sh', anything, anything, 'SH'],
  ['sion', /[aeiouyr]$/, anything, 'ZH AH N'],
  ['ssion', anything, anything, 'SH AH N'],
  ['sion', anything, anything, 'SH AH N'],
  ['ssure', anything, end, 'SH ER'],
  ['sure', anything, end, 'ZH ER'],
  ['ss', anything, anything, 'S'],
  ['s', /[aeiou]$/, /^(?:e$|ed$|es$|ing$|er$|ers$|y$)/, 'Z'],
  ['s', /[aeou]$/, /^m$/, 'Z'],
  ['s', /(?:[bdglmnrvwy]|[aeo])$/, end, 'Z'],
  ['s', anything, anything, 'S'],
  // t
  ['tch', anything, anything, 'CH'],
  ['th', anything, /^(?:e$|er$|ing$)/, 'DH'],
  ['th', anything, anything, 'TH'],
  ['tion', /s$/, anything, 'CH AH N'],
  ['tion', anything, anything, 'SH AH N'],
  ['tious', anything, anything, 'SH AH S'],
  ['tial', anything, anything, 'SH AH L'],
  ['tient', anything, anything, 'SH AH N T'],
  ['tia', anything, anything, 'SH AH'],
  ['ture', anything, end, 'CH ER'],
  ['tures', anything, end, 'CH ER Z'],
  ['tsch', anything, anything, 'CH'],
  ['tt', anything, anything, 'T'],
  ['t', anything, anything, 'T'],
  // u
  ['uy', anything, anything, 'AY'],
  ['ue', anything, end, 'UW'],
  ['ui', /[^gq]$/, /^[tcs]/, 'UW'],
  ['ure', anything, end, 'Y UH R'],
  ['ur', anything, /^[aeiou]/, 'UH R'],
  ['ur', anything, anything, 'ER'],
  ['u', start, /^n(?:i[^nmt]|a)/, 'Y UW'],
  ['u', start, /^[bstk][aeiou]/, 'Y UW'],
  ['u', /(?:[bcfghkmpv]|^)$/, consonantThenE, 'Y UW'],
  ['u', /[bcfghkmpv]$/, /^[bcdfgklmnprstvz][aeiou]/, 'Y UW'],
  ['u', anything, /^[bcdfgklmnprstvz][aeiou]/, 'UW'],
  ['u', anything, end, 'UW'],
  ['u', anything, /^[aeio]/, 'UW'],
  ['ull', anything, end, 'UH L'],
  ['u', anything, anything, 'AH'],
  // v, w, x, y, z
  ['vv', anything, anything, 'V'],
  ['v', anything, anything, 'V'],
  ['wh', anything, /^o/, 'HH'],
  ['wh', anything, anything, 'W'],
  ['wr', start, anything, 'R'],
  ['w', anything, /^[aeiouy]/, 'W'],
  ['w', anything, anything, ''],
  ['x', start, anything, 'Z'],
  ['x', /^e$/, /^[aeiou]/, 'G Z'],
  ['x', anything, anything, 'K S'],
  ['y', start, /^[aeiou]/, 'Y'],
  ['y', /[aeiou]$/, /^[aeiou]/, 'Y'],
  ['y', /^[^aeiouy]+$/, end, 'AY'],
  ['y', anything, end, 'IY'],
  ['y', anything, magic, 'AY'],
  ['y', anything, /^[aou]/, 'Y'],
  ['y', anything, anything, 'IH'],
  ['zz', anything, anything, 'Z'],
  ['z', /t$/, anything, 'S'],
  ['z', anything, anything, 'Z'],
];

const rulesByLetter = new Map<string, LetterRule[]>();
for (const rule of rules) {
  const letter = rule[0].charAt(0);
  rulesByLetter.set(letter, [...(rulesByLetter.get(letter) ?? []), rule]);
}

/**
 * Guesses the pronunciation of an English word by its spelling, for words that no dictionary has.
 *
 * @param word of the letters a to z
 * @returns ARPABET; empty where the word has no vowel, so that it can only be spelled
 *
 * @example
 * ```ts
 * soundOut('blarn'); // 'B L AA1 R N'
 * ```
 */
export function soundOut(word: string): Pronunciation {
  const sounds: string[] = [];
  for (let at = 0; at < word.length;) {
    const [letters, , , said] = findRule(word, at);
    if (said !== '') sounds.push(...said.split(' '));
    at += letters.length;
  }
  return placeStress(sounds, word);
}

function findRule(word: string, at: number): LetterRule {
  const before = word.slice(0, at);
  for (const rule of rulesByLetter.get(word[at]!) ?? []) {
    const [letters, left, right] = rule;
    if (!word.startsWith(letters, at)) continue;
    if (left && !left.test(before)) continue;
    if (right && !right.test(word.slice(at + letters.length))) continue;
    return rule;
  }
  throw new RangeError(`word: expected the letters a to z, got ${JSON.stringify(word)}`);
}
