import { abbreviate } from '../../core/text/quote.ts';
import { type ErrorCode, fieldError, InferenceError, sentence } from '../../errors.ts';
import type { RemoteModel } from './remote-model.ts';
import { fieldsOf, isObject } from './fields.ts';

const maxMessageCharacters = 1000;
const maxShown = 200;
const maxRetryAfterSeconds = 86_400;

/** The request that an error is about. */
export interface ErrorSubject {
  /** The field that may be too long. */
  readonly param: string;
  readonly model: Pick<RemoteModel, 'id' | 'name' | 'dialect'>;
  /** Fields of the request's body. */
  readonly fields: readonly string[];
}

interface WireFault {
  readonly message?: unknown;
  readonly param?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
}

/** The caller's faults; the caller can't fix any other error of a server. */
const callersFaults: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  413: 'request_too_large',
  422: 'invalid_request',
};
const busy = new Set([429, 503]);

/** Messages of OpenAI, vLLM, SGLang, llama-server, llama-cpp-python and LiteLLM for a prompt that is too long. */
const tooLong =
  /maximum context length|context ?window|input is too large|exceeds? the (?:available |maximum )?context|longer than the model's context/i;

/** Messages of vLLM, SGLang, llama-server and llama-cpp-python for a model without picture support, some with status 500. */
const noPictures =
  /image input is not supported|not a multimodal model|(?:doesn't|does not) support (?:image|multimodal)/i;

/** Text without addresses, paths and keys: no long words, and dots only in sentences and numbers. */
const harmless = /^(?!.*\d\.\d+\.)(?:(?!\S{25})[\w\s,;:'"`()<>=+%-]|\.(?=\s|\d|$))+$/;

/**
 * Converts a server's error to this API's: the caller's faults keep their `param`, a busy server is `overloaded`,
 * everything else is `worker_failed`. The server's message is in the `cause`, since it may contain names, keys and
 * traces. It is shown for a slashv1 server, and if it is short, harmless and about a field.
 */
export function toError(
  status: number,
  body: unknown,
  { retryAfter, subject }: { retryAfter?: string | null; subject?: ErrorSubject | undefined },
): InferenceError {
  const { message, param, code, type } = faultOf(body);
  const ownStatus = Number(code);
  const told = status === 0 && ownStatus >= 400 && ownStatus < 600 ? ownStatus : status;
  const said =
    typeof message === 'string' && message !== ''
      ? message.slice(0, maxMessageCharacters)
      : 'no reason given';
  const cause = new Error(said);
  const isTooLong =
    code === 'context_length_exceeded' ||
    type === 'exceed_context_size_error' ||
    tooLong.test(String(message));
  if (isTooLong) {
    const field = subject?.param ?? 'messages';
    const reason = `${field}: longer than this model's maximum context length.`;
    return new InferenceError('context_length_exceeded', reason, { param: field, cause });
  }
  if (subject?.param === 'messages' && noPictures.test(said)) {
    return fieldError('messages', 'the model takes no pictures', { code: 'unsupported_feature', cause });
  }
  const fault = callersFaults[told];
  if (fault) return toCallersFault(fault, { cause, param, subject });
  if (busy.has(told)) {
    const seconds = Number(retryAfter ?? NaN);
    return new InferenceError('overloaded', 'The remote server is busy.', {
      retryAfterSeconds: Number.isFinite(seconds)
        ? Math.min(Math.max(0, seconds), maxRetryAfterSeconds)
        : undefined,
      cause,
    });
  }
  return new InferenceError('worker_failed', `The remote server answered ${told || 'with an error'}.`, {
    cause,
  });
}

interface CallersFault extends Pick<WireFault, 'param'> {
  /** The server's message. */
  readonly cause: Error;
  readonly subject: ErrorSubject | undefined;
}

function toCallersFault(code: ErrorCode, { cause, param, subject }: CallersFault): InferenceError {
  const { message: said } = cause;
  const named = typeof param === 'string' ? param : '';
  const isField = subject?.fields.includes(/^\w*/.exec(named)![0]);
  // Servers without a field name often start the message with it, or contain its underscored name.
  const [, firstWord] = /^\W?(\w+)/.exec(said) ?? [];
  const isNamed = (name: string) => name === firstWord || (name.includes('_') && said.includes(name));
  const field = isField ? named : subject?.fields.find(isNamed);
  if (subject?.model.dialect === 'slashv1') {
    const shown = said.replaceAll(subject.model.name, subject.model.id);
    return new InferenceError(code, sentence(abbreviate(shown, maxShown)), { param: field, cause });
  }
  if (field !== undefined) {
    const isQuoted = said.length <= maxShown && harmless.test(said) && !said.includes(subject!.model.name);
    const reason = `the server that runs this model refuses it${isQuoted ? `: ${said}` : ''}`;
    return fieldError(field, reason, { code, cause });
  }
  return new InferenceError(code, 'The server that runs this model refuses the request.', { cause });
}

/** `{"error": {…}}`, `{"error": "…"}`, or the fields themselves. */
function faultOf(body: unknown): WireFault {
  if (!isObject(body)) return {};
  const { error = body } = body;
  return typeof error === 'string' ? { message: error } : fieldsOf(error);
}

/** Whether a server has rejected a request with a matching message. */
export function isRefusedFor(words: RegExp, error: unknown): boolean {
  if (!InferenceError.isInstance(error) || error.code !== 'invalid_request') return false;
  const { message, param = '', cause } = error;
  return words.test([message, param, cause instanceof Error ? cause.message : ''].join(' '));
}
