import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Pure functions and what needs neither native code nor a process of its own. */
const unit = [
  'test/{ai-sdk,concurrency,core,playground,server,validation}/**/*.test.ts',
  'test/models/{*,grammar/*}.test.ts',
  'test/categories/*/wire/**/*.test.ts',
];
const browser = ['test/playground/{accessibility,panels,resilience,screenshots,views}.test.ts'];
const packages = ['test/package/**/*.test.ts', 'test/docs/{licences,packed-package}.test.ts'];
const docs = ['test/docs/**/*.test.ts'];
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

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    // The built package is loaded by Node, as users load it.
    server: { deps: { external: [/\/dist\/(?:src|adapters)\//] } },
    // Generous: a busy machine is no failure, and what hangs is found all the same.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Tests of one file that say `concurrent`.
    maxConcurrency: 3,
    coverage: { include: ['src/**', 'adapters/**'] },
    projects: [
      project('unit', unit, { exclude: browser, isolate: false, maxWorkers: processors }),
      project('process', ['test/**/*.test.ts', 'examples/*/*.test.ts'], {
        exclude: [...unit, ...browser, ...packages, ...docs],
      }),
      project('browser', browser),
      project('docs', docs, { exclude: packages }),
      project('package', packages),
    ],
  },
});
