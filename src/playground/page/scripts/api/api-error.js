/** A request that failed or got no response. */
export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {{ status?: number, code?: string, param?: string, requestId?: string }} [details]
   */
  constructor(message, details = {}) {
    super(message);
    this.name = 'ApiError';
    /** HTTP status; 0 without an answer. */
    this.status = details.status ?? 0;
    this.code = details.code ?? '';
    this.param = details.param ?? '';
    this.requestId = details.requestId ?? '';
  }
}

/**
 * * @param {unknown} body of the error response
 * @param {{ status?: number, requestId?: string }} context
 * @returns {ApiError}
 */
export function toApiError(body, context) {
  const error = /** @type {{ error?: Record<string, unknown> } | null | undefined} */ (body)?.error;
  if (typeof error?.['message'] !== 'string') {
    return new ApiError(
      `The server answered ${context.status ?? 'something'} that is no answer of this API.`,
      context,
    );
  }
  const { message, code, param } = error;
  return new ApiError(message, { ...context, code: String(code ?? ''), param: String(param ?? '') });
}
