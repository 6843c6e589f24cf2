import { InferenceError, messageOf, sentence } from '../errors.ts';

/** Why a model can't be loaded, as plain data. `detail` may contain paths, so it is never shown to clients. */
export interface LoadFault {
  readonly detail: string;
  readonly param?: string | undefined;
  /** Whether the machine temporarily lacks a resource, such as open files. */
  readonly isShortage?: boolean;
}

const permissions =
  "Node's permission model is on: workers need --allow-child-process, --allow-worker, --allow-addons, --allow-fs-read of the package and the models, and --allow-net where Node has it";

/** Remedies for errors of the system or Node, by error code. */
const cures: Readonly<Record<string, string>> = {
  EMFILE: 'raise the limit of open files, ulimit -n',
  ERR_ACCESS_DENIED: permissions,
  ERR_DLOPEN_DISABLED: permissions,
};

export function loadFaultOf(error: unknown): LoadFault {
  const { param, code } = InferenceError.from(error);
  const cure = cures[(error as NodeJS.ErrnoException).code ?? ''];
  const detail = messageOf(error);
  return {
    detail: cure === undefined ? detail : `${detail.replace(/\.$/, '')}; ${cure}`,
    param,
    isShortage: code === 'overloaded',
  };
}

/**
 * The error of a model that can't be loaded, for operators. An unavailable device is an invalid setting, not a fault of
 * the model.
 */
export function loadError(id: string, { detail, param, isShortage = false }: LoadFault): InferenceError {
  const isDevice = param === 'device';
  const message = sentence(`Model "${id}"${isDevice ? '' : ' could not be loaded'}: ${detail}`);
  const code = isShortage ? 'overloaded' : isDevice ? 'invalid_request' : 'worker_failed';
  return new InferenceError(code, message, {
    param,
    cause: new Error(detail),
    retryAfterSeconds: isShortage ? shortageSeconds : undefined,
  });
}

const shortageSeconds = 10;
