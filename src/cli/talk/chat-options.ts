import { chatParameters } from '../../categories/chat/parameters.ts';
import { completeChatRequest, type ChatRequestInput } from '../../categories/chat/request.ts';
import { toWireName } from '../../core/parameters/descriptor.ts';
import { inOption, type OptionTable, type OptionValues, hubOptionTable } from '../options.ts';

const parameterNames = [
  'maxTokens',
  'temperature',
  'topP',
  'topK',
  'minP',
  'repeatPenalty',
  'seed',
  'reasoningEffort',
] as const;

type ParameterName = (typeof parameterNames)[number];

/** A person can stop an answer that is too long; a truncated one is useless. */
const defaultMaxTokens = 2048;

const parameterOptions = Object.fromEntries(
  parameterNames.map((name) => {
    const { type, description } = chatParameters[name];
    return [toOptionName(name), [type === 'string' ? '<name>' : '<number>', description]];
  }),
) as OptionTable;

export const chatOptionTable = {
  system: ['<text>', 'Instructions for the model: the system message.'],
  ...hubOptionTable,
} as const satisfies OptionTable;

/** Adds the parameters of a request, whose table has no types. */
export const withParameters = <const T extends OptionTable>(table: T): T => ({
  ...table,
  ...parameterOptions,
});

export type ChatParameterValues = Partial<Pick<ChatRequestInput, ParameterName>>;

export function readChatParameters(values: OptionValues<OptionTable>): ChatParameterValues {
  const parameters: Record<string, unknown> = { maxTokens: defaultMaxTokens };
  for (const name of parameterNames) {
    const text = values[toOptionName(name)];
    if (text === undefined) continue;
    const isNumber = chatParameters[name].type !== 'string' && Number.isFinite(Number(text));
    parameters[name] = isNumber ? Number(text) : text;
  }
  inOption(
    (param) => `--${param.replaceAll('_', '-')}`,
    () => completeChatRequest({ model: 'any', messages: [{ role: 'user', content: 'any' }], ...parameters }),
  );
  return parameters;
}

function toOptionName(name: string): string {
  return toWireName(name).replaceAll('_', '-');
}
