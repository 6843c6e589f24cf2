import { defineConfig } from 'vitest/config';

/** The load generator of `benchmarks/bench`, with models and servers. */
export default defineConfig({
  test: { include: ['benchmarks/bench/test/*.test.ts'], setupFiles: ['test/setup.ts'], testTimeout: 300_000 },
});
