import { categoryModels } from './categories/models.ts';
import { serveWorker } from './engine/serve-worker.ts';

// Pipelines are imported lazily, so that the process is under control before it loads native code.
const load: Parameters<typeof serveWorker>[0] = async (...request) => {
  const [{ loadPipeline }, { computeInThisThread }] = await Promise.all([
    import('./loading/load-pipeline.ts'),
    import('./runtime/native/session-core.ts'),
  ]);
  computeInThisThread();
  return loadPipeline(...request);
};

serveWorker(load, (category) => categoryModels.get(category)?.append);
