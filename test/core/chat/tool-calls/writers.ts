import type { ToolDefinition } from '../../../../src/core/chat/messages.ts';
import type { ToolCallFormat } from '../../../../src/core/chat/tool-calls/format.ts';
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

/** What no value can hold in a format, because nothing tells it from the end of the value. */
const inexpressible: ReadonlyMap<string, RegExp> = new Map([
  ['gemma-4', /<\|"\|>/],
  ['function-gemma', /<escape>/],
  [
    'qwen3-coder',
    /<\/parameter>\s*<(parameter=|\/function>)|<\/function>\s*<(\/?(seed:)?tool_call|function=)/,
  ],
  ['minimax-m2', /<\/parameter>\s*<(parameter name="|\/invoke>)|<\/invoke>\s*<(invoke|\/?minimax)/],
  [
    'deepseek-v3.2',
    /<\/｜DSML｜parameter>\s*<(｜DSML｜parameter name="|\/｜DSML｜invoke>)|<\/｜DSML｜invoke>\s*<\/?｜DSML｜/,
  ],
  ['minicpm-5', /<\/param>\s*<(param name="|\/function>)|<\/function>\s*<function|<!\[CDATA/],
  ['step-3', /<\/steptml:parameter>\s*<(steptml|\/steptml)|<\/steptml:invoke>\s*<｜/],
  ['kimi-k3', /<\|close\|>argument<\|sep\|>\s*<\|(open|close)|<\|close\|>call<\|sep\|>\s*<\|/],
  ['minimax-m3', /\]<\]minimax\[>\[|^\s*$|^\s*(?:True|False|None|null|true|false|[-\d[{"][^]*)\s*$/],
  [
    'muse-glimmer',
    /<\/atem:parameter>\s*<(atem:parameter name="|\/atem:invoke>)|<\/atem:invoke>\s*<(atem|\/atem)/,
  ],
  ['dots', /<\/parameter>\s*<(parameter name="|\/invoke>)|<\/invoke>\s*<(invoke|\/?dots)/],
  ['k2-horizon', /<\/ifm\|arg_value>\s*<(ifm\|arg_key>|\/ifm\|tool_call>)|<\/ifm\|tool_call>\s*<\/?ifm/],
  ...['', ':opensource', ':6124c78e'].map(
    (suffix, index) =>
      [
        ['hy-3-preview', 'hy-3', 'hy-4'][index]!,
        new RegExp(
          `</arg_value${suffix}>\\s*<(arg_key${suffix}>|/tool_call${suffix}>)|</tool_call${suffix}>\\s*</?tool_call`,
        ),
      ] as const,
  ),
  ['glm-4.5', /<\/arg_value>\s*<(arg_key>|\/tool_call>)|<\/tool_call>\s*<\/?tool_call>/],
]);

export function canWrite({ name }: ToolCallFormat, text: string): boolean {
  return !(inexpressible.get(name)?.test(text) ?? false);
}
