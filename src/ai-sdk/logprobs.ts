import type { MetadataExtractor } from '@ai-sdk/openai-compatible';

interface Answer {
  readonly choices?: readonly { readonly logprobs?: { readonly content: readonly never[] | null } | null }[];
}

/** Log probabilities, which the SDK's provider drops, as `providerMetadata.slashv1.logprobs`. */
export const logprobsExtractor: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) => toMetadata(logprobsOf(parsedBody)),
  createStreamExtractor() {
    const logprobs: never[] = [];
    return {
      processChunk: (chunk) => void logprobs.push(...logprobsOf(chunk)),
      buildMetadata: () => toMetadata(logprobs),
    };
  },
};

const logprobsOf = (body: unknown): readonly never[] =>
  (body as Answer).choices?.[0]?.logprobs?.content ?? [];

function toMetadata(logprobs: readonly never[]) {
  return logprobs.length === 0 ? undefined : { slashv1: { logprobs: [...logprobs] } };
}
