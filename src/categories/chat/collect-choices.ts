import type { ToolCall } from '../../core/chat/messages.ts';
import type { ChatEvent, FinishReason, TokenLogprobs } from './events.ts';

/** One choice, assembled from its events so far. */
export interface CollectedChoice {
  /** In order of arrival. */
  readonly parts: { readonly type: 'text' | 'reasoning'; content: string }[];
  readonly calls: (ToolCall & { arguments: string })[];
  readonly logprobs: TokenLogprobs[];
  finishReason: FinishReason | undefined;
}

export function collectChoice(choices: CollectedChoice[], event: ChatEvent): void {
  if (event.type === 'answer-restart') choices.length = 0;
  if (!('choice' in event) || event.type === 'hidden-tokens') return;
  const choice = (choices[event.choice] ??= { parts: [], calls: [], logprobs: [], finishReason: undefined });
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const type = event.type === 'text-delta' ? 'text' : 'reasoning';
      const last = choice.parts.at(-1);
      if (last?.type === type) last.content += event.text;
      else choice.parts.push({ type, content: event.text });
      break;
    }
    case 'tool-call-start':
      choice.calls[event.call] = { id: event.id, name: event.name, arguments: '' };
      break;
    case 'tool-call-delta': {
      const call = choice.calls[event.call];
      if (call) call.arguments += event.arguments;
      break;
    }
    case 'logprobs':
      choice.logprobs.push(...event.tokens);
      break;
    case 'choice-end':
      choice.finishReason = event.finishReason;
  }
}
