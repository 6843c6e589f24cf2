import type { ModelInfo } from '../../contracts/model.ts';
import type { RunEvent, PipelineRunOptions } from '../../contracts/run.ts';
import type { Upstreams } from '../upstreams.ts';
import type { TokenCounter } from './count-tokens.ts';
import type { ApiDialect, ApiEndpoint } from './server.ts';

/** A model on OpenAI-compatible servers. */
export interface RemoteModel {
  /** The callers' name. */
  readonly id: string;
  /** The servers' name. */
  readonly name: string;
  readonly dialect: ApiDialect;
  readonly servers: Upstreams<ApiEndpoint>;
  readonly counter: TokenCounter;
  /** As last reported by its servers. */
  readonly info: Pick<ModelInfo, 'contextLength'>;
  /** Added to every request; the request's own fields override it. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** Whether chats with the same beginning go to the same server. */
  readonly prefixAffinity?: boolean | undefined;
  /** Whether an embedding model accepts token ids. */
  readonly tokenIds?: boolean | undefined;
}

/** Adds the events of a request as they arrive. */
export type Runner<Request, Event extends RunEvent> = (
  model: RemoteModel,
  request: Request,
  options: PipelineRunOptions,
  add: (event: Event) => void,
) => Promise<void>;
