import type { TextTokenizer } from '../../../../contracts/text-model.ts';
import type { ChatRequest } from '../../request.ts';

/** A request's token restrictions, shared by all of its choices. */
export interface TokenRules {
  /**
   * Mask of allowed next tokens: bit `t % 32` of word `t / 32`; valid until the next call.
   * @param base intersected with the rules, unless that leaves no token
   * @returns `undefined` if no token is allowed
   */
  mask(answer: readonly number[], base: Uint32Array | undefined): Uint32Array | undefined;
}

interface Vocabulary {
  readonly tokenizer: Pick<TextTokenizer, 'encode'>;
  readonly vocabularySize: number;
  readonly endTokens: ReadonlySet<number>;
}

type Ruled = Pick<ChatRequest, 'allowedTokenIds' | 'badWords' | 'ignoreEos' | 'minTokens' | 'stopTokenIds'>;

/** @returns `undefined` for a request without restrictions */
export function compileTokenRules(
  { allowedTokenIds, badWords, ignoreEos, minTokens, stopTokenIds }: Ruled,
  { tokenizer, vocabularySize, endTokens }: Vocabulary,
): TokenRules | undefined {
  if (allowedTokenIds.length + badWords.length + minTokens === 0 && !ignoreEos) return undefined;
  const always = new Uint32Array(Math.ceil(vocabularySize / 32));
  if (allowedTokenIds.length === 0) {
    for (let token = 0; token < vocabularySize; token++) allow(always, token);
  } else for (const token of allowedTokenIds) allow(always, token);
  if (ignoreEos) for (const token of endTokens) if (!stopTokenIds.includes(token)) forbid(always, token);
  const ends = [...endTokens, ...stopTokenIds];
  const sequences = badWords
    .flatMap((word) => spellingsOf(word, tokenizer))
    .filter(({ length }) => length > 0);
  const mask = new Uint32Array(always.length);
  return {
    mask(answer, base) {
      mask.set(always);
      if (answer.length < minTokens) for (const token of ends) forbid(mask, token);
      for (const sequence of sequences) {
        if (endsWith(answer, sequence)) forbid(mask, sequence.at(-1)!);
      }
      if (base) for (let i = 0; i < mask.length; i++) mask[i]! &= base[i]!;
      return mask.some((word) => word !== 0) ? mask : base;
    },
  };
}

/** The word as is and after a space, unless the first spelling is the end of the second. */
function spellingsOf(word: string, { encode }: Vocabulary['tokenizer']): number[][] {
  const own = encode(word);
  const spaced = encode(` ${word.trimStart()}`);
  return endsWith(spaced.slice(0, -1), own) && spaced.at(-1) === own.at(-1) ? [own] : [own, spaced];
}

/** Ignores the last token of `sequence`. */
function endsWith(answer: readonly number[], sequence: readonly number[]): boolean {
  const first = answer.length - sequence.length + 1;
  if (first < 0) return false;
  for (let i = 0; i < sequence.length - 1; i++) if (answer[first + i] !== sequence[i]) return false;
  return true;
}

function allow(mask: Uint32Array, token: number): void {
  mask[token >>> 5]! |= 1 << (token & 31);
}

function forbid(mask: Uint32Array, token: number): void {
  mask[token >>> 5]! &= ~(1 << (token & 31));
}
