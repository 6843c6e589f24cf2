import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/*/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: 'tsconfig.check.json' },
    setupFiles: ['test/setup.ts'],
    testTimeout: 20_000,
    coverage: { include: ['src/**', 'adapters/**'] },
  },
});
