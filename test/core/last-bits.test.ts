import { beforeAll, describe, expect, it } from 'vitest';
import type * as Clusters from '../../src/core/audio/diarization/cluster-by-centroids.ts';
import type * as Schedulers from '../../src/core/diffusion/schedulers/create-scheduler.ts';
import type * as Audio from '../../src/entries/audio.ts';
import type * as Diffusion from '../../src/entries/diffusion.ts';
import type * as Sampling from '../../src/entries/sampling.ts';
import type * as Vision from '../../src/entries/vision.ts';
import { perturbedMath, withMath } from './perturbed-math.ts';

type Config = Readonly<Record<string, unknown>>;

const seeds = [1, 2];
const wave = (seed: number, length = 4): Float32Array =>
  Float32Array.from({ length }, (_, index) => 1.3 * Math.sin(0.7 * index + 1.9 * seed + 0.3));

/** Every value of a generation: noise levels, timesteps, and the samples of each step; or why there is none. */
function generate({ createScheduler }: typeof Schedulers, config: Config, steps: number): number[] | string {
  try {
    const scheduler = createScheduler(config, { steps, imageTokens: 1024 });
    const values = [scheduler.initialNoiseScale, ...scheduler.timesteps.map((timestep) => timestep / 1000)];
    const sample = wave(0).map((value) => value * scheduler.initialNoiseScale);
    scheduler.timesteps.forEach((_, step) => {
      const denoised = scheduler.step(step, sample, wave(step + 1), (out) => out.set(wave(step + 100)));
      values.push(scheduler.inputScale(step), ...sample, ...denoised);
    });
    return values;
  } catch (error) {
    return (error as Error).message;
  }
}

const classes = [
  'DDIMScheduler',
  'DDPMScheduler',
  'DEISMultistepScheduler',
  'DPMSolverMultistepScheduler',
  'DPMSolverSDEScheduler',
  'DPMSolverSinglestepScheduler',
  'EulerAncestralDiscreteScheduler',
  'EulerDiscreteScheduler',
  'FlowMatchEulerDiscreteScheduler',
  'HeunDiscreteScheduler',
  'KDPM2AncestralDiscreteScheduler',
  'KDPM2DiscreteScheduler',
  'LCMScheduler',
  'LMSDiscreteScheduler',
  'PNDMScheduler',
  'SASolverScheduler',
  'TCDScheduler',
  'UniPCMultistepScheduler',
] as const;

const spacings: readonly Config[] = [
  {},
  { timestep_spacing: 'trailing' },
  { timestep_spacing: 'leading' },
  { use_karras_sigmas: true },
  { use_exponential_sigmas: true },
  { use_beta_sigmas: true },
  { use_lu_lambdas: true },
  { use_flow_sigmas: true, prediction_type: 'flow_prediction', flow_shift: 3 },
  { use_dynamic_shifting: true, shift_terminal: 0.02 },
];

const ways: readonly Config[] = [
  {},
  { final_sigmas_type: 'sigma_min' },
  { final_sigmas_type: 'sigma_min', solver_order: 3, lower_order_final: false },
  { final_sigmas_type: 'sigma_min', algorithm_type: 'sde-dpmsolver++', lower_order_final: false },
  { final_sigmas_type: 'sigma_min', algorithm_type: 'dpmsolver' },
  { beta_schedule: 'squaredcos_cap_v2', predictor_order: 4, corrector_order: 4, lower_order_final: false },
  { algorithm_type: 'noise_prediction', beta_schedule: 'scaled_linear', corrector_order: 1 },
  // More steps than the training had: some of them have no length.
  { num_train_timesteps: 8, final_sigmas_type: 'sigma_min', solver_order: 3, skip_prk_steps: true },
];

describe('schedulers stay what they are where the last bits of powers and logarithms differ', () => {
  let load: (math: Math) => typeof Schedulers;
  beforeAll(async () => {
    load = (await withMath('core/diffusion/schedulers/create-scheduler.ts')) as typeof load;
  });

  it.each(classes)('%s', (name) => {
    const exact = load(Math);
    const others = seeds.map((seed) => load(perturbedMath(seed)));
    const faults: string[] = [];
    let generations = 0;
    for (const spacing of spacings) {
      for (const way of ways) {
        for (const steps of [1, 2, 4, 6, 7, 12]) {
          const config = { ...spacing, ...way, _class_name: name };
          const expected = generate(exact, config, steps);
          const title = `${steps} steps ${JSON.stringify(config)}`;
          const actual = others.map((other) => generate(other, config, steps));
          if (typeof expected === 'string') {
            if (actual.some((one) => one !== expected)) faults.push(`${title}: ${expected}`);
            continue;
          }
          generations++;
          for (const values of [expected, ...actual] as number[][]) {
            const scale = Math.max(...expected.map(Math.abs));
            const worst = values.findIndex(
              (value, at) => !(Math.abs(value - expected[at]!) <= 1e-4 * scale) || !Number.isFinite(value),
            );
            if (worst >= 0) faults.push(`${title}: ${values[worst]} for ${expected[worst]} at ${worst}`);
          }
        }
      }
    }
    expect(faults.slice(0, 10)).toEqual([]);
    expect(generations).toBeGreaterThan(50);
  });
});

type Run = (module: unknown) => ArrayLike<number>;

/** Functions that give numbers: choices, which must be the same, or values, which must be within a millionth. */
const sampling = (run: (module: typeof Sampling) => ArrayLike<number>) => ({
  source: 'entries/sampling.ts',
  run: run as Run,
});
const sounds = (run: (module: typeof Audio) => ArrayLike<number>) => ({
  source: 'entries/audio.ts',
  run: run as Run,
});
const diffusion = (run: (module: typeof Diffusion) => ArrayLike<number>) => ({
  source: 'entries/diffusion.ts',
  run: run as Run,
});

const noise = (length: number): Float32Array =>
  Float32Array.from(
    { length },
    (_, at) => Math.sin(at * at * 0.37) * (0.1 + 0.9 * ((at * 7919) % 101) * 0.01),
  );
const logits = noise(300).map((value) => 8 * value);
const ties = [0.6, 0.3, 0.3, 0.06, 0.03, 0.03, 0.012, 0.006];
const audio = noise(16_000);

/** Tokens that one sampler draws one after the other. */
const draws =
  (parameters: Sampling.SamplerParameters) =>
  ({ createSampler }: typeof Sampling): number[] => {
    const sampler = createSampler(parameters, { vocabularySize: logits.length, seed: 42 });
    return Array.from({ length: 200 }, (_, step) => {
      const token = sampler.sample(logits.map((logit, at) => (at % 7 === step % 7 ? logit + 1 : logit)));
      sampler.accept(token);
      return token;
    });
  };
const kept =
  (apply: (module: typeof Sampling, candidates: Sampling.Candidates) => Sampling.Candidates) =>
  (module: typeof Sampling): number[] => {
    const candidates = apply(module, module.candidatesFrom(ties, { as: 'probabilities' }));
    return Array.from(candidates.tokens.subarray(0, candidates.size));
  };
const boxesOf = ({ boxes, scores, count }: Vision.Candidates): number[] => [
  ...boxes.subarray(0, 4 * count),
  ...scores.subarray(0, count),
];

const rows: Readonly<Record<string, ReturnType<typeof sampling>>> = {
  ...Object.fromEntries(
    (
      [
        { temperature: 0.8, topP: 0.9, minP: 0.05 },
        { temperature: 1.3, typicalP: 0.7, tfsZ: 0.9, topNSigma: 1 },
        { temperature: 1, dynatempRange: 0.5, dynatempExponent: 0.3 },
        { mirostatMode: 1, mirostatTau: 3 },
        { mirostatMode: 2, mirostatTau: 3 },
        { xtcProbability: 0.5, xtcThreshold: 0.05, dryMultiplier: 0.8, repeatPenalty: 1.1 },
      ] as Sampling.SamplerParameters[]
    ).map((parameters) => [`tokens by ${JSON.stringify(parameters)}`, sampling(draws(parameters))]),
  ),
  'tokens that are just likely enough for min p': sampling(
    kept(({ applyMinP }, candidates) => applyMinP(candidates, 0.5)),
  ),
  'tokens that are just likely enough for a tenth': sampling(
    kept(({ applyMinP }, candidates) => applyMinP(candidates, 0.1)),
  ),
  'tokens that make up just what top p asks for': sampling(
    kept(({ applyTopP }, candidates) => applyTopP(candidates, 0.9 / 1.338)),
  ),
  'top choices that are just likely enough': sampling(
    kept(({ applyXtc }, candidates) =>
      applyXtc(candidates, { xtcProbability: 1, xtcThreshold: 0.3 / 1.338 }, 0),
    ),
  ),
  'the entropy of one sure token among impossible ones': sampling(
    ({ applyDynamicTemperature, candidatesFrom, probabilities }) =>
      probabilities(
        applyDynamicTemperature(candidatesFrom([1000, 0, -1000]), {
          temperature: 1,
          dynatempRange: 1,
          dynatempExponent: 0.5,
        }),
      ),
  ),
  'log probabilities of a sure token': sampling(({ logProbabilitiesOf }) => {
    const { logProbability } = logProbabilitiesOf([50, 0, 1], 0);
    return [logProbability, Math.max(logProbability, 0)];
  }),
  'whisper features': sounds(({ createLogMel }) =>
    createLogMel({ melBins: 80, chunkSamples: 16_000 }).compute(audio),
  ),
  'features of silence': sounds(
    ({ createNemoFeatures }) => createNemoFeatures({ melBins: 80 }).compute(new Float32Array(16_000)).data,
  ),
  'features of speakers': sounds(
    ({ createKaldiFeatures }) => createKaldiFeatures({ melBins: 80 }).compute(audio).data,
  ),
  'resampled audio': sounds(({ resample }) => resample(audio, { fromHz: 44_100, toHz: 16_000 })),
  'audio resampled between rows of the filter': sounds(({ resample }) =>
    resample(audio, { fromHz: 16_001, toHz: 15_997 }),
  ),
  'regions of voice': sounds(({ findVoiceActivity }) =>
    findVoiceActivity(
      audio.map((sample, at) => (at % 8000 < 3000 ? sample : 0)),
      { sampleRateHz: 16_000 },
    ).flatMap((region) => Object.values(region) as number[]),
  ),
  'times of tokens where a position is heard evenly': sounds(({ tokenTimes }) => {
    const turn = [0.1, 0.3, 0.5, 0.02, 0.08];
    const attention = [0, 1, 2].flatMap((at) => [...turn.slice(-at), ...turn].slice(0, 5).concat(0.7, 0.7));
    const shape = { rows: 3, columns: 7, used: 7, start: 0, end: 3 };
    return tokenTimes([Float32Array.from(attention)], shape);
  }),
  'clusters of equal voices': {
    source: 'core/audio/diarization/cluster-by-centroids.ts',
    run: (({ clusterByCentroids }: typeof Clusters) =>
      clusterByCentroids(
        Array.from({ length: 24 }, (_, at) => noise(8).map((value) => value + (at % 2) * 3)),
        { threshold: 0 },
      )) as Run,
  },
  noise: diffusion(({ createGaussianNoise }) => {
    const out = new Float32Array(4096);
    createGaussianNoise(7)(out);
    return out;
  }),
  'embedding of guidance': diffusion(({ guidanceEmbedding }) => guidanceEmbedding(1.001, 64)),
  'weights of tiles': diffusion(({ planTiles, tileWeights }) =>
    tileWeights(planTiles(256, { max: 144, overlap: 16 }), 2).flatMap((weights) => [...weights]),
  ),
  'boxes of softmax': {
    source: 'entries/vision.ts',
    run: (({ createCandidates, decodeDetrSoftmaxInto }: typeof Vision) =>
      boxesOf(
        decodeDetrSoftmaxInto(
          createCandidates(4),
          {
            logits: { data: noise(12).map((value) => 9 * value), dims: [1, 3, 4] },
            boxes: { data: noise(12).map(Math.abs), dims: [1, 3, 4] },
          } as unknown as Vision.DetrOutputs,
          { input: { width: 640, height: 480 }, classCount: 3, confidence: 0 },
        ),
      )) as Run,
  },
};

describe('and so do samplers, features, filters and boxes', () => {
  it.each(Object.entries(rows))('%s', async (_, { source, run }) => {
    const load = await withMath(source);
    const expected = Array.from(run(load(Math)));
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.filter((value) => !Number.isFinite(value))).toEqual([]);
    const bound = 1e-6 * Math.max(1, ...expected.map(Math.abs));
    for (const seed of seeds) {
      const actual = Array.from(run(load(perturbedMath(seed))));
      expect(actual).toHaveLength(expected.length);
      expect(actual.filter((value, at) => !(Math.abs(value - expected[at]!) <= bound))).toEqual([]);
    }
  });
});
