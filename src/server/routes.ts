import type { CategoryRegistry } from '../contracts/category.ts';
import type { Route, RouteDescription, SocketEndpoint } from '../contracts/endpoint.ts';
import type { ApiResponse } from '../contracts/http.ts';
import type { Descriptions } from '../validation/describe-fields.ts';
import { unsupportedError } from '../errors.ts';
import { findModel, type Call } from './call.ts';
import { modelRoutes } from './models.ts';
import { createOpenApiRoute } from './openapi.ts';
import { openSocket } from './open-socket.ts';
import { queryOf } from './path.ts';
import { parseBody } from '../validation/issues.ts';
import { receiveJson, runEndpoint } from './run-endpoint.ts';
import { unknownFieldsHeader } from './unknown-fields.ts';

async function answerRoute(call: Call, { handle, requestBody }: Route): Promise<ApiResponse> {
  const { inference, request, pathParameters, caller, budget } = call;
  const given = requestBody && (await receiveJson(call, requestBody));
  const body = requestBody && (await budget.pieces(() => parseBody(requestBody.schema, given)));
  const ignored = requestBody && unknownFieldsHeader(requestBody, given, call.settings.unknownFields);
  const response = await handle({
    body,
    query: queryOf(request.url),
    pathParameters,
    caller,
    budget,
    models: () => inference.models(),
    status: () => inference.status(),
    control(id) {
      const { load, unload } = inference;
      call.meter.assertControl();
      call.meter.assertModel(findModel(call, id).id);
      if (load && unload) return { load: load.bind(inference), unload: unload.bind(inference) };
      throw unsupportedError('model', 'this service can neither load nor unload models');
    },
    findModel: (id, category) => findModel(call, id, category === undefined ? undefined : { name: category }),
  });
  return { ...response, headers: { ...response.headers, ...ignored } };
}

export interface ServedRoute extends RouteDescription {
  /** Runs a model, so it counts against rate limits. */
  readonly isInference: boolean;
  readonly handle: (call: Call) => Promise<ApiResponse>;
}

/** @param sockets of several categories may share a path: the first serves requests without a model */
export function createRoutes(
  categories: CategoryRegistry,
  sockets: readonly SocketEndpoint[] = [],
): readonly ServedRoute[] {
  const ofCategories = [...categories.values()].flatMap((category) =>
    category.endpoints.map((own): ServedRoute => {
      const endpoint = { ...own, descriptions: category.descriptions };
      if ('handle' in endpoint) return toServedRoute(endpoint);
      return { ...endpoint, isInference: true, handle: (call) => runEndpoint(call, category, endpoint) };
    }),
  );
  const paths = new Set(sockets.map(({ path }) => path));
  const ofSockets = [...paths].map((path) =>
    toSocketRoute(
      sockets.filter((socket) => socket.path === path),
      categories,
    ),
  );
  const described = [...ofCategories, ...ofSockets, ...modelRoutes(categories).map(toServedRoute)];
  return [...described, toServedRoute(createOpenApiRoute(described))];
}

/** For one path: the category of the URL's model decides. */
function toSocketRoute(sockets: readonly SocketEndpoint[], categories: CategoryRegistry): ServedRoute {
  const [first, ...others] = sockets;
  return {
    ...first!,
    otherMessages: others.flatMap(({ messages }) => messages ?? []),
    descriptions: Object.assign({}, ...sockets.map(({ descriptions }) => descriptions)) as Descriptions,
    isInference: false,
    handle(call) {
      const id = queryOf(call.request.url).get('model');
      const model = call.inference.models().find((one) => one.id === id);
      const socket = sockets.find(({ category }) => category === model?.category) ?? first!;
      return openSocket(call, categories, socket);
    },
  };
}

function toServedRoute(route: Route): ServedRoute {
  return { ...route, isInference: false, handle: (call) => answerRoute(call, route) };
}
