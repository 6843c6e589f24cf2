import { InferenceError } from '../errors.ts';
import type { Session } from '../runtime/contract.ts';
import { createOnnxSession } from '../runtime/onnx.ts';
import { openInferenceSession } from './kserve/open-inference-session.ts';
import type { ModelSpec } from '../categories/contract.ts';
import { assertAddress } from './openai/servers.ts';

/** One graph of a model. */
export interface Graph {
  /** Path of its file. */
  readonly graph: string;
  /** Which part of the model it is; left out for a model of one graph. */
  readonly name?: string | undefined;
}

/** Whether another machine has a model's graphs. */
export function isRemote({ remote }: Pick<ModelSpec, 'remote'>): boolean {
  return remote?.kind === 'kserve';
}

/**
 * Opens a graph where the model is to run: here, or on the server that its settings name.
 *
 * @throws InferenceError `invalid_request` where the server doesn't have it
 * @throws Error where the file is no graph or the device can't run it
 */
export function openSession(
  { remote, device, threads }: Pick<ModelSpec, 'remote' | 'device' | 'threads'>,
  { graph, name }: Graph,
): Promise<Session> {
  if (remote?.kind !== 'kserve') return createOnnxSession(graph, { device, threads });
  assertAddress('remote.url', remote.url);
  const model = modelOf(remote.model, name);
  if (model !== undefined) return openInferenceSession({ ...remote, model });
  const expected = name === undefined ? 'the name of one graph' : `a name for each graph, ${name} among them`;
  throw new InferenceError(
    'invalid_request',
    `remote.model: expected ${expected}, got ${JSON.stringify(remote.model)}`,
    { param: 'remote.model' },
  );
}

function modelOf(
  models: string | Readonly<Record<string, string>>,
  name: string | undefined,
): string | undefined {
  if (typeof models === 'string') return name === undefined ? models : undefined;
  return name === undefined ? undefined : models[name];
}
