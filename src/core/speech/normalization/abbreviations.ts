import { globally, type Rule } from './rule.ts';

/** Before a name. */
const titles: Readonly<Record<string, string>> = {
  Dr: 'Doctor',
  Mr: 'Mister',
  Mrs: 'Missus',
  Ms: 'Ms',
  Prof: 'Professor',
  St: 'Saint',
  Gen: 'General',
  Sgt: 'Sergeant',
  Capt: 'Captain',
  Lt: 'Lieutenant',
  Col: 'Colonel',
  Gov: 'Governor',
  Hon: 'Honorable',
  Sen: 'Senator',
  Rep: 'Representative',
  Rev: 'Reverend',
  Pres: 'President',
  Messrs: 'Messrs',
  Mt: 'Mount',
  Ft: 'Fort',
};

/** After a name. */
const places: Readonly<Record<string, string>> = {
  St: 'Street',
  Ave: 'Avenue',
  Blvd: 'Boulevard',
  Rd: 'Road',
  Dr: 'Drive',
  Ln: 'Lane',
  Jr: 'Junior',
  Sr: 'Senior',
  Inc: 'Incorporated',
  Ltd: 'Limited',
  Corp: 'Corporation',
  Co: 'Company',
};

const anywhere: Readonly<Record<string, string>> = {
  'e.g': 'for example',
  'E.g': 'For example',
  'i.e': 'that is',
  'I.e': 'That is',
  'a.k.a': 'also known as',
  cf: 'compare',
  viz: 'namely',
  Esq: 'Esquire',
  doz: 'dozen',
  vs: 'versus',
  approx: 'approximately',
  dept: 'department',
  Dept: 'Department',
  est: 'estimated',
  govt: 'government',
  incl: 'including',
  max: 'maximum',
  misc: 'miscellaneous',
};

const beforeNumber: Readonly<Record<string, string>> = {
  No: 'number',
  Nos: 'numbers',
  nos: 'numbers',
  Ver: 'version',
  ver: 'version',
  Eq: 'equation',
  eq: 'equation',
  Ref: 'reference',
  Art: 'Article',
  Bldg: 'Building',
  Ste: 'Suite',
  Fl: 'Floor',
  p: 'page',
  pp: 'pages',
  vol: 'volume',
  Vol: 'volume',
  fig: 'figure',
  Fig: 'figure',
  ch: 'chapter',
  Ch: 'chapter',
  sec: 'section',
  Sec: 'section',
  ext: 'extension',
  Ext: 'extension',
  Apt: 'Apartment',
  Rm: 'Room',
  Hwy: 'Highway',
  ca: 'circa',
  c: 'circa',
};

const oneOf = (table: Readonly<Record<string, string>>): string =>
  Object.keys(table)
    .map((name) => name.replaceAll('.', String.raw`\.`))
    .join('|');

/** At the end of a sentence, the period of an abbreviation also ends the sentence. */
const sentenceEnd = String.raw`(?<end>\.(?=["')]*(?:\n|$)))`;
const period = String.raw`(?:${sentenceEnd}|\.)`;

/** Words after a single letter that show that a sentence ended with it: `Take plan B. Then go.` */
const sentenceStarts =
  'A|An|And|As|At|But|For|He|How|I|If|In|Is|It|No|Not|On|Or|She|So|That|The|Then|There|These|They|This|We|What|When|Where|Who|Why|Yes|You';

/** Abbreviations that end in a period, and initials. */
export const abbreviationRules: readonly Rule[] = [
  {
    pattern: globally(
      String.raw`(?<=\p{Lu}\p{Ll}+(?:,|(?<=Jr|Sr)\.)? )(?<name>${oneOf(places)})(?!(?<=St|Dr)\. \p{Lu})${period}`,
    ),
    speak: ({ name = '', end = '' }) => places[name]! + end,
  },
  {
    pattern: globally(
      String.raw`(?<=\d(?:st|nd|rd|th) )(?<name>St|Ave|Blvd|Rd|Dr|Ln)(?:${period}|(?!\p{L}))`,
    ),
    speak: ({ name = '', end = '' }) => places[name]! + end,
  },
  {
    pattern: globally(String.raw`(?<![\p{L}.'-])(?<title>dr|mr|mrs|prof)\.? (?=\p{L})`),
    speak: ({ title = '' }) => `${titles[title.charAt(0).toUpperCase() + title.slice(1)]!.toLowerCase()} `,
  },
  {
    pattern: globally(
      String.raw`(?<![\p{L}.])(?<title>${oneOf(titles)})(?:\.|(?<=Dr|Mr|Mrs|Ms)) (?=\p{Lu}|& |and (?:Mrs?|Ms|Dr)\.)`,
    ),
    speak: ({ title = '' }) => `${titles[title]} `,
  },
  // `Did it work? No. 3 failed.`: an answer
  { pattern: /(?<=\? ["'(]?)No\.(?= \d)/gu, speak: 'No!' },
  // `order no. 7`, but `I say no. 7 of us stay.`
  {
    pattern:
      /(?<=(?<!\p{L})(?:[Oo]rder|[Tt]icket|[Ii]nvoice|[Cc]ase|[Ii]tem|[Pp]art|[Mm]odel|[Ss]erial|[Aa]ccount|[Rr]eference|[Hh]ouse|[Ll]ot|[Bb]us|[Tt]rack|[Tt]he|my|at|(?:'s|is)(?= no\. ?\d{1,3} (?:in|on|of|for|at)(?!\p{L}))) |(?:'s) (?=no\. ?\d{1,3} (?:in|on|for|at)(?!\p{L})))no\.(?= ?\d)/gu,
    speak: 'number',
  },
  { pattern: /(?<!\p{L})Temp\.(?= -?\d)/gu, speak: 'Temperature' },
  {
    pattern: globally(String.raw`(?<![\p{L}.])(?<word>${oneOf(beforeNumber)})\. ?(?=\d)`),
    speak: ({ word = '' }) => `${beforeNumber[word]} `,
  },
  {
    pattern: globally(String.raw`(?<![\p{L}.])(?<word>${oneOf(anywhere)})${period}`),
    speak: ({ word = '', end = '' }) => anywhere[word]! + end,
  },
  {
    pattern: globally(String.raw`(?<![\p{L}.])(?<letters>Ph\.? ?D|[BM]\.Sc|[BM]\.Ed)${period}`),
    speak: ({ letters = '', end = '' }) =>
      Array.from(letters.replace(/[^\p{L}]/gu, '').toUpperCase()).join(' ') + end,
  },
  {
    pattern: /(?<![\p{L}.])(?<rank>[JS]r)\.(?=(?<end>$)| \p{Ll})/gu,
    speak: ({ rank = '', end }) => places[rank]! + (end === undefined ? '' : '.'),
  },
  {
    pattern: globally(String.raw`(?<=\d(?:st|nd|rd|th) )fl${period}`),
    speak: ({ end = '' }) => `floor${end}`,
  },
  { pattern: /(?<=(?<![\p{L}/])(?:and|either))\/or(?![\p{L}/])/giu, speak: ' or' },
  // `A/B`, `TCP/IP`
  { pattern: /(?<=(?<![\p{L}/])\p{Lu}{1,5})\/(?=\p{Lu}{1,5}(?![\p{L}/]))/gu, speak: ' ' },
  {
    pattern:
      /(?<![\p{L}/])(?<one>he(?=\/she)|she(?=\/he)|him(?=\/her)|her(?=\/(?:him|his))|his(?=\/hers?)|hers(?=\/his))\/(?<other>s?he|him|hers?|his)(?![\p{L}/])/giu,
    speak: ({ one, other }) => `${one} or ${other}`,
  },
  { pattern: /(?<![\p{L}./])c\/o(?= )/gu, speak: 'care of' },
  { pattern: /(?<![\p{L}./])n\/a(?![\p{L}/])/gu, speak: 'N A' },
  { pattern: /(?<![\p{L}.])w\/o(?= )/gu, speak: 'without' },
  { pattern: /(?<![\p{L}.])w\/(?= )/gu, speak: 'with' },
  {
    pattern: globally(String.raw`(?<![\p{L}./])etc(?<end>\.(?=["')]*(?:\n|$| \p{Lu})))?\.?(?!\p{L})`),
    speak: ({ end = '' }) => `et cetera${end}`,
  },
  {
    pattern: globally(
      String.raw`(?<![\p{L}.])(?<half>[ap])\.m\b(?<end>\.(?=["')]*(?:\n|$| (?!(?:[CEMP][DS]?T|GMT|UTC|BST|CES?T)(?!\p{L}))\p{Lu})))?\.?`,
    ),
    speak: ({ half = '', end = '' }) => `${half.toUpperCase()}M${end}`,
  },
  {
    pattern: globally(String.raw`(?<![\p{L}.])(?<letters>(?:\p{Lu}\.){1,8}\p{Lu})${period}`),
    speak: ({ letters = '', end = '' }) => letters.replaceAll('.', ' ') + end,
  },
  // Initials of a name.
  {
    pattern: /(?<![\p{L}\d'.])(?<initials>(?:\p{Lu}\. ?){2,8})(?=\p{Lu}\p{Ll})/gu,
    speak: ({ initials = '' }) => initials.replace(/\. ?/g, ' '),
  },
  {
    pattern: globally(
      String.raw`(?<=(?:^|\n|(?<!\p{L})\p{Lu}\p{Ll}+ )\p{Lu})\.(?= (?!(?:${sentenceStarts}) )\p{Lu}\p{Ll})`,
    ),
    speak: '',
  },
];
