import { createInference, type AnyModelOptions } from '../index.ts';
import { aboutModel, fetchModel, type FetchContext } from './load-models.ts';
import type { ModelSettings } from './model-settings.ts';

export type OpenModel = Awaited<ReturnType<typeof open>>;

interface OpenContext extends FetchContext {
  readonly concurrency?: number;
}

const defaultMaxQueue = 64;

/** Loads a model like a service: into a worker process. */
export function openModel(settings: ModelSettings, context: OpenContext): Promise<OpenModel> {
  return open(settings, context).catch(aboutModel(settings.source));
}

async function open(settings: ModelSettings, context: OpenContext) {
  const { signal, concurrency = 1 } = context;
  const id = settings.source;
  const options = await fetchModel(settings, context);
  signal.throwIfAborted();
  const maxQueue = Math.max(defaultMaxQueue, concurrency);
  const inference = createInference({ models: { [id]: { maxQueue, ...options } as AnyModelOptions } });
  const abandon = (): void => void inference.close({ graceMs: 0 });
  signal.addEventListener('abort', abandon, { once: true });
  try {
    await inference.ready();
  } catch (error) {
    await inference.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', abandon);
  }
  const { category, contextLength } = inference.models()[0]!;
  return { inference, model: id, category, contextLength, close: () => inference.close({ graceMs: 0 }) };
}
