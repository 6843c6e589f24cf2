import { InferenceError } from '../errors.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts/http.ts';
import { toErrorResponse } from '../http/error-responses.ts';
import { requestIdOf } from '../http/headers.ts';
import { printInternal } from './print-internal.ts';

/** Answers GET and HEAD at any path, uncacheable. @param path answered when the handler is mounted at the root */
export function createGetHandler(
  path: string,
  answer: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
): Handler {
  const handler = async (request: ApiRequest): Promise<ApiResponse> => {
    const { method, url } = request;
    const requestId = requestIdOf(request);
    const common = { 'x-request-id': requestId, 'cache-control': 'no-store' };
    const fail = (error: InferenceError, headers: Record<string, string> = {}): ApiResponse => {
      const response = toErrorResponse(error, requestId);
      return { ...response, headers: { ...response.headers, ...common, ...headers } };
    };
    if (method !== 'GET' && method !== 'HEAD') {
      const message = `Expected GET or HEAD, got ${method}.`;
      return fail(new InferenceError('method_not_allowed', message), { allow: 'GET, HEAD' });
    }
    try {
      const { status, headers, body } = await answer(request);
      return { status, headers: { ...headers, ...common }, body: method === 'HEAD' ? '' : body };
    } catch (thrown) {
      const error = InferenceError.from(thrown);
      printInternal(error, { requestId, method, url });
      return fail(error);
    }
  };
  return Object.assign(handler, { paths: [path] });
}
