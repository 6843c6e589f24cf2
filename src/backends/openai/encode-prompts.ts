import type { ChatEvent } from '../../categories/chat/events.ts';
import type { PipelineRunOptions } from '../../contracts/run.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import { quote } from '../../core/text/quote.ts';
import { unsupportedError } from '../../errors.ts';
import { callApi, readJson, toCall, unreadable } from './api-client.ts';
import { toConversation } from './chat-body.ts';
import { isObject, type Fields } from './fields.ts';
import { toPromptFields } from './dialects.ts';
import type { RemoteModel } from './remote-model.ts';
import type { ApiDialect, ApiEndpoint } from './server.ts';

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
export async function encodePrompts(
  model: RemoteModel,
  request: ChatRequest,
  options: PipelineRunOptions,
  add: (event: ChatEvent) => void,
): Promise<void> {
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
    add({ type: 'prompt', prompt: index, ...encoded, before: 0, contextLength: length });
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
