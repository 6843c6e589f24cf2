import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OnnxGraph, OnnxModel, OnnxTensor } from '../core/onnx/model.ts';

/** A file of a model, with what changes when the file does. */
export interface FileStamp {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** The files of a model that is spread over several. */
export type WeightFiles = NonNullable<ReturnType<typeof locateWeights>>;

/** Finds the files of a model that is spread over several. */
export function locateWeights(path: string, model: OnnxModel) {
  const file = realpathSync(path);
  const folder = dirname(file);
  /** Location in the model → name in the folder. */
  const names = new Map<string, string>();
  for (const { data } of model.graph.initializers) {
    if (data.place !== 'file' || names.has(data.location)) continue;
    const { location } = data;
    const real = realpathSync(join(dirname(path), location));
    if (dirname(real) !== folder) return undefined;
    names.set(location, basename(real));
  }
  return {
    /** The folder that holds them all, without symbolic links: onnxruntime refuses files outside it. */
    folder,
    names,
    /** Stamps of the model itself, the first one, and of all its weights. */
    stamps: [basename(file), ...names.values()].map((name) => stampFile(folder, name)),
  };
}

export function renameWeights(graph: OnnxGraph, names: ReadonlyMap<string, string>): OnnxGraph {
  return {
    ...graph,
    initializers: graph.initializers.map((tensor): OnnxTensor => {
      const { data } = tensor;
      if (data.place !== 'file') return tensor;
      return { ...tensor, data: { ...data, location: names.get(data.location) ?? data.location } };
    }),
  };
}

/** @throws Error when the file is missing */
export function stampFile(folder: string, name: string): FileStamp {
  const { size, mtimeMs } = statSync(join(folder, name));
  return { name, bytes: size, modifiedMs: mtimeMs };
}
