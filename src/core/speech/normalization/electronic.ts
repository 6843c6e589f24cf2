import { spell, toCardinal, toCode } from './number-words.ts';
import { sticky, stickyInAnyCase, type Grammar, type TokenClass } from './token.ts';

const files =
  'md|pdf|html?|css|json|xml|csv|ya?ml|txt|docx?|xlsx?|pptx?|jpe?g|png|gif|svg|webp|mp[34]|wav|flac|exe|js|ts|tsx|jsx|py|rs|cpp|sh|sql|gguf|onnx|zip|tar|toml|log|lock';
const domains = 'com|org|net|io|ai|dev|edu|gov|uk|de|eu|info|app|js|ts|py';

/** Endings to spell out letter by letter; all remaining endings are read as words. */
const spelled = new RegExp(
  `^(?:io|ai|uk|eu|de|tv|us|ch|fr|nl|jp|(?!onnx|zip|tar|toml|log|lock)(?:${files}))$`,
);

const names: ReadonlyMap<string, string> = new Map(
  '. dot,/ slash,@ at,- dash,_ underscore,: colon,? question mark,= equals,& and,# hash,% percent,+ plus,~ tilde,\\ backslash'
    .split(',')
    .map((entry) => [entry.charAt(0), entry.slice(2)]),
);

const path = String.raw`/[^\s"()<>]{0,2000}[^\s"()<>.,;:!?]`;
const links: Grammar = [
  stickyInAnyCase`(?<![\p{L}\d])(?:(?:https?|file)://|(?=www\.))[^\s"()<>]{0,2000}[^\s"()<>.,;:!?']`,
  (_, link) => readAddress(link.replace(/^(?:https?|file):\/\//i, '').replace(/\/$/, '')),
];
const addresses: Grammar = [
  sticky`(?<![\w.+-])[\w.+&-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}`,
  stickyInAnyCase`(?<![\w.@/-])(?:[\w-]{1,63}\.){1,8}(?:${domains})(?::\d{2,5})?(?:${path})?(?![\w@])`,
  sticky`(?<![\w.@/-])(?:~?/?(?:[\w.-]{1,64}/){0,16}[\w-]{1,64}\.(?:${files})|localhost:\d{2,5}(?:${path})?|@\w{1,64}|\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5}|/\d{1,2})?)(?![\w@(]|\.\w)`,
  sticky`(?<![\w.@/-])[~.]{0,2}/(?:[\w.-]{1,64}/){1,16}[\w-]{0,64}(?![\w@])`,
  sticky`(?<![\w.@/:])[A-Z]:(?:\\[\w.-]{1,64}){1,16}`,
  (_, address) => readAddress(address),
];
/** Addresses of networks and of cards, sign by sign. */
const hexadecimal: Grammar = [
  stickyInAnyCase`(?<![\w:])(?=[\da-f:]{0,39}::)(?:[\da-f]{1,4}:{1,2}){1,7}[\da-f]{1,4}(?![\w:])`,
  (_, address) =>
    readAddress(address)
      .toUpperCase()
      .replace(/COLON|[A-Z]{3,}/g, (word) => word.toLowerCase()),

  sticky`(?<![\w:])(?:[\dA-Fa-f]{2}:){5}[\dA-Fa-f]{2}(?![\w:])`,
  (_, address) => spell(address, /[\dA-Fa-f]/g),
];
const all = [...hexadecimal, ...links, ...addresses];

/** E-mail addresses, links, names of files and hosts, read mark by mark. */
export const electronic: TokenClass = {
  when: /(?=[\w+&~-]{0,64}[@/:\\.])/uy,
  digits: all,
  letters: all,
  marks: { '@/~._-+': addresses },
};

function readAddress(address: string): string {
  return address
    .split(/([./@\-_:?=&#%+~\\])/)
    .map((part, at, parts) => names.get(part) ?? readPart(part, parts[at - 1] === '.'))
    .filter((part) => part !== '')
    .join(' ');
}

function readPart(part: string, isEnding: boolean): string {
  const written = isEnding && spelled.test(part) ? part.toUpperCase() : part;
  return written
    .replace(
      /\d+/g,
      (digits) => ` ${digits.length > 3 || /^0\d/.test(digits) ? toCode(digits) : toCardinal(digits)} `,
    )
    .trim();
}
