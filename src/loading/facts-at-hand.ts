import { findMainFile, parseSource } from '../folder/source.ts';
import { readChangeTime } from '../folder/model-folder.ts';
import { statedContextLength, readTextLength } from '../folder/text-length.ts';
import type { ModelInfo, ModelOptions } from '../contracts/model.ts';
import type { DescribedModel } from '../hub/describe-model.ts';
import { describeModel } from './recognize-model.ts';

/** Facts about a model before it is loaded. */
export type FactsAtHand = Partial<Pick<ModelInfo, 'category' | 'contextLength' | 'created'>>;

/** Reads facts from the files of a model on this disk, its downloads included, without the network. */
export async function readFactsAtHand({ source, hub, category }: ModelOptions): Promise<FactsAtHand> {
  const model = await describeModel(source, { hub: { ...hub, offline: true }, category });
  const { kind, folder } = model;
  const main = kind === 'file' ? source : folder && findMainFile(folder);
  return {
    category: model.category,
    contextLength: await readContextLength(model),
    created: main === undefined ? 0 : await readChangeTime(main),
  };
}

/** Tokens of a model's context, as its small files state it. */
export async function readContextLength({ category, readJson }: DescribedModel): Promise<number | undefined> {
  if (category === 'detection' || category === 'speech') return 0;
  const config = (await readJson('config.json')) ?? {};
  if (category === 'chat') return statedContextLength(config);
  if (category === 'transcription' && config['model_type'] === 'whisper')
    return Number(config['max_target_positions']) || undefined;
  if (category !== 'embedding' && category !== 'rerank') return undefined;
  const sentences = category === 'embedding' ? await readJson('sentence_bert_config.json') : {};
  const tokenizerConfig = (await readJson('tokenizer_config.json')) ?? {};
  const stated = sentences?.['max_seq_length'];
  return typeof stated === 'number' ? stated : readTextLength({ config, tokenizerConfig });
}

/** The organization that publishes a model, else `slashv1`. */
export function publisherOf(source: string): string {
  const parsed = parseSource(source);
  return parsed.kind === 'hub' ? parsed.id.split('/', 1)[0]! : 'slashv1';
}
