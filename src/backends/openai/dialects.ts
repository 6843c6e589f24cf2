import { chatParameters, type ChatParameters } from '../../categories/chat/parameters.ts';
import { toWireName } from '../../core/parameters/descriptor.ts';
import { fieldError } from '../../errors.ts';
import type { ApiDialect } from './server.ts';
import { describeValue } from '../../core/text/quote.ts';

type Extra = Extract<
  keyof ChatParameters,
  'repeatPenalty' | 'topK' | 'minP' | 'typicalP' | 'tfsZ' | 'mirostatMode' | 'mirostatTau' | 'mirostatEta'
>;

/** The values that leave a distribution as it is. */
const neutral: Readonly<Record<Extra, number | undefined>> = {
  repeatPenalty: 1,
  topK: 0,
  minP: 0,
  typicalP: 1,
  tfsZ: 1,
  mirostatMode: 0,
  // Without a mode they say nothing.
  mirostatTau: undefined,
  mirostatEta: undefined,
};

/** How each server calls the parameters that the wire format itself lacks. */
const dialects: Readonly<Record<ApiDialect, Partial<Record<Extra, string>>>> = {
  openai: {},
  vllm: { repeatPenalty: 'repetition_penalty', topK: 'top_k', minP: 'min_p' },
  'llama-server': {
    repeatPenalty: 'repeat_penalty',
    topK: 'top_k',
    minP: 'min_p',
    typicalP: 'typical_p',
    mirostatMode: 'mirostat',
    mirostatTau: 'mirostat_tau',
    mirostatEta: 'mirostat_eta',
  },
  slashv1: Object.fromEntries(Object.keys(neutral).map((name) => [name, toWireName(name)])),
};

/** Names of the chat parameters that a server of this dialect doesn't know. */
export function foreignChatParameters(dialect: ApiDialect): string[] {
  return Object.keys(neutral).filter((name) => dialects[dialect][name as Extra] === undefined);
}

/**
 * The parameters beyond the wire format's own, as a server of this dialect calls them.
 *
 * @throws InferenceError `invalid_request` for one that the server doesn't know and that would change the answer; this
 * API's defaults are left out silently
 *
 * @example
 * ```ts
 * toDialect('vllm', parameters); // { repetition_penalty: 1.1, top_k: 0, min_p: 0.05 }
 * ```
 */
export function toDialect(dialect: ApiDialect, parameters: ChatParameters): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const name of Object.keys(neutral) as Extra[]) {
    const value = parameters[name];
    const foreignName = dialects[dialect][name];
    if (foreignName !== undefined) named[foreignName] = value;
    else if (value !== neutral[name] && value !== chatParameters[name].default) {
      const param = toWireName(name);
      throw fieldError(param, `the server that runs this model doesn't know it, got ${describeValue(value)}`);
    }
  }
  return named;
}
