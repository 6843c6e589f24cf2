import type { Categories, Category, ChatEvent } from '../contract.ts';

type AnyEvent = Categories[Category]['event'];
type Delta = Extract<ChatEvent, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>;

/**
 * Adds an event to those that wait to be delivered together. A delta that continues the last one of its choice is
 * joined to it: consumers concatenate deltas anyway, and one event costs them less than five.
 */
export function appendEvent(events: AnyEvent[], event: AnyEvent): void {
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

function isDelta(event: AnyEvent): event is Delta {
  const { type } = event;
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-delta';
}

function join(last: AnyEvent, next: Delta): Delta | undefined {
  if (next.type === 'tool-call-delta') {
    if (last.type !== 'tool-call-delta' || last.call !== next.call) return undefined;
    return { ...next, arguments: last.arguments + next.arguments };
  }
  return last.type === next.type ? { ...next, text: last.text + next.text } : undefined;
}
