import { fieldError } from '../errors.ts';
import type { ModelFolder } from '../contracts/text-model.ts';

/** Families whose positions start after the padding token's id. */
const offsetFamilies = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

/** Names of the context length in the configs of different families. */
export const contextLengthNames = [
  'max_position_embeddings',
  'n_positions',
  'max_seq_len',
  'seq_length',
  'n_ctx',
] as const;

/** Context length of a decoder in tokens; `undefined` if its config lacks it. */
export function statedContextLength(config: Readonly<Record<string, unknown>>): number | undefined {
  const text = (config['text_config'] ?? config) as Readonly<Record<string, unknown>>;
  return contextLengthNames
    .map((name) => text[name])
    .find((value): value is number => typeof value === 'number' && value > 0);
}

/** Maximum tokens per input of a text encoder, special tokens included; `undefined` if no file specifies it. */
export function readTextLength({
  config,
  tokenizerConfig,
}: Pick<ModelFolder, 'config' | 'tokenizerConfig'>): number | undefined {
  const positions = config['max_position_embeddings'];
  const offset = offsetFamilies.has(String(config['model_type'])) ? 2 : 0;
  const limits = [
    typeof positions === 'number' ? positions - offset : Infinity,
    Number(tokenizerConfig['model_max_length'] ?? Infinity),
  ];
  const limit = Math.min(...limits);
  return limit < 1e9 ? limit : undefined;
}

/** The maximum tokens per input to use. */
export function chooseTextLength(wanted: number | undefined, stated: number | undefined): number {
  const length = wanted ?? stated;
  if (length !== undefined) return length;
  throw fieldError('contextLength', 'no config file of the model has it, so it has to be given');
}
