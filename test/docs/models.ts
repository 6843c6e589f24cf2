import { catalogue, estimateMemoryBytes, type CatalogueEntry } from '../../src/folder/catalogue.ts';
import { storedDtypes } from '../../src/folder/graph-files.ts';
import type { ModelFiles } from '../../src/contracts/files.ts';
import { categories } from '../../src/categories/registry.ts';

const titles: Readonly<Record<CatalogueEntry['category'], string>> = {
  chat: 'Chat',
  detection: 'Object detection',
  embedding: 'Embeddings',
  image: 'Image generation',
  rerank: 'Rerank',
  speech: 'Text to speech',
  transcription: 'Speech to text',
};

/** The page about models as the code says it is. */
export function writeModelsPage(): string {
  return `# Models

\`\`\`js
import { chat, createInference, transcription } from 'slashv1';

const inference = createInference({
  models: {
    assistant: chat({ source: 'onnx-community/Qwen3-0.6B-ONNX', dtype: 'q4' }),
    recognizer: transcription({ source: 'whisper-medium' }),
  },
});
await inference.ready(); // downloads what is missing
\`\`\`

[Settings](settings.md) lists all other options of a model.

## Where models come from

\`source\` is one of these, looked for in this order:

| \`source\` | what it is |
| --- | --- |
| \`tiny-chat\` | a model of the package \`@slashv1/tiny-models\` |
| \`./models/my-model\` | a folder that exists, in Hugging Face's ONNX layout |
| \`https://models.example.com/my-model/\` | the address of such a folder on any server; no listing is needed |
| \`whisper-medium\` | a name or alias of the catalogue below |
| \`org/name\`, \`org/name@revision\` | a repository on Hugging Face; a revision is a branch, a tag or a commit |
| \`./model.gguf\`, \`org/name/file.gguf\` | a [GGUF file](guides/gguf.md) on this disk or on Hugging Face |

A download has only the files that the model's category and \`dtype\` need. The worker process that loads the model makes
it; other models and the host go on meanwhile. Interrupted downloads resume; files with a hash on Hugging Face are compared
with it before it counts, and processes that want the same file wait for each other. \`obtainModel()\` does the same ahead
of time and reports its progress to a function.

A model from a branch is looked up at every start, and the cache is used when Hugging Face is down. \`org/name@<commit>\` never
changes and, once it is there, needs no network.

| setting | environment | default |
| --- | --- | --- |
| \`hub.endpoint\` | \`HF_ENDPOINT\` | \`https://huggingface.co\` |
| \`hub.token\` | \`HF_TOKEN\` | none; it is sent to the endpoint's own origin and to no other |
| \`hub.cacheFolder\` | \`SLASHV1_CACHE\`, \`HF_HUB_CACHE\` | \`$HF_HOME/hub\`, else \`$XDG_CACHE_HOME/huggingface/hub\`, else \`~/.cache/huggingface/hub\` |
| \`hub.offline\` | \`SLASHV1_OFFLINE\`, \`HF_HUB_OFFLINE\` | \`false\`; \`true\` uses only the cache |

### The cache

Downloads have the layout of Hugging Face's own cache, which \`huggingface_hub\` and other libraries share. The files that they fetched are found here,
and they find the files that are fetched here: \`models--org--name/\` holds \`blobs/\` by content, \`snapshots/<commit>/\` with links to
them (copies, where the system has no symbolic links), \`refs/\` for branches and tags, and \`trees/\` with the list of files of a
commit. Models from the address of a folder are in \`slashv1/\` beside them.

- A file gets its place in a snapshot only when it is complete and checked. Files that other programs placed there are trusted
  if their size is right.
- Without a network and without a list in \`trees/\`, which older libraries don't write, the model loads from the files that
  are there, with a warning.
- Two processes of this package that want the same file wait for each other. Python's locks can't be seen from Node.js: a file
  that both fetch at the same time is fetched twice, and stays whole.
- A cache that can't be written to works as long as nothing is missing.

## Weights

\`dtype\` is one of ${['auto', ...storedDtypes].map((dtype) => `\`${dtype}\``).join(', ')}. \`auto\`, the default, takes the first of the others
that the model has, in this order. One that it doesn't have is an error that lists those it has.

## Files

The files that each category reads from a repository, of each architecture its own; files that a model lacks are skipped. A graph's name ends with
\`_fp16\`, \`_quantized\` or \`.int8\` (q8), \`_q4\` or \`_q4f16\` where it isn't fp32. Beside it, \`<graph>_data\`, \`<graph>_data_1\` …, \`<graph>.data\` and \`weights.pb\` hold its weights.

${[...categories.values()]
  .flatMap(({ name, files, architectures = [] }) => [
    ...(files ? [describeFiles(name, files)] : []),
    ...architectures.map((one) => describeFiles(`${name}, ${one.name}`, one.files)),
  ])
  .join('\n')}

## The catalogue

The tests check the names, categories and defaults of these entries; they download none of the repositories. Licenses
are those that the repositories state: read them before you use a model. Memory is an estimate from the number of
parameters in the default \`dtype\` (fp32 for \`auto\`); caches of long texts come on top.

${Object.entries(titles)
  .map(([category, title]) => `### ${title}\n\n${catalogueTable(category)}`)
  .join('\n\n')}
`;
}

function describeFiles(title: string, { stems, small }: ModelFiles): string {
  return `- **${title}**: graphs ${code(stems)}; files ${code(small)}`;
}

function catalogueTable(category: string): string {
  const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(catalogue);
  return table(
    ['Name', 'Source', 'License', 'Parameters', 'Default `dtype`', 'Memory', 'Also called'],
    entries
      .filter(([, entry]) => entry.category === category)
      .map(([id, entry]) => [
        `\`${id}\``,
        `\`${entry.source}\``,
        entry.license,
        toCount(entry.parameters),
        `\`${entry.dtype ?? 'auto'}\``,
        `${(estimateMemoryBytes(entry) / 1e9).toFixed(1)} GB`,
        code(entry.aliases),
      ]),
  );
}

function toCount(parameters: number): string {
  return parameters < 1e9 ? `${Math.round(parameters / 1e6)} M` : `${(parameters / 1e9).toFixed(1)} B`;
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
