import { backends } from '../backends/registry.ts';
import type { FileEvidence, Json, ModelPlace } from '../contracts/files.ts';
import type { ModelInfo, ModelOptions } from '../contracts/model.ts';
import { quote } from '../core/text/quote.ts';
import { fieldError } from '../errors.ts';
import { bundledModelNames } from '../folder/bundled-models.ts';
import { catalogue, findCatalogueEntry, type CatalogueEntry } from '../folder/catalogue.ts';
import { evidenceAtHand, isGgufFile, openPlace } from '../folder/evidence.ts';
import { genaiConfigFile, toHubConfig } from '../folder/genai-config.ts';
import { parseJson } from '../folder/json.ts';
import { readChangeTime } from '../folder/model-folder.ts';
import { findMainFile, parseSource } from '../folder/source.ts';
import { statedContextLength, readTextLength } from '../folder/text-length.ts';
import { openRemote } from '../hub/describe-remote.ts';
import { findRemote, type RemoteModel, type RemoteOptions } from '../hub/remote-model.ts';
import { chooseModel, recognizeFiles } from './choice.ts';

/** A model as described by its small files; its weights may be remote. */
export interface DescribedModel extends ModelPlace {
  readonly source: string;
  readonly category: string;
  /** Entry of the catalogue, if any. */
  readonly entry: CatalogueEntry | undefined;
  /** `undefined` for a missing file or invalid JSON. */
  readJson(path: string): Promise<Json | undefined>;
}

/** Names of the catalogue and of the bundled models, for suggestions. */
export const knownModels: readonly string[] = [...bundledModelNames, ...Object.keys(catalogue)];

/** Describes a model without downloading its weights. */
export async function describeModel(source: string, options: RemoteOptions = {}): Promise<DescribedModel> {
  return describeFound(source, findRemote(source, options), options.category);
}

/** `describeModel` for a parsed source. */
export async function describeFound(
  source: string,
  remote: RemoteModel | undefined,
  given?: string,
): Promise<DescribedModel> {
  const filesOf = (evidence: FileEvidence) => {
    const category = given ?? recognizeFiles(evidence);
    return category === undefined ? undefined : chooseModel(category, backends[0], evidence).files;
  };
  const place = remote ? await openRemote(remote, given, filesOf) : openPlace(source);
  const entry = findCatalogueEntry(source);
  const readJson = async (path: string): Promise<Json | undefined> => {
    const found = parseJson(await place.readText(path));
    if (found || path !== 'config.json') return found;
    return toHubConfig(parseJson(await place.readText(genaiConfigFile)));
  };
  const category =
    given ??
    entry?.category ??
    place.category ??
    recognizeFiles({ files: place.files, config: (await readJson('config.json')) ?? {} });
  if (category === undefined) {
    throw fieldError(
      'category',
      `nothing in ${quote(source)} shows what kind of model it is; say it with category`,
    );
  }
  return { ...place, source, category, entry, readJson };
}

/** The category of a model, from this disk and the catalogue only. */
export function recognizeModel(source: string, evidence = evidenceAtHand(source)): string | undefined {
  const entry = findCatalogueEntry(source);
  if (entry) return entry.category;
  return isGgufFile(source) ? openPlace(source).category : evidence && recognizeFiles(evidence);
}

/** Facts about a model before it is loaded. */
export type FactsAtHand = Partial<Pick<ModelInfo, 'category' | 'contextLength' | 'created'>>;

/** Reads facts from a model's local files, downloads included, without the network. */
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

/** Context length in tokens, from the model's small files. */
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
