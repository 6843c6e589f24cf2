import { fieldError, unsupportedError, type InferenceError } from '../../../../errors.ts';

/** @throws InferenceError `unsupported_feature` naming the handler's option */
export function nothingKept(param: string): InferenceError {
  const reason = "this service keeps no responses (the handler's option `keepResponses` is off)";
  return unsupportedError(param, `${reason}, so send the whole conversation as \`input\``);
}

/** The error of a response or an item that isn't kept, or is another key's. */
export function notFound(param: string): InferenceError {
  return fieldError(param, 'there is none of this id, or it is no longer kept', {
    code: 'response_not_found',
  });
}

export function tooLarge(param: string, reason: string): InferenceError {
  return fieldError(param, reason, { code: 'request_too_large' });
}
