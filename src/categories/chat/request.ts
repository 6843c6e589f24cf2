import { fieldError } from '../../errors.ts';
import {
  chatParameters,
  maxBadWordLength,
  maxAllowedTokens,
  maxStopSequences,
  maxStopTokens,
  reasoningEfforts,
} from './parameters.ts';
import { logitBiasBounds } from '../../core/sampling/logit-bias.ts';
import type { ResponseFormat } from '../../core/grammar/constraint.ts';
import { schemaSizeFault } from '../../core/grammar/schemas/size.ts';
import type { ChatMessage, MessageContent, ToolChoice, ToolDefinition } from '../../core/chat/messages.ts';
import { isJson } from '../../core/text/bounded-json.ts';
import { findToolCallMismatch } from '../../core/chat/tool-call-pairs.ts';
import { z } from 'zod';
import { jsonText } from '../../validation/json-text.ts';
import { listOf } from '../../validation/list-schema.ts';
import { RequestTable, type InputOf, type RequestOf } from '../../validation/request-table.ts';
import type { SchemaOf, InputsOf } from '../../validation/setting-table.ts';
import { abbreviate, describeValue } from '../../core/text/quote.ts';

/** A text, or token ids of the model's tokenizer. */
export type RawPrompt = string | readonly number[];

/** Max number of prompts per request. */
export const maxPrompts = 128;

const rawPrompt: SchemaOf<RawPrompt> = z.union([z.string(), z.array(z.int().min(0))], {
  error: 'expected a text or token ids',
});

const promptFields = {
  /**
   * At most 128, in place of `messages`, which must be empty; no chat template is applied. Each prompt is continued `n` times;
   * choices `n` to `2n − 1` continue the second prompt. Thinking and tool calls aren't parsed.
   */
  prompts: z.array(rawPrompt).default([]),
  /** Text after the answer; for models with fill-in-the-middle tokens. */
  suffix: z.string().optional(),
  /** Adds the tokenizer's special tokens; default: for `prompts`, not for `messages`. */
  addSpecialTokens: z.boolean().optional(),
  /**
   * Emits an event per prompt: its `text` and tokens; also the `spelling` of each token; or also the `logprobs` of the tokens of
   * `prompts`, with `topLogprobs` alternatives.
   */
  echo: z.enum(['text', 'spelling', 'logprobs']).optional(),
  /** Ends the request before the answer: after its prompts are encoded, or after they are read. */
  stopAfter: z.enum(['encoding', 'prompt']).optional(),
};

/** Fields that apply only to messages, with their wire names. */
const messageFields = {
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  documents: 'documents',
  chatTemplateKwargs: 'chat_template_kwargs',
  enableThinking: 'enable_thinking',
  reasoningEffort: 'reasoning_effort',
  continueFinalMessage: 'continue_final_message',
  addGenerationPrompt: 'add_generation_prompt',
} as const;

interface PromptedRequest
  extends InputsOf<typeof promptFields>, Partial<Record<keyof typeof messageFields, unknown>> {
  readonly messages: readonly unknown[];
  readonly truncatePromptTokens?: number;
}

function assertPrompts(input: PromptedRequest): void {
  const { prompts = [], suffix, echo, messages, truncatePromptTokens = 0 } = input;
  if (prompts.length === 0) {
    if (messages.length === 0) throw fieldError('messages', 'expected at least one message');
    if (suffix !== undefined) throw fieldError('suffix', 'expected a prompt instead of messages with it');
    if (echo === 'logprobs')
      throw fieldError('echo', 'expected log probabilities of a prompt, not of messages');
    return;
  }
  if (prompts.length > maxPrompts)
    throw fieldError('prompt', `expected at most ${maxPrompts} prompts, got ${prompts.length}`);
  if (messages.length > 0) throw fieldError('messages', 'not allowed with a prompt');
  for (const [name, wireName] of Object.entries(messageFields)) {
    const value = input[name as keyof typeof messageFields];
    if (value !== undefined && value !== false)
      throw fieldError(wireName, `not allowed with a prompt, got ${describeValue(value)}`);
  }
  if (suffix === undefined) return;
  if (echo !== undefined) throw fieldError('suffix', 'not allowed with an echoed prompt');
  if (truncatePromptTokens !== 0) throw fieldError('truncate_prompt_tokens', 'expected 0 with a suffix');
}

/** A JSON object that the chat template reads. */
export type TemplateObject = Readonly<Record<string, unknown>>;

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal('image'),
  image: z.custom<string | Uint8Array>(
    (value) => (typeof value === 'string' ? value !== '' : value instanceof Uint8Array),
    { error: 'expected base64, a URL or bytes' },
  ),
  detail: z.enum(['auto', 'low', 'high']).optional(),
});
const ofContent = { error: 'expected a text or a list of parts' };
const textContent = z.union([z.string(), listOf(textPart)], ofContent);
const content = z.union([z.string(), listOf(z.discriminatedUnion('type', [textPart, imagePart]))], ofContent);

const message: SchemaOf<ChatMessage<MessageContent>> = z.discriminatedUnion('role', [
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
const jsonObject: SchemaOf<TemplateObject> = z.record(z.string(), z.unknown());

const tool: SchemaOf<ToolDefinition> = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  parameters: jsonObject.optional(),
  parametersText: schemaText.optional(),
  strict: z.boolean().optional(),
});

const toolChoices: SchemaOf<ToolChoice> = z.union(
  [z.enum(['auto', 'none', 'required']), z.strictObject({ name: z.string() })],
  { error: 'expected "auto", "none", "required" or { name: … }' },
);

const responseFormats: SchemaOf<ResponseFormat> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['text', 'json-object']) }),
  z.strictObject({
    type: z.literal('json-schema'),
    schema: z.unknown(),
    schemaText: schemaText.optional(),
  }),
  z.strictObject({ type: z.literal('regex'), regex: z.string() }),
  z.strictObject({ type: z.literal('choice'), choices: z.array(z.string()).min(1) }),
  z.strictObject({ type: z.literal('grammar'), grammar: z.string() }),
]);

const stops: SchemaOf<string | readonly string[]> = z.union([z.string(), z.array(z.string())], {
  error: 'expected a text or a list of texts',
});

const fields = {
  messages: listOf(message),
  tools: listOf(tool).default([]),
  toolChoice: toolChoices.default('auto'),
  /** Allow several calls in one answer; default: true, but false if a call is required. */
  parallelToolCalls: z.boolean().optional(),
  /** Required format of the answer's text; default any text. */
  responseFormat: responseFormats.default({ type: 'text' }),
  /** At most four; the first that appears ends the answer and is removed from it. */
  stop: stops.default([]),
  /** Token id → value added to its logit. */
  logitBias: z
    .custom<ReadonlyMap<number, number>>((value) => value instanceof Map, {
      error: 'expected a Map of token ids and numbers',
    })
    .default(() => new Map()),
  /** At most 128 tokens; the first that is sampled ends the answer and is removed from it. */
  stopTokenIds: z.array(tokenId).max(maxStopTokens).default([]),
  /** The only tokens allowed in the answer, end tokens included; empty (the default) allows all. */
  allowedTokenIds: z.array(tokenId).max(maxAllowedTokens).default([]),
  /** Documents in the format that the model's chat template expects, often `{ title, text }`. Rejected if the template doesn't use them. */
  documents: z.array(jsonObject).default([]),
  /** Variables for the model's chat template, by name. Rejected if the template uses no variable of that name. */
  chatTemplateKwargs: jsonObject.default({}),
};

const table = new RequestTable('A chat request', { ...fields, ...promptFields }, chatParameters);
/** Spread fields lose their comments in the declarations. */
type Fields = typeof fields & typeof promptFields;

/** A chat request with all defaults filled in by `completeChatRequest`. */
export interface ChatRequest extends Omit<RequestOf<Fields, typeof chatParameters>, 'stop'> {
  /** At most four; the first that appears ends the answer and is removed from it. */
  readonly stop: readonly string[];
}

/** A chat request as a caller writes it; only `model` and `messages` are required. */
export interface ChatRequestInput extends InputOf<Fields, typeof chatParameters> {}

export function completeChatRequest(input: ChatRequestInput): ChatRequest {
  table.assertForm(input);
  assertPrompts(input);
  const mismatch = findToolCallMismatch(input.messages);
  if (mismatch) throw fieldError(mismatch.param, mismatch.reason);
  const stop = typeof input.stop === 'string' ? [input.stop] : (input.stop ?? []);
  if (stop.length > maxStopSequences)
    throw fieldError('stop', `expected at most ${maxStopSequences} sequences, got ${stop.length}`);
  if (stop.some((sequence) => sequence === ''))
    throw fieldError('stop', 'expected non-empty sequences, got ""');
  for (const [token, bias] of input.logitBias ?? []) {
    const { min, max } = logitBiasBounds;
    if (!Number.isInteger(token) || token < 0)
      throw fieldError('logit_bias', `expected token ids, got ${describeValue(token)}`);
    if (!(bias >= min && bias <= max))
      throw fieldError('logit_bias', `expected ${min} to ${max}, got ${describeValue(bias)}`);
  }
  const { tools = [], toolChoice = 'auto', responseFormat } = input;
  if (input.documents) assertSchema('documents', input.documents);
  if (input.chatTemplateKwargs) assertSchema('chat_template_kwargs', input.chatTemplateKwargs);
  tools.forEach(({ parameters }, index) => assertSchema(`tools[${index}].function.parameters`, parameters));
  if (responseFormat?.type === 'json-schema')
    assertSchema('response_format.json_schema.schema', responseFormat.schema);
  if (responseFormat?.type === 'choice') assertSchema('response_format', responseFormat.choices);
  if (toolChoice !== 'auto' && toolChoice !== 'none') assertCallable(toolChoice, tools);
  const request: ChatRequest = { ...table.complete(input), stop };
  if (request.topLogprobs > 0 && !request.logprobs && request.echo !== 'logprobs')
    throw fieldError('top_logprobs', 'expected `logprobs` to be true if `top_logprobs` is set');
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

/** A grammar already decides every token. */
function assertTokenRules(request: ChatRequest): void {
  const { minTokens, maxTokens, ignoreEos, badWords, allowedTokenIds, responseFormat, toolChoice } = request;
  const isBad = badWords.find((word) => word.length < 1 || word.length > maxBadWordLength);
  if (isBad !== undefined)
    throw fieldError('bad_words', `expected 1 to ${maxBadWordLength} characters, got ${isBad.length}`);
  if (minTokens > maxTokens)
    throw fieldError('min_tokens', `expected at most max_tokens, ${maxTokens}, got ${minTokens}`);
  if (responseFormat.type === 'text' && (toolChoice === 'auto' || toolChoice === 'none')) return;
  const given = { min_tokens: minTokens > 0, ignore_eos: ignoreEos, bad_words: badWords.length > 0 };
  const all = { ...given, allowed_token_ids: allowedTokenIds.length > 0 };
  const [param] = Object.entries(all).find(([, isGiven]) => isGiven) ?? [];
  if (param !== undefined)
    throw fieldError(param, 'not allowed with a format of the answer or a required call');
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
  // A grammar starts with the answer and can't account for existing text.
  assert(responseFormat.type === 'text', 'no `response_format`');
  assert(toolChoice === 'auto' || toolChoice === 'none', 'no required call');
}

/** Schemas that could overflow a worker's stack must not reach it. */
function assertSchema(param: string, schema: unknown): void {
  const fault = schemaSizeFault(schema);
  if (fault !== undefined) throw fieldError(param, fault);
}

function assertCallable(
  toolChoice: Exclude<ToolChoice, string> | 'required',
  tools: readonly ToolDefinition[],
): void {
  if (tools.length === 0) throw fieldError('tool_choice', 'expected `tools` if a call is required');
  if (toolChoice === 'required' || tools.some(({ name }) => name === toolChoice.name)) return;
  const names = abbreviate(tools.map(({ name }) => JSON.stringify(name)).join(', '), 100);
  const reason = `expected one of the tools ${names}, got ${describeValue(toolChoice.name)}`;
  throw fieldError('tool_choice', reason);
}
