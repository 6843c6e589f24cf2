import { defineConfig } from 'vitest/config';
import { realModels } from './benchmarks/real-models.js';

/** Tests with trained weights, which `test/real/prepare.js` makes; see docs/guides/real-weights.md. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.real.ts'],
    env: { SLASHV1_REAL_MODELS: realModels },
    // The built package is loaded by Node, as users load it.
    server: { deps: { external: [/\/dist\/(?:src|adapters)\//] } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    fileParallelism: false,
  },
});
