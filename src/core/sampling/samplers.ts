import type { ParameterTable, ParameterValues } from '../parameters/descriptor.ts';
import type { SamplerDefinition } from './definition.ts';
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

/** Parameters of all samplers, those of a sampler that always acts first; `createSampler` takes exactly these. */
export const samplingParameters = Object.assign(
  {},
  ...samplers
    .toSorted((a: SamplerDefinition, b: SamplerDefinition) => Number(!!a.isOn) - Number(!!b.isOn))
    .map(({ parameters }) => parameters as ParameterTable),
) as SamplingTable;

/** The values of `samplingParameters`. */
export type SamplingParameters = ParameterValues<typeof samplingParameters>;

/** Whether a sampler acts by its own parameters. */
export function isOn({ isOn: switches = {} }: SamplerDefinition, parameters: SamplingParameters): boolean {
  const values = parameters as Readonly<Record<string, number>>;
  const names = Object.keys(switches);
  return names.length === 0 || names.some((name) => switches[name]!(values[name]!));
}
