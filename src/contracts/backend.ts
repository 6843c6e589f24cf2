import type { Architecture } from './architecture.ts';
import type { CategoryDefinition, Pipeline } from './category.ts';
import type { BackendDescriptor, ModelSpec } from './model.ts';
import type { SessionBackend } from './sessions.ts';
import type { ModelFiles } from './files.ts';

export type LoadPipeline = (spec: ModelSpec) => Promise<Pipeline>;

export type LoadOverSessions = (
  spec: ModelSpec,
  backend: SessionBackend,
  architecture: Architecture<never>,
) => Promise<Pipeline>;

export type Backend =
  | {
      readonly sessions: SessionBackend;
      /** Adapts a pipeline loaded on the sessions. */
      wrap?(pipeline: Pipeline): Pipeline;
    }
  | { readonly loadPipeline: LoadPipeline };

/** A backend's only entry point. Loads no native code. */
export interface BackendDefinition {
  readonly kind: string;
  /** Notation for users: `remote.openai({…})`. */
  readonly spelling: string;
  /** Where it runs: a worker process, or the host if it computes nothing itself. */
  readonly place: 'worker' | 'host';
  readonly foreignSettings: readonly string[];
  /** Replace a category's architectures, by category. */
  readonly architectures?: Readonly<Record<string, readonly Architecture[]>>;
  /** Default: the category's files. */
  readonly files?: ModelFiles;
  /** True if it runs a source without a configured backend. */
  ownsSource?(source: string): boolean;
  runs(category: Pick<CategoryDefinition, 'name' | 'isStateless'>): boolean;
  /** Extra reason why it doesn't run a category. */
  refusal?(category: Pick<CategoryDefinition, 'name'>): string;
  /** Checks that span several settings; `path` is the prefix of a setting's name. @throws InferenceError `invalid_request` */
  assert?(descriptor: BackendDescriptor, path: string): void;
  devices?(descriptor: BackendDescriptor | undefined): readonly string[];
  /** Imported lazily: it may load native code. */
  open(spec: ModelSpec): Promise<Backend>;
}
