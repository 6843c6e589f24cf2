import type { CategoryDefinition } from '../contracts/category.ts';
import type { RunEvent, CallOptions } from '../contracts/run.ts';
import { letOthersRun } from '../concurrency/in-slices.ts';
import { readJson } from '../http/body.ts';
import { findModel, type Call } from './call.ts';
import type { ApiRequest, ApiResponse } from '../contracts/http.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { Endpoint, EndpointRun, EndpointRunOptions, RequestBody } from '../contracts/endpoint.ts';
import { bodyTimeoutMsOf, deadlineMsOf } from '../http/headers.ts';
import { toErrorBody } from '../http/error-responses.ts';
import { watched } from './request-watch.ts';
import { collectRun, openRun, type BilledRun } from './run.ts';
import { markChecked } from '../validation/checked-request.ts';
import { unknownFieldsHeader } from './unknown-fields.ts';
import { receiveUpload } from './upload.ts';
import { InferenceError } from '../errors.ts';
import { createEventStream, eventStreamHeaders, toFrame } from '../http/sse.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDeferred } from '../concurrency/deferred.ts';
import { releaseOnFailure } from '../concurrency/release-on-failure.ts';

/** Reads the request, finds its model and lets the endpoint answer. */
export async function runEndpoint(
  call: Call,
  category: CategoryDefinition,
  endpoint: Endpoint,
): Promise<ApiResponse> {
  // Before the body is read: a wrong header costs nobody an upload.
  deadlineMsOf(call.request);
  if (endpoint.uploadField === undefined)
    return answer(call, category, endpoint, await receiveJson(call, endpoint.requestBody));
  // Before the body too: nobody's disk is filled for an answer that the plan refuses.
  await call.meter.assertLeft();
  const { uploadField } = endpoint;
  return releaseOnFailure(async (own) => {
    const upload = own(await receiveUpload(call, uploadField, (id) => assertOffered(call, category, id)));
    const response = await answer(call, category, endpoint, upload, upload.release);
    // The run of a stream goes on.
    if (typeof response.body === 'string' || response.body instanceof Uint8Array) await upload.release();
    return response;
  });
}

/** Reads a body of JSON, within the limits of its sender. */
export async function receiveJson(
  { request, settings, owner }: Call,
  { isOptional }: Pick<RequestBody, 'isOptional'> = {},
): Promise<unknown> {
  if (isOptional === true && isEmpty(request)) return {};
  const timeoutMs = bodyTimeoutMsOf(request, settings);
  const place = settings.jsonGate.enter(owner);
  const limits = { maxBytes: settings.maxBodyBytes, timeoutMs, owner, onSize: place.grow };
  return readJson(request, limits).finally(() => place.leave());
}

function isEmpty({ headers, body }: ApiRequest): boolean {
  if ('parsed' in body) return body.parsed === undefined;
  return !(Number(headers['content-length']) > 0 || headers['transfer-encoding'] || headers['content-type']);
}

/** Fields of a form after its file, and models that aren't there, are found out when all of it has been read. */
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
  await letOthersRun(since);
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
    open: async (request, options) => (await openRun(call, runOf(request, options))).events,
    async stream(request, toFrames, { responseId, toErrorFrames = toFrame, ...end } = {}) {
      const { events, bill } = await openRun(call, runOf(request, { responseId }), { billsLater: true });
      const frames = createEventStream({
        events: onRunEnd ? watched(events, { end: onRunEnd }) : events,
        toFrames,
        onTake: bill,
        ...end,
        toErrorFrame: (thrown) => toErrorFrames(run.report(InferenceError.from(thrown))),
        keepAliveMs: call.settings.keepAliveMs,
      });
      // A failure after the first event is the last one.
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

/**
 * `collectRun` beyond the end of its request, which keeps its place among those of its plan until then. It resolves when the
 * run waits or runs.
 */
async function detachRun(
  call: Call,
  run: BilledRun,
  { signal, onDispatch }: Required<Pick<CallOptions, 'signal' | 'onDispatch'>>,
): Promise<{ readonly events: Promise<RunEvent[]> }> {
  // A package of clients sends it with every request: the longest time for the answer, which has come by then.
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
  // A run is refused in the turn in which it starts.
  await nextTurn();
  if (hasFailed) await events;
  return { events };
}
