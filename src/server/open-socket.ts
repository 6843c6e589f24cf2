import type { CategoryDefinition, CategoryRegistry } from '../contracts/category.ts';
import type { SocketCall, SocketEndpoint, SocketRunOptions } from '../contracts/endpoint.ts';
import type { AnyRequest } from '../contracts/engine.ts';
import type { ApiResponse } from '../contracts/http.ts';
import type { RunEvent } from '../contracts/run.ts';
import { fieldError, InferenceError } from '../errors.ts';
import { abbreviate } from '../core/text/quote.ts';
import { findModel, type Call } from './call.ts';
import { toErrorBody } from '../http/error-responses.ts';
import { headerOf, protocolsOf } from '../http/headers.ts';
import { queryOf } from './path.ts';
import { turns } from './request-budget.ts';
import { openRun } from './run.ts';
import type { OpenSocket } from './sockets.ts';

/** The subprotocol that pages offer together with their key. */
const subprotocol = 'realtime';

export async function openSocket(
  call: Call,
  categories: CategoryRegistry,
  endpoint: SocketEndpoint,
): Promise<ApiResponse> {
  const { request, settings, owner } = call;
  const { sockets } = settings;
  if (request.asksForSocket !== true) {
    const way = 'a request with `Upgrade: websocket`, to a server on which `serveWebSockets` offers them';
    throw new InferenceError('invalid_request', `Expected a WebSocket: ${way}.`);
  }
  assertOrigin(call);
  sockets.assertOpen();
  let open: OpenSocket | undefined;
  let limits: Readonly<Record<string, string>> = {};
  const place = sockets.gate.enter(owner);
  try {
    const socketCall: SocketCall<AnyRequest, RunEvent> = {
      query: queryOf(request.url),
      headers: request.headers,
      signal: request.signal,
      maxBufferBytes: sockets.rules.maxBufferBytes,
      findModel(id, name = endpoint.category) {
        const model = findModel(call, id, categories.get(name) ?? { name });
        call.meter.assertModel(model.id);
        return model;
      },
      send: (message) => open?.send(message),
      room: async () => open?.room(),
      hold(bytes) {
        place.grow(bytes);
        place.shrink(bytes);
      },
      turn: () => turns.next(owner),
      pace: (runs) => open?.pace(runs),
      run: (asked, { category: name = endpoint.category, signal, isUsed } = {}) => {
        const category = categories.get(name)!;
        const own = signal ? { ...call, request: { ...request, signal } } : call;
        return runAgain(own, { category, request: asked, isUsed, onLimits: (told) => (limits = told) });
      },
      limits: () => limits,
      fail(error) {
        call.report(error);
        open?.noteFailure(error);
        return toErrorBody(error, call.requestId).error;
      },
    };
    const session = endpoint.connect(socketCall as SocketCall<unknown, unknown>);
    if (request.signal.aborted) place.leave();
    else request.signal.addEventListener('abort', () => place.leave(), { once: true });
    return {
      status: 101,
      headers: {},
      body: '',
      socket: {
        protocol: protocolsOf(request).includes(subprotocol) ? subprotocol : undefined,
        maxMessageBytes: sockets.rules.maxMessageBytes,
        take(socket) {
          open = sockets.add(socket, { signal: request.signal, turn: socketCall.turn });
          open.serve(session);
        },
      },
    };
  } catch (error) {
    place.leave();
    throw error;
  }
}

/** Browsers allow WebSockets from pages of any origin, and send the origin. */
function assertOrigin({ request, settings }: Call): void {
  const origin = headerOf(request, 'origin');
  if (origin === undefined || settings.cors?.allows(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === headerOf(request, 'host')) return;
  throw fieldError(
    'origin',
    `expected a page of this service, or of one of the \`origins\` of \`cors\`, got ${abbreviate(origin, 100)}`,
  );
}

interface SocketRun extends Pick<SocketRunOptions, 'isUsed'> {
  readonly category: CategoryDefinition;
  readonly request: AnyRequest;
  readonly onLimits: (headers: Readonly<Record<string, string>>) => void;
}

async function* runAgain(
  call: Call,
  { category, request, isUsed, onLimits }: SocketRun,
): AsyncGenerator<RunEvent> {
  const own = { ...call, startedAt: performance.now(), ...(await call.identify()) };
  const headers: Record<string, string> = {};
  try {
    await own.meter.enter(headers).finally(() => onLimits(headers));
    void isUsed
      ?.then((used) => (used ? undefined : own.meter.forget()))
      .catch((error: unknown) => call.report(InferenceError.from(error)));
    const model = findModel(own, request.model, category);
    own.meter.assertModel(model.id);
    yield* await openRun(own, { category, request, model }, { isUsed });
  } finally {
    own.meter.leave();
  }
}
