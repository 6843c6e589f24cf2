import { fieldError, InferenceError } from '../../errors.ts';
import { quote } from '../../core/text/quote.ts';
import type { ChatEvent } from '../../categories/chat/events.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import { toTextMessage } from '../../core/chat/messages.ts';
import { callApi, readEvents } from './api-client.ts';
import { toChatBody } from './chat-body.ts';
import { toChatEvents } from './chat-events.ts';
import type { ApiEndpoint } from './server.ts';
import type { RemoteModel } from './remote-model.ts';
import { wordsOf } from './wire-error.ts';

const mostKeyCharacters = 4096;

/** Models whose server takes `max_tokens` by its newer name alone. */
const renamed = new WeakSet<RemoteModel>();

/** Runs a chat request on a server of the wire format. */
export async function* runChat(
  model: RemoteModel,
  request: ChatRequest & CompleteRequest,
  { signal, mayRestart = false }: PipelineRunOptions,
): AsyncGenerator<ChatEvent> {
  const { name, dialect, servers, counter, extraBody } = model;
  assertChat(request);
  const body = { ...extraBody, ...toChatBody(request, name, dialect) };
  const promptTokens = await counter.countPrompt(request);
  // Who leaves while the prompt is read has it to pay.
  yield { type: 'prompt-start', promptTokens };
  const subject = { param: 'messages', model, fields: Object.keys(body) };
  const call = { path: '/chat/completions', signal, subject };
  const ask = async function* (server: ApiEndpoint): AsyncGenerator<ChatEvent> {
    const send = () => callApi(server, { ...call, body: renamed.has(model) ? withNewName(body) : body });
    const answer = await send().catch((error: unknown) => {
      if (renamed.has(model) || !wantsNewName(error)) throw error;
      renamed.add(model);
      return send();
    });
    const { n: choices, includeReasoning } = request;
    const maxTokens = body['max_tokens'] === undefined ? undefined : Number(body['max_tokens']);
    const options = { choices, includeReasoning, counter, promptTokens, maxTokens };
    yield* toChatEvents(readEvents(answer, subject), options);
  };
  yield* servers.stream(ask, {
    signal,
    key: model.prefixAffinity ? beginningOf(request) : undefined,
    // Servers say so before they compute.
    isPrelude: ({ type }) => type === 'prompt-end',
    restart: mayRestart ? { type: 'answer-restart' } : undefined,
  });
}

/** @throws InferenceError `unsupported_feature` for a request about prompts or tokens, which only the server's tokenizer knows */
function assertChat({ model, prompts, stopAfter, echo }: ChatRequest): void {
  if (prompts.length === 0 && stopAfter === undefined && echo === undefined) return;
  const reason = `${quote(model)} runs on another server, which is asked for chats alone`;
  throw fieldError('model', reason, { code: 'unsupported_feature' });
}

/** All messages up to the first one of the user: a conversation keeps it, and may share it with others. */
function beginningOf({ messages }: Pick<ChatRequest, 'messages'>): string {
  const first = messages.findIndex(({ role }) => role === 'user');
  const shared = messages.slice(0, first + 1).map(toTextMessage);
  return JSON.stringify(shared.map(({ role, content }) => [role, content])).slice(0, mostKeyCharacters);
}

/** As hosted APIs refuse `max_tokens`. */
function wantsNewName(error: unknown): boolean {
  return (
    InferenceError.isInstance(error) &&
    error.code === 'invalid_request' &&
    wordsOf(error).includes('max_completion_tokens')
  );
}

function withNewName(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { max_tokens: limit, ...others } = body;
  return limit === undefined ? others : { ...others, max_completion_tokens: limit };
}
