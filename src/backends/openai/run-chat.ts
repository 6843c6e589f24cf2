import type { ChatEvent } from '../../categories/chat/events.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import { toTextMessage } from '../../core/chat/messages.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError, type InferenceError, unsupportedError } from '../../errors.ts';
import { callApi, readEvents, toCall, readJson, unreadable } from './api-client.ts';
import { toAnswerFields, toChatBody, toConversation } from './chat-body.ts';
import { toChatEvents } from './chat-events.ts';
import { countAll } from './count-tokens.ts';
import type { RemoteModel } from './remote-model.ts';
import type { ApiDialect, ApiEndpoint } from './server.ts';
import { isRefusedFor } from './wire-error.ts';
import { isObject, type Fields } from './fields.ts';
import { toPromptFields } from './dialects.ts';

/** Servers that support a suffix, and servers that can omit special tokens. */
const known: Readonly<Record<'suffix' | 'add_special_tokens', readonly ApiDialect[]>> = {
  suffix: ['openai', 'vllm', 'slashv1'],
  add_special_tokens: ['vllm', 'slashv1'],
};

/** Converts a completion request to the body of an OpenAI-compatible server. */
function toCompletionBody(
  request: ChatRequest & CompleteRequest,
  dialect: ApiDialect,
): Record<string, unknown> {
  const { prompts, suffix, addSpecialTokens, echo, stopAfter, logprobs, topLogprobs } = request;
  if (stopAfter !== undefined) throw unsupported('max_tokens', 'expected at least 1, got 0');
  if (echo !== undefined && echo !== 'text')
    throw unsupported('echo', 'log probabilities of a prompt are not supported');
  if (echo === 'text' && prompts.some((prompt) => typeof prompt !== 'string'))
    throw unsupported('echo', 'expected prompts that are texts');
  // By default, special tokens are added around texts.
  const own = { suffix, add_special_tokens: addSpecialTokens === false ? false : undefined };
  for (const name of ['suffix', 'add_special_tokens'] as const) {
    if (own[name] !== undefined && !known[name].includes(dialect))
      throw fieldError(name, "the server that runs this model doesn't know it");
  }
  return {
    ...toAnswerFields(request, dialect),
    prompt: prompts.length === 1 ? prompts[0] : prompts,
    ...own,
    ...(logprobs ? { logprobs: topLogprobs } : {}),
  };
}

function unsupported(param: string, reason: string): InferenceError {
  return unsupportedError(param, `${reason}: the model runs on another server`);
}

const maxKeyCharacters = 4096;
/** Part of the error of hosted APIs for `max_tokens`. */
const newName = /max_completion_tokens/;

/** Models whose server only accepts the newer name of `max_tokens`. */
const renamed = new WeakSet<RemoteModel>();

/** Runs a chat request on an OpenAI-compatible server. */
export async function* runChat(
  model: RemoteModel,
  request: ChatRequest & CompleteRequest,
  options: PipelineRunOptions,
): AsyncGenerator<ChatEvent> {
  const { dialect, servers, counter } = model;
  const { prompts, n, includeReasoning } = request;
  if (request.stopAfter === 'encoding') {
    yield* encodePrompts(model, request, options);
    return;
  }
  const isChat = prompts.length === 0;
  // Only the server's template can render the prompt of a chat.
  if (isChat && (request.stopAfter !== undefined || request.echo !== undefined)) {
    const reason = `${quote(request.model)} runs on another server, which does not tell the prompt of a chat`;
    throw unsupportedError('model', reason);
  }
  const fields = (isChat ? toChatBody : toCompletionBody)(request, dialect);
  const about = isChat
    ? { path: '/chat/completions', param: 'messages' }
    : { path: '/completions', param: 'prompt' };
  const call = toCall(model, { ...about, fields }, options);
  const { body, subject } = call;
  const promptTokens = await (isChat ? counter.countPrompt(request) : countAll(prompts, counter));
  // A caller that leaves during the prompt still pays for it.
  yield { type: 'prompt-start', promptTokens };
  const isRenamed = () => isChat && renamed.has(model);
  const choices = n * Math.max(1, prompts.length);
  const maxTokens = body['max_tokens'] === undefined ? undefined : Number(body['max_tokens']);
  const form = { choices, includeReasoning, counter, promptTokens, maxTokens };
  const ask = (server: ApiEndpoint): AsyncGenerator<ChatEvent> => {
    const send = () => callApi(server, { ...call, body: isRenamed() ? withNewName(body) : body });
    const answer = () =>
      send().catch((error: unknown) => {
        if (!isChat || isRenamed() || !isRefusedFor(newName, error)) throw error;
        renamed.add(model);
        return send();
      });
    const events = toChatEvents(readEvents(answer, subject), form);
    return request.echo === undefined ? events : withEcho(model, prompts, events);
  };
  yield* servers.stream(ask, {
    signal: options.signal,
    key: model.prefixAffinity && isChat ? beginningOf(request) : undefined,
    // Servers send it before they compute.
    isPrelude: ({ type }) => type === 'prompt-end' || type === 'prompt',
    restart: options.mayRestart ? { type: 'answer-restart' } : undefined,
  });
}

/** The prompts as texts, before the events of their answer. */
async function* withEcho(
  { info }: RemoteModel,
  prompts: ChatRequest['prompts'],
  events: AsyncGenerator<ChatEvent>,
): AsyncGenerator<ChatEvent> {
  for (const [prompt, text] of prompts.entries()) {
    const own = { tokens: [], before: 0, contextLength: info.contextLength ?? 0 };
    yield { type: 'prompt', prompt, text: text as string, ...own };
  }
  yield* events;
}

/**
 * All messages up to the user's first one: every turn of a conversation has them, and several conversations may share them.
 */
function beginningOf({ messages }: Pick<ChatRequest, 'messages'>): string {
  const first = messages.findIndex(({ role }) => role === 'user');
  const shared = messages.slice(0, first + 1).map(toTextMessage);
  return JSON.stringify(shared.map(({ role, content }) => [role, content])).slice(0, maxKeyCharacters);
}

function withNewName(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { max_tokens: limit, ...others } = body;
  return limit === undefined ? others : { ...others, max_completion_tokens: limit };
}

/** Sends a request to one server; the response is an object. */
type Ask = (path: string, body: Fields) => Promise<Fields>;

interface Tokenizer {
  /** Whether its paths are next to `/v1`, not below it. */
  readonly isAtRoot: boolean;
  encode(ask: Ask, text: string, request: ChatRequest): Promise<Fields>;
  decode(ask: Ask, tokens: readonly number[]): Promise<unknown>;
  chat(ask: Ask, request: ChatRequest, dialect: ApiDialect): Promise<Fields & { readonly text?: unknown }>;
}

/** The ids of some million tokens. */
const maxAnswerBytes = 2 ** 26;

const toChatPrompt = (request: ChatRequest, dialect: ApiDialect): Fields => {
  const tools = request.toolChoice === 'none' ? [] : request.tools;
  return { ...toConversation({ ...request, tools }), ...toPromptFields(dialect, request) };
};

const ofVllm: Tokenizer = {
  isAtRoot: true,
  encode: (ask, prompt, { addSpecialTokens: add_special_tokens }) =>
    ask('/tokenize', { prompt, add_special_tokens }),
  decode: async (ask, tokens) => (await ask('/detokenize', { tokens }))['prompt'],
  chat(ask, request, dialect) {
    const { addSpecialTokens: add_special_tokens } = request;
    return ask('/tokenize', { ...toChatPrompt(request, dialect), add_special_tokens });
  },
};

/** The servers' tokenizer endpoints, by dialect. */
const tokenizers: Readonly<Partial<Record<ApiDialect, Tokenizer>>> = {
  vllm: ofVllm,
  slashv1: { ...ofVllm, isAtRoot: false },
  'llama-server': {
    isAtRoot: true,
    encode: (ask, content, { addSpecialTokens = true }) =>
      ask('/tokenize', { content, add_special: addSpecialTokens }),
    decode: async (ask, tokens) => (await ask('/detokenize', { tokens }))['content'],
    async chat(ask, request, dialect) {
      const { prompt: text } = await ask('/apply-template', toChatPrompt(request, dialect));
      return { ...(await ask('/tokenize', { content: text, add_special: true })), text };
    },
  },
};

/** Encodes the prompts of a request, or its conversation, with the server's tokenizer. */
async function* encodePrompts(
  model: RemoteModel,
  request: ChatRequest,
  options: PipelineRunOptions,
): AsyncGenerator<ChatEvent> {
  const { id, dialect, servers } = model;
  const tokenizer = tokenizers[dialect];
  if (tokenizer === undefined || request.echo === 'spelling') {
    const lack = tokenizer
      ? 'does not tell how tokens are spelled'
      : `has no tokenizer in its dialect, ${dialect}`;
    const reason = `${quote(id)} runs on another server, which ${lack}`;
    throw unsupportedError('model', reason);
  }
  const { prompts } = request;
  const param = prompts.length === 0 ? 'messages' : prompts.length === 1 ? 'prompt[0]' : 'prompt';
  const askOf =
    (server: ApiEndpoint): Ask =>
    async (path, fields) => {
      const url = tokenizer.isAtRoot ? server.url.replace(/\/v1$/, '') : server.url;
      const call = toCall(model, { path, param, fields }, options);
      const answer = await readJson(await callApi({ ...server, url }, call), maxAnswerBytes);
      if (isObject(answer)) return answer;
      throw unreadable('expected an object');
    };
  /** `contextLength` is 0 if the server doesn't report it. */
  const encode = async (ask: Ask, prompt: ChatRequest['prompts'][number] | undefined) => {
    if (typeof prompt === 'object')
      return { text: textOf(await tokenizer.decode(ask, prompt)), tokens: prompt, contextLength: 0 };
    const answer = await (prompt === undefined
      ? tokenizer.chat(ask, request, dialect)
      : tokenizer.encode(ask, prompt, request));
    const tokens = tokensOf(answer['tokens']);
    const text = prompt ?? answer['text'] ?? (await tokenizer.decode(ask, tokens));
    return { text: textOf(text), tokens, contextLength: Number(answer['max_model_len'] ?? 0) };
  };
  for (const [index, prompt] of (prompts.length === 0 ? [undefined] : prompts).entries()) {
    const { contextLength, ...encoded } = await servers.ask(
      (server) => encode(askOf(server), prompt),
      options.signal,
    );
    const length = contextLength > 0 ? contextLength : (model.info.contextLength ?? 0);
    yield { type: 'prompt', prompt: index, ...encoded, before: 0, contextLength: length };
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw unreadable('expected a text');
}

function tokensOf(value: unknown): readonly number[] {
  if (Array.isArray(value) && value.every((token) => Number.isInteger(token))) return value as number[];
  throw unreadable('expected token ids');
}
