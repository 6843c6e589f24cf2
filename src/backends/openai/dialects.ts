import { chatParameters, type ChatParameters } from '../../categories/chat/parameters.ts';
import type { CompleteRequest } from '../../categories/contract.ts';
import { toWireName } from '../../core/parameters/descriptor.ts';
import { fieldError } from '../../errors.ts';
import type { ApiDialect } from './server.ts';
import { describeValue } from '../../core/text/quote.ts';

/** The values that leave a distribution as it is. */
const neutral = {
  repeatPenalty: 1,
  topK: 0,
  minP: 0,
  typicalP: 1,
  tfsZ: 1,
  mirostatMode: 0,
  // Without a mode, a multiplier, a probability or a range, the others say nothing.
  mirostatTau: undefined,
  mirostatEta: undefined,
  dryMultiplier: 0,
  dryBase: undefined,
  dryAllowedLength: undefined,
  dryPenaltyLastN: undefined,
  drySequenceBreakers: undefined,
  penalizePrompt: false,
  xtcProbability: 0,
  xtcThreshold: undefined,
  topNSigma: 0,
  dynatempRange: 0,
  dynatempExponent: undefined,
} satisfies Partial<Record<keyof ChatParameters, number | boolean | undefined>>;

type Extra = keyof typeof neutral;

/** Each server's names of the parameters that the wire format lacks. */
const dialects: Readonly<Record<ApiDialect, Partial<Record<Extra, string>>>> = {
  openai: {},
  vllm: { repeatPenalty: 'repetition_penalty', topK: 'top_k', minP: 'min_p' },
  'llama-server': {
    repeatPenalty: 'repeat_penalty',
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
  slashv1: sameNames(Object.keys(neutral)),
};

function sameNames(names: readonly string[]): Partial<Record<Extra, string>> {
  return Object.fromEntries(names.map((name) => [name, toWireName(name)]));
}

/** Chat parameters whose defaults are the server's: they are sent where they were given. */
export const serverParameters: readonly (keyof ChatParameters)[] = [
  'maxTokens',
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  ...(Object.keys(neutral) as Extra[]),
];

/** Names of the chat parameters that a server of this dialect doesn't know. */
export function foreignChatParameters(dialect: ApiDialect): string[] {
  return Object.keys(neutral).filter((name) => dialects[dialect][name as Extra] === undefined);
}

/**
 * The parameters that were given and whose defaults are the server's, as a server of this dialect calls them.
 *
 * @param parameters with the names of those that were `given`; left out, all of them
 * @throws InferenceError `invalid_request` for one that the server doesn't know and that would change the answer; this
 * API's defaults are left out silently
 *
 * @example
 * ```ts
 * toDialect('vllm', { ...parameters, given: ['topK'] }); // { top_k: 40 }
 * ```
 */
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
    else if (value !== neutral[name] && !isDefault(name, value)) {
      const param = toWireName(name);
      throw fieldError(param, `the server that runs this model doesn't know it, got ${describeValue(value)}`);
    }
  }
  return named;
}

function isExtra(name: keyof ChatParameters): name is Extra {
  return Object.hasOwn(neutral, name);
}

/** Lists are compared by their entries. */
function isDefault(name: Extra, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(chatParameters[name].default);
}
