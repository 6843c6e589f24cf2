import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Pure functions and what needs neither native code nor a process of its own. */
const unit = [
  'test/{ai-sdk,concurrency,core,playground,server,validation,realtime}/**/*.test.ts',
  'test/{folder,http}/**/*.test.ts',
  'test/categories/*/wire/**/*.test.ts',
];
const browser = ['test/playground/{accessibility,panels,resilience,screenshots,talk,views}.test.ts'];
const packages = ['test/package/**/*.test.ts', 'test/docs/{licences,packed-package}.test.ts'];
/** `npm run test:docs` runs these two, the packages and the programs. */
const docs = [
  'test/docs/**/*.test.ts',
  'test/spec/coverage.test.ts',
  'test/architecture/one-file-one-line.test.ts',
];
const examples = ['test/e2e/{examples,tour}.test.ts', 'examples/*/*.test.ts', 'test/benchmarks/**/*.test.ts'];
const deploy = ['test/deploy/**/*.test.ts'];
/** `npm run test:site` builds the site of the documentation first. */
const site = ['test/site/**/*.test.ts'];

const sources = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')] as const);
const filesOf = (isOne: (file: string, source: string) => boolean): string[] =>
  sources.filter(([file, source]) => isOne(file, source)).map(([file]) => file);

/** Files that replace modules or change the process for good, which other files in it would meet, count timers, which others leave behind, or load llama.cpp, which a process does once; `test/setup.ts` takes back the rest. */
const alone = filesOf(
  (file, source) =>
    file.includes('/llama/') ||
    /\bvi\.(?:do[A-Z]|getTimerCount|hoisted|mock\b|resetModules)|process\.(?:chdir|emit\(|exitCode|env\b.*[^=!]=[^=])|(?:delete|assign\() ?process\.env|globalThis\.\w+ =|defineProperty\((?:process|globalThis)/.test(
      source,
    ),
);
/** Files that start programs again and again, the command line above all, at two seconds of a processor each, that keep workers busy for long, or that need an optional backend or several servers: `npm run test:docs` runs them. */
const programs = filesOf(
  (file, source) =>
    (file !== 'test/cli/smoke.test.ts' && source.includes("/cli-process.ts'")) ||
    /^test\/(?:backends\/(?:llama\/\w+|faults|ready|upstreams)|e2e\/(?:everyday-node|remote-graphs|speech-cancel)|hub\/processes|runtime\/native\/hazards|security\/(?:fairness|pattern-attack|telemetry))\.test\.ts$/.test(
      file,
    ),
);

interface ProjectOptions {
  readonly exclude?: readonly string[];
  /** Whether each file gets a process of its own, at half a second each. */
  readonly isolate?: boolean;
  /** Files that run at a time; more than processors where they mostly wait for others. */
  readonly maxWorkers?: number;
}

const processors = availableParallelism();

/** Tests of one kind: `vitest run --project unit`. */
function project(
  name: string,
  include: readonly string[],
  { exclude = [], isolate = true, maxWorkers = processors + 1 }: ProjectOptions = {},
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [...include],
      exclude: [...configDefaults.exclude, ...exclude],
      isolate,
      maxWorkers,
      sequence: { groupOrder: maxWorkers === processors ? 0 : 1 },
    },
  };
}

const elsewhere = [...browser, ...packages, ...docs, ...examples, ...deploy, ...site];

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    // The built package is loaded by Node, as users load it.
    server: { deps: { external: [/\/dist\/(?:src|adapters)\//] } },
    // Generous: a busy machine is no failure, and what hangs is found all the same.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests of one file that say `concurrent`.
    maxConcurrency: 3,
    coverage: { include: ['src/**', 'adapters/**'] },
    reporters: ['default', './test/report.ts'],
    // Node 24's own client rejects a promise that nobody has when an upload is answered before its end.
    onUnhandledError: ({ message, stack = '' }) =>
      !(message === 'Invalid state: ReadableStream is already closed' && stack.includes('deps/undici')),
    projects: [
      project('unit', unit, {
        exclude: [...browser, ...alone],
        isolate: false,
        maxWorkers: processors,
      }),
      project('process', ['test/**/*.test.ts'], {
        exclude: [...elsewhere, ...unit, ...alone, ...programs],
        isolate: false,
      }),
      project('alone', alone, { exclude: [...elsewhere, ...programs] }),
      project('programs', programs, { exclude: [...elsewhere, ...unit] }),
      project('browser', browser),
      project('deploy', deploy),
      project('site', site),
      project('docs', docs, { exclude: packages }),
      project('examples', examples),
      project('package', packages),
    ],
  },
});
