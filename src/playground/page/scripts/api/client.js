import { ApiError, toApiError } from './api-error.js';

/**
 * *
 *
 * @typedef {object} ApiRequest
 * @property {string} path below the API's base
 * @property {Record<string, unknown>} [json]
 * @property {readonly (readonly [string, string | File])[]} [form]
 */

/**
 * * @typedef {object} Client
 * @property {string} base address of the API, without a trailing slash
 * @property {(request: ApiRequest, signal?: AbortSignal) => Promise<Response>} send
 */

/**
 * * @param {string} base
 * @param {() => string} currentKey
 * @param {(request: ApiRequest, response: Response) => void} [onExchange] receives every request with a body, and a copy of its response
 * @returns {Client} `send` rejects with an `ApiError` unless the response is successful
 */
export function createClient(base, currentKey, onExchange) {
  return {
    base,
    async send(request, signal) {
      const key = currentKey();
      const headers = new Headers(key === '' ? {} : { authorization: `Bearer ${headerText(key)}` });
      if (request.json) headers.set('content-type', 'application/json');
      const body = request.json ? JSON.stringify(request.json) : request.form && toFormData(request.form);
      const method = body === undefined ? 'GET' : 'POST';
      /** @type {Response} */
      let response;
      try {
        response = await fetch(base + request.path, {
          method,
          headers,
          credentials: 'omit',
          ...(body === undefined ? {} : { body }),
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        signal?.throwIfAborted();
        throw new ApiError(
          'The connection broke off before an answer came. The server may be down, or refuse a body of this size.',
          {
            code: error instanceof Error ? error.message : '',
          },
        );
      }
      if (method === 'POST') onExchange?.(request, response.clone());
      if (response.ok) return response;
      const context = { status: response.status, requestId: response.headers.get('x-request-id') ?? '' };
      throw toApiError(await response.json().catch(() => undefined), context);
    },
  };
}

/** @param {NonNullable<ApiRequest['form']>} entries */
function toFormData(entries) {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

/** Replaces invalid header characters, so that a badly pasted key gets an API error, not an exception. @param {string} key */
function headerText(key) {
  return key.replaceAll(/[^\x21-\x7e]/g, '?');
}
