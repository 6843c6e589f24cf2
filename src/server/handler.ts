import type { CategoryRegistry } from '../contracts/category.ts';
import type { SocketEndpoint } from '../contracts/endpoint.ts';
import type { ServedInference } from '../contracts/engine.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts/http.ts';
import type { ObservedRequest } from '../contracts/observer.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { abbreviate } from '../core/text/quote.ts';
import { InferenceError, orThrow } from '../errors.ts';
import { requestIdOf } from '../http/headers.ts';
import type { Call, Caller } from './call.ts';
import { toErrorResponse, wireErrorOf } from '../http/error-responses.ts';
import { resolveOptions, type HandlerOptions, type Settings } from './options.ts';
import { endpointPath, pathBehindRoute } from './path.ts';
import { watchBody, watchRequest } from './request-watch.ts';
import { createBudget } from './request-budget.ts';
import { createRoutes, type ServedRoute as Route } from './routes.ts';

type Placeholders = Readonly<Record<string, string>>;

type FoundRoute = ReturnType<ReturnType<typeof createRouter>>;

/** Paths without placeholders first, then the first matching template. */
function createRouter(routes: readonly Route[]) {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const byMethod = getOrCreate(paths, route.path, () => new Map<string, Route>());
    for (const method of methodsOf(route)) byMethod.set(method, route);
  }
  const templates = Array.from(paths, ([path, byMethod]) => ({ pattern: patternOf(path), byMethod }));
  const find = (path: string): { byMethod: Map<string, Route>; placeholders?: Placeholders } | undefined => {
    const byMethod = path.includes('{') ? undefined : paths.get(path);
    if (byMethod) return { byMethod };
    for (const template of templates) {
      const placeholders = template.pattern.exec(path)?.groups;
      if (placeholders) return { byMethod: template.byMethod, placeholders };
    }
    return undefined;
  };
  return (request: ApiRequest) => {
    const { method, url, mountPath } = request;
    const found = find(endpointPath(url, mountPath)) ?? find(pathBehindRoute(request) ?? '');
    const route = found?.byMethod.get(method);
    return {
      route,
      /** Supported methods, if only the method doesn't match. */
      allow: found && !route ? [...found.byMethod.keys()].join(', ') : undefined,
      /** Values of the path's placeholders, if any, still encoded. */
      placeholders: found?.placeholders,
    };
  };
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`);
}

function methodsOf(route: Route): string[] {
  return route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
}

function decodeAll(placeholders: Placeholders): Placeholders {
  return Object.fromEntries(Object.entries(placeholders).map(([name, text]) => [name, decode(text)]));
}

function decode(text: string): string {
  const message = 'The path is not valid percent-encoding.';
  return orThrow(
    () => decodeURIComponent(text),
    (cause) => new InferenceError('invalid_request', message, { cause }),
  );
}

const chat = 'POST /v1/chat/completions';
const completions = 'POST /v1/completions';

/** Paths of popular servers → replacements here. */
const replacements: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^\/(?:api\/)?chat$/, chat],
  [/^\/(?:api\/)?generate(?:_stream)?$/, chat],
  [/^\/(?:completion|infill|complete)$/, completions],
  [/^\/(?:engines|deployments)(?:\/.*)?\/chat\/completions$/, `${chat}, with the model in the body`],
  [/^\/(?:engines|deployments)(?:\/.*)?\/completions$/, `${completions}, with the model in the body`],
  [/^\/(?:apply-template|extras\/tokenize(?:\/count)?)$/, 'POST /v1/tokenize'],
  [/^\/(?:engines|api\/tags|api\/ps|tags)(?:\/.*)?$/, 'GET /v1/models'],
  [/^\/(?:api\/)?(?:embed|embedding|embeddings)$/, 'POST /v1/embeddings'],
  [/^\/(?:api\/)?(?:show|props)$/, 'GET /v1/models/{id}/parameters'],
  [/^\/(?:reranking|api\/rerank)$/, 'POST /v1/rerank'],
  [/^\/(?:images\/edits|images\/variations|txt2img|sdapi\/.*)$/, 'POST /v1/images/generations'],
  [/^\/(?:inference|asr)$/, 'POST /v1/audio/transcriptions'],
  [/^\/(?:tts|api\/tts)$/, 'POST /v1/audio/speech'],
  [/^\/moderations$/, `${chat}, with your rules as a system message and verdicts as \`response_format\`,`],
  [/^\/responses\/compact$/, 'POST /v1/responses, with your summary as `input`,'],
  [
    /^\/(?:assistants|threads)(?:\/.*)?$/,
    'POST /v1/responses, with `previous_response_id` or `conversation`,',
  ],
];

export interface ServedParts {
  readonly categories: CategoryRegistry;
  readonly sockets: readonly SocketEndpoint[];
}

export function createHandlerOf(
  { categories, sockets }: ServedParts,
  inference: ServedInference,
  options: HandlerOptions,
): Handler {
  if (typeof inference?.run !== 'function')
    throw new TypeError('createHandler: expected an inference, which `createInference` makes');
  // Optional in JavaScript; `resolveOptions` reports the missing option.
  const settings = resolveOptions(options ?? {});
  const findRoute = createRouter(createRoutes(categories, sockets));
  for (const observer of settings.observers) inference.observe?.(observer);
  inference.observe?.({ onClose: () => settings.sockets.close() });

  return (request) => new HandledRequest(request, findRoute(request), { settings, inference }).respond();
}

interface HandlerContext {
  readonly settings: Settings;
  readonly inference: ServedInference;
}

class HandledRequest {
  readonly #startedAt = performance.now();
  readonly #request: ApiRequest;
  readonly #found: FoundRoute;
  readonly #settings: Settings;
  readonly #inference: ServedInference;
  readonly #origin: ObservedRequest;
  readonly #watch: ReturnType<typeof watchRequest>;
  /** Headers of every response to this request. */
  readonly #headers: Record<string, string>;

  constructor(request: ApiRequest, found: FoundRoute, { settings, inference }: HandlerContext) {
    this.#request = request;
    this.#found = found;
    this.#settings = settings;
    this.#inference = inference;
    this.#origin = {
      requestId: requestIdOf(request),
      carrier: request.headers,
      method: request.method,
      route: found.route?.path,
    };
    this.#watch = watchRequest(settings.observers, this.#origin);
    this.#headers = { 'x-request-id': this.#origin.requestId, ...settings.cors?.headersOf(request) };
  }

  async respond(): Promise<ApiResponse> {
    const { status, headers, body, socket } = await this.#answer().catch((thrown: unknown) => {
      const error = InferenceError.from(thrown);
      this.#report(error);
      return toErrorResponse(error, this.#origin.requestId, this.#found.route?.errorBody);
    });
    const complete: ApiResponse = {
      status,
      headers: { ...headers, ...this.#headers },
      body: this.#request.method === 'HEAD' ? '' : body,
      socket,
    };
    if (this.#watch === undefined) return complete;
    return socket === undefined
      ? this.#watch.answer(complete)
      : this.#watch.answerAtEnd(complete, this.#request.signal);
  }

  #report(error: InferenceError): void {
    this.#watch?.fail(error);
    const { status } = wireErrorOf(error);
    if (status < 500) return;
    const { method, url } = this.#request;
    this.#settings.onError(error, { requestId: this.#origin.requestId, method, url, status });
  }

  async #answer(): Promise<ApiResponse> {
    const request = this.#request;
    const { route, allow, placeholders } = this.#found;
    const preflight = this.#settings.cors?.preflight(request, allow ?? 'GET, HEAD, POST');
    if (preflight !== undefined) return preflight;
    if (allow !== undefined) {
      this.#headers['allow'] = allow;
      throw new InferenceError(
        'method_not_allowed',
        `Expected ${allow.replaceAll(', ', ' or ')}, got ${request.method}.${hintFor(request)}`,
      );
    }
    if (route === undefined) {
      const path = abbreviate(request.url.split('?', 1)[0]!, 100);
      const message = `There is no ${request.method} ${path}.${hintFor(request)}`;
      throw new InferenceError('route_not_found', message);
    }
    // Reject malformed paths before looking up the key.
    const pathParameters = placeholders ? decodeAll(placeholders) : {};
    const caller = await this.#identify();
    const startedAt = this.#startedAt;
    const budget = createBudget({ request, startedAt, ...caller }, this.#settings.jsonGate);
    const call: Call = {
      inference: this.#inference,
      settings: this.#settings,
      request,
      requestId: this.#origin.requestId,
      startedAt,
      origin: this.#origin,
      pathParameters,
      ...caller,
      budget,
      identify: () => this.#identify(),
      report: (error) => this.#report(error),
    };
    if (!route.isInference) return route.handle(call).finally(budget.release);
    const leave = (): void => {
      caller.meter.leave();
      budget.release();
    };
    request.signal.addEventListener('abort', leave, { once: true });
    try {
      await caller.meter.enter(this.#headers);
      return watchBody(await route.handle(call), { end: leave });
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #identify(): Promise<Caller> {
    const { authenticate, callerOf, meterOf } = this.#settings;
    const { owner, plan } = (await authenticate?.(this.#request)) ?? {};
    return { owner, caller: callerOf(owner, plan), meter: meterOf(owner, plan) };
  }
}

function hintFor({ url, mountPath }: ApiRequest): string {
  const path = endpointPath(url, mountPath);
  if (['', '/'].includes(path)) return ' GET /v1/openapi.json lists every path.';
  if (url.includes('/v1/v1/')) return ' The base URL ends with /v1 twice.';
  const [, replacement] = replacements.find(([pattern]) => pattern.test(path)) ?? [];
  return replacement === undefined ? '' : ` Call ${replacement} instead.`;
}
