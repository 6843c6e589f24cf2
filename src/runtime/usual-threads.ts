import { availableParallelism } from 'node:os';

/** Threads of a model unless its settings say otherwise: the host keeps a core. */
export const usualThreads = (): number => Math.max(1, availableParallelism() - 1);
