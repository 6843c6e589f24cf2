import type { UsageTally } from '../../contracts/run.ts';
import type { ChatEvent } from './events.ts';

/** Counts the tokens of a chat request; the last event has the exact numbers. */
export function tallyChat(event: ChatEvent, { usage, finishReasons }: UsageTally): void {
  switch (event.type) {
    case 'prompt-start':
    case 'prompt-end':
      usage.inputTokens = event.promptTokens;
      return;
    case 'hidden-tokens':
    case 'reasoning-delta':
      usage.reasoningTokens = (usage.reasoningTokens ?? 0) + (event.tokens ?? 1);
      usage.outputTokens = (usage.outputTokens ?? 0) + (event.tokens ?? 1);
      return;
    case 'text-delta':
    case 'tool-call-delta':
      usage.outputTokens = (usage.outputTokens ?? 0) + (event.tokens ?? 1);
      return;
    case 'choice-end':
      finishReasons[event.choice] = event.finishReason;
      return;
    case 'answer-restart':
      delete usage.outputTokens;
      delete usage.reasoningTokens;
      finishReasons.length = 0;
      return;
    case 'usage':
      usage.inputTokens = event.promptTokens;
      usage.cachedTokens = event.cachedTokens;
      usage.outputTokens = event.completionTokens;
      usage.reasoningTokens = event.reasoningTokens;
  }
}
