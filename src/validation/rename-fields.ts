import { InferenceError, sentence } from '../errors.ts';

/** The same error about the field that another dialect has in place of its `param`. */
export function renameFields(thrown: unknown, rename: (field: string) => string): unknown {
  if (!InferenceError.isInstance(thrown) || thrown.param === undefined) return thrown;
  const param = rename(thrown.param);
  const message = thrown.message.startsWith(`${thrown.param}: `)
    ? param + thrown.message.slice(thrown.param.length)
    : thrown.message;
  const { code, retryAfterSeconds } = thrown;
  return new InferenceError(code, sentence(message), { param, retryAfterSeconds, cause: thrown });
}
