import { isDelta, type ChatEvent } from '../events.ts';
import { toWireUsage, type WireUsage } from './chat/print.ts';

export interface ChunkUsageOptions {
  /** Send a last chunk with the usage; earlier chunks have `usage: null`. */
  readonly includeUsage: boolean;
  /** Send each choice's usage so far in its chunks; default false. */
  readonly continuousUsage?: boolean | undefined;
}

/** One choice per chunk, with usage. */
export function createChunkWriter<Head extends object, Choice extends { readonly index: number }>(
  head: Head,
  { includeUsage, continuousUsage }: ChunkUsageOptions,
  toChoices: (event: ChatEvent) => Choice[],
): (event: ChatEvent) => (Head & { choices: Choice[]; usage?: WireUsage | null })[] {
  let promptTokens = 0;
  const completionTokens: number[] = [];
  const usageOf = (choice: number): { usage?: WireUsage | null } => {
    if (!continuousUsage) return includeUsage ? { usage: null } : {};
    const counts = { promptTokens, completionTokens: completionTokens[choice] ?? 0 };
    return { usage: toWireUsage({ ...counts, cachedTokens: 0, reasoningTokens: 0 }) };
  };
  const toChunk = (choice: Choice) => ({ ...head, choices: [choice], ...usageOf(choice.index) });
  return (event) => {
    if (event.type === 'usage')
      return includeUsage ? [{ ...head, choices: [], usage: toWireUsage(event) }] : [];
    if (event.type === 'prompt-start' || event.type === 'prompt-end') ({ promptTokens } = event);
    else if (isDelta(event))
      completionTokens[event.choice] = (completionTokens[event.choice] ?? 0) + (event.tokens ?? 1);
    return toChoices(event).map(toChunk);
  };
}
