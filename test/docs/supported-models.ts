import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { categories } from '../../src/categories/registry.ts';
import { listsOf } from '../../src/loading/choice.ts';
import { readRegistries, type ListedCategory } from './registries.ts';

type Results = Readonly<
  Record<string, Readonly<Record<string, { readonly onnx: string; readonly transformers: string }>>>
>;

const results = JSON.parse(
  readFileSync(new URL('../backends/transformers/sweep/results.json', import.meta.url), 'utf8'),
) as Results;

/** Architectures whose miniatures are in the tests, compared to the Python reference. */
export const miniatures: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chat: { gemma4: 'gemma4', gpt2: 'gpt2', t5: 't5' },
  transcription: {
    wav2vec2: 'wav2vec2',
    moonshine: 'moonshine',
    cohere_asr: 'cohere-asr',
    speecht5: 'speecht5-asr',
  },
  speech: { vits: 'vits' },
  detection: { owlv2: 'owlv2' },
  embedding: { clip: 'clip' },
};

/** Those of them that our own pipelines run in the tests, too. */
const alsoOurs: Readonly<Record<string, readonly string[]>> = { transcription: ['moonshine'] };

/** Folders with the miniatures of our own pipelines, by the architecture that their config names. */
export function contractMiniatures(): ReadonlyMap<string, readonly string[]> {
  const folder = new URL('../contract/models/', import.meta.url);
  const found = new Map<string, string[]>();
  for (const name of readdirSync(folder)) {
    const config = new URL(`${name}/config.json`, folder);
    if (!existsSync(config)) continue;
    const { model_type: architecture } = JSON.parse(readFileSync(config, 'utf8')) as { model_type: string };
    found.set(architecture, [...(found.get(architecture) ?? []), name]);
  }
  return found;
}

/** Architectures of the bundled models, which the tests run whole; some are in none of the package's lists. */
const bundled: Readonly<Record<string, readonly string[]>> = {
  chat: ['llama'],
  transcription: ['whisper'],
  speech: ['style_text_to_speech_2'],
  embedding: ['bert'],
};

const ownCode = 'its class is only in the repositories of its models';

/** Why an architecture of the package was not tried. */
const untried: Readonly<Record<ListedCategory, Readonly<Record<string, string>>>> = {
  chat: {
    exaone: ownCode,
    jais: ownCode,
    mobilellm: ownCode,
    openelm: ownCode,
    phi3_v: ownCode,
    trocr: 'it writes what it sees, and reads no text',
  },
  transcription: {},
  speech: {
    musicgen: 'it makes music, not speech',
    supertonic: 'the reference library has no class for it, and no test runs it',
  },
  detection: {},
  embedding: { jina_clip: ownCode, neobert: ownCode },
};

/** One architecture of one category. */
export interface SupportedRow {
  readonly category: string;
  readonly architecture: string;
  /** By which backends it gives what the reference gives. */
  readonly backends: readonly string[];
  /** How that is known, or why it isn't. */
  readonly tested: string;
}

/** All architectures of the package's registries, and those of the bundled models. */
export function supportedRows(): readonly SupportedRow[] {
  const ours = contractMiniatures();
  return Object.entries(readRegistries()).flatMap(([category, listed]) => {
    const all = new Set([...listed, ...(bundled[category] ?? [])]);
    return [...all].sort().map((architecture) => {
      const isOurs = ours.has(architecture) || (alsoOurs[category]?.includes(architecture) ?? false);
      return toRow(category as ListedCategory, architecture, isOurs);
    });
  });
}

function toRow(category: ListedCategory, architecture: string, isOurs: boolean): SupportedRow {
  const result = results[category]?.[architecture];
  const isMiniature = miniatures[category]?.[architecture] !== undefined;
  const isBundled = bundled[category]?.includes(architecture) ?? false;
  const backends = [
    ...(result?.onnx === 'equal' || isBundled || isOurs ? ['`onnx()`'] : []),
    ...(result?.transformers === 'equal' || isMiniature ? ['`transformers()`'] : []),
  ];
  const ways = [
    ...(isBundled ? ['bundled model in the tests'] : []),
    ...(isMiniature || isOurs ? ['miniature in the tests'] : []),
    ...(result && backends.length > 0 && !isMiniature && !isOurs ? ['miniature, tried'] : []),
  ];
  const tested = ways.length > 0 ? ways.join(', ') : `not tried: ${untried[category][architecture] ?? '?'}`;
  return { category, architecture, backends, tested };
}

/** The table, and how many of the listed architectures answer. */
export function writeSupportedModels(): string {
  const rows = supportedRows();
  const registries = readRegistries();
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const counts = Object.entries(registries).map(([category, listed]) => {
    const answering = rows.filter(
      (row) => row.category === category && row.backends.length > 0 && listed.includes(row.architecture),
    );
    return { category, answering: answering.length, listed: listed.length };
  });
  const sum = (key: 'answering' | 'listed') => counts.reduce((total, count) => total + count[key], 0);
  return [
    line(['Category', 'Architectures in the registries', 'Compared with the reference']),
    line(['---', '---', '---']),
    ...counts.map(({ category, answering, listed }) => line([category, listed, answering])),
    line(['all', sum('listed'), sum('answering')]),
    '',
    line(['Category', 'Architecture', 'Backend', 'Tested']),
    line(['---', '---', '---', '---']),
    ...rows.map(({ category, architecture, backends, tested }) =>
      line([category, `\`${architecture}\``, backends.join(', ') || '–', tested]),
    ),
  ].join('\n');
}

/** The architectures that the lists of the code have, a line for each backend's. */
export function writeArchitectures(): string {
  const rows = [...categories.keys()].flatMap((category) =>
    listsOf(category).flatMap(({ spelling, architectures }) =>
      architectures.map(({ name, modelTypes, sharedModelTypes = [] }) => {
        const types = [...modelTypes, ...sharedModelTypes].map((type) => `\`${type}\``).join(', ');
        return `| ${category} | ${name} | \`${spelling}\` | ${types} |`;
      }),
    ),
  );
  const head = ['| Category | Architecture | Backend | `model_type` |', '| --- | --- | --- | --- |'];
  return [...head, ...rows].join('\n');
}
