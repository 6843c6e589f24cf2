import type { Endpoint, EndpointRun } from '../../../../contracts/endpoint.ts';
import type { ApiResponse } from '../../../../contracts/http.ts';
import { InferenceError, renameFields } from '../../../../errors.ts';
import { createId, listOfNames, unixTime } from '../../../../http/headers.ts';
import { jsonResponse } from '../../../../http/responses.ts';
import { toNamedFrame } from '../../../../http/sse.ts';
import { sinceRestart, type ChatEvent } from '../../events.ts';
import type { ChatRequestInput } from '../../request.ts';
import { answerChat } from '../answer.ts';
import { readResponsesRequest, type ResponsesCall, responsesForeignFields } from './read.ts';
import { beginWork } from './background-work.ts';
import { tooLarge, type KeptItem } from './kept-items.ts';
import {
  forgetResponse,
  hasAnswer,
  inputItems,
  outputItems,
  ResponseKeeper,
  type Keeping,
} from './kept-response.ts';
import {
  modelResponseSchema,
  responseEventSchema,
  responsesRequestSchema,
  type ModelResponse,
  type ResponseEvent,
} from './schema.ts';
import { createResponseStreamer, toEmptyResponse, toModelResponse, type ResponseHead } from './print.ts';
import type { ResponseForm } from './print-item.ts';
import { toResponseHead } from './to-head.ts';
import type { ShownTools } from './tools.ts';
import { addItems } from './kept-conversation.ts';
import { z } from 'zod';
import { countedBody, previewPrompt } from '../preview-prompt.ts';

export const inputTokens: Endpoint<ResponsesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/responses/input_tokens',
  operationId: 'countResponseTokens',
  summary: 'Count the input tokens of a response.',
  requestBody: countedBody(
    { name: 'ResponseTokensRequest', schema: responsesRequestSchema, foreign: responsesForeignFields },
    'model input instructions previous_response_id conversation tools tool_choice parallel_tool_calls text reasoning',
  ),
  responses: {
    'application/json': {
      name: 'ResponseTokens',
      schema: z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() }),
    },
  },
  errors: ['unsupported_feature', 'response_not_found'],
  read: readResponsesRequest,
  async answer(run, { request, fieldOf }) {
    const asked: ChatRequestInput = { ...request, model: run.model.id, echo: 'text' };
    const { tokens } = await previewPrompt(run, asked, fieldOf);
    return jsonResponse(200, { object: 'response.input_tokens', input_tokens: tokens.length });
  },
};

type ReportingRun = Pick<EndpointRun<never, never>, 'caller' | 'report'>;

/** If the store fails, the answer reports that it isn't stored. */
async function keepResponse(
  given: ModelResponse,
  keeping: Keeping,
  run: ReportingRun,
): Promise<ModelResponse> {
  const { kept } = run.caller;
  if (kept === undefined) return given;
  const input = inputItems(keeping, given.id);
  const response = await keepTurn(given, { input, ...keeping }, run);
  if (!keeping.store) return response;
  const keeper = new ResponseKeeper(kept, given.id, keeping.before);
  const isKept = await keeper.begin(input, response).catch(reportTo(run));
  return isKept ? response : { ...response, store: false };
}

/** The answer reports whether that succeeded. */
async function keepTurn(
  response: ModelResponse,
  { input, before: { conversation } }: Pick<Keeping, 'before'> & { readonly input: readonly KeptItem[] },
  run: ReportingRun,
): Promise<ModelResponse> {
  if (conversation === undefined) return response;
  const items = [...input, ...outputItems(response)];
  const added = addItems(run.caller.kept!, [conversation.id, 'conversation'], { items, isAnswer: true });
  return (await added.catch(reportTo(run))) ? response : { ...response, conversation: null };
}

function reportTo({ report }: Pick<ReportingRun, 'report'>): (error: unknown) => false {
  return (error) => {
    report(InferenceError.from(error));
    return false;
  };
}

interface BackgroundForm extends ResponseForm {
  readonly head: ResponseHead;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers with a queued response and stores each change. Requires `keepResponses`. */
async function answerInBackground(
  run: EndpointRun<ChatRequestInput, ChatEvent>,
  call: ResponsesCall,
  { head, headers, ...form }: BackgroundForm,
): Promise<ApiResponse> {
  const { request, before, fieldOf } = call;
  const kept = run.caller.kept!;
  const { id } = head;
  let response = toEmptyResponse(head, { status: 'queued' });
  const input = inputItems(call, id);
  const keeper = new ResponseKeeper(kept, id, before);
  const { signal, end } = await beginWork(kept, id);
  let written: Promise<unknown> = Promise.resolve();
  const onDispatch = (): void => {
    response = { ...response, status: 'in_progress' };
    written = written.then(() => keeper.mark('in_progress')).catch(reportTo(run));
  };
  const finish = async (events: Promise<ChatEvent[]>): Promise<void> => {
    const settled = await settle(events);
    await written;
    const last = hasAnswer(settled) ? await keepTurn(settled, { input, before }, run) : settled;
    if (await keeper.write(last)) return;
    await keeper.write(failed(tooLarge('input', 'the response is larger than what is kept of one')));
  };
  const settle = async (events: Promise<ChatEvent[]>): Promise<ModelResponse> => {
    try {
      return toModelResponse(sinceRestart(await events), head, form);
    } catch (thrown) {
      if (signal.aborted) return toEmptyResponse(head, { status: 'cancelled' });
      return failed(InferenceError.from(renameFields(thrown, fieldOf)));
    }
  };
  const failed = (error: InferenceError): ModelResponse => {
    const { message, type } = run.report(error).error;
    const code = type === 'invalid_request_error' ? 'invalid_prompt' : 'server_error';
    return toEmptyResponse(head, { status: 'failed', error: { code, message } });
  };

  try {
    if (!(await keeper.begin(input, response)))
      throw tooLarge('input', 'the conversation is larger than what is kept of one');
    const { events } = await run.detach(request, { signal, responseId: id, onDispatch });
    void finish(events).catch(reportTo(run)).then(end);
  } catch (thrown) {
    await written;
    await forgetResponse(kept, id).catch(reportTo(run));
    await end();
    throw renameFields(thrown, fieldOf);
  }
  return jsonResponse(200, response, headers);
}

function skippedHeader({ skipped }: ShownTools): Record<string, string> {
  return skipped.length === 0 ? {} : { 'x-slashv1-tools-skipped': listOfNames(skipped) };
}

export const responses: Endpoint<ResponsesCall, ChatRequestInput, ChatEvent> = {
  method: 'POST',
  path: '/responses',
  operationId: 'createResponse',
  summary: 'Answer a conversation item by item, complete or as a stream of server-sent events.',
  requestBody: { name: 'ResponseRequest', schema: responsesRequestSchema, foreign: responsesForeignFields },
  responses: {
    'application/json': { name: 'Response', schema: modelResponseSchema },
    'text/event-stream': { name: 'ResponseEvent', schema: responseEventSchema },
  },
  errors: ['context_length_exceeded', 'unsupported_feature', 'response_not_found'],
  read: readResponsesRequest,
  async answer(run, call) {
    const { request, stream, fieldOf, tools, body } = call;
    const id = createId('resp_');
    const head = toResponseHead(call, { id, created: unixTime(), model: run.model.id });
    const isSealed = body.include?.includes('reasoning.encrypted_content') === true;
    const form: ResponseForm = {
      seal: isSealed ? run.caller.seal : undefined,
      namespaced: tools.namespaced,
    };
    const headers = skippedHeader(tools);
    const asked = { ...request, model: run.model.id };
    if (body.background === true)
      return answerInBackground(run, { ...call, request: asked }, { ...form, head, headers });
    const keep = (response: ModelResponse): Promise<ModelResponse> => keepResponse(response, call, run);
    return answerChat(run, asked, {
      responseId: id,
      stream,
      headers,
      fieldOf,
      toBody: (events) => keep(toModelResponse(events, head, form)),
      createFrames() {
        const { push, fail } = createResponseStreamer(head, form);
        return {
          toFrames(event) {
            const events = push(event);
            const last = events.at(-1);
            if (event.type !== 'usage' || last === undefined || !('response' in last))
              return events.map(toNamedFrame).join('');
            // The client may reference the response right after this event.
            return keep(last.response).then((response): string => {
              const kept: ResponseEvent = { ...last, response };
              return toNamedFrame(kept);
            });
          },
          endFrame: '',
          toErrorFrames: ({ error: { code, message, param } }) =>
            fail({ code, message, param: param === null ? null : fieldOf(param) })
              .map(toNamedFrame)
              .join(''),
        };
      },
    });
  },
};
