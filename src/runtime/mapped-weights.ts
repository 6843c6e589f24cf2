import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OnnxGraph, OnnxModel, OnnxTensor } from '../core/onnx/model.ts';

/** A file of a model, with properties that change when the file does. */
export interface FileStamp {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** The files of a model with external weights. */
export type WeightFiles = NonNullable<ReturnType<typeof locateWeights>>;

/** Finds the files of a model with external weights. */
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
    /** The folder that contains them all, without symbolic links: onnxruntime rejects files outside it. */
    folder,
    names,
    /** Stamps of the model itself, which is first, and of all its weights. */
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

/** @throws Error if the file is missing */
export function stampFile(folder: string, name: string): FileStamp {
  const { size, mtimeMs } = statSync(join(folder, name));
  return { name, bytes: size, modifiedMs: mtimeMs };
}
