import { InferenceError, fieldError } from '../../errors.ts';
import { fetchApi, readJson } from './api-client.ts';
import type { ApiDialect, ApiEndpoint } from './server.ts';

const maxListBytes = 16 * 2 ** 20;

type Fields = Readonly<Record<string, unknown>>;

/** Asks a server whether it runs a model. */
export async function describeServer(
  endpoint: ApiEndpoint,
  name: string,
  { dialect, signal }: { readonly dialect: ApiDialect; readonly signal: AbortSignal },
): Promise<number> {
  const models = await ask(endpoint, '/models', signal);
  const data: readonly unknown[] = Array.isArray(models?.['data']) ? models['data'] : [];
  const listed = data.filter(isObject).filter(({ id }) => typeof id === 'string');
  const found = listed.find(({ id }) => id === name);
  // llama-server answers to any name. Proxies list families of models with a star.
  const isOpen = dialect === 'llama-server' || listed.some(({ id }) => String(id).includes('*'));
  if (!found && listed.length > 0 && !isOpen) {
    throw fieldError('source', `the server at ${endpoint.url} has no model of this name`);
  }
  const meta = isObject(found?.['meta']) ? found['meta'] : {};
  const told = [
    found?.['max_model_len'],
    found?.['context_length'],
    meta['n_ctx'],
    dialect === 'llama-server' ? await slotLength(endpoint, signal) : undefined,
    meta['n_ctx_train'],
  ];
  return told.find((length): length is number => typeof length === 'number' && length > 0) ?? 0;
}

/** The context of llama-server, whose `n_ctx` is smaller than the length that the model was trained on. */
async function slotLength(endpoint: ApiEndpoint, signal: AbortSignal): Promise<unknown> {
  const server = { ...endpoint, url: endpoint.url.replace(/\/v1$/, '') };
  const properties = await ask(server, '/props', signal).catch(() => undefined);
  const settings = properties?.['default_generation_settings'];
  return isObject(settings) ? settings['n_ctx'] : undefined;
}

/** `undefined` where a server has no such page. */
async function ask(endpoint: ApiEndpoint, path: string, signal: AbortSignal): Promise<Fields | undefined> {
  const answer = await fetchApi(endpoint, { path, signal });
  const { status, ok, headers, body: page } = answer.response;
  // Gateways answer unknown paths with a page for people.
  const isForeign = /html|event-stream/.test(headers.get('content-type') ?? '');
  if (!ok || isForeign) void page?.cancel();
  if (status === 401 || status === 403) {
    throw fieldError('backend', `the server at ${endpoint.url} refuses its key with ${status}`);
  }
  if (status === 404 || status === 405 || status === 429) return undefined;
  if (!ok) throw new InferenceError('worker_failed', `The remote server answered ${status}.`);
  if (isForeign) return undefined;
  const body = await readJson(answer, maxListBytes);
  return isObject(body) ? body : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
