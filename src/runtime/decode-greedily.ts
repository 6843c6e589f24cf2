import { likeliestToken } from '../core/audio/likeliest-token.ts';
import { assertWanted } from '../errors.ts';

export interface GreedyOptions {
  /** Tokens that end the text, and aren't part of it. */
  readonly ends: ReadonlySet<unknown>;
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
}

/** @returns an average of 0 without tokens */
export async function decodeGreedily(
  next: (token: number | undefined) => Promise<Float32Array>,
  { ends, maxTokens, signal }: GreedyOptions,
) {
  const tokens: number[] = [];
  let total = 0;
  while (tokens.length < maxTokens) {
    assertWanted(signal);
    const { id, logprob } = likeliestToken(await next(tokens.at(-1)));
    if (ends.has(id)) break;
    tokens.push(id);
    total += logprob;
  }
  return { tokens, averageLogprob: total / Math.max(1, tokens.length) };
}

/** Moonshine's limits. */
const tokensPerSecond = 6.5;
const minTokens = 8;

/** Maximum tokens of a text of this duration, which keeps models from repeating themselves. */
export function maxTokensOf(seconds: number): number {
  return Math.max(minTokens, Math.ceil(seconds * tokensPerSecond));
}
