import type { Members } from '../definition.ts';
import { readMetaspaceOptions } from '../pre-tokenizers/metaspace.ts';
import type { Decoder } from './decoder.ts';

/** Writes blanks for `▁`, without those of the first token if one was put in front. */
export function readMetaspaceDecoder(label: string, members: Members): Decoder {
  const { replacement, prependScheme } = readMetaspaceOptions(label, members);
  const first = prependScheme === 'never' ? ' ' : '';
  return (tokens) => tokens.map((token, index) => token.replaceAll(replacement, index === 0 ? first : ' '));
}
