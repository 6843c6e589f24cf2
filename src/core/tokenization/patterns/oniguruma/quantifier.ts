import { failure, peek, take, type Reader } from './reader.ts';

/** Reads what repeats the part before it. */
export function readQuantifier(reader: Reader): { text: string; possessive: boolean } | undefined {
  const sign = peek(reader);
  if (sign === '*' || sign === '+' || sign === '?') {
    reader.at++;
    if (take(reader, '+')) return { text: sign, possessive: true };
    return { text: take(reader, '?') ? `${sign}?` : sign, possessive: false };
  }
  const interval = /^\{(?<least>\d*)(?<comma>,?)(?<most>\d*)\}/.exec(
    reader.characters.slice(reader.at, reader.at + 24).join(''),
  );
  const { least = '', comma = '', most = '' } = interval?.groups ?? {};
  if (!interval || (least === '' && most === '')) return undefined;
  reader.at += interval[0].length;
  const lowest = Number(least);
  const highest = comma === '' ? lowest : most === '' ? Infinity : Number(most);
  if (lowest > 100_000 || (highest > 100_000 && highest !== Infinity))
    throw failure(reader, 'too big a number');
  if (lowest > highest) throw failure(reader, 'numbers out of order');
  const text = `{${lowest}${comma}${most}}`;
  if (!take(reader, '?')) return { text, possessive: false };
  return { text: comma === '' ? `{0,${lowest}}` : `${text}?`, possessive: false };
}
