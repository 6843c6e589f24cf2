import type { ChatMessage, MessageContent, ToolChoice, ToolDefinition } from '../../../core/chat/messages.ts';
import { maxArgumentValues } from '../../../core/text/bounded-json.ts';
import { quote } from '../../../core/text/quote.ts';
import { fieldError } from '../../../errors.ts';
import { exactTextOf } from '../../../http/exact-texts.ts';
import { mapEach } from '../../../validation/in-pieces.ts';
import { countArguments } from '../../../validation/json-text.ts';
import { fieldReader } from '../../../validation/request-table.ts';
import { chatParameters, type ChatParameters } from '../parameters.ts';
import type { ChatRequestInput } from '../request.ts';
import type { ChatRequestBody } from './chat/schema.ts';

/** Fields that differ only in spelling. */
export const readFields = fieldReader<ChatRequestInput>([
  ...(Object.keys(chatParameters) as (keyof ChatParameters)[]),
  'parallelToolCalls',
  'stop',
  'logitBias',
  'stopTokenIds',
  'allowedTokenIds',
  'documents',
  'chatTemplateKwargs',
]);

export function deliveryOf({
  stream,
  stream_options: options,
}: Pick<ChatRequestBody, 'stream' | 'stream_options'>) {
  if (options && !stream) throw fieldError('stream_options', 'expected `stream` to be true if it is set');
  return {
    stream: stream ?? false,
    includeUsage: options?.include_usage ?? false,
    continuousUsage: options?.continuous_usage_stats ?? false,
  };
}

/** @throws InferenceError if both are set to different values */
export function valueOfBoth<Body, Name extends keyof Body & string>(
  body: Body,
  name: Name,
  other: Name,
): Body[Name] {
  const [value, second] = [body[name], body[other]];
  if (value != null && second != null && value !== second)
    throw fieldError(other, `expected the value of ${name}, ${value}, got ${second}`);
  return value ?? second;
}

/** The worker parses all call arguments: each text is bounded, so their sum must be too. */
export function assertFewArguments(messages: readonly ChatMessage<MessageContent>[]): void {
  const counts = mapEach(messages, (message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const ofCalls = calls.map((call) => countArguments(call.arguments));
    return ofCalls.reduce((sum, { counter }) => sum + counter.values, 0);
  });
  let sum = 0;
  const index = counts.findIndex((values) => (sum += values) > maxArgumentValues);
  if (index < 0) return;
  const reason = `expected at most ${maxArgumentValues} values in the arguments of all calls`;
  throw fieldError(`messages[${index}].tool_calls`, reason);
}

type FunctionBody = NonNullable<ChatRequestBody['tools']>[number]['function'];
export type ToolSelection =
  ToolChoice | { readonly mode: 'auto' | 'required'; readonly names: readonly string[] } | null | undefined;

export function toToolUse(
  functions: readonly FunctionBody[],
  selection: ToolSelection,
): Pick<ChatRequestInput, 'tools' | 'toolChoice'> {
  const tools = toTools(functions);
  if (typeof selection !== 'object' || selection === null || 'name' in selection)
    return { tools, toolChoice: selection ?? undefined };
  const names = new Set(selection.names);
  const unknown = selection.names.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined)
    throw fieldError('tool_choice', `expected names of \`tools\`, got ${quote(unknown)}`);
  return { tools: tools.filter(({ name }) => names.has(name)), toolChoice: selection.mode };
}

function toTools(functions: readonly FunctionBody[]): ToolDefinition[] {
  const names = new Set<string>();
  return functions.map(({ name, description, parameters, strict }, index) => {
    if (names.has(name))
      throw fieldError(`tools[${index}].function.name`, `expected every name once, got ${quote(name)} again`);
    names.add(name);
    return {
      name,
      description: description ?? undefined,
      parameters: parameters ?? undefined,
      parametersText: exactTextOf(parameters),
      strict: strict ?? undefined,
    };
  });
}
