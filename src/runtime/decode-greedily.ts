import { likeliestToken } from '../core/audio/likeliest-token.ts';
import { assertWanted } from '../errors.ts';

export interface GreedyOptions {
  /** Tokens that end the text, and are no part of it. */
  readonly ends: ReadonlySet<unknown>;
  /** Most tokens of a text. */
  readonly most: number;
  readonly signal?: AbortSignal | undefined;
}

export interface GreedyText {
  readonly tokens: readonly number[];
  /** 0 without a token. */
  readonly averageLogprob: number;
}

/** Takes the most likely token, again and again. */
export async function decodeGreedily(
  next: (token: number | undefined) => Promise<Float32Array>,
  { ends, most, signal }: GreedyOptions,
): Promise<GreedyText> {
  const tokens: number[] = [];
  let total = 0;
  while (tokens.length < most) {
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
const fewestTokens = 8;

/** Most tokens of a text that takes so many seconds to say, which keeps models from repeating themselves. */
export function mostTokensOf(seconds: number): number {
  return Math.max(fewestTokens, Math.ceil(seconds * tokensPerSecond));
}
