import { oneOf, sticky, stickyInAnyCase, type TokenClass } from './token.ts';
import { tableOf } from '../table-of.ts';

/** Before a name. */
const titles = tableOf(
  `Dr:Doctor, Mr:Mister, Mrs:Missus, Ms:Ms, Prof:Professor, St:Saint, Gen:General, Sgt:Sergeant, Capt:Captain, Lt:Lieutenant,
Col:Colonel, Cmdr:Commander, Maj:Major, Gov:Governor, Hon:Honorable, Sen:Senator, Rep:Representative, Rev:Reverend,
Pres:President, Supt:Superintendent, Assoc:Associate, Asst:Assistant, Fr:Father, Messrs:Messrs, Mt:Mount, Ft:Fort, Bros:Brothers`,
);

/** After a name. */
const places = tableOf(
  `St:Street, Ave:Avenue, Blvd:Boulevard, Rd:Road, Dr:Drive, Ln:Lane, Pl:Place, Ct:Court, Sq:Square, Pkwy:Parkway, Expy:Expressway, Hwy:Highway, Jr:Junior,
Sr:Senior, Inc:Incorporated, Ltd:Limited, Corp:Corporation, Co:Company, Bros:Brothers`,
);

/** Anywhere, with their period; a capital in front stays one. */
export const anywhere = tableOf(
  `e.g:for example, i.e:that is, a.k.a:also known as, p.a:per annum, cf:compare, viz:namely, esq:Esquire, doz:dozen, vs:versus,
approx:approximately, dept:department, govt:government, incl:including, excl:excluding, misc:miscellaneous, assn:association,
avg:average, hwy:highway, ave:avenue, intl:international, natl:national, tel:telephone, qty:quantity, temp:temperature,
amt:amount, mfg:manufacturing, ref:reference, attn:attention, max:maximum, est:estimated`,
);

/** Before a number, with their period. */
const beforeNumber = tableOf(
  `no:number, nos:numbers, ver:version, eq:equation, ref:reference, art:Article, bldg:Building, ste:Suite, fl:Floor, p:page,
pp:pages, vol:volume, fig:figure, figs:figures, ch:chapter, chap:chapter, sec:section, ext:extension, apt:Apartment, rm:Room,
hwy:Highway, ca:circa, c:circa, b:born, d:died, r:ruled, est:established, est.:established, op:opus, para:paragraph,
tab:table, pt:part, tel:telephone`,
);

/** At the end of a sentence, the period of an abbreviation also ends the sentence. */
const periodBefore = (next: string): string => String.raw`(?:(?<end>\.(?=["')]*(?:\n|$${next})))|\.)`;
const period = periodBefore('');
const inAnyCase = (names: Readonly<Record<string, string>>): string[] =>
  Object.keys(names).flatMap((name) => [
    name,
    name.charAt(0).toUpperCase() + name.slice(1),
    name.toUpperCase(),
  ]);
/** A capital is the beginning of a sentence or of a heading: elsewhere `Max` is a name. */
const opening = String.raw`(?<=^|\n|[.!?:;,(—"/] ?)`;

/** Words that show that the preceding abbreviation or letter ended a sentence: `Take plan B. Then go.` */
const sentenceStarts =
  'A|An|And|As|At|But|For|He|How|I|If|In|Is|It|No|Not|On|Or|She|So|That|The|Then|There|These|They|This|We|What|When|Where|Who|Why|Yes|You';

/** They stand for places in an address even without a period. */
const streets = 'St Ave Blvd Rd Dr Ln Pl Ct Sq Pkwy Expy Hwy'.split(' ');
const streetPeriod = periodBefore(`| (?:${sentenceStarts}) `);

/** Abbreviations of words. */
export const abbreviations: TokenClass = {
  words: [
    ...[titles, places, beforeNumber, anywhere]
      .flatMap(inAnyCase)
      .flatMap((name) => [name, name.split('.')[0]!]),
    ...'etc Etc ETC PhD Ph dr mr mrs prof min Min w W c n N he she him her his hers He She and either or And'.split(
      ' ',
    ),
  ],
  letters: [
    // `Did it work? No. 3 failed.`: an answer
    /(?<=\? ["'(]?)No\.(?= \d)/uy,
    'No!',

    sticky`(?<=\p{Lu}\p{Ll}{1,30}(?:,|(?<=Jr|Sr|Co)\.)? )(?<name>${oneOf(Object.keys(places))})(?!(?<=St|Dr|Bros)\. (?!(?:${sentenceStarts}) )\p{Lu})${streetPeriod}`,
    ({ name = '', end = '' }) => places[name]! + end,

    sticky`(?<=\d(?:st|nd|rd|th) |(?<![\p{L}\d.,])\d{1,5}\p{Lu}?(?: [NSEW]\.?)? (?:\p{Lu}[\p{Ll}']{1,20} ){1,4})(?<name>${oneOf(streets)})(?:${streetPeriod}|(?!\p{L}|(?<=St|Dr) \p{Lu}))`,
    ({ name = '', end = '' }) => places[name]! + end,

    sticky`(?<![\p{L}.'-])(?<title>dr|mr|mrs|prof)\.?(?= \p{L})`,
    ({ title = '' }) => titles[title.charAt(0).toUpperCase() + title.slice(1)]!.toLowerCase(),

    sticky`(?<![\p{L}.])(?<title>${oneOf(Object.keys(titles))})(?:\.|(?<=Dr|Mr|Mrs|Ms))(?= (?:\p{Lu}|& |and (?:Mrs?|Ms|Dr)\.))`,
    ({ title = '' }) => titles[title],
    // `order no. 7`, but `I say no. 7 of us stay.`

    /(?<=(?<!\p{L})(?:[Oo]rder|[Tt]icket|[Ii]nvoice|[Cc]ase|[Ii]tem|[Pp]art|[Mm]odel|[Ss]erial|[Aa]ccount|[Rr]eference|[Hh]ouse|[Ll]ot|[Bb]us|[Tt]rack|[Tt]he|my|at|(?:'s|is)(?= no\. ?\d{1,3} (?:in|on|of|for|at)(?!\p{L}))) |(?:'s) (?=no\. ?\d{1,3} (?:in|on|for|at)(?!\p{L})))no\.(?= ?\d)/uy,
    'number',

    stickyInAnyCase`(?<![\p{L}.])(?<word>${oneOf(Object.keys(beforeNumber))})\.(?= ?(?:\d|[-–]\d)|(?<=(?:vol|figs?|art|sec|ch|chap|op|pt)\.) ?[IVX]{1,5}(?![\p{L}\d]))`,
    ({ word = '' }, match) => {
      const name = word.toLowerCase();
      const isYear = /^(?:b|d|r|est)$/.test(name);
      return isYear || match === 'no.' ? undefined : beforeNumber[name];
    },

    stickyInAnyCase`(?<![\p{L}.])(?<word>b|d|r|est)\.(?= ?(?:1\d|20)\d\d(?!\d))`,
    ({ word = '' }) => likeIn(word, beforeNumber[word.toLowerCase()]!),

    stickyInAnyCase`${opening}(?<word>max|min|est|temp|ref|tel)\.(?= )`,
    ({ word = '' }) => likeIn(word, anywhere[word.toLowerCase()] ?? 'minimum'),

    stickyInAnyCase`(?<![\p{L}.])(?<word>${oneOf(Object.keys(anywhere))})(?:${period}|(?<=(?:approx|avg|incl|max))(?= [$€£]?\d))`,
    ({ word = '', end = '' }) =>
      /^(?:Max|Est|Temp|Ref|Tel)$/.test(word) || /^[A-Z]{2,}$/.test(word)
        ? undefined
        : likeIn(word, anywhere[word.toLowerCase()]!) + end,

    sticky`(?<![\p{L}.])(?<letters>Ph\.? ?D|[BM]\.Sc|[BM]\.Ed)${period}`,
    ({ letters = '', end = '' }) =>
      Array.from(letters.replace(/[^\p{L}]/gu, '').toUpperCase()).join(' ') + end,

    /(?<![\p{L}.])(?<rank>[JS]r)\.(?=(?<end>$)| \p{Ll})/uy,
    ({ rank = '', end }) => places[rank]! + (end === undefined ? '' : '.'),
    sticky`(?<=\d(?:st|nd|rd|th) )fl${period}`,
    ({ end = '' }) => `floor${end}`,

    /(?<![\p{L}/])(?<one>he(?=\/she)|she(?=\/he)|him(?=\/her)|her(?=\/(?:him|his))|his(?=\/hers?)|hers(?=\/his))\/(?<other>s?he|him|hers?|his)(?![\p{L}/])/iuy,
    ({ one, other }) => `${one} or ${other}`,
    /(?<![\p{L}./])c\/o(?= )/uy,
    'care of',
    /(?<![\p{L}./])n\/a(?![\p{L}/])/iuy,
    'N A',

    /(?<![\p{L}.])(?<with>[Ww])\/(?<out>o)?(?= )/uy,
    ({ with: word = '', out }) => likeIn(word, out ? 'without' : 'with'),

    sticky`(?<![\p{L}./])(?<word>[Ee]tc|ETC)(?<end>\.(?=["')]*(?:\n|$| \p{Lu})))?\.?(?!\p{L})`,
    ({ word = '', end = '' }) => likeIn(word, 'et cetera') + end,
  ],
  marks: {
    '/': [
      /(?<=(?<![\p{L}/])(?:[Aa]nd|[Ee]ither))\/(?=or(?![\p{L}/]))/uy,
      ' ',
      // `A/B`, `TCP/IP`
      /(?<=(?<![\p{L}/])\p{Lu}{1,5})\/(?=\p{Lu}{1,5}(?![\p{L}/]))/uy,
      ' ',
      /(?<=\p{Lu})\/(?=\d)/uy,
      ' ',
    ],
  },
};

/** Letters with periods, and the initials of names. */
export const initialisms: TokenClass = {
  letters: [
    sticky`(?<![\p{L}.])(?<letters>(?:\p{Lu}\.){1,8}\p{Lu})(?:${period}|(?!\p{L}))`,
    ({ letters = '', end = '' }) => letters.replaceAll('.', ' ') + end,

    /(?<![\p{L}\d'.])(?:\p{Lu}\. ?){2,8}(?=\p{Lu}\p{Ll})/uy,
    (_, initials) => initials.replace(/\. ?/g, ' '),

    sticky`(?<=^|\n|(?<!\p{L})\p{Lu}\p{Ll}{1,30} )(?<letter>\p{Lu})\.(?= (?!(?:${sentenceStarts}) )\p{Lu}\p{Ll})`,
    ({ letter }) => letter,
  ],
};

function likeIn(written: string, word: string): string {
  return /^\p{Lu}/u.test(written) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
