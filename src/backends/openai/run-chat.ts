import type { ChatEvent } from '../../categories/chat/events.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import { toTextMessage } from '../../core/chat/messages.ts';
import { quote } from '../../core/text/quote.ts';
import { fieldError, type InferenceError, unsupportedError } from '../../errors.ts';
import { callApi, readEvents, toCall } from './api-client.ts';
import { toAnswerFields, toChatBody } from './chat-body.ts';
import { ChatEventReader } from './chat-events.ts';
import { countAll } from './count-tokens.ts';
import { encodePrompts } from './encode-prompts.ts';
import type { RemoteModel } from './remote-model.ts';
import type { ApiDialect, ApiEndpoint } from './server.ts';
import { isRefusedFor } from './wire-error.ts';

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
export async function runChat(
  model: RemoteModel,
  request: ChatRequest & CompleteRequest,
  options: PipelineRunOptions,
  add: (event: ChatEvent) => void,
): Promise<void> {
  const { dialect, servers, counter } = model;
  const { prompts, n, includeReasoning } = request;
  if (request.stopAfter === 'encoding') return encodePrompts(model, request, options, add);
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
  add({ type: 'prompt-start', promptTokens });
  const isRenamed = () => isChat && renamed.has(model);
  const choices = n * Math.max(1, prompts.length);
  const maxTokens = body['max_tokens'] === undefined ? undefined : Number(body['max_tokens']);
  const form = { choices, includeReasoning, counter, promptTokens, maxTokens };
  const ask = async (server: ApiEndpoint, pass: typeof add): Promise<void> => {
    const send = () => callApi(server, { ...call, body: isRenamed() ? withNewName(body) : body });
    if (request.echo !== undefined) addPrompts(model, prompts, pass);
    const answer = await send().catch((error: unknown) => {
      if (!isChat || isRenamed() || !isRefusedFor(newName, error)) throw error;
      renamed.add(model);
      return send();
    });
    const events = new ChatEventReader(form, pass);
    await readEvents(answer, (chunk) => events.read(chunk), { subject });
    events.end();
  };
  await servers.relay(ask, add, {
    signal: options.signal,
    key: model.prefixAffinity && isChat ? beginningOf(request) : undefined,
    // Servers send it before they compute.
    isPrelude: ({ type }) => type === 'prompt-end' || type === 'prompt',
    restart: options.mayRestart ? { type: 'answer-restart' } : undefined,
  });
}

/** Adds the prompts as texts. */
function addPrompts(
  { info }: RemoteModel,
  prompts: ChatRequest['prompts'],
  add: (event: ChatEvent) => void,
): void {
  for (const [prompt, text] of prompts.entries()) {
    const own = { tokens: [], before: 0, contextLength: info.contextLength ?? 0 };
    add({ type: 'prompt', prompt, text: text as string, ...own });
  }
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
