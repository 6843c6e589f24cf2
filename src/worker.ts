import { serveWorker } from './engine/serve-worker.ts';

// Imported late, so that the process is under control before it loads native code.
serveWorker(async (spec) => (await import('./pipelines/load.ts')).loadPipeline(spec));
