import { join } from 'node:path';
import { activationsOf } from '../../core/onnx/rewrites/accuracy-level.ts';
import { readOnnxFile } from '../../runtime/onnx-file.ts';
import type { TurnFate, TurnKind } from '../../core/chat/turns.ts';
import { createChatTemplate } from '../../folder/chat-template.ts';
import { detectFormats } from '../../core/chat/formats.ts';
import { toolCallFacts, type ToolCallFacts } from '../../core/chat/tool-calls/format.ts';
import { withTools } from '../../folder/tool-template.ts';
import { toChatTemplate } from '../../folder/model-folder.ts';
import { estimateMemoryBytes, memoryOfWeights } from '../../folder/catalogue.ts';
import type { Dtype, Json } from '../../contracts/files.ts';
import { storedDtypes } from '../../folder/graph-files.ts';
import { chooseFiles } from '../../hub/needed-files.ts';
import { chooseRuntime } from '../../runtime/choose-runtime.ts';
import { backends } from '../../backends/registry.ts';
import { chooseModel } from '../../loading/choice.ts';
import { readContextLength, type DescribedModel } from '../../loading/facts.ts';
import { toModelParameters } from '../../loading/model-parameters.ts';
import { orElse } from '../../errors.ts';

export type ModelFacts = Awaited<ReturnType<typeof gatherFacts>>;

export async function gatherFacts(model: DescribedModel, dtype: Dtype | undefined) {
  const { source, kind, category, entry, folder, files } = model;
  const chosen = dtype ?? entry?.dtype ?? 'auto';
  const config = (await model.readJson('config.json')) ?? {};
  const { files: modelFiles } = chooseModel(category, backends[0], { files, config });
  const index = (await model.readJson('model_index.json')) ?? {};
  const sizes = new Map(files.map(({ path, sizeBytes }) => [path, sizeBytes]));
  const needed = (as: Dtype): readonly string[] =>
    chooseFiles(JSON.stringify(source), [...sizes.keys()], { files: modelFiles, dtype: as });
  const loaded = [...new Set(needed(chosen))];
  const loadedBytes = sumOf(loaded.filter(isWeights), sizes);
  const contextLength = (await readContextLength(model)) || undefined;
  const name = entry?.name ?? source;
  return {
    source,
    kind,
    category,
    name,
    architecture: readArchitecture(config, index),
    license: entry?.license ?? (await readLicense(model)),
    parameterCount: entry?.parameters,
    /** Tokens; `undefined` if its config doesn't specify it. */
    contextLength,
    folder,
    dtype: chosen,
    weights: storedDtypes.flatMap((one) => weightsOf(one, () => needed(one).filter(isWeights), sizes)),
    /** When loaded in that dtype; without the caches of long texts. */
    memoryBytes:
      loadedBytes === undefined
        ? entry && estimateMemoryBytes({ ...entry, dtype: chosen })
        : memoryOfWeights(loadedBytes),
    files: loaded.map((path) => ({ path, sizeBytes: sizes.get(path) })),
    /** Activations of products with 4-bit weights on the CPU; `undefined` without such a local graph. */
    activations: category === 'chat' && folder !== undefined ? readActivations(folder, loaded) : undefined,
    ...(category === 'chat' && (await readTemplate(model))),
    /** Runtime of graphs in this process, the same as in workers. */
    runtime: await chooseRuntime(),
    parameters: toModelParameters({
      id: source,
      name,
      category,
      contextLength,
      created: 0,
      ownedBy: '',
    }).parameters,
  };
}

function readActivations(folder: string, files: readonly string[]): string | undefined {
  const graphs = files.filter((path) => path.endsWith('.onnx'));
  const found = new Set(graphs.map((path) => activationsOf(readOnnxFile(join(folder, path)).graph)));
  if (found.has('int8')) return 'rounded to 8 bits, as the graph says';
  if (!found.has('open')) return undefined;
  return 'rounded to 8 bits where the graph is rewritten; int8Activations: false keeps float32';
}

interface TemplateFacts {
  /** Kinds of turns that the chat template doesn't support, either merged or rejected. */
  readonly turns?: Readonly<Partial<Record<TurnKind, TurnFate>>>;
  /** The model's notation of tool calls, from its files. */
  readonly toolCalls?: ToolCallFacts | undefined;
}

async function readTemplate(model: DescribedModel): Promise<TemplateFacts> {
  const tokenizerConfig = (await model.readJson('tokenizer_config.json')) ?? {};
  const chatTemplate = toChatTemplate(await model.readText('chat_template.jinja'), tokenizerConfig);
  if (chatTemplate === undefined) return {};
  const probe = (): TemplateFacts => {
    const own = createChatTemplate({ chatTemplate, tokenizerConfig, path: model.source });
    const query = { template: own.source, render: own.probe, thinkingSwitch: own.thinkingSwitch };
    const formats = detectFormats({ ...query, hasToken: () => false });
    const { template, formats: used } = withTools({ template: own, formats }, {});
    const fates = Object.entries(template.turnFates({ hasTools: false }));
    return {
      turns: Object.fromEntries(fates.filter(([, fate]) => fate !== 'shown')),
      toolCalls: used.toolCalls && toolCallFacts(used.toolCalls),
    };
  };
  // Loading reports errors of the template.
  return orElse(probe, {});
}

type Sizes = ReadonlyMap<string, number | undefined>;

/** Graphs, and their external weight files. */
function isWeights(path: string): boolean {
  return /\.onnx(?:[._]data(?:_\d+)?)?$|\.data$|(?:^|\/)weights\.pb$/.test(path);
}

function weightsOf(dtype: Dtype, choose: () => readonly string[], sizes: Sizes) {
  // The model may not exist in that dtype.
  return orElse(() => [{ dtype, sizeBytes: sumOf(choose(), sizes) }], []);
}

function sumOf(paths: readonly string[], sizes: Sizes): number | undefined {
  const known = paths.map((path) => sizes.get(path)).filter((size) => size !== undefined);
  return known.length === paths.length ? known.reduce((sum, size) => sum + size, 0) : undefined;
}

function readArchitecture(config: Json, index: Json): string | undefined {
  const { architectures } = config;
  const stated =
    index['_class_name'] ??
    (Array.isArray(architectures) ? architectures[0] : undefined) ??
    config['model_type'];
  return typeof stated === 'string' ? stated : undefined;
}

/** From the head of the model card, or from the package manifest. */
async function readLicense(model: DescribedModel): Promise<string | undefined> {
  const card = (await model.readText('README.md')) ?? '';
  const [, head = ''] = /^---\r?\n(.*?)\r?\n---/s.exec(card) ?? [];
  const manifest = model.kind === 'bundled' ? await model.readJson('../package.json') : undefined;
  const stated = /^license:\s*["']?([^\s"']+)/m.exec(head)?.[1] ?? manifest?.['license'];
  return typeof stated === 'string' ? stated : undefined;
}
