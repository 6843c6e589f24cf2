import { toLabel } from './labels.ts';
import { globally, spokenAlike, type Rule } from './rule.ts';

const files =
  'md|pdf|html?|css|json|xml|csv|ya?ml|txt|docx?|xlsx?|pptx?|jpe?g|png|gif|svg|webp|mp[34]|wav|flac|exe|js|ts|tsx|jsx|py|rs|cpp|sh|sql|gguf|onnx|zip|tar|toml|log|lock';

/** Endings to spell out letter by letter; all remaining endings are read as words. */
const spelled = new RegExp(
  `^(?:io|ai|uk|eu|de|tv|us|ch|fr|nl|jp|(?!onnx|zip|tar|toml|log|lock)(?:${files}))$`,
);

const names: ReadonlyMap<string, string> = new Map([
  ['.', 'dot'],
  ['/', 'slash'],
  ['@', 'at'],
  ['-', 'dash'],
  ['_', 'underscore'],
  [':', 'colon'],
  ['?', 'question mark'],
  ['=', 'equals'],
  ['&', 'and'],
  ['#', 'hash'],
  ['%', 'percent'],
  ['+', 'plus'],
  ['~', 'tilde'],
]);

/** E-mail addresses and URLs, read mark by mark. */
export const addressRules: readonly Rule[] = [
  [/(?<![\w.+-])(?<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/gu, ({ address = '' }) => readAddress(address)],
  [
    /(?<![\p{L}\d])(?:https?:\/\/|(?=www\.))(?<address>[^\s"()<>]*[^\s"()<>.,;:!?'])/giu,
    ({ address = '' }) => readAddress(address.replace(/\/$/, '')),
  ],
  ...spokenAlike(
    (_, address) => readAddress(address),
    /(?<![\w.@/-])(?:(?:[a-z\d-]+\.)+(?:com|org|net|io|ai|dev|edu|gov|uk|de|eu|info|app|js|ts|py)(?::\d{2,5})?(?:\/[^\s"()<>]*[^\s"()<>.,;:!?'])?)(?![\w@])/giu,
    globally`(?<![\w.@/-])(?:/?(?:[\w.-]+/){0,16}[\w-]+\.(?:${files})|localhost:\d{2,5}|@\w+|\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?)(?![\w@(]|\.\w)`,
  ),
  [/(?<![\p{L}\d.])\.(?=NET(?!\p{L}))/gu, 'dot '],
  [/(?<=(?<!\p{L})\p{Lu}):(?=\\)/gu, ' colon'],
];

function readAddress(address: string): string {
  return address
    .split(/([./@\-_:?=&#%+~])/)
    .map((part, at, all) => names.get(part) ?? readPart(part, all[at - 1] === '.'))
    .filter((part) => part !== '')
    .join(' ');
}

function readPart(part: string, isEnding: boolean): string {
  if (/^\d{4}$/.test(part)) return toLabel(part);
  return isEnding && spelled.test(part) ? part.toUpperCase() : part;
}

const street =
  'St|Ave|Blvd|Rd|Ln|Dr|Pl|Ct|Sq|Street|Avenue|Boulevard|Road|Lane|Drive|Place|Court|Square|Way|Terrace';

const directions: Readonly<Record<string, string>> = { N: 'North', S: 'South', E: 'East', W: 'West' };

const states: ReadonlyMap<string, string> = new Map(
  `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,FL Florida,GA Georgia,
HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,
MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,
NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,
SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,
WI Wisconsin,WY Wyoming`
    .split(/,\n?/)
    .map((state) => [state.slice(0, 2), state.slice(3)] as const),
);
/** State abbreviations that are also words count as states only before a ZIP code. */
const sure = [...states.keys()].filter((sign) => !/^(?:HI|ID|IN|LA|ME|OH|OK|OR|PA)$/.test(sign)).join('|');

/** Street addresses, and towns with their states. */
export const postalRules: readonly Rule[] = [
  [
    globally`(?<![\p{L}\d.,$€£-])(?<number>\d{1,5})(?<letter>\p{Lu})?(?: (?<direction>[NSEW])\.?)?(?= (?:(?:\p{Lu}[\p{Ll}']{1,20}\.?|\d{1,3}(?:st|nd|rd|th)) ){1,4}(?:${street})(?!\p{L}))`,
    ({ number = '', letter = '', direction = '' }) =>
      [toLabel(number), letter, directions[direction]].filter(Boolean).join(' '),
  ],
  [
    globally`(?<=\p{Lu}\p{Ll}+, )(?:(?<state>${[...states.keys()].join('|')}) (?<zip>\d{5})(?![\d.,]\d|\d)|(?<alone>${sure})(?![\p{L}\d-]))`,
    ({ state, zip, alone = '' }) =>
      `${states.get(state ?? alone)}${zip === undefined ? '' : ` ${toLabel(zip)}`}`,
  ],
];
