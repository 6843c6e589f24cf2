import type { CategoryRegistry } from '../contracts/category.ts';
import type { Call } from './call.ts';
import type { ApiResponse } from '../contracts/http.ts';
import type { Route, RouteDescription } from '../contracts/endpoint.ts';
import { openSocket } from './open-socket.ts';
import { runEndpoint } from './run-endpoint.ts';
import { answerRoute } from './answer-route.ts';
import { modelRoutes } from './endpoints/models.ts';
import { createOpenApiRoute } from './endpoints/openapi.ts';

/** A path below `/v1` as the handler serves it. */
export interface ServedRoute extends RouteDescription {
  /** Runs a model, so it counts against rate limits. */
  readonly isInference: boolean;
  readonly handle: (call: Call) => Promise<ApiResponse>;
}

/** Every path below `/v1`: those of the categories, the discovery of models and the OpenAPI document. */
export function createRoutes(categories: CategoryRegistry): readonly ServedRoute[] {
  const ofCategories = [...categories.values()].flatMap((category) =>
    category.endpoints.map((endpoint): ServedRoute => {
      if ('handle' in endpoint) return toServedRoute(endpoint);
      if ('connect' in endpoint)
        return { ...endpoint, isInference: false, handle: (call) => openSocket(call, category, endpoint) };
      return { ...endpoint, isInference: true, handle: (call) => runEndpoint(call, category, endpoint) };
    }),
  );
  const described = [...ofCategories, ...modelRoutes(categories).map(toServedRoute)];
  return [...described, toServedRoute(createOpenApiRoute(described))];
}

function toServedRoute(route: Route): ServedRoute {
  return { ...route, isInference: false, handle: (call) => answerRoute(call, route) };
}
