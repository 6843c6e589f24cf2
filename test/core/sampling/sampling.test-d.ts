import { expectTypeOf, test } from 'vitest';
import * as sampling from '../../../src/entries/sampling.ts';

test('createSampler takes the parameters of the table, all optional', () => {
  expectTypeOf<Omit<sampling.SamplerParameters, 'logitBias' | 'dryBreakers'>>().toEqualTypeOf<
    Partial<sampling.SamplingParameters>
  >();
  expectTypeOf<sampling.SamplerParameters['logitBias']>().toEqualTypeOf<
    ReadonlyMap<number, number> | undefined
  >();
  expectTypeOf(sampling.createSampler).parameter(1).toEqualTypeOf<sampling.SamplerOptions>();
  expectTypeOf<sampling.Sampler['sample']>().toEqualTypeOf<
    (logits: Float32Array, allow?: Uint32Array, isPenalized?: (token: number) => boolean) => number
  >();
  // @ts-expect-error an unknown parameter
  sampling.createSampler({ top_k: 3 }, { vocabularySize: 1, seed: 0 });
  // @ts-expect-error a seed is needed: the library has no randomness of its own
  sampling.createSampler({}, { vocabularySize: 1 });
});

test('samplers give back what they are given', () => {
  type Apply = (candidates: sampling.Candidates, value: number) => sampling.Candidates;
  expectTypeOf(sampling.applyTopK).toEqualTypeOf<Apply>();
  expectTypeOf(sampling.applyTopP).toEqualTypeOf<Apply>();
  expectTypeOf(sampling.applyMinP).toEqualTypeOf<Apply>();
  expectTypeOf(sampling.applyTypicalP).toEqualTypeOf<Apply>();
  expectTypeOf(sampling.applyTailFree).toEqualTypeOf<Apply>();
  expectTypeOf(sampling.applyTemperature).toEqualTypeOf<Apply>();
  expectTypeOf(sampling.candidatesFrom([1])).toEqualTypeOf<sampling.Candidates>();
  expectTypeOf(sampling.probabilities).returns.toExtend<Float64Array>();
});

test('candidates can lose members, not change their arrays', () => {
  const candidates = sampling.candidatesFrom([1]);
  candidates.size = 0;
  // @ts-expect-error read-only
  candidates.tokens = new Int32Array();
  // @ts-expect-error only logits and probabilities
  sampling.candidatesFrom([1], { as: 'odds' });
});
