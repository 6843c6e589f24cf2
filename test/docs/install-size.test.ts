import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { expect, it } from 'vitest';
import { findNeedless } from '../../src/cli/trim/trim-command.ts';
import { root } from './code-blocks.ts';
import { updateCommand, updatesPages } from './generated-page.ts';

// Everything that the package depends on, optional packages included.
interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** Of a package of this repository, its folder. */
  readonly resolved?: string;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

/** The folders of a package's dependencies, of theirs, and so on; those of other systems are not here. */
function installedFor(place: string, found = new Set<string>()): ReadonlySet<string> {
  const { dependencies, optionalDependencies } = packages[place] ?? {};
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const candidates = [`${place}/node_modules/${name}`, `node_modules/${name}`];
    const folder = candidates.find((one) => packages[one] && existsSync(join(root, one)));
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    installedFor(folder, found);
  }
  return found;
}

/** Megabytes of a folder without the packages inside it. */
function megabytesOf(folder: string): number {
  const bytes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : megabytesOf(path) * 1e6;
    return lstatSync(path).size;
  });
  return bytes.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** A bound that only falls; native packages differ between systems. */
const mostMegabytes = 355;

it(`an installation takes less than ${mostMegabytes} MB`, () => {
  const sizes = [...installedFor('')].map((folder) => megabytesOf(join(root, folder)));
  const total = sizes.reduce((sum, one) => sum + one, 0);
  expect(total).toBeLessThan(mostMegabytes);
  // What is measured is the packages, of which the runtime is the largest.
  expect(total).toBeGreaterThan(megabytesOf(join(root, 'node_modules/onnxruntime-node')));
});

/** What needs a package, and what happens without it. */
const uses: Readonly<Record<string, string>> = {
  'onnxruntime-node': 'runs every ONNX model; it holds the binaries of five platforms',
  sharp: 'images: detection, image generation, pictures in chats',
  'cmu-pronouncing-dictionary': 'English text to speech without eSpeak',
  zod: 'checks the bodies of requests',
  'rate-limiter-flexible': 'rate limits, in memory or in Redis',
  '@fastify/busboy': 'uploads',
  'eventsource-parser': 'streams of `remote.openai`',
  'mpg123-decoder': 'reads MP3',
  'opus-decoder': 'reads Opus',
  '@evan/opus': 'writes Opus; without it an `ffmpeg` program',
  wavefile: 'reads and writes WAV',
  koffi:
    "calls the runtime's C API: caches in place, devices, plugins, other builds; without it `onnxruntime-node`'s own binding",
  'node-webcodecs': 'writes MP3 and FLAC, reads and writes AAC; without it an `ffmpeg` program',
  '@wasm-audio-decoders/flac': 'reads FLAC',
  '@wasm-audio-decoders/ogg-vorbis': 'reads Vorbis',
  '@huggingface/transformers': '`slashv1/transformers`',
  '@slashv1/tiny-models': 'the bundled models',
  'node-llama-cpp': '`slashv1/llama`: GGUF files',
  'piper-phonemize': "text to speech by eSpeak's phonemes",
  '@ai-sdk/openai-compatible': '`slashv1/ai-sdk`',
  '@ai-sdk/provider': '`slashv1/ai-sdk`',
  '@opentelemetry/api': '`slashv1/telemetry`',
  'prom-client': '`slashv1/metrics`',
  ws: 'live transcription',
  express: '`slashv1/express`',
  fastify: '`slashv1/fastify`',
};

it('docs/dependencies.md has a row for every dependency', async () => {
  const path = join(root, 'docs/dependencies.md');
  if (updatesPages) writeFileSync(path, await createPage());
  const text = readFileSync(path, 'utf8');
  const { dependencies, optionalDependencies, peerDependencies } = packages['']!;
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const rows = [...text.matchAll(/^\| `([^`]+)` .*\| (\S.*?) +\|$/gm)].map(([, name, use]) => ({
    name,
    use,
  }));
  const advice = `docs/dependencies.md; to write it: ${updateCommand()}`;
  expect(rows.map(({ name }) => name).toSorted(), advice).toEqual(names.toSorted());
  for (const { name, use } of rows) expect(use, advice).toBe(uses[name!]);
});

/** Packages that several rows need are counted in the first of them. */
async function createPage(): Promise<string> {
  const { dependencies, optionalDependencies, peerDependencies } = packages['']!;
  const counted = new Set<string>();
  const removed = findNeedless({ platforms: ['linux-x64'], devices: ['cpu'] }, join(root, 'package.json'));
  const rowsOf = (names: readonly string[]) =>
    names
      .map((name) => ({
        name,
        ...weigh(
          name,
          counted,
          removed.map(({ path }) => path),
        ),
      }))
      .toSorted((a, b) => b.before - a.before);
  const table = (rows: ReturnType<typeof rowsOf>) =>
    [
      '| package | MB | after `slashv1 trim --device cpu` | needed for |',
      '| --- | ---: | ---: | --- |',
      ...rows.map(({ name, before, after }) =>
        [`| \`${name}\``, show(before), show(after), uses[name], ''].join(' | ').trim(),
      ),
    ].join('\n');
  const required = rowsOf(Object.keys(dependencies!));
  const optional = rowsOf(Object.keys(optionalDependencies!));
  const sum = (key: 'before' | 'after') =>
    Math.round([...required, ...optional].reduce((all, row) => all + row[key], 0));
  const { version } = packages['node_modules/onnxruntime-node']!;
  return format(
    `# What each dependency costs

Megabytes of \`node_modules\` on ${process.platform}-${process.arch}, ${new Date().toISOString().slice(0, 10)}, onnxruntime-node ${version} without CUDA, as sums of file sizes, without slashv1 itself. Each package includes its
dependencies; shared dependencies count in the first row. Sizes differ by platform. Together ${sum('before')} MB, and
${sum('after')} MB after [\`slashv1 trim --device cpu\`](guides/production.md#the-size-of-an-install).

## Always installed

${table(required)}

## Installed if they fit the platform

\`npm install --omit=optional\` skips them, and the native packages of sharp.

${table(optional)}

## Installed by you

Optional peers: megabytes in addition to the packages above; – if not measured.

${table(rowsOf(Object.keys(peerDependencies!)))}
`,
    { parser: 'markdown', printWidth: 140 },
  );
}

function show(megabytes: number): string {
  return Number.isNaN(megabytes) ? '–' : megabytes.toFixed(1);
}

/** Megabytes of a package and of those of its dependencies that no other row has. */
function weigh(
  name: string,
  counted: Set<string>,
  removed: readonly string[],
): { readonly before: number; readonly after: number } {
  const place = packages[`node_modules/${name}`]?.resolved ?? `node_modules/${name}`;
  if (!existsSync(join(root, place))) return { before: NaN, after: NaN };
  const folders = [place, ...installedFor(place)].filter((folder) => !counted.has(folder));
  for (const folder of folders) counted.add(folder);
  const before = folders.reduce((sum, folder) => sum + megabytesOf(join(root, folder)), 0);
  const gone = removed.filter((path) => folders.some((folder) => path.startsWith(join(root, folder))));
  const less = gone.map((path) => (statSync(path).isFile() ? statSync(path).size / 1e6 : megabytesOf(path)));
  return { before, after: before - less.reduce((sum, one) => sum + one, 0) };
}
