import { OpenRuns } from '../concurrency/open-runs.ts';
import type { Pipeline } from '../contracts/category.ts';
import type { ModelInfo, ModelSpec } from '../contracts/model.ts';
import type { PipelineRunOptions, RunEvent } from '../contracts/run.ts';

type Limits = Pick<Pipeline, 'concurrency' | 'reserve'>;

interface Served<Request, Event extends RunEvent, Info extends ModelInfo> extends Limits {
  readonly info: Omit<Info, 'id' | 'name' | 'ownedBy'>;
  run(request: Request, options: PipelineRunOptions): AsyncGenerator<Event>;
  /** Released in this order once all runs have ended. */
  readonly models: readonly ({ release(): Promise<void> } | undefined)[];
}

/** Waits for its runs before releasing the models. */
export function servePipeline<Request, Event extends RunEvent, Info extends ModelInfo>(
  { id, name = id }: Pick<ModelSpec, 'id' | 'name'>,
  { info, models, run, ...limits }: Served<Request, Event, Info>,
): Pipeline<Request, Event, Info> {
  const runs = new OpenRuns();
  return {
    ...limits,
    info: { id, name, ...info, ownedBy: 'slashv1' } as unknown as Info,
    run: (request, options = {}) => runs.track(run(request, options)),
    async close() {
      await runs.ended();
      for (const model of models) await model?.release();
    },
  };
}
