import type { Architecture } from './architecture.ts';
import type { CategoryDefinition, Pipeline } from './category.ts';
import type { BackendDescriptor, ModelSpec } from './model.ts';
import type { SessionBackend } from './sessions.ts';
import type { ModelFiles } from './files.ts';

/** Loads a model into this process. */
export type LoadPipeline = (spec: ModelSpec) => Promise<Pipeline>;

/** Loads a model of one category on a session backend. */
export type LoadOverSessions = (
  spec: ModelSpec,
  backend: SessionBackend,
  architecture: Architecture<never>,
) => Promise<Pipeline>;

/** An open backend: it runs graphs, or whole models. */
export type Backend =
  | {
      readonly sessions: SessionBackend;
      /** Adapts a pipeline that was loaded on the sessions. */
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
  /** Unsupported settings of a model. */
  readonly foreignSettings: readonly string[];
  /** Architectures that replace a category's, by category. */
  readonly architectures?: Readonly<Record<string, readonly Architecture[]>>;
  /** The files of its models unless an architecture lists them; default: the category's files. */
  readonly files?: ModelFiles;
  /** True if it runs a source without a configured backend. */
  ownsSource?(source: string): boolean;
  runs(category: Pick<CategoryDefinition, 'name' | 'isStateless'>): boolean;
  /** Extra reason why it doesn't run a category. */
  refusal?(category: Pick<CategoryDefinition, 'name'>): string;
  /** Checks that span several settings; `path` is the prefix of a setting's name. @throws InferenceError `invalid_request` */
  assert?(descriptor: BackendDescriptor, path: string): void;
  /** Device names that its settings add. */
  devices?(descriptor: BackendDescriptor | undefined): readonly string[];
  /** Imported lazily: it may load native code. */
  open(spec: ModelSpec): Promise<Backend>;
}
