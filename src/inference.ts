import { InferenceError } from './errors.ts';
import { completeChatRequest } from './pipelines/chat-request.ts';
import type { ModelSpec, Pipeline } from './pipelines/contract.ts';
import type { Inference, ModelOptions } from './engine/contract.ts';
import { childReplicas } from './engine/child-replica.ts';
import { createEngine } from './engine/create-engine.ts';
import { failedStream } from './engine/event-stream.ts';
import { inlineReplicas } from './engine/inline-replica.ts';

export interface InferenceOptions {
  /** Model id → where the model comes from and its limits; see `chat()`. */
  readonly models: Readonly<Record<string, ModelOptions>>;
  /**
   * `process` (default): each replica is a child process, so the calling process never waits for a tensor and survives
   * a crash. `inline`: in the calling process, for scripts and unit tests.
   */
  readonly isolation?: 'process' | 'inline' | undefined;
}

/**
 * Starts the given models.
 *
 * @throws InferenceError `invalid_request` for a setting out of range. Files that are missing show in `ready()`
 *
 * @example
 * ```ts
 * const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
 * const messages = [{ role: 'user', content: 'What is 2 + 3?' }] as const;
 * for await (const event of inference.chat({ model: 'tiny-chat', messages })) {
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * }
 * await inference.close();
 * ```
 */
export function createInference({ models, isolation = 'process' }: InferenceOptions): Inference {
  const engine = createEngine(
    models,
    isolation === 'inline'
      ? inlineReplicas(loadInline)
      : childReplicas({ worker: new URL('./worker.js', import.meta.url) }),
  );
  return {
    chat(request, options) {
      try {
        return engine.run('chat', request.model, completeChatRequest(request), options);
      } catch (error) {
        return failedStream(InferenceError.from(error));
      }
    },
    models: () => engine.models(),
    status: () => engine.status(),
    ready: () => engine.ready(),
    close: (options) => engine.close(options),
  };
}

/**
 * Describes a chat model for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { assistant: chat({ source: './models/my-model', threads: 4, replicas: 2 }) } });
 * ```
 */
export function chat(options: Omit<ModelOptions<'chat'>, 'category'>): ModelOptions<'chat'> {
  return { ...options, category: 'chat' };
}

/** Imported late: a host whose models run in child processes loads no native code. */
async function loadInline(spec: ModelSpec): Promise<Pipeline> {
  const { loadPipeline } = await import('./pipelines/load.ts');
  return loadPipeline(spec);
}
