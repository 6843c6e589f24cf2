import { serveWorker } from './engine/serve-worker.ts';
import { appendEvent } from './pipelines/append-event.ts';

// The pipeline is imported late, so that the process is under control before it loads native code.
serveWorker(async (spec) => (await import('./pipelines/load.ts')).loadPipeline(spec), {
  append: appendEvent,
});
