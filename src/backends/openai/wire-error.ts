import { abbreviate } from '../../core/text/quote.ts';
import { type ErrorCode, InferenceError, sentence } from '../../errors.ts';

const maxMessageCharacters = 1000;
/** It may repeat what the caller wrote. */
const mostShown = 200;
const maxParamCharacters = 100;
const maxRetryAfterSeconds = 86_400;

/** The request that an error is about. */
export interface ErrorSubject {
  /** The field that may be too long. */
  readonly param: string;
  /** The server's name of the model; callers know it by its `id`. */
  readonly name: string;
  readonly id: string;
}

interface WireFault {
  readonly message?: unknown;
  readonly param?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

/** The caller's own faults; whatever else a server complains about, the caller can't mend. */
const callersFaults: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  413: 'request_too_large',
  422: 'invalid_request',
};
const busy = new Set([429, 503]);

/** As OpenAI, vLLM, SGLang, llama-server, llama-cpp-python and LiteLLM say that a prompt is too long. */
const tooLong =
  /maximum context length|context ?window|input is too large|exceeds? the (?:available |maximum )?context|longer than the model's context/i;

function isTooLong({ code, type, message }: WireFault): boolean {
  return (
    code === 'context_length_exceeded' ||
    type === 'exceed_context_size_error' ||
    tooLong.test(String(message))
  );
}

/**
 * The fault in a server's answer → an error of this API: the caller's faults keep their message and `param`, a server
 * that is busy is `overloaded`, any other complaint is `worker_failed` with its words in the `cause`.
 *
 * @param status of the response; 0 within a stream, where the complaint may have a status of its own
 */
export function toError(
  status: number,
  body: unknown,
  {
    retryAfter,
    subject,
  }: { readonly retryAfter?: string | null; readonly subject?: ErrorSubject | undefined },
): InferenceError {
  const wireFault = faultOf(body);
  const { message, param, code } = wireFault;
  const ownStatus = Number(code);
  const told = status === 0 && ownStatus >= 400 && ownStatus < 600 ? ownStatus : status;
  const said =
    typeof message === 'string' && message !== ''
      ? message.slice(0, maxMessageCharacters)
      : 'no reason given';
  if (isTooLong(wireFault)) {
    const field = subject?.param ?? 'messages';
    const reason = `${field}: longer than this model's maximum context length.`;
    return new InferenceError('context_length_exceeded', reason, { param: field, cause: new Error(said) });
  }
  const fault = callersFaults[told];
  if (fault) {
    const named = typeof param === 'string' ? param.slice(0, maxParamCharacters) : undefined;
    const shown = subject ? said.replaceAll(subject.name, subject.id) : said;
    return new InferenceError(fault, sentence(abbreviate(shown, mostShown)), { param: named });
  }
  if (busy.has(told)) {
    const seconds = Number(retryAfter ?? NaN);
    return new InferenceError('overloaded', 'The remote server is busy.', {
      retryAfterSeconds: Number.isFinite(seconds)
        ? Math.min(Math.max(0, seconds), maxRetryAfterSeconds)
        : undefined,
      cause: new Error(said),
    });
  }
  // The message may quote a key or hold a trace: it is for the operator.
  return new InferenceError('worker_failed', `The remote server answered ${told || 'with an error'}.`, {
    cause: new Error(said),
  });
}

/** `{"error": {…}}`, `{"error": "…"}`, or the fields themselves. */
function faultOf(body: unknown): WireFault {
  if (typeof body !== 'object' || body === null) return {};
  const { error = body } = body as { readonly error?: unknown };
  if (typeof error === 'string') return { message: error };
  return typeof error === 'object' && error !== null ? error : {};
}
