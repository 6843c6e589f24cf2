import { categories } from '../../src/categories/registry.ts';
import type { CallOptions, RunEvent } from '../../src/contracts/run.ts';
import type { ModelOptions } from '../../src/contracts/model.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import { createDeferred, type Deferred } from '../../src/concurrency/deferred.ts';
import { createEngine, type Engine, type EngineOptions } from '../../src/engine/create-engine.ts';
import { inlineReplicas } from '../../src/engine/inline-replica.ts';
import type { LoadPipeline } from '../../src/engine/protocol.ts';
import { toy } from './toy-requests.ts';

const event = { type: 'text-delta', choice: 0, text: 'x' } as RunEvent;

/** An engine whose loads and runs end when a test says so. */
export interface ToyEngine {
  readonly engine: Engine;
  /** What was done to models, in order: `load a`, `loaded a`, `run a`, `close a`. */
  readonly trace: string[];
  /** Models in memory, from the begin of their loading to the end of their closing. */
  readonly inMemory: readonly string[];
  /** The most that were in memory at once. */
  readonly mostInMemory: number;
  /** Where loads, runs and closings wait, by their trace; without a gate they don't. */
  readonly gates: Map<string, Deferred>;
  /** @returns `done`, or the code of the error */
  ask(model: string, options?: CallOptions): Promise<string>;
}

/** @param models their settings beside `category` and `source` */
export function createToyEngine(
  models: Readonly<Record<string, Partial<ModelOptions>>>,
  options: Partial<EngineOptions> = {},
): ToyEngine {
  const trace: string[] = [];
  const inMemory: string[] = [];
  const gates = new Map<string, Deferred>();
  let mostInMemory = 0;
  const pass = async (step: string): Promise<void> => {
    trace.push(step);
    await gates.get(step)?.promise;
  };
  const load: LoadPipeline = async ({ id, source }, onProgress): Promise<Pipeline> => {
    inMemory.push(id);
    mostInMemory = Math.max(mostInMemory, inMemory.length);
    try {
      onProgress({ phase: 'downloading', receivedBytes: 1, totalBytes: 4 });
      await pass(`load ${id}`);
      if (source === 'fails') throw new Error('no file');
    } catch (error) {
      inMemory.splice(inMemory.indexOf(id), 1);
      throw error;
    }
    trace.push(`loaded ${id}`);
    return {
      info: { id, name: id, category: 'chat', contextLength: 99, created: 0, ownedBy: 'tests' },
      concurrency: 2,
      async *run() {
        await pass(`run ${id}`);
        if (!inMemory.includes(id)) throw new Error('its model is gone');
        yield event;
      },
      async close() {
        await pass(`close ${id}`);
        inMemory.splice(inMemory.indexOf(id), 1);
      },
    };
  };
  const engine = createEngine({
    models: Object.fromEntries(Object.entries(models).map(([id, settings]) => [id, toyModel(settings)])),
    categories,
    startReplica: inlineReplicas(load),
    ...options,
  });
  return {
    engine,
    trace,
    inMemory,
    gates,
    get mostInMemory() {
      return mostInMemory;
    },
    async ask(model, callOptions) {
      try {
        for await (const _ of engine.run('chat', { ...toy({}), model }, callOptions));
        return 'done';
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
  };
}

export function toyModel(settings: Partial<ModelOptions> = {}): ModelOptions {
  return { category: 'chat', source: 'toy', ...settings };
}

/** Closes the gate of a step. */
export function hold({ gates }: ToyEngine, step: string): Deferred {
  const gate = createDeferred();
  gates.set(step, gate);
  return gate;
}
