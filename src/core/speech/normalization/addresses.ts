import type { Rule } from './rule.ts';

/** Endings that are spelled; the others are said as words. */
const spelledDomains = new Set([
  'io',
  'ai',
  'uk',
  'eu',
  'de',
  'tv',
  'us',
  'ch',
  'fr',
  'nl',
  'jp',
  'js',
  'ts',
  'py',
]);

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
      /(?<![\w.@/-])(?<address>(?:[a-z\d-]+\.)+(?:com|org|net|io|ai|dev|edu|gov|uk|de|eu|info|app|js|ts|py)(?:\/[^\s"()<>]*[^\s"()<>.,;:!?'])?)(?![\w@])/giu,
    speak: ({ address = '' }) => readAddress(address),
  },
];

function readAddress(address: string): string {
  return address
    .split(/([./@\-_:?=&#%+~])/)
    .map((part) => names.get(part) ?? (spelledDomains.has(part) ? part.toUpperCase() : part))
    .filter((part) => part !== '')
    .join(' ');
}
