import { defineConfig } from 'vitest/config';

/** Tests with engines that other people make, which are installed where they are missing; see docs/remote.md. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.engines.ts'],
    setupFiles: ['test/setup.ts'],
    teardownTimeout: 60_000,
    fileParallelism: false,
  },
});
