import { chatParameters, type ChatParameters } from '../../categories/chat/parameters.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import type { CompleteRequest } from '../../contracts/run.ts';
import { toWireName, type ParameterTable } from '../../core/parameters/descriptor.ts';
import { isNeutral, samplingParameters, type SamplingParameters } from '../../core/sampling/samplers.ts';
import { fieldError } from '../../errors.ts';
import type { ApiDialect } from './server.ts';
import { describeValue } from '../../core/text/quote.ts';

/** OpenAI's chat parameters, with the server's defaults. */
const wireParameters = ['maxTokens', 'temperature', 'topP', 'frequencyPenalty', 'presencePenalty'] as const;

type WireParameter = (typeof wireParameters)[number];
type Extra = Exclude<keyof SamplingParameters, WireParameter> | 'drySequenceBreakers' | 'penalizePrompt';

const extras = [
  ...Object.keys(samplingParameters).filter((name) => !wireParameters.includes(name as WireParameter)),
  'drySequenceBreakers',
  'penalizePrompt',
] as readonly Extra[];

/** Fields about prompts and their answers. */
const promptFields = [
  'addGenerationPrompt',
  'allowedTokenIds',
  'badWords',
  'chatTemplateKwargs',
  'continueFinalMessage',
  'documents',
  'enableThinking',
  'ignoreEos',
  'includeStopStrInOutput',
  'minTokens',
  'reasoningEffort',
  'stopTokenIds',
  'truncatePromptTokens',
] as const;

type PromptField = (typeof promptFields)[number];

/** Each server's names for parameters outside the OpenAI API. */
const dialects: Readonly<Record<ApiDialect, Partial<Record<Extra | PromptField, string>>>> = {
  openai: sameNames(['chatTemplateKwargs', 'reasoningEffort']),
  vllm: { repeatPenalty: 'repetition_penalty', ...sameNames(['topK', 'minP', ...promptFields]) },
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
      'addGenerationPrompt',
      'chatTemplateKwargs',
      'enableThinking',
      'ignoreEos',
      'reasoningEffort',
    ]),
  },
  slashv1: sameNames([...extras, ...promptFields]),
};

/** The fields that are variables of the server's chat template. */
const templateVariables: Readonly<Partial<Record<ApiDialect, readonly PromptField[]>>> = {
  vllm: ['enableThinking'],
  'llama-server': ['enableThinking', 'reasoningEffort'],
};

function sameNames(names: readonly (Extra | PromptField)[]): Partial<Record<Extra | PromptField, string>> {
  return Object.fromEntries(names.map((name) => [name, toWireName(name)]));
}

/** Chat parameters with the server's defaults: only sent if given. */
export const serverParameters: readonly (keyof ChatParameters)[] = [...wireParameters, ...extras];

/** Names of the chat parameters that a server of this dialect doesn't support. */
export function foreignChatParameters(dialect: ApiDialect): string[] {
  return [...extras, ...promptFields].filter((name) => dialects[dialect][name] === undefined);
}

/** The given parameters with the server's defaults, by this dialect's names. */
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
    else if (!isNeutral(name, value) && !isDefault(name, value)) {
      const param = toWireName(name);
      throw fieldError(param, `the server that runs this model doesn't know it, got ${describeValue(value)}`);
    }
  }
  return named;
}

function isExtra(name: keyof ChatParameters): name is Extra {
  return (extras as readonly string[]).includes(name);
}

/** The fields about prompts, by this dialect's names; fields without effect are omitted. */
export function toPromptFields(dialect: ApiDialect, request: ChatRequest): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  const variables: Record<string, unknown> = {};
  for (const name of promptFields) {
    const value = request[name];
    const isGiven = typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined;
    if (!isGiven || isDefault(name, value)) continue;
    const param = dialects[dialect][name];
    if (param === undefined)
      throw fieldError(toWireName(name), "the server that runs this model doesn't know it");
    (templateVariables[dialect]?.includes(name) ? variables : named)[param] = value;
  }
  if (Object.keys(variables).length > 0)
    named['chat_template_kwargs'] = { ...variables, ...request.chatTemplateKwargs };
  return named;
}

/** Lists are compared by their entries. */
function isDefault(name: Extra | PromptField, value: unknown): boolean {
  const { default: usual } = (chatParameters as ParameterTable)[name] ?? {};
  return JSON.stringify(value) === JSON.stringify(usual);
}
