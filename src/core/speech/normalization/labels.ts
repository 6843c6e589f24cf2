import { spell, toCardinal, toCode, toDigits, toLabel, toVersion } from './number-words.ts';
import { sticky, type TokenClass } from './token.ts';

/** Nouns with a number for a name, after which a letter isn't a scale: `Room 3B`. */
const numbered = [
  '[Rr]oom|[Ss]uite|[Ss]tudio|[Ff]lat|[Aa]partment|Apt|[Uu]nit|[Bb]uilding|[Gg]ate|[Ss]eat|[Pp]latform|[Ff]igure|[Ff]ig|[Gg]rade|Rm|Ste|Bldg',
  '[Ff]light|[Hh]ighway|Hwy|Interstate|[Rr]oute|[Ee]xit|[Bb]us|Boeing|Airbus',
  'HTTP|[Ee]rror|[Ee]rror code|[Ss]tatus|[Ss]tatus code|[Ee]xtension|[Ee]xt|[Cc]hannel|Form|Box|H\\.?R|ISO|RFC|RTX|GTX|SHA',
].join('|');
const spelledOut =
  'PIN|pin|[Cc]ode|PO|PNR|pnr|SKU|[Ss]erial(?: number| no\\.)?|[Aa]ccount(?: number| no\\.)?|[Tt]racking(?: number)?|[Pp]asscode|OTP|otp|ISO';
const emergencies = '911|999|112|988';

/** Numbers as names: of rooms, flights, roads, products, codes. */
export const labels: TokenClass = {
  digits: [
    sticky`(?<=(?<!\p{L})ISBN(?:-1[03])?:? )\d{1,5}(?:[- ]?(?:\d{1,7}|X)){1,5}(?![\p{L}\d])`,
    (_, code) =>
      code
        .split(/[- ]/)
        .map((part) => toDigits(part.replace('X', '')) + (part.endsWith('X') ? ' X' : ''))
        .join(', '),

    sticky`(?<![\p{L}\d.,])0x(?<digits>[\da-fA-F]{1,16})(?![\p{L}\d])`,
    (_, code) => spell(code, /\d|[a-fA-Fx]/g).replace('X', 'x'),
    sticky`(?<=(?<!\p{L})(?:${spelledOut})(?: is|:|#)? (?:\p{Ll}{1,3})?)\d{4,16}(?:-[A-Z])?(?![\p{L}\d]|[.,:-]\d)(?<!ISO \d{4})`,
    sticky`(?<=(?<!\p{L})(?:[Ss]erial number|[Ss]erial|[Tt]racking number) \p{Lu}{1,4}-?)\d{4,16}(?![\p{L}\d]|[.,:-]\d)`,
    sticky`(?<=(?:[Cc]all|[Dd]ial|[Tt]ext) )(?:${emergencies})(?![\d-]|[.,]\d)|(?<![\d.,$-])(?:${emergencies})(?= calls?(?!\p{L}))`,
    sticky`(?<=(?<!\p{L})ending (?:in|with) )\d{3,4}(?![\p{L}\d]|[.,:-]\d)`,
    (_, code) => spell(code, /\d|\p{L}/gu),

    sticky`(?<=(?<!\p{L})(?:[Cc]ase|[Dd]ocket|[Ff]ile) [Nn]o\. ?)(?<year>\d\d)-(?<number>\d{3,6})(?![\d-])`,
    ({ year = '', number = '' }) => `${toCardinal(year)} ${toCode(number)}`,
    // `INV-2024-0098`, `TX-4471-B`

    sticky`(?<=(?<![\p{L}\d-])\p{Lu}{2,5}-)\d{2,6}(?:-(?:\d{1,8}|\p{Lu}{1,3}))+(?![\p{L}\d-])`,
    (_, code) =>
      code
        .replace(/\d+/g, (part) => (part.length === 2 ? toCardinal(part) : toCode(part)))
        .replaceAll('-', ' '),
    // `401(k)`, `501(c)(3)`

    sticky`(?<![\p{L}\d.,$])(?<number>\d{3}(?=\()|401(?=k))\(?(?<letter>\p{Ll})\)?(?:\((?<part>\d{1,2})\))?(?![\p{L}\d])`,
    ({ number = '', letter = '', part = '' }) =>
      `${toLabel(number)} ${letter.toUpperCase()} ${part && toCardinal(part)}`.trim(),
    // `Boeing 747-400`

    sticky`(?<=(?<!\p{L})(?:Boeing|Airbus) (?:A ?)?)(?<model>\d{3})(?:-(?<kind>\d{1,4}))?(?![\d-]|[.,]\d)`,
    ({ model = '', kind }) => toLabel(model) + (kind === undefined ? '' : ` ${toLabel(kind)}`),

    sticky`(?<=(?<!\p{L})(?:${numbered})\.? (?:\p{Lu}{2} )?)(?<number>\d{1,4})(?<letter>\p{Lu})?(?![\p{L}\d]|[.,:–-]\d|%)`,
    ({ number = '', letter = '' }) => `${toLabel(number)} ${letter}`.trim(),

    sticky`(?<![\p{L}\d.,])(?<width>\d{3,4})(?:x| ?× ?)(?<height>\d{3,4})(?![\p{L}\d.,])`,
    ({ width = '', height = '' }) => `${toLabel(width)} by ${toLabel(height)}`,
    sticky`(?<![\p{L}\d.,])(?<lines>\d{3,4})[pi](?![\p{L}\d])`,
    ({ lines = '' }) => `${toLabel(lines)} P`,

    sticky`(?<=(?<!\p{Ll})\p{Lu}-?|#\p{Lu}{1,9})(?<number>[1-9]\d{2,3})(?![\p{L}\d]|[.,:-]\d)`,
    ({ number = '' }) => toLabel(number),
    // `Retry 2/5`

    sticky`(?<=(?<!\p{L})(?:[Rr]etry|[Tt]ry|[Aa]ttempt|[Ss]tep|[Pp]age|[Pp]art|[Bb]atch|[Ee]poch|[Tt]est|[Ss]lide|[Ll]evel) )(?<one>\d{1,4})/(?<all>\d{1,4})(?![\d/]|[.,]\d)`,
    ({ one = '', all = '' }) => `${toCardinal(one)} of ${toCardinal(all)}`,
  ],
};

const versioned =
  '[Vv]ersion|[Vv]er\\.|[Rr]elease|Python|Node(?:\\.js)?|Go|PHP|Ruby|Rust|Ubuntu|Debian|Swift|Julia|CUDA|TypeScript|iOS|macOS|Android|Java|Kotlin|Kubernetes|Angular|React|Vue|npm|Chrome|Firefox';

/** Numbers of versions: their last part isn't a decimal. */
export const versions: TokenClass = {
  words: ['v', 'V'],
  digits: [
    sticky`(?<=(?<!\p{L})(?:${versioned})(?: v)? |(?<!\p{L})[Vv]\.?)\d{1,3}\.\d{1,2}(?![\d.]\d|\d)`,
    (_, version) => toVersion(version),

    sticky`(?<![\d.])\d{1,9}(?:\.\d{1,9}){2,8}(?!\d)`,
    (_, version) => version.split('.').map(toCardinal).join(' point '),
  ],
  letters: [sticky`(?<![\p{L}\d/])(?:[vV]\.?(?=\d{1,4}\.\d)|v(?=\d{1,3}(?![\d.,:]\d|\p{L})))`, 'version '],
};

const elements =
  'He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Ti|Cr|Mn|Fe|Ni|Cu|Zn|Br|Ag|Sn|Ba|Au|Hg|Pb|H|B|C|N|O|F|P|S|K|I';

/** Chemical formulas, letter by letter: `CO2` isn't the word "co". */
export const formulas: TokenClass = {
  letters: [
    sticky`(?<![\p{L}\d/#@.-])(?=[A-Za-z]{1,12}\d)(?:(?:${elements})\d{0,2}){2,12}(?:\((?:(?:${elements})\d{0,2}){1,6}\)\d{1,2})?(?<charge>[+-](?![\p{L}\d]))?(?![\p{L}\d]|-\d)`,
    ({ charge }, formula) => {
      if (/^\D+\d{2}$/.test(formula)) return undefined;
      return (
        spell(formula, /\d+|\p{L}/gu) + (charge === undefined ? '' : charge === '+' ? ' plus' : ' minus')
      );
    },
  ],
};
