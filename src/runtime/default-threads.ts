import { availableParallelism } from 'node:os';

/** Default number of threads of a model: the host keeps a core. */
export const defaultThreads = (): number => Math.max(1, availableParallelism() - 1);
