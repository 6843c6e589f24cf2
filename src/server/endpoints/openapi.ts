import { z } from 'zod';
import { toOpenApi } from '../openapi.ts';
import { jsonTextResponse } from '../../http/responses.ts';
import type { Route } from '../../contracts/endpoint.ts';
import type { DescribedRoute } from '../openapi.ts';

/** `GET /openapi.json`, which describes the given routes and itself. */
export function createOpenApiRoute(others: readonly DescribedRoute[]): Route {
  let text: string | undefined;
  const route: Route = {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document.',
    responses: { 'application/json': { name: 'OpenApi', schema: z.record(z.string(), z.unknown()) } },
    errors: [],
    async handle() {
      text ??= JSON.stringify(toOpenApi([...others, { ...route, isInference: false }]));
      return jsonTextResponse(200, text);
    },
  };
  return route;
}
