import type { ModelInfo } from '../../contracts/model.ts';
import type { RunEvent, PipelineRunOptions } from '../../contracts/run.ts';
import type { Upstreams } from '../upstreams.ts';
import type { TokenCounter } from './count-tokens.ts';
import type { ApiDialect, ApiEndpoint } from './server.ts';

/** A model that servers of the wire format run. */
export interface RemoteModel {
  /** As callers know it. */
  readonly id: string;
  /** As the servers call it. */
  readonly name: string;
  readonly dialect: ApiDialect;
  readonly servers: Upstreams<ApiEndpoint>;
  readonly counter: TokenCounter;
  /** As its servers have reported it last. */
  readonly info: Pick<ModelInfo, 'contextLength'>;
  /** Goes with every request, under its own fields. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** Whether chats with the same beginning go to the same server. */
  readonly prefixAffinity?: boolean | undefined;
  /** Whether a model for embeddings takes them. */
  readonly tokenIds?: boolean | undefined;
}

/** Runs one request of a category on a remote model. */
export type Runner<Request, Event extends RunEvent> = (
  model: RemoteModel,
  request: Request,
  options: PipelineRunOptions,
) => AsyncIterable<Event>;
