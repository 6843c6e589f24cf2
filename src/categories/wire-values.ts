import { z } from 'zod';

/** A number with so many decimals at most. */
export function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** The usage of a request that writes no text. */
export const promptUsageSchema = z.object({ prompt_tokens: z.int(), total_tokens: z.int() });

export function toPromptUsage(promptTokens: number): z.infer<typeof promptUsageSchema> {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens };
}
