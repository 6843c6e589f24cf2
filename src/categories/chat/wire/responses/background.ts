import type { EndpointRun } from '../../../../contracts/endpoint.ts';
import type { ApiResponse } from '../../../../contracts/http.ts';
import { fieldError, InferenceError } from '../../../../errors.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import { sinceRestart, type ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import type { ResponsesCall } from './from-request.ts';
import { toKeptItems, type KeptResponse } from './kept-response.ts';
import type { ModelResponse } from './schema.ts';
import { toEmptyResponse, toModelResponse, type ResponseForm, type ResponseHead } from './to-events.ts';

/** How a response in the background is written. */
export interface BackgroundForm extends ResponseForm {
  readonly head: ResponseHead;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes an error name the fields of the request. */
  readonly toError: (thrown: unknown) => unknown;
}

/** Answers with a response that is still to come, and keeps it as it changes. The service has to keep responses. */
export async function answerInBackground(
  run: EndpointRun<ChatRequestInput, ChatEvent>,
  { request, items }: ResponsesCall,
  { head, headers, toError, ...form }: BackgroundForm,
): Promise<ApiResponse> {
  const kept = run.caller.kept!;
  const { id } = head;
  const input = toKeptItems(items, id);
  const write = (response: ModelResponse): Promise<boolean> => {
    const value: KeptResponse = { response, input };
    return kept.set(id, value);
  };
  const { signal, end } = await kept.work.begin(id);
  let response = toEmptyResponse(head, { status: 'queued' });
  let written: Promise<unknown> = Promise.resolve();
  const onDispatch = (): void => {
    response = { ...response, status: 'in_progress' };
    written = written.then(() => write(response)).catch(reportTo(run));
  };
  const finish = async (events: Promise<ChatEvent[]>): Promise<void> => {
    const last = await settle(events);
    await written;
    if (await write(last)) return;
    await write(failed(tooLarge('the response')));
  };
  const settle = async (events: Promise<ChatEvent[]>): Promise<ModelResponse> => {
    try {
      return toModelResponse(sinceRestart(await events), head, form);
    } catch (thrown) {
      if (signal.aborted) return toEmptyResponse(head, { status: 'cancelled' });
      return failed(InferenceError.from(toError(thrown)));
    }
  };
  const failed = (error: InferenceError): ModelResponse => {
    const { message, type } = run.report(error).error;
    const code = type === 'invalid_request_error' ? 'invalid_prompt' : 'server_error';
    return toEmptyResponse(head, { status: 'failed', error: { code, message } });
  };

  try {
    if (!(await write(response))) throw tooLarge('the conversation');
    const { events } = await run.detach(request, { signal, responseId: id, onDispatch });
    void finish(events).catch(reportTo(run)).then(end);
  } catch (thrown) {
    await written;
    await kept.delete(id).catch(reportTo(run));
    await end();
    throw toError(thrown);
  }
  return jsonResponse(200, response, headers);
}

function reportTo(run: Pick<EndpointRun<never, never>, 'report'>): (error: unknown) => void {
  return (error) => void run.report(InferenceError.from(error));
}

function tooLarge(what: string): InferenceError {
  return fieldError('input', `${what} is larger than what is kept of one`, { code: 'request_too_large' });
}
