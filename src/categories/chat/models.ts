import type { CategoryModels } from '../../contracts/category.ts';
import { findGraph } from '../../folder/graph-files.ts';
import type { ModelFiles } from '../../contracts/files.ts';
import {
  decoderGraph,
  decoderStems,
  embeddingGraph,
  embeddingStems,
  hasClass,
  textFiles,
  visionGraph,
  visionStems,
} from '../../folder/model-files.ts';
import { type ChatEvent, isDelta, type ChatDelta } from './events.ts';

/** Merges a delta into the latest delta of its choice: consumers concatenate deltas anyway, and one event is cheaper than five. */
export function appendEvent(events: ChatEvent[], event: ChatEvent): void {
  if (isDelta(event)) {
    const index = events.findLastIndex((other) => 'choice' in other && other.choice === event.choice);
    const joined = index < 0 ? undefined : join(events[index]!, event);
    if (joined) {
      events[index] = joined;
      return;
    }
  }
  events.push(event);
}

function join(last: ChatEvent, next: ChatDelta): ChatDelta | undefined {
  if (next.type === 'hidden-tokens')
    return last.type === 'hidden-tokens' ? { ...next, tokens: tokensOf(last, next) } : undefined;
  if (next.type === 'tool-call-delta') {
    if (last.type !== 'tool-call-delta' || last.call !== next.call) return undefined;
    return { ...next, arguments: last.arguments + next.arguments, tokens: tokensOf(last, next) };
  }
  return last.type === next.type
    ? { ...next, text: last.text + next.text, tokens: tokensOf(last, next) }
    : undefined;
}

function tokensOf(last: ChatDelta, next: ChatDelta): number {
  return (last.tokens ?? 1) + (next.tokens ?? 1);
}

/** The files of a decoder-only language model, vision models included. */
const chatFiles: ModelFiles = {
  small: [...textFiles, 'preprocessor_config.json', 'processor_config.json'],
  stems: [...decoderStems, ...embeddingStems, ...visionStems],
  graphs(files, dtype) {
    const vision = visionGraph(files, dtype);
    return [
      decoderGraph(files, dtype),
      ...(findGraph(files, embeddingStems) === undefined ? [] : [embeddingGraph(files, dtype)]),
      ...(vision === undefined ? [] : [vision]),
    ];
  },
};

export const chatModels = {
  name: 'chat',
  files: chatFiles,
  isStateless: false,
  recognize: ({ config }) => hasClass(config, /(?:ForCausalLM|LMHeadModel|ForConditionalGeneration)$/),
  append: appendEvent,
} satisfies CategoryModels<'chat', ChatEvent>;
