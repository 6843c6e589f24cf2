import fc from 'fast-check';
import { afterAll, vi } from 'vitest';
import { runs } from './thorough.ts';

// The same cases in every run, so that a failure is the change's and not the dice's; `FC_SEED` tries others.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_26), numRuns: runs(100) });

// On a busy machine a condition comes late, which is no failure.
const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, { timeout: 60_000, ...(typeof options === 'number' ? { timeout: options } : options) });

// Files share processes.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
