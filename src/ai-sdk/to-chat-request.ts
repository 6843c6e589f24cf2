import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';
import { chatParameters } from '../categories/chat/parameters.ts';
import { chatRequestSchema } from '../categories/chat/wire/schema.ts';
import { unsupportedFields } from '../categories/chat/wire/unsupported.ts';
import type { ToolChoice, ToolDefinition } from '../core/chat/messages.ts';
import type { InferenceError } from '../errors.ts';
import type { RequestOf } from './call.ts';
import type { Reduced } from './open-run.ts';
import { createOptionsReader, toSdkName, type FieldNames } from './provider-options.ts';
import { toMessages } from './to-messages.ts';

type Request = RequestOf<'chat'>;

/** Settings that a request can do without: name on the wire → names in the SDK and in requests. */
const settings: Readonly<Record<string, readonly [sdk: string, field: keyof Request]>> = {
  temperature: ['temperature', 'temperature'],
  top_p: ['topP', 'topP'],
  top_k: ['topK', 'topK'],
  presence_penalty: ['presencePenalty', 'presencePenalty'],
  frequency_penalty: ['frequencyPenalty', 'frequencyPenalty'],
  seed: ['seed', 'seed'],
  reasoning_effort: ['reasoning', 'reasoningEffort'],
};

const names: FieldNames = {
  own: {
    ...Object.fromEntries(Object.entries(settings).map(([name, [sdk]]) => [name, sdk])),
    model: 'modelId',
    max_tokens: 'maxOutputTokens',
    stop: 'stopSequences',
    messages: 'prompt',
    tools: 'tools',
    tool_choice: 'toolChoice',
    response_format: 'responseFormat',
  },
  refused: { n: { advice: 'a call has one answer' }, ...unsupportedFields },
};

const { logit_bias, parallel_tool_calls, documents, chat_template_kwargs } = chatRequestSchema.shape;
const readOptions = createOptionsReader(chatParameters, names, {
  logit_bias,
  parallel_tool_calls,
  documents,
  chat_template_kwargs,
});

/** A call as a chat request. */
export interface ChatCall {
  readonly request: Request;
  readonly warnings: readonly SharedV4Warning[];
  /** The caller's name for a field of the request. */
  readonly rename: (field: string) => string;
}

/**
 * A call of a language model → a chat request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` naming the option of `providerOptions.slashv1` at fault;
 * UnsupportedFunctionalityError for a file that no model reads
 */
export function toChatRequest(call: LanguageModelV4CallOptions): ChatCall {
  const { parameters, more } = readOptions(call);
  const { messages, places, warnings } = toMessages(call.prompt);
  const { tools, warnings: ofTools } = toTools(call.tools ?? []);
  const { reasoning, responseFormat } = call;
  const request: Request = {
    ...parameters,
    messages,
    tools,
    toolChoice: toToolChoice(call.toolChoice),
    parallelToolCalls: more.parallel_tool_calls ?? undefined,
    logitBias: more.logit_bias ?? undefined,
    documents: more.documents ?? undefined,
    chatTemplateKwargs: more.chat_template_kwargs ?? undefined,
    responseFormat: toResponseFormat(responseFormat),
    stop: call.stopSequences,
    maxTokens: call.maxOutputTokens,
    temperature: call.temperature,
    topP: call.topP,
    topK: call.topK,
    presencePenalty: call.presencePenalty,
    frequencyPenalty: call.frequencyPenalty,
    seed: call.seed,
    reasoningEffort: reasoning === 'provider-default' ? undefined : reasoning,
  };
  return { request, warnings: [...warnings, ...ofTools], rename: renameBy(places) };
}

/** A request without a setting that its model doesn't take, with a warning. */
export function withoutSetting(
  request: Request,
  { code, param = '', message }: InferenceError,
): Reduced<Request> | undefined {
  const [feature, field] = (code === 'unsupported_feature' && settings[param]) || [];
  if (feature === undefined || field === undefined || request[field] === undefined) return undefined;
  const details = message.replace(param, feature);
  return {
    request: { ...request, [field]: undefined },
    warning: { type: 'unsupported', feature, details },
  };
}

/** As `toSdkName`, with the message of the prompt that a message of the request came from. */
function renameBy(places: readonly string[]): (field: string) => string {
  return (field) => {
    const [whole, index] = /^messages\[(\d+)\]/.exec(field) ?? [];
    const place = index === undefined ? undefined : places[Number(index)];
    if (place !== undefined) return place + field.slice(whole!.length);
    return toSdkName(names)(field)
      .replace(/^(tools\[\d+\])\.function\.parameters/, '$1.inputSchema')
      .replace(/^responseFormat\.json_schema/, 'responseFormat');
  };
}

function toTools(given: NonNullable<LanguageModelV4CallOptions['tools']>): {
  readonly tools: readonly ToolDefinition[];
  readonly warnings: readonly SharedV4Warning[];
} {
  const tools: ToolDefinition[] = [];
  const warnings: SharedV4Warning[] = [];
  for (const tool of given) {
    if (tool.type === 'provider') {
      warnings.push({ type: 'unsupported', feature: `the tool ${tool.id}, which its provider runs` });
      continue;
    }
    const { name, description, inputSchema, strict } = tool;
    tools.push({ name, description, parameters: inputSchema as ToolDefinition['parameters'], strict });
    if (tool.inputExamples) warnings.push({ type: 'unsupported', feature: `inputExamples of ${name}` });
  }
  return { tools, warnings };
}

function toToolChoice(choice: LanguageModelV4CallOptions['toolChoice']): ToolChoice | undefined {
  return choice?.type === 'tool' ? { name: choice.toolName } : choice?.type;
}

function toResponseFormat(format: LanguageModelV4CallOptions['responseFormat']): Request['responseFormat'] {
  if (format?.type !== 'json') return format;
  return format.schema === undefined
    ? { type: 'json-object' }
    : { type: 'json-schema', schema: format.schema };
}
