export const modelStates = [
  'unloaded',
  'loading',
  'ready',
  'unreachable',
  'draining',
  'failed',
  'closed',
] as const;

export type ModelState = (typeof modelStates)[number];

/** Steps of loading a model; a model whose files are on this disk needs no download. */
export const loadPhases = ['downloading', 'verifying', 'opening'] as const;

export type LoadPhase = (typeof loadPhases)[number];
