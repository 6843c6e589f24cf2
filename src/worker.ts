import { categories } from './categories/registry.ts';
import { serveWorker } from './engine/serve-worker.ts';

// The pipeline is imported late, so that the process is under control before it loads native code.
serveWorker(async (...load) => (await import('./load-pipeline.ts')).loadPipeline(...load), {
  append(category, events, event) {
    const { append } = categories.get(category) ?? {};
    if (append) append(events, event);
    else events.push(event);
  },
});
