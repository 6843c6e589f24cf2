import { findModel, type Call } from './call.ts';
import type { ApiResponse } from '../contracts/http.ts';
import type { Route } from '../contracts/endpoint.ts';
import { queryOf } from './path.ts';

/** Answers a request that runs no model. */
export function answerRoute(call: Call, { handle }: Route): Promise<ApiResponse> {
  const { inference, request, pathParameters, caller } = call;
  return handle({
    query: queryOf(request.url),
    pathParameters,
    caller,
    models: () => inference.models(),
    status: () => inference.status(),
    findModel: (id, category) => findModel(call, id, category === undefined ? undefined : { name: category }),
  });
}
