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

[Settings](settings.md) lists all options of a model.

## Where models come from

\`source\` is one of these, tried in this order:

| \`source\` | meaning |
| --- | --- |
| \`tiny-chat\` | a model of the package \`@slashv1/tiny-models\` |
| \`./models/my-model\` | an existing folder in Hugging Face's ONNX layout |
| \`https://models.example.com/my-model/\` | the URL of a folder on any server; it needs no directory listing |
| \`whisper-medium\` | a name or alias of the catalogue below |
| \`org/name\`, \`org/name@revision\` | a repository on Hugging Face; a revision is a branch, a tag or a commit |
| \`./model.gguf\`, \`org/name/file.gguf\` | a local [GGUF file](guides/gguf.md), or one on Hugging Face |

The model's worker process downloads only the files for the category and \`dtype\`; the host and the remaining models keep
running. Interrupted downloads resume, files are verified with their hash on Hugging Face, and processes that need the same
file download it once. To download in advance, with progress, use \`obtainModel()\`.

A branch is looked up at every start; if Hugging Face is down, the cache is used. \`org/name@<commit>\` is pinned and, once
cached, needs no network.

| setting | environment | default |
| --- | --- | --- |
| \`hub.endpoint\` | \`HF_ENDPOINT\` | \`https://huggingface.co\` |
| \`hub.token\` | \`HF_TOKEN\` | unset; it is sent only to the endpoint's origin |
| \`hub.cacheFolder\` | \`SLASHV1_CACHE\`, \`HF_HUB_CACHE\` | \`$HF_HOME/hub\`, else \`$XDG_CACHE_HOME/huggingface/hub\`, else \`~/.cache/huggingface/hub\` |
| \`hub.offline\` | \`SLASHV1_OFFLINE\`, \`HF_HUB_OFFLINE\` | \`false\`; \`true\` uses only the cache |

### The cache

slashv1 uses Hugging Face's own cache and shares its files with \`huggingface_hub\` and Python libraries, in both
directions: \`models--org--name/\` has \`blobs/\` by content, \`snapshots/<commit>/\` with links to
them (copies if the system has no symbolic links), \`refs/\` for branches and tags, and \`trees/\` with the list of files of a
commit. Models from a folder's URL are in \`slashv1/\`.

- A file enters a snapshot only when it is complete and verified. Files from different programs are trusted
  if their size is right.
- Without a network and without a list in \`trees/\`, which older libraries don't write, the model loads from the existing
  files, with a warning.
- slashv1 can't see Python's locks: a file that both download at the same time is downloaded twice, and stays intact.
- A read-only cache works as long as no file is missing.

## Weights

\`dtype\` is one of ${['auto', ...storedDtypes].map((dtype) => `\`${dtype}\``).join(', ')}. \`auto\`, the default, takes the first available one in
this order. If a dtype is missing, the error lists the available ones.

## Files

Each category and architecture reads these files from a repository; missing files are skipped. A graph's name ends with
\`_fp16\`, \`_quantized\` or \`.int8\` (q8), \`_q4\` or \`_q4f16\` unless it is fp32. Its weights may be in \`<graph>_data\`, \`<graph>_data_1\` …, \`<graph>.data\` and \`weights.pb\`.

${[...categories.values()]
  .flatMap(({ name, files, architectures = [] }) => [
    ...(files ? [describeFiles(name, files)] : []),
    ...architectures.map((one) => describeFiles(`${name}, ${one.name}`, one.files)),
  ])
  .join('\n')}

## The catalogue

Our tests check the names, categories and defaults of these entries, but download no repository. Licenses
are as stated in the repositories: read them before you use a model. Memory is estimated from the number of
parameters in the default \`dtype\` (fp32 for \`auto\`); add the caches of long texts.

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
