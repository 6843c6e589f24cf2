import { property, withoutNewer, word } from './properties.ts';
import { atomic, choice, classOf, look, sequence } from '../parts.ts';
import type { Part } from '../program.ts';
import { literal, type Reader } from './reader.ts';

const classEscapes: Readonly<Record<string, string>> = {
  s: String.raw`\p{White_Space}`,
  S: String.raw`\P{White_Space}`,
  d: String.raw`\p{Nd}`,
  h: '[0-9a-fA-F]',
  H: '[^0-9a-fA-F]',
};

export const any = classOf(String.raw`[\s\S]`);
const ofWord = classOf(word);
export const newline = classOf(String.raw`\n`);

const assertions: Readonly<Record<string, Part>> = {
  A: look(any, '<!'),
  z: look(any, '!'),
  Z: choice(look(any, '!'), look(sequence(newline, look(any, '!')), '=')),
  b: choice(sequence(look(ofWord, '<='), look(ofWord, '!')), sequence(look(ofWord, '<!'), look(ofWord, '='))),
  B: choice(sequence(look(ofWord, '<='), look(ofWord, '=')), sequence(look(ofWord, '<!'), look(ofWord, '!'))),
};

const lineBreak = atomic(
  choice(sequence(classOf(String.raw`\r`), newline), classOf(String.raw`[\n-\r\u{85}\u{2028}\u{2029}]`)),
);

/** Reads the escape after a backslash outside a class. */
export function escape(reader: Reader): Part {
  const assertion = assertions[reader.peek()];
  if (assertion !== undefined) {
    reader.index++;
    return assertion;
  }
  if (reader.take('R')) return lineBreak;
  const member = classMember(reader);
  return classOf(member.set ?? literal(member.character, reader));
}

/** Escapes for a single character or a set of characters. */
export function classMember(reader: Reader): { set: string } | { set?: undefined; character: string } {
  const character = reader.next();
  const set = classEscapes[character];
  if (set !== undefined) return { set: withoutNewer(set) };
  if (character === 'w') return { set: withoutNewer(word) };
  if (character === 'D') return { set: `[^${withoutNewer(String.raw`\p{Nd}`)}]` };
  if (character === 'W') return { set: `[^${withoutNewer(word)}]` };
  if (character === 'p' || character === 'P') return { set: property(reader, character === 'P') };
  const control = controls[character];
  if (control !== undefined) return { character: control };
  if (character === 'x' || character === 'u' || character === '0')
    return { character: coded(reader, character) };
  if (/^[a-zA-Z1-9]$/.test(character)) throw reader.failure(`unsupported \\${character}`);
  return { character };
}

const controls: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\u0007',
  e: '\u001B',
};

function coded(reader: Reader, kind: 'x' | 'u' | '0'): string {
  const shape = {
    x: /\{(?<braced>[0-9a-f]{1,8})\}|(?<digits>[0-9a-f]{1,2})/iy,
    u: /(?<digits>[0-9a-f]{4})/iy,
    0: /(?<digits>[0-7]{0,2})/y,
  };
  const match = reader.takeMatch(shape[kind]);
  if (!match) throw reader.failure(`bad \\${kind}`);
  const { braced, digits } = match.groups!;
  const codePoint = Number.parseInt(braced ?? (digits || '0'), kind === '0' ? 8 : 16);
  if (codePoint > 0x10_ff_ff || (codePoint >= 0xd8_00 && codePoint <= 0xdf_ff))
    throw reader.failure(`bad \\${kind}`);
  return String.fromCodePoint(codePoint);
}
