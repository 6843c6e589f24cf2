import { createInference, type AnyModelOptions } from '../../index.ts';
import { aboutModel, fetchModel, type FetchContext } from '../load-models.ts';
import type { ModelSettings } from '../model-settings.ts';
import type { LoadedWith } from './sweep.ts';
import type { Subject } from './workload.ts';

const defaultMaxQueue = 64;

/**
 * Loads a model as a service would: into a worker process.
 *
 * @throws InferenceError where it can't be had or loaded
 */
export async function openLocalSubject(
  settings: ModelSettings & LoadedWith,
  context: FetchContext & { readonly concurrency: number },
): Promise<Subject> {
  const { signal, concurrency } = context;
  const id = settings.source;
  try {
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
    return {
      inference,
      model: id,
      category: category,
      contextLength,
      close: () => inference.close({ graceMs: 0 }),
    };
  } catch (error) {
    throw aboutModel(id, error);
  }
}
