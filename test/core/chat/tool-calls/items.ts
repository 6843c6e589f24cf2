import { expect } from 'vitest';
import type { ToolCallParser, ToolCallParserEvent } from '../../../../src/core/chat/tool-calls/parser.ts';

/** Events with neighbouring texts joined, so that the cut into pieces doesn't show: `text`, or a call. */
export type Item =
  string | { name: string | null; arguments: string; end: 'whole' | 'unfinished' | 'missing' };

export const call = (name: string, text = '{}') => ({ name, arguments: text, end: 'whole' as const });
export const unfinished = (name: string | null, text: string) => ({
  name,
  arguments: text,
  end: 'unfinished' as const,
});

/** Reads an answer in pieces, and checks that the events come in an order that makes sense. */
export function parsePieces(parser: ToolCallParser, pieces: readonly string[], cutOff = false): Item[] {
  const events = pieces.flatMap((piece) => parser.push(piece));
  return collect([...events, ...parser.flush({ cutOff })]);
}

function collect(events: readonly ToolCallParserEvent[]): Item[] {
  const items: Item[] = [];
  for (const event of events) {
    const last = items.at(-1);
    const open = typeof last === 'object' && last.end === 'missing' ? last : undefined;
    if (event.type === 'text') {
      if (event.text === '' || open !== undefined) expect.unreachable(`${JSON.stringify(event)} in a call`);
      if (typeof last === 'string') items[items.length - 1] = last + event.text;
      else items.push(event.text);
    } else if (event.type === 'call-start') {
      if (open !== undefined) expect.unreachable('a call in a call');
      items.push({ name: event.name, arguments: '', end: 'missing' });
    } else if (event.type === 'arguments') {
      if (open === undefined) expect.unreachable('arguments without a call');
      open!.arguments += event.text;
    } else if (event.type === 'call-end') {
      open!.end = 'whole';
    } else if (open === undefined) {
      items.push({ name: null, arguments: '', end: 'unfinished' });
    } else {
      open.end = 'unfinished';
    }
  }
  return items;
}
