import { defineConfig } from 'vitest/config';

/** Tests that want a device for WebGPU: a graphics card, or Mesa's lavapipe; see docs/guides/webgpu-tests.md. */
export default defineConfig({
  test: {
    include: ['test/webgpu/**/*.webgpu.ts'],
    setupFiles: ['test/setup.ts'],
    // Software renderers compile the kernels of a model for minutes, once.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    teardownTimeout: 60_000,
    fileParallelism: false,
  },
});
