import { fieldError } from '../../errors.ts';
import {
  chatParameters,
  longestBadWord,
  maxAllowedTokens,
  maxStopSequences,
  maxStopTokens,
  reasoningEfforts,
  type ChatParameters,
} from './parameters.ts';
import { logitBiasBounds } from '../../core/sampling/logit-bias.ts';
import type { ResponseFormat } from '../../core/grammar/constraint.ts';
import { schemaSizeFault } from '../../core/grammar/schemas/size.ts';
import type { ChatMessage, MessageContent, ToolChoice, ToolDefinition } from '../../core/chat/messages.ts';
import { isJson } from '../../core/text/bounded-json.ts';
import { findToolCallMismatch } from '../../core/chat/tool-call-pairs.ts';

import { z } from 'zod';
import { assertPrompts, promptFields, type PromptFields } from './prompts.ts';
import { assertRequest, requestTable } from '../../validation/assert-request.ts';
import { jsonText } from '../../validation/json-text.ts';
import { listOf } from '../../validation/list-schema.ts';
import { resolveRequestParameters } from '../../validation/request-parameters.ts';
import { abbreviate, describeValue } from '../../core/text/quote.ts';

/** A complete chat request: every parameter has its value, as `completeChatRequest` leaves it. */
export interface ChatRequest extends ChatParameters, PromptFields {
  readonly model: string;
  readonly messages: readonly ChatMessage<MessageContent>[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  /** Whether one answer may hold several calls; `undefined` if the request doesn't say. */
  readonly parallelToolCalls: boolean | undefined;
  readonly responseFormat: ResponseFormat;
  /** At most four; the first that appears in the answer ends it and is not part of it. */
  readonly stop: readonly string[];
  /** Token id → added to its logit. */
  readonly logitBias: ReadonlyMap<number, number>;
  /** The first of these tokens that is chosen ends the answer and is not part of it. */
  readonly stopTokenIds: readonly number[];
  /** The tokens that the answer may have; none stands for all. */
  readonly allowedTokenIds: readonly number[];
  /** Texts that the model's chat template shows the model. */
  readonly documents: readonly TemplateObject[];
  /** More variables of the model's chat template. */
  readonly chatTemplateKwargs: TemplateObject;
}

/** A JSON object as a chat template is given it. */
export type TemplateObject = Readonly<Record<string, unknown>>;

/** A chat request as a caller writes it: only `model` and `messages` are needed. */
export interface ChatRequestInput extends Partial<ChatParameters>, Partial<PromptFields> {
  readonly model: string;
  readonly messages: readonly ChatMessage<MessageContent>[];
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** Whether one answer may hold several calls; default: true, but with a required call false. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Required form of the answer's text; default any text. */
  readonly responseFormat?: ResponseFormat | undefined;
  readonly stop?: string | readonly string[] | undefined;
  readonly logitBias?: ReadonlyMap<number, number> | undefined;
  /** At most 128 tokens: the first that is chosen ends the answer and is not part of it. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /** The tokens that the answer may have, its end included; default all. */
  readonly allowedTokenIds?: readonly number[] | undefined;
  /** Texts for the model's chat template, as it wants them: often `{ title, text }`. Refused where it has no place for them. */
  readonly documents?: readonly TemplateObject[] | undefined;
  /** Variables of the model's chat template by name. Refused where it looks at none of that name. */
  readonly chatTemplateKwargs?: TemplateObject | undefined;
}

/** Fills in the defaults of a chat request and checks every bound. */
export function completeChatRequest(input: ChatRequestInput): ChatRequest {
  assertRequest('A chat request', fields, input);
  assertPrompts(input);
  const mismatch = findToolCallMismatch(input.messages);
  if (mismatch) throw fieldError(mismatch.param, mismatch.reason);
  const stop = typeof input.stop === 'string' ? [input.stop] : (input.stop ?? []);
  if (stop.length > maxStopSequences)
    throw fieldError('stop', `expected at most ${maxStopSequences} sequences, got ${stop.length}`);
  if (stop.some((sequence) => sequence === ''))
    throw fieldError('stop', 'expected non-empty sequences, got ""');
  const logitBias = input.logitBias ?? new Map<number, number>();
  for (const [token, bias] of logitBias) {
    const { min, max } = logitBiasBounds;
    if (!Number.isInteger(token) || token < 0)
      throw fieldError('logit_bias', `expected token ids, got ${describeValue(token)}`);
    if (!(bias >= min && bias <= max))
      throw fieldError('logit_bias', `expected ${min} to ${max}, got ${describeValue(bias)}`);
  }
  const { tools = [], toolChoice = 'auto', responseFormat = { type: 'text' }, prompts = [] } = input;
  const { documents = [], chatTemplateKwargs = {}, stopTokenIds = [], allowedTokenIds = [] } = input;
  if (input.documents) assertSchema('documents', documents);
  if (input.chatTemplateKwargs) assertSchema('chat_template_kwargs', chatTemplateKwargs);
  tools.forEach(({ parameters }, index) => assertSchema(`tools[${index}].function.parameters`, parameters));
  if (responseFormat.type === 'json-schema')
    assertSchema('response_format.json_schema.schema', responseFormat.schema);
  if (responseFormat.type === 'choice') assertSchema('response_format', responseFormat.choices);
  if (toolChoice !== 'auto' && toolChoice !== 'none') assertCallable(toolChoice, tools);
  const parameters = resolveRequestParameters(chatParameters, input);
  if (parameters.topLogprobs > 0 && !parameters.logprobs && input.echo !== 'logprobs')
    throw fieldError('top_logprobs', 'expected `logprobs` to be true where `top_logprobs` is set');
  const request: ChatRequest = {
    ...input,
    ...parameters,
    tools,
    toolChoice,
    parallelToolCalls: input.parallelToolCalls,
    responseFormat,
    stop,
    logitBias,
    stopTokenIds,
    allowedTokenIds,
    documents,
    chatTemplateKwargs,
    prompts,
  };
  if (request.reasoningEffort !== undefined) assertThinking(request.reasoningEffort, request.enableThinking);
  assertTokenRules(request);
  if (request.continueFinalMessage) assertContinuable(request);
  return request;
}

function assertThinking(effort: string, enableThinking: boolean | undefined): void {
  if (!reasoningEfforts.some((known) => known === effort)) {
    const known = reasoningEfforts.map((name) => `"${name}"`).join(', ');
    throw fieldError('reasoning_effort', `expected one of ${known}, got ${describeValue(effort)}`);
  }
  if (enableThinking === (effort === 'none')) {
    const reason = `expected no "${effort}" where enable_thinking is ${enableThinking}`;
    throw fieldError('reasoning_effort', reason);
  }
}

/** A grammar decides itself on every token. */
function assertTokenRules(request: ChatRequest): void {
  const { minTokens, maxTokens, ignoreEos, badWords, allowedTokenIds, responseFormat, toolChoice } = request;
  const isBad = badWords.find((word) => word.length < 1 || word.length > longestBadWord);
  if (isBad !== undefined)
    throw fieldError('bad_words', `expected 1 to ${longestBadWord} characters, got ${isBad.length}`);
  if (minTokens > maxTokens)
    throw fieldError('min_tokens', `expected at most max_tokens, ${maxTokens}, got ${minTokens}`);
  if (responseFormat.type === 'text' && (toolChoice === 'auto' || toolChoice === 'none')) return;
  const given = { min_tokens: minTokens > 0, ignore_eos: ignoreEos, bad_words: badWords.length > 0 };
  const all = { ...given, allowed_token_ids: allowedTokenIds.length > 0 };
  const [param] = Object.entries(all).find(([, isGiven]) => isGiven) ?? [];
  if (param !== undefined)
    throw fieldError(param, 'expected none beside a format of the answer or a required call');
}

function assertContinuable({ messages, toolChoice, responseFormat, addGenerationPrompt }: ChatRequest): void {
  const last = messages.at(-1)!;
  const assert = (isFine: boolean, expected: string): void => {
    if (!isFine) throw fieldError('continue_final_message', `expected ${expected} where it is true`);
  };
  assert(addGenerationPrompt !== true, '`add_generation_prompt` to be false');
  assert(
    last.role === 'assistant' && last.content !== null,
    'a last message of the assistant, with content,',
  );
  // A grammar begins with the answer: it can't know of the part that is there.
  assert(responseFormat.type === 'text', 'no `response_format`');
  assert(toolChoice === 'auto' || toolChoice === 'none', 'no required call');
}

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal('image'),
  image: z
    .unknown()
    .refine((value) => (typeof value === 'string' ? value !== '' : value instanceof Uint8Array), {
      error: 'expected base64, a URL or bytes',
    }),
  detail: z.enum(['auto', 'low', 'high']).optional(),
});
const ofContent = { error: 'expected a text or a list of parts' };
const textContent = z.union([z.string(), listOf(textPart)], ofContent);
const content = z.union([z.string(), listOf(z.discriminatedUnion('type', [textPart, imagePart]))], ofContent);

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: textContent, name: z.string().optional() }),
  z.strictObject({ role: z.literal('user'), content, name: z.string().optional() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: textContent.nullable(),
    reasoningContent: z.string().optional(),
    toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: jsonText })).optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    content,
    toolCallId: z.string(),
    name: z.string().optional(),
  }),
]);

const schemaText = jsonText.refine(isJson, { error: 'expected a JSON Schema as text' });
const tokenId = z.int().min(0);
const jsonObject = z.record(z.string(), z.unknown());

const tool = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  parameters: jsonObject.optional(),
  parametersText: schemaText.optional(),
  strict: z.boolean().optional(),
});

const fields = requestTable(
  {
    messages: listOf(message),
    ...promptFields,
    tools: listOf(tool).optional(),
    toolChoice: z
      .union([z.enum(['auto', 'none', 'required']), z.strictObject({ name: z.string() })], {
        error: 'expected "auto", "none", "required" or { name: … }',
      })
      .optional(),
    parallelToolCalls: z.boolean().optional(),
    responseFormat: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.enum(['text', 'json-object']) }),
        z.strictObject({
          type: z.literal('json-schema'),
          schema: z.unknown(),
          schemaText: schemaText.optional(),
        }),
        z.strictObject({ type: z.literal('regex'), regex: z.string() }),
        z.strictObject({ type: z.literal('choice'), choices: z.array(z.string()).min(1) }),
        z.strictObject({ type: z.literal('grammar'), grammar: z.string() }),
      ])
      .optional(),
    stop: z
      .union([z.string(), z.array(z.string())], { error: 'expected a text or a list of texts' })
      .optional(),
    stopTokenIds: z.array(tokenId).max(maxStopTokens).optional(),
    allowedTokenIds: z.array(tokenId).max(maxAllowedTokens).optional(),
    documents: z.array(jsonObject).optional(),
    chatTemplateKwargs: jsonObject.optional(),
    logitBias: z
      .custom<ReadonlyMap<number, number>>((value) => value instanceof Map, {
        error: 'expected a Map of token ids and numbers',
      })
      .optional(),
  },
  chatParameters,
);

/** A worker is sent no schema and no other object that could overflow it. */
function assertSchema(param: string, schema: unknown): void {
  const fault = schemaSizeFault(schema);
  if (fault !== undefined) throw fieldError(param, fault);
}

function assertCallable(
  toolChoice: Exclude<ToolChoice, string> | 'required',
  tools: readonly ToolDefinition[],
): void {
  if (tools.length === 0) throw fieldError('tool_choice', 'expected `tools` where a call is required');
  if (toolChoice === 'required' || tools.some(({ name }) => name === toolChoice.name)) return;
  const names = abbreviate(tools.map(({ name }) => JSON.stringify(name)).join(', '), 100);
  const reason = `expected one of the tools ${names}, got ${describeValue(toolChoice.name)}`;
  throw fieldError('tool_choice', reason);
}
