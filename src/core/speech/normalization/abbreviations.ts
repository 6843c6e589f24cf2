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

/** Words that show that the preceding single letter ended a sentence: `Take plan B. Then go.` */
const sentenceStarts =
  'A|An|And|As|At|But|For|He|How|I|If|In|Is|It|No|Not|On|Or|She|So|That|The|Then|There|These|They|This|We|What|When|Where|Who|Why|Yes|You';

/** Abbreviations that end in a period, and initials. */
export const abbreviationRules: readonly Rule[] = [
  [
    globally`(?<=\p{Lu}\p{Ll}+(?:,|(?<=Jr|Sr)\.)? )(?<name>${oneOf(places)})(?!(?<=St|Dr)\. \p{Lu})${period}`,
    ({ name = '', end = '' }) => places[name]! + end,
  ],
  [
    globally`(?<=\d(?:st|nd|rd|th) )(?<name>St|Ave|Blvd|Rd|Dr|Ln)(?:${period}|(?!\p{L}))`,
    ({ name = '', end = '' }) => places[name]! + end,
  ],
  [
    globally`(?<![\p{L}.'-])(?<title>dr|mr|mrs|prof)\.? (?=\p{L})`,
    ({ title = '' }) => `${titles[title.charAt(0).toUpperCase() + title.slice(1)]!.toLowerCase()} `,
  ],
  [
    globally`(?<![\p{L}.])(?<title>${oneOf(titles)})(?:\.|(?<=Dr|Mr|Mrs|Ms)) (?=\p{Lu}|& |and (?:Mrs?|Ms|Dr)\.)`,
    ({ title = '' }) => `${titles[title]} `,
  ],
  // `Did it work? No. 3 failed.`: an answer
  [/(?<=\? ["'(]?)No\.(?= \d)/gu, 'No!'],
  // `order no. 7`, but `I say no. 7 of us stay.`
  [
    /(?<=(?<!\p{L})(?:[Oo]rder|[Tt]icket|[Ii]nvoice|[Cc]ase|[Ii]tem|[Pp]art|[Mm]odel|[Ss]erial|[Aa]ccount|[Rr]eference|[Hh]ouse|[Ll]ot|[Bb]us|[Tt]rack|[Tt]he|my|at|(?:'s|is)(?= no\. ?\d{1,3} (?:in|on|of|for|at)(?!\p{L}))) |(?:'s) (?=no\. ?\d{1,3} (?:in|on|for|at)(?!\p{L})))no\.(?= ?\d)/gu,
    'number',
  ],
  [/(?<!\p{L})Temp\.(?= -?\d)/gu, 'Temperature'],
  [
    globally`(?<![\p{L}.])(?<word>${oneOf(beforeNumber)})\. ?(?=\d)`,
    ({ word = '' }) => `${beforeNumber[word]} `,
  ],
  [
    globally`(?<![\p{L}.])(?<word>${oneOf(anywhere)})${period}`,
    ({ word = '', end = '' }) => anywhere[word]! + end,
  ],
  [
    globally`(?<![\p{L}.])(?<letters>Ph\.? ?D|[BM]\.Sc|[BM]\.Ed)${period}`,
    ({ letters = '', end = '' }) =>
      Array.from(letters.replace(/[^\p{L}]/gu, '').toUpperCase()).join(' ') + end,
  ],
  [
    /(?<![\p{L}.])(?<rank>[JS]r)\.(?=(?<end>$)| \p{Ll})/gu,
    ({ rank = '', end }) => places[rank]! + (end === undefined ? '' : '.'),
  ],
  [globally`(?<=\d(?:st|nd|rd|th) )fl${period}`, ({ end = '' }) => `floor${end}`],
  [/(?<=(?<![\p{L}/])(?:and|either))\/or(?![\p{L}/])/giu, ' or'],
  // `A/B`, `TCP/IP`
  [/(?<=(?<![\p{L}/])\p{Lu}{1,5})\/(?=\p{Lu}{1,5}(?![\p{L}/]))/gu, ' '],
  [
    /(?<![\p{L}/])(?<one>he(?=\/she)|she(?=\/he)|him(?=\/her)|her(?=\/(?:him|his))|his(?=\/hers?)|hers(?=\/his))\/(?<other>s?he|him|hers?|his)(?![\p{L}/])/giu,
    ({ one, other }) => `${one} or ${other}`,
  ],
  [/(?<![\p{L}./])c\/o(?= )/gu, 'care of'],
  [/(?<![\p{L}./])n\/a(?![\p{L}/])/gu, 'N A'],
  [/(?<![\p{L}.])w\/o(?= )/gu, 'without'],
  [/(?<![\p{L}.])w\/(?= )/gu, 'with'],
  [
    globally`(?<![\p{L}./])etc(?<end>\.(?=["')]*(?:\n|$| \p{Lu})))?\.?(?!\p{L})`,
    ({ end = '' }) => `et cetera${end}`,
  ],
  [
    globally`(?<![\p{L}.])(?<half>[ap])\.m\b(?<end>\.(?=["')]*(?:\n|$| (?!(?:[CEMP][DS]?T|GMT|UTC|BST|CES?T)(?!\p{L}))\p{Lu})))?\.?`,
    ({ half = '', end = '' }) => `${half.toUpperCase()}M${end}`,
  ],
  [
    globally`(?<![\p{L}.])(?<letters>(?:\p{Lu}\.){1,8}\p{Lu})${period}`,
    ({ letters = '', end = '' }) => letters.replaceAll('.', ' ') + end,
  ],
  // Initials of a name.
  [
    /(?<![\p{L}\d'.])(?<initials>(?:\p{Lu}\. ?){2,8})(?=\p{Lu}\p{Ll})/gu,
    ({ initials = '' }) => initials.replace(/\. ?/g, ' '),
  ],
  [globally`(?<=(?:^|\n|(?<!\p{L})\p{Lu}\p{Ll}+ )\p{Lu})\.(?= (?!(?:${sentenceStarts}) )\p{Lu}\p{Ll})`, ''],
];
