import { fieldError } from '../errors.ts';
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
    control(id) {
      const { load, unload } = inference;
      call.meter.assertControl();
      call.meter.assertModel(findModel(call, id).id);
      if (load && unload) return { load: load.bind(inference), unload: unload.bind(inference) };
      throw fieldError('model', 'this service can neither load nor unload models', {
        code: 'unsupported_feature',
      });
    },
    findModel: (id, category) => findModel(call, id, category === undefined ? undefined : { name: category }),
  });
}
