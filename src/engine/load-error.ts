import { InferenceError, messageOf, sentence } from '../errors.ts';

/** Why a model can't be loaded, as plain data. `detail` may name paths and more, so no client is shown it. */
export interface LoadFault {
  readonly detail: string;
  readonly param?: string | undefined;
  /** Whether the machine lacks something for a while, such as open files. */
  readonly isShortage?: boolean;
}

const permissions =
  "Node's permission model is on: workers need --allow-child-process, --allow-worker, --allow-addons, --allow-fs-read of the package and the models, and --allow-net where Node has it";

/** Cures of what the system or Node refuses, by the code of the error. */
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

/** The error of a model that can't be loaded, as operators see it. A device that doesn't work is a wrong setting and nothing about the model. */
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
