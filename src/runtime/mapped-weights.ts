import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeOnnxModel } from '../core/onnx/messages.ts';
import type { OnnxGraph, OnnxModel, OnnxTensor } from '../core/onnx/model.ts';

/** A file of a model, with properties that change when the file does. */
export interface FileStamp {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

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

/** A graph, with its bytes if it differs from the file. */
export interface GraphBytes {
  /** Path of the file; the weights are in its folder. */
  readonly graph: string;
  readonly bytes?: Uint8Array;
}

/** The bytes of a changed model; tensors that weren't read stay in its file. */
export function writeMapped(model: OnnxModel, { folder, stamps }: WeightFiles): GraphBytes {
  const { name: location } = stamps[0]!;
  return { graph: join(folder, location), bytes: writeOnnxModel(model, { location }) };
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
