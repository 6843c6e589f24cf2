import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of the models with trained weights; `npm run test:real` and `benchmarks/models/real.py` make them there. */
export const realModels =
  process.env['SLASHV1_REAL_MODELS'] ||
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'slashv1', 'real-models');

/**
 * Path of one of them.
 *
 * @param {string} name such as `smollm2-q4`
 * @returns {string | undefined} `undefined` where it hasn't been made
 */
export function findRealModel(name) {
  const path = join(realModels, name);
  return existsSync(path) ? path : undefined;
}
