import { toolCallFormats } from '../../../../src/core/chat/formats.ts';
import type { ToolDefinition } from '../../../../src/core/chat/messages.ts';
import type { ToolCallConstraint, ToolCallFormat } from '../../../../src/core/chat/tool-calls/format.ts';

export interface WrittenCall {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Writes calls as a model of the format does. */
export type CallWriter = (calls: readonly WrittenCall[]) => string;

/** A writer for every format: that of its constraint, or one of these. */
export const callWriters: ReadonlyMap<string, CallWriter> = new Map([
  ['pythonic', (calls) => pythonList(calls)],
  ['lfm2', (calls) => `<|tool_call_start|>${pythonList(calls)}<|tool_call_end|>`],
  [
    'gemma-code',
    (calls) => `\`\`\`tool_code\n${calls.map((call) => `print(${pythonCall(call)})`).join('\n')}\n\`\`\``,
  ],
  ['gemma-4', (calls) => calls.map((call) => `<|tool_call>${gemmaCall(call, '<|"|>')}<tool_call|>`).join('')],
  [
    'function-gemma',
    (calls) =>
      calls.map((call) => `<start_function_call>${gemmaCall(call, '<escape>')}<end_function_call>`).join(''),
  ],
  [
    'functionary-v3.2',
    (calls) => calls.map(({ name, values }) => `>>>${name}\n${JSON.stringify(values)}`).join(''),
  ],
  [
    'qwen3-coder',
    (calls) =>
      calls
        .map(({ name, values }) => {
          const parameters = taggedValues(values).map(
            ([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`,
          );
          return `<tool_call>\n<function=${name}>\n${parameters.join('')}</function>\n</tool_call>`;
        })
        .join('\n'),
  ],
  [
    'minimax-m2',
    (calls) => {
      const invocations = calls.map(({ name, values }) => {
        const parameters = taggedValues(values).map(
          ([key, value]) => `<parameter name="${key}">${value}</parameter>\n`,
        );
        return `<invoke name="${name}">\n${parameters.join('')}</invoke>\n`;
      });
      return `<minimax:tool_call>\n${invocations.join('')}</minimax:tool_call>`;
    },
  ],
  [
    'glm-4.5',
    (calls) =>
      calls
        .map(({ name, values }) => {
          const parameters = taggedValues(values).map(
            ([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`,
          );
          return `<tool_call>${name}\n${parameters.join('')}</tool_call>`;
        })
        .join('\n'),
  ],
  ...toolCallFormats
    .filter((format) => format.constraint !== undefined)
    .map(({ name, constraint }): [string, CallWriter] => [
      name,
      (calls) => writeConstrained(constraint!, calls),
    ]),
]);

function writeConstrained(constraint: ToolCallConstraint, calls: readonly WrittenCall[]): string {
  const { begin, separator, end } = constraint;
  const texts = calls.map(({ name, values }) => {
    const { prefix, suffix } = constraint.call(name);
    return prefix + JSON.stringify(values) + suffix;
  });
  return begin + texts.join(separator ?? '\n') + end;
}

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

function taggedValues(values: WrittenCall['values']): [string, string][] {
  return Object.entries(values).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}

function pythonList(calls: readonly WrittenCall[]): string {
  return `[${calls.map(pythonCall).join(', ')}]`;
}

function pythonCall({ name, values }: WrittenCall): string {
  const list = Object.entries(values).map(([key, value]) => `${key}=${pythonLiteral(value)}`);
  return `${name}(${list.join(', ')})`;
}

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') {
    const text = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll("'", "\\'");
    return `'${text}'`;
  }
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${pythonLiteral(key)}: ${pythonLiteral(member)}`)
    .join(', ')}}`;
}

function gemmaCall({ name, values }: WrittenCall, quote: string): string {
  return `call:${name}${gemmaLiteral(values, quote)}`;
}

function gemmaLiteral(value: unknown, quote: string): string {
  if (typeof value === 'string') return quote + value + quote;
  if (Array.isArray(value)) return `[${value.map((item) => gemmaLiteral(item, quote)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}:${gemmaLiteral(member, quote)}`)
    .join(',')}}`;
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
  ['glm-4.5', /<\/arg_value>\s*<(arg_key>|\/tool_call>)|<\/tool_call>\s*<\/?tool_call>/],
]);

export function canWrite({ name }: ToolCallFormat, text: string): boolean {
  return !(inexpressible.get(name)?.test(text) ?? false);
}
