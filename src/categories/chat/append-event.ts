import { isDelta, type ChatDelta, type ChatEvent } from './events.ts';

/**
 * Adds an event to those that wait to be delivered together. A delta that continues the last one of its choice is
 * joined to it: consumers concatenate deltas anyway, and one event costs them less than five.
 */
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
