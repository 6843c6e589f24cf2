import { z } from 'zod';
import { toOpenApi } from '../openapi.ts';
import { jsonTextResponse } from '../../http/responses.ts';
import type { Route } from '../../contracts/endpoint.ts';
import type { DescribedRoute } from '../openapi.ts';

/** `GET /openapi.json`, which describes the given routes and itself. */
export function createOpenApiRoute(others: readonly DescribedRoute[]): Route {
  let last: { readonly ids: string; readonly text: string } | undefined;
  const route: Route = {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document.',
    responses: { 'application/json': { name: 'OpenApi', schema: z.record(z.string(), z.unknown()) } },
    errors: [],
    async handle(call) {
      const models = call.models();
      const ids = JSON.stringify(models.map(({ id, category }) => [id, category]));
      if (last?.ids !== ids) {
        const document = toOpenApi([...others, { ...route, isInference: false }], models);
        last = { ids, text: JSON.stringify(document) };
      }
      return jsonTextResponse(200, last.text);
    },
  };
  return route;
}
