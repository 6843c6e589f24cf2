import { chatParameters, type ChatParameters } from '../../categories/chat/parameters.ts';
import type { CompleteRequest } from '../../contracts/run.ts';
import { toWireName } from '../../core/parameters/descriptor.ts';
import type { SamplerDefinition } from '../../core/sampling/definition.ts';
import { samplers, samplingParameters, type SamplingParameters } from '../../core/sampling/samplers.ts';
import { fieldError } from '../../errors.ts';
import type { ApiDialect } from './server.ts';
import { describeValue } from '../../core/text/quote.ts';

/** Chat parameters of the wire format whose defaults are the server's. */
const wireParameters = ['maxTokens', 'temperature', 'topP', 'frequencyPenalty', 'presencePenalty'] as const;

type WireParameter = (typeof wireParameters)[number];
type Extra = Exclude<keyof SamplingParameters, WireParameter> | 'drySequenceBreakers' | 'penalizePrompt';

const extras = [
  ...Object.keys(samplingParameters).filter((name) => !wireParameters.includes(name as WireParameter)),
  'drySequenceBreakers',
  'penalizePrompt',
] as readonly Extra[];

/** The parameters that switch a sampler on; the other ones say nothing alone. */
const switches: Readonly<Record<string, (value: never) => boolean>> = Object.assign(
  { penalizePrompt: (value: boolean) => value },
  ...samplers.map(({ isOn }: SamplerDefinition) => isOn),
);

/** Each server's names of the parameters that the wire format lacks. */
const dialects: Readonly<Record<ApiDialect, Partial<Record<Extra, string>>>> = {
  openai: {},
  vllm: { repeatPenalty: 'repetition_penalty', topK: 'top_k', minP: 'min_p' },
  'llama-server': {
    repeatPenalty: 'repeat_penalty',
    repeatLastN: 'repeat_last_n',
    mirostatMode: 'mirostat',
    ...sameNames([
      'topK',
      'minP',
      'typicalP',
      'mirostatTau',
      'mirostatEta',
      'dryMultiplier',
      'dryBase',
      'dryAllowedLength',
      'dryPenaltyLastN',
      'drySequenceBreakers',
      'xtcProbability',
      'xtcThreshold',
      'topNSigma',
      'dynatempRange',
      'dynatempExponent',
    ]),
  },
  slashv1: sameNames(extras),
};

function sameNames(names: readonly string[]): Partial<Record<Extra, string>> {
  return Object.fromEntries(names.map((name) => [name, toWireName(name)]));
}

/** Chat parameters whose defaults are the server's: they are sent where they were given. */
export const serverParameters: readonly (keyof ChatParameters)[] = [...wireParameters, ...extras];

/** Names of the chat parameters that a server of this dialect doesn't know. */
export function foreignChatParameters(dialect: ApiDialect): string[] {
  return extras.filter((name) => dialects[dialect][name] === undefined);
}

/** The parameters that were given and whose defaults are the server's, as a server of this dialect calls them. */
export function toDialect(
  dialect: ApiDialect,
  parameters: ChatParameters & CompleteRequest,
): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const name of serverParameters.filter((one) => parameters.given?.includes(one) ?? true)) {
    const value = parameters[name];
    if (!isExtra(name)) {
      named[toWireName(name)] = value;
      continue;
    }
    const foreignName = dialects[dialect][name];
    if (foreignName !== undefined) named[foreignName] = value;
    else if (switches[name]?.(value as never) !== false && !isDefault(name, value)) {
      const param = toWireName(name);
      throw fieldError(param, `the server that runs this model doesn't know it, got ${describeValue(value)}`);
    }
  }
  return named;
}

function isExtra(name: keyof ChatParameters): name is Extra {
  return (extras as readonly string[]).includes(name);
}

/** Lists are compared by their entries. */
function isDefault(name: Extra, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(chatParameters[name].default);
}
