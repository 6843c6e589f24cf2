import type { CategoryDefinition } from '../contracts/category.ts';
import type { RunEvent, CallOptions } from '../contracts/run.ts';
import { yieldIfDue } from '../concurrency/in-slices.ts';
import { readJson } from '../http/body.ts';
import { findModel, type Call } from './call.ts';
import type { ApiRequest, ApiResponse } from '../contracts/http.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { Endpoint, EndpointRun, EndpointRunOptions, RequestBody } from '../contracts/endpoint.ts';
import { deadlineMsOf } from '../http/headers.ts';
import { toErrorBody } from '../http/error-responses.ts';
import { watched } from './request-watch.ts';
import { collectRun, openRun, type BilledRun } from './run.ts';
import { markChecked } from '../validation/request-table.ts';
import { unknownFieldsHeader } from './unknown-fields.ts';
import { receiveUpload } from './upload.ts';
import { InferenceError } from '../errors.ts';
import { createEventStream, eventStreamHeaders, toFrame } from '../http/sse.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDeferred } from '../concurrency/deferred.ts';
import { releaseOnFailure } from '../concurrency/release-on-failure.ts';

export async function runEndpoint(
  call: Call,
  category: CategoryDefinition,
  endpoint: Endpoint,
): Promise<ApiResponse> {
  // Before the body is read: reject an invalid header without an upload.
  deadlineMsOf(call.request);
  if (endpoint.uploadField === undefined)
    return answer(call, category, endpoint, await receiveJson(call, endpoint.requestBody));
  // Before the body is read: don't write an upload to disk that the plan rejects.
  await call.meter.assertLeft();
  const { uploadField } = endpoint;
  return releaseOnFailure(async (own) => {
    const upload = own(await receiveUpload(call, uploadField, (id) => assertOffered(call, category, id)));
    const response = await answer(call, category, endpoint, upload, upload.release);
    // The run of a stream continues.
    if (typeof response.body === 'string' || response.body instanceof Uint8Array) await upload.release();
    return response;
  });
}

export async function receiveJson(
  { request, settings, owner }: Call,
  { isOptional }: Pick<RequestBody, 'isOptional'> = {},
): Promise<unknown> {
  if (isOptional === true && isEmpty(request)) return {};
  const timeoutMs = Math.min(settings.bodyTimeoutMs, deadlineMsOf(request) ?? Infinity);
  const place = settings.jsonGate.enter(owner);
  const limits = { maxBytes: settings.maxBodyBytes, timeoutMs, owner, onSize: place.grow };
  return readJson(request, limits).finally(() => place.leave());
}

function isEmpty({ headers, body }: ApiRequest): boolean {
  if ('parsed' in body) return body.parsed === undefined;
  return !(Number(headers['content-length']) > 0 || headers['transfer-encoding'] || headers['content-type']);
}

/** Until the upload is complete, an unknown model or a model field after the file may mean any model of the category. */
function assertOffered(call: Call, category: CategoryDefinition, id: string | undefined): void {
  const ids = call.inference
    .models()
    .filter((model) => [category.name, 'unknown'].includes(model.category))
    .map((model) => model.id);
  call.meter.assertModel(...(id !== undefined && ids.includes(id) ? [id] : ids));
}

async function answer(
  call: Call,
  category: CategoryDefinition,
  endpoint: Endpoint,
  body: unknown,
  onRunEnd?: () => Promise<void>,
): Promise<ApiResponse> {
  const since = performance.now();
  const { budget } = call;
  const asked = await budget.pieces(() => endpoint.read(body, call.caller, budget));
  const ignored =
    endpoint.requestBody && unknownFieldsHeader(endpoint.requestBody, body, call.settings.unknownFields);
  await yieldIfDue(since);
  const model = findModel(call, asked.model, category);
  call.meter.assertModel(model.id);
  const runOf = (request: AnyRequest, { responseId }: EndpointRunOptions = {}): BilledRun => ({
    category,
    request: markChecked(request),
    model,
    responseId,
  });
  const run: EndpointRun<AnyRequest, RunEvent> = {
    model,
    caller: call.caller,
    collect: (request, options) => collectRun(call, runOf(request, options)),
    open: (request, options) => openRun(call, runOf(request, options)),
    async stream(request, toFrames, { responseId, toErrorFrames = toFrame, ...end } = {}) {
      const opened = await openRun(call, runOf(request, { responseId }), { billsLater: true });
      const frames = createEventStream({
        events: onRunEnd ? watched(opened, { end: onRunEnd }) : opened,
        toFrames,
        onTake: opened.take,
        ...end,
        toErrorFrame: (thrown) => toErrorFrames(run.report(InferenceError.from(thrown))),
        keepAliveMs: call.settings.keepAliveMs,
      });
      // A failure after the first event is sent as the last event.
      await frames.opened;
      return { status: 200, headers: eventStreamHeaders, body: frames.body };
    },
    detach: (request, { signal, onDispatch, ...options }) =>
      detachRun(call, runOf(request, options), { signal, onDispatch }),
    report(error) {
      call.report(error);
      return toErrorBody(error, call.requestId);
    },
  };
  const response = await endpoint.answer(run as EndpointRun<never, unknown>, asked);
  return ignored ? { ...response, headers: { ...response.headers, ...ignored } } : response;
}

/** `collectRun` beyond the end of its request, keeping its slot in the plan. Resolves when the run is queued or started. */
async function detachRun(
  call: Call,
  run: BilledRun,
  { signal, onDispatch }: Required<Pick<CallOptions, 'signal' | 'onDispatch'>>,
): Promise<{ readonly events: Promise<RunEvent[]> }> {
  // OpenAI's clients send it with every request as the time limit of the answer, which is already sent.
  const { 'x-stainless-timeout': _, ...headers } = call.request.headers;
  const request = { ...call.request, headers, signal: signal! };
  const started = createDeferred();
  let hasFailed = false;
  const leave = call.meter.stay();
  const events = collectRun({ ...call, request }, run, {
    onStart: () => started.resolve(),
    onDispatch,
    onFailure: () => (hasFailed = true),
  }).finally(leave);
  events.catch(() => undefined);
  await Promise.race([started.promise, events]);
  // A run is rejected in the turn in which it starts.
  await nextTurn();
  if (hasFailed) await events;
  return { events };
}
