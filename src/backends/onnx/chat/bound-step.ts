import type { BindableSession, Binding } from '../../../contracts/graph.ts';
import type { StepInputs } from '../../../contracts/decoder.ts';
import type { DecoderLayout } from './decoder-layout.ts';
import { StepTensors, type SteppedCache, type StepSize } from './step-tensors.ts';

/** A cache that a graph updates in place. */
export interface BoundCache extends SteppedCache {
  /** Reserves capacity for `count` more tokens per row. */
  reserve(count: number): void | Promise<void>;
  /** A binding to its memory, for one step. */
  bind(): Binding;
}

export interface StepTokens extends StepSize {
  readonly tokens: Int32Array;
  readonly counts?: readonly number[] | undefined;
  readonly inputs?: StepInputs | undefined;
}

export interface BoundStep {
  readonly binding: Binding;
  readonly step: StepTensors;
}

/**
 * Binds the inputs of a step in addition to its cache. A step of the same shape as the previous one only writes its numbers.
 */
export async function bindStep(
  { session, layout }: { session: BindableSession; layout: DecoderLayout },
  cache: BoundCache,
  { tokens, counts, inputs, ...size }: StepTokens,
): Promise<BoundStep> {
  await cache.reserve(size.count);
  const binding = cache.bind();
  let { step } = cache;
  if (!step?.fits(cache, size)) {
    step = new StepTensors(layout, cache, size);
    for (const [name, feed] of Object.entries(step.feeds)) {
      const tensor = session.createTensor(feed);
      binding.bindInput(name, tensor);
      tensor.release();
    }
    cache.step = step;
  }
  step.fill(cache.lengths, tokens, counts, inputs);
  return { binding, step };
}
