import { chatParameters } from '../../categories/chat/parameters.ts';
import type { ChatRequest } from '../../categories/chat/request.ts';
import { toWireName } from '../../core/parameters/descriptor.ts';
import { fieldError } from '../../errors.ts';
import type { ApiDialect } from './server.ts';

/** Place of a field about prompts and their answers: under its own name, or as a variable of the chat template. */
type Way = 'field' | 'variable';
type PromptField =
  | 'addGenerationPrompt'
  | 'allowedTokenIds'
  | 'badWords'
  | 'chatTemplateKwargs'
  | 'continueFinalMessage'
  | 'documents'
  | 'enableThinking'
  | 'ignoreEos'
  | 'includeStopStrInOutput'
  | 'minTokens'
  | 'reasoningEffort'
  | 'stopTokenIds'
  | 'truncatePromptTokens';

const fields: readonly PromptField[] = [
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
];
const chatDefaults: Partial<Record<PromptField, unknown>> = {
  continueFinalMessage: chatParameters.continueFinalMessage.default,
  ignoreEos: chatParameters.ignoreEos.default,
  includeStopStrInOutput: chatParameters.includeStopStrInOutput.default,
  minTokens: chatParameters.minTokens.default,
  truncatePromptTokens: chatParameters.truncatePromptTokens.default,
};
const all = Object.fromEntries(fields.map((name) => [name, 'field'])) as Record<PromptField, Way>;

/** The way of each field to a server of that dialect; a field without one is refused. */
const known: Readonly<Record<ApiDialect, Partial<Record<PromptField, Way>>>> = {
  openai: { chatTemplateKwargs: 'field', reasoningEffort: 'field' },
  vllm: { ...all, enableThinking: 'variable' },
  'llama-server': {
    addGenerationPrompt: 'field',
    chatTemplateKwargs: 'field',
    enableThinking: 'variable',
    ignoreEos: 'field',
    reasoningEffort: 'variable',
  },
  slashv1: all,
};

/** Names of the parameters that a server of this dialect doesn't know. */
export function foreignPromptParameters(dialect: ApiDialect): string[] {
  return fields.filter((name) => known[dialect][name] === undefined);
}

/** These fields, as a server of this dialect calls them; those that change nothing are left out. */
export function toPromptFields(dialect: ApiDialect, request: ChatRequest): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  const variables: Record<string, unknown> = {};
  for (const name of fields) {
    const value = request[name];
    if (!isGiven(value) || value === chatDefaults[name]) continue;
    const param = toWireName(name);
    const way = known[dialect][name];
    if (way === undefined) throw fieldError(param, "the server that runs this model doesn't know it");
    (way === 'field' ? named : variables)[param] = value;
  }
  if (Object.keys(variables).length > 0)
    named['chat_template_kwargs'] = { ...variables, ...request.chatTemplateKwargs };
  return named;
}

function isGiven(value: ChatRequest[PromptField]): boolean {
  return typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined;
}
