import { toLabel } from './labels.ts';
import { globally, type Rule } from './rule.ts';

const files =
  'md|pdf|html?|css|json|xml|csv|ya?ml|txt|docx?|xlsx?|pptx?|jpe?g|png|gif|svg|webp|mp[34]|wav|flac|exe|js|ts|tsx|jsx|py|rs|cpp|sh|sql|gguf|onnx|zip|tar|toml|log|lock';

/** Endings that are spelled, or are initials that may be words; the others are said as words. */
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

/** E-mail addresses and places in the web, read out mark by mark. */
export const addressRules: readonly Rule[] = [
  {
    pattern: /(?<![\w.+-])(?<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/gu,
    speak: ({ address = '' }) => readAddress(address),
  },
  {
    pattern: /(?<![\p{L}\d])(?:https?:\/\/|(?=www\.))(?<address>[^\s"()<>]*[^\s"()<>.,;:!?'])/giu,
    speak: ({ address = '' }) => readAddress(address.replace(/\/$/, '')),
  },
  {
    pattern:
      /(?<![\w.@/-])(?<address>(?:[a-z\d-]+\.)+(?:com|org|net|io|ai|dev|edu|gov|uk|de|eu|info|app|js|ts|py)(?::\d{2,5})?(?:\/[^\s"()<>]*[^\s"()<>.,;:!?'])?)(?![\w@])/giu,
    speak: ({ address = '' }) => readAddress(address),
  },
  {
    pattern: globally(
      String.raw`(?<![\w.@/-])(?<address>(?:[\w.-]+/){0,16}[\w-]+\.(?:${files})|localhost:\d{2,5}|@\w+|\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?)(?![\w@(]|\.\w)`,
    ),
    speak: ({ address = '' }) => readAddress(address),
  },
  { pattern: /(?<![\p{L}\d.])\.(?=NET(?!\p{L}))/gu, speak: 'dot ' },
  { pattern: /(?<=(?<!\p{L})\p{Lu}):(?=\\)/gu, speak: ' colon' },
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
