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
const worker = [
  ...['worker', 'loading/load-pipeline', 'runtime/native/session-core', 'backends/onnx/sessions'],
  ...readdirSync(join(root, 'src/categories'), { withFileTypes: true })
    .filter((file) => file.isDirectory())
    .map(({ name }) => `categories/${name}/pipeline/${name}-pipeline`),
].map((name) => `src/${name}.ts`);
/** Programs that load no server, and entries that load neither the server nor its packages. */
const light = [
  ...entries.map(([, source]) => source!).filter((source) => !/index|server|testing|ai-sdk/.test(source)),
  programs.cli,
  programs['heartbeat-thread'],
  programs['json-thread'],
];

const closures = new Map<readonly string[], Set<string>>();

/** Files that are loaded with these, static imports followed. */
function closureOf(files: readonly string[], context: Rolldown.ChunkingContext): Set<string> {
  const known = closures.get(files);
  if (known) return known;
  const found = new Set<string>();
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) visit(imported);
  };
  for (const file of files) visit(join(root, file));
  closures.set(files, found);
  return found;
}

const kinds = ['light', 'shared', 'host'] as const;

/** How a host loads a file: because a light entry has it as well, a worker, or it alone. */
function kindOf(id: string, context: Rolldown.ChunkingContext): (typeof kinds)[number] | undefined {
  if (!closureOf(host, context).has(id)) return undefined;
  if (closureOf(light, context).has(id)) return 'light';
  return closureOf(worker, context).has(id) ? 'shared' : 'host';
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
  ssr: { external: true },
  plugins: [mapLines()],
  build: {
    ssr: true,
    // One folder, so that `new URL('./worker.js', import.meta.url)` finds the programs from every chunk.
    outDir: 'dist/lib',
    emptyOutDir: true,
    target: 'node20.9',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: { ...Object.fromEntries(entries), ...programs },
      treeshake: { moduleSideEffects: false },
      output: {
        comments: false,
        entryFileNames: '[name].js',
        chunkFileNames: ({ name }) => `${name.split('~')[0]}-[hash].js`,
        sourcemapExcludeSources: true,
        codeSplitting: {
          // To open a file takes longer than to compile a hundred kilobytes more, so a host loads two large chunks. Light entries
          // load what they need and nothing else.
          groups: kinds.map((kind, index) => ({
            debugName: kind,
            name: (id, context) => (kindOf(id, context) === kind ? kind : null),
            entriesAware: kind === 'light',
            priority: kinds.length - index,
          })),
        },
      },
    },
  },
});
