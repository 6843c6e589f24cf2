/** An object of a file in JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** The weights of a model to load. */
export type Dtype = 'auto' | 'fp32' | 'fp16' | 'q8' | 'q4' | 'q4f16';

/** The files of a model, wherever they are. */
export interface FileTree {
  /** For messages: a path or the id of a repository. */
  readonly name: string;
  has(path: string): boolean;
  /** Names of the files in one folder, `''` for the outermost; none where the folder is missing. */
  list(folder: string): readonly string[];
}

/** The files that the models of a category are made of. */
export interface ModelFiles {
  /** Small files, those included that a model may lack; `*` stands for any name in a folder. */
  readonly small: readonly string[];
  /** Usual names of its graphs, without the suffix of the dtype and `.onnx`. */
  readonly stems: readonly string[];
  /**
   * Paths of the graphs.
   *
   * @throws InferenceError `invalid_request` where one is missing
   */
  graphs(files: FileTree, dtype?: Dtype): readonly string[];
}

/** The files that describe a model. */
export interface FileEvidence {
  readonly files: readonly { readonly path: string }[];
  /** `config.json`; empty where there is none. */
  readonly config: Json;
}

export interface DescribedFile {
  /** Within the model, separated by `/`. */
  readonly path: string;
  /** `undefined` if the server reports none. */
  readonly sizeBytes: number | undefined;
}

/** The files of a model, which may be far away. */
export interface ModelPlace {
  readonly kind: 'bundled' | 'folder' | 'file' | 'address' | 'hub';
  /** On this disk. */
  readonly folder: string | undefined;
  readonly files: readonly DescribedFile[];
  /** `undefined` where there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /** Left out where the small files have to show it. */
  readonly category?: string | undefined;
}
