import { InferenceError } from '../../errors.ts';
import type { ChatEvent } from '../../categories/chat/events.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import { callApi, readEvents } from './api-client.ts';
import { toChatBody } from './chat-body.ts';
import { toChatEvents } from './chat-events.ts';
import type { RemoteModel } from './remote-model.ts';
import { wordsOf } from './wire-error.ts';

/** Models whose server takes `max_tokens` by its newer name alone. */
const renamed = new WeakSet<RemoteModel>();

/** Runs a chat request on a server of the wire format. */
export async function* runChat(
  model: RemoteModel,
  request: ChatRequest & CompleteRequest,
  { signal }: PipelineRunOptions,
): AsyncGenerator<ChatEvent> {
  const { name, dialect, servers, counter, extraBody } = model;
  const body = { ...extraBody, ...toChatBody(request, name, dialect) };
  const promptTokens = await counter.countPrompt(request);
  // Who leaves while the prompt is read has it to pay.
  yield { type: 'prompt-start', promptTokens };
  const call = {
    path: '/chat/completions',
    signal,
    subject: { param: 'messages', model, fields: Object.keys(body) },
  };
  yield* servers.stream(async function* (server) {
    const send = () => callApi(server, { ...call, body: renamed.has(model) ? withNewName(body) : body });
    const response = await send().catch((error: unknown) => {
      if (renamed.has(model) || !wantsNewName(error)) throw error;
      renamed.add(model);
      return send();
    });
    const { n: choices, includeReasoning } = request;
    const maxTokens = body['max_tokens'] === undefined ? undefined : Number(body['max_tokens']);
    const options = { choices, includeReasoning, counter, promptTokens, maxTokens };
    yield* toChatEvents(readEvents(response, call), options);
  }, signal);
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
