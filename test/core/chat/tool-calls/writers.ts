import type { ToolDefinition } from '../../../../src/core/chat/messages.ts';
import type { ToolCallFormat } from '../../../../src/core/chat/tool-calls/format.ts';
import { tagsOf } from '../../../../src/core/chat/tool-calls/edges.ts';
import { styleOf, type ItemsNotation } from '../../../../src/core/chat/tool-calls/notation.ts';
import { knownFormats } from './known-formats.ts';

export interface WrittenCall {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Writes calls as a model of the format does. */
export type CallWriter = (calls: readonly WrittenCall[]) => string;

/** A writer for every format. */
export const callWriters: ReadonlyMap<string, CallWriter> = new Map(
  knownFormats.map((format): [string, CallWriter] => [
    format.name,
    (calls) => format.write(calls.map(({ name, values }) => ({ name, arguments: JSON.stringify(values) }))),
  ]),
);

/** Tools whose schemas tell the types of the values. */
export function toolsFor(calls: readonly WrittenCall[]): ToolDefinition[] {
  return calls.map(({ name, values }) => ({
    name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, { type: typeName(value) }]),
      ),
    },
  }));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** What no value can hold, because nothing tells it from the end of the value; formats not listed end values with tags. */
const inexpressible: ReadonlyMap<string, RegExp> = new Map([
  ['gemma-4', /<\|"\|>/],
  ['function-gemma', /<escape>/],
  ['minimax-m3', /\]<\]minimax\[>\[|^\s*$|^\s*(?:True|False|None|null|true|false|[-\d[{"][^]*)\s*$/],
  ['minicpm-5', /<!\[CDATA/],
]);

export function canWrite({ name, notations }: ToolCallFormat, text: string): boolean {
  const [first] = notations;
  const isOver = first?.kind === 'items' && styleOf(first) === 'tagged' && endsValue(first, text);
  return !isOver && !(inexpressible.get(name)?.test(text) ?? false);
}

/** Whether the tag behind a value, or behind a call, comes with another tag behind it. */
function endsValue({ close, end }: ItemsNotation, text: string): boolean {
  const tags = [close.trim(), tagsOf(end)[0]!];
  return [...text.matchAll(/(?=\s*[<[])/g)].some(({ index }) =>
    tags.some((tag) => text.slice(0, index).endsWith(tag)),
  );
}
