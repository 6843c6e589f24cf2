import { completeChatRequest } from '../../src/categories/chat/request.ts';
import type { ChatEvent } from '../../src/categories/chat/events.ts';
import type { ChatRequest } from '../../src/categories/chat/request.ts';
import type { Command } from './fixtures/toy-pipeline.js';

/** A request that the toy pipeline understands. */
export function toy(command: Command): ChatRequest {
  return completeChatRequest({
    model: 'toy',
    messages: [{ role: 'user', content: JSON.stringify(command) }],
  });
}

export const textOf = (event: ChatEvent | undefined): string =>
  event?.type === 'text-delta' ? event.text : '';

/** The texts of all events until the end. */
export async function texts(events: AsyncIterable<ChatEvent>): Promise<string[]> {
  const all: string[] = [];
  for await (const event of events) all.push(textOf(event));
  return all;
}

/** The code of the error that ends the events, or `none`. */
export async function errorCode(events: AsyncIterable<ChatEvent>): Promise<string> {
  try {
    await texts(events);
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
