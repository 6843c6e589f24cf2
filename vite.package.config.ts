import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const root = import.meta.dirname;
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};

/** Public entries by name; the declarations of each lie where the compiler puts them. */
const entries = Object.values(manifest.exports).flatMap((entry) => {
  if (typeof entry === 'string') return [];
  const source = entry.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1.ts');
  return [[basename(source, '.ts'), source]];
});

/** Files that a process or a thread starts with. */
const programs = {
  cli: 'src/cli/main.ts',
  worker: 'src/worker.ts',
  'heartbeat-thread': 'src/engine/heartbeat-thread.ts',
  'json-thread': 'src/http/json-thread.ts',
  'try-device': 'src/cli/doctor/try-device.ts',
};

const host = ['src/index.ts', 'src/entries/server.ts', 'src/entries/testing.ts'];
const pipelines = readdirSync(join(root, 'src/categories'), { withFileTypes: true })
  .filter((file) => file.isDirectory())
  .map(({ name }) => `categories/${name}/pipeline/${name}-pipeline`);
const worker = [
  'worker',
  'loading/load-pipeline',
  'runtime/native/session-core',
  'backends/onnx/sessions',
  ...pipelines,
].map((name) => `src/${name}.ts`);
/** Programs that load no server, and entries that load neither the server nor its packages. */
const light = [
  ...entries.map(([, source]) => source!).filter((source) => !/index|server|testing|ai-sdk/.test(source)),
  programs.cli,
  'src/cli/command-line.ts',
  programs['heartbeat-thread'],
  programs['json-thread'],
];

const closures = new Map<string, Set<string>>();

/** Files that are loaded with this one, static imports followed. */
function closureOf(file: string, context: Rolldown.ChunkingContext): Set<string> {
  const known = closures.get(file);
  if (known) return known;
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) visit(imported);
  };
  visit(join(root, file));
  closures.set(file, found);
  return found;
}

/** The chunk of a file that a host loads; the bundler chooses the others. */
function chunkOf(id: string, context: Rolldown.ChunkingContext): string | null {
  const isIn = (file: string): boolean => closureOf(file, context).has(id);
  if (!host.some(isIn)) return null;
  if (light.some(isIn)) return `light-${light.map((file) => Number(isIn(file))).join('')}`;
  return worker.some(isIn) ? 'shared' : 'host';
}

/** Stack traces need the line alone: the maps take a tenth of the space. */
function mapLines(): Plugin {
  return {
    name: 'map-lines',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.map')) continue;
        const map = JSON.parse(String(file.source)) as { mappings: string; names: string[] };
        const lines = decode(map.mappings).map(([first]) =>
          first === undefined || first.length === 1
            ? []
            : [[0, first[1], first[2], 0] as [number, number, number, number]],
        );
        file.source = JSON.stringify({ ...map, names: [], mappings: encode(lines) });
      }
    },
  };
}

/** The JavaScript of the package. */
export default defineConfig({
  root,
  publicDir: false,
  logLevel: 'warn',
  // Of zod, a third of its hundred files is used, and a host would open them all.
  ssr: { noExternal: ['zod'] },
  plugins: [mapLines()],
  build: {
    ssr: true,
    // One folder, so that `new URL('./worker.js', import.meta.url)` finds the programs from every chunk.
    outDir: 'dist/lib',
    emptyOutDir: true,
    target: 'node20.9',
    minify: false,
    license: { fileName: 'licences.md' },
    sourcemap: true,
    rolldownOptions: {
      input: { ...Object.fromEntries(entries), ...programs },
      treeshake: { moduleSideEffects: false },
      output: {
        comments: false,
        entryFileNames: '[name].js',
        chunkFileNames: ({ name }) => `${name.replace(/-[01]+$/, '')}-[hash].js`,
        sourcemapExcludeSources: true,
        codeSplitting: {
          // To open a file takes longer than to compile a hundred kilobytes more, so a host loads two large chunks, and one
          // for each set of light entries that share something with it: a light entry loads what it needs and nothing else.
          groups: [/^light/, /^shared/, /^host/].map((kind, index) => ({
            debugName: kind.source,
            name: (id, context) => {
              const chunk = chunkOf(id, context);
              return chunk !== null && kind.test(chunk) ? chunk : null;
            },
            includeDependenciesRecursively: index > 0,
            priority: 3 - index,
          })),
        },
      },
    },
  },
});
