import type { ParameterTable, ParameterValues } from '../parameters/descriptor.ts';
import type { Neutral, SamplerDefinition } from './definition.ts';
import { drySampler } from './dry.ts';
import { minPSampler } from './min-p.ts';
import { mirostatSampler } from './mirostat.ts';
import { penaltiesSampler } from './penalties.ts';
import { tailFreeSampler } from './tail-free.ts';
import { temperatureSampler } from './temperature.ts';
import { topKSampler } from './top-k.ts';
import { topNSigmaSampler } from './top-n-sigma.ts';
import { topPSampler } from './top-p.ts';
import { typicalSampler } from './typical.ts';
import { xtcSampler } from './xtc.ts';

/** All samplers, in the order in which they act. */
export const samplers = [
  penaltiesSampler,
  drySampler,
  topNSigmaSampler,
  topKSampler,
  tailFreeSampler,
  typicalSampler,
  topPSampler,
  minPSampler,
  xtcSampler,
  temperatureSampler,
  mirostatSampler,
] as const;

type Tables = (typeof samplers)[number]['parameters'];
type NameOf<T> = T extends T ? keyof T : never;
type SamplingTable = {
  readonly [Name in NameOf<Tables>]: Extract<Tables, Readonly<Record<Name, unknown>>>[Name];
};

/** Parameters of all samplers, those of a sampler that is always on first; `createSampler` takes exactly these. */
export const samplingParameters = Object.assign(
  {},
  ...samplers
    .toSorted((a: SamplerDefinition, b: SamplerDefinition) => Number(!!a.neutral) - Number(!!b.neutral))
    .map(({ parameters }) => parameters as ParameterTable),
) as SamplingTable;

/** The values of `samplingParameters`. */
export type SamplingParameters = ParameterValues<typeof samplingParameters>;

/** The values of parameters that leave their samplers off. */
const neutralValues: Readonly<Record<string, Neutral>> = Object.assign(
  {},
  ...samplers.map(({ neutral }: SamplerDefinition) => neutral),
);

/** Whether a value of a parameter leaves its sampler off. */
export function isNeutral(name: string, value: unknown): boolean {
  const neutral = neutralValues[name];
  if (typeof neutral === 'number' || neutral === undefined) return value === neutral;
  return (value as number) >= neutral[0] && (value as number) <= neutral[1];
}

/** Whether a sampler acts by its own parameters. */
export function isOn({ neutral }: SamplerDefinition, parameters: SamplingParameters): boolean {
  for (const name in neutral) if (!isNeutral(name, parameters[name as keyof SamplingParameters])) return true;
  return neutral === undefined;
}
