import { isDelta, type ChatEvent } from '../events.ts';
import { toWireUsage, type WireUsage } from './to-response.ts';

/** The part of the request that says which chunks tell the usage. */
export interface ChunkUsageOptions {
  /** Whether a last chunk has the usage; all others then say `usage: null`. */
  readonly includeUsage: boolean;
  /** Whether every chunk has the usage of its choice so far; default false. */
  readonly continuousUsage?: boolean | undefined;
}

/** Counts the tokens of a streamed answer for its chunks. */
export function createChunkUsage({ includeUsage, continuousUsage }: ChunkUsageOptions) {
  let promptTokens = 0;
  /** Tokens of each choice. */
  const completionTokens: number[] = [];
  return {
    read(event: ChatEvent): void {
      if (event.type === 'prompt-start' || event.type === 'prompt-end') ({ promptTokens } = event);
      else if (isDelta(event))
        completionTokens[event.choice] = (completionTokens[event.choice] ?? 0) + (event.tokens ?? 1);
    },
    /** The field of a chunk. @param choice that it is about; `undefined` for one without a choice */
    of(choice: number | undefined): { readonly usage?: WireUsage | null } {
      if (!continuousUsage || choice === undefined) return includeUsage ? { usage: null } : {};
      const counts = { promptTokens, completionTokens: completionTokens[choice] ?? 0 };
      return { usage: toWireUsage({ ...counts, cachedTokens: 0, reasoningTokens: 0 }) };
    },
  };
}
