import { serveWorker } from './engine/serve-worker.ts';
import { appendEvent } from './categories/chat/append-event.ts';

// The pipeline is imported late, so that the process is under control before it loads native code.
serveWorker(async (spec) => (await import('./load-pipeline.ts')).loadPipeline(spec), {
  append: appendEvent,
});
