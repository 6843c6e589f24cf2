import { join } from 'node:path';
import { readClipTokenizer, type ClipTokenizer } from './clip-tokenizer.ts';
import type { Dtype, Json } from '../../../../contracts/files.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { diffusionFolders, diffusionGraph } from './files.ts';
import { readChangeTime, readJson } from '../../../../folder/model-folder.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { fieldError, type InferenceError } from '../../../../errors.ts';

export interface DiffusionComponent {
  /** Name of its folder, such as `unet`. */
  readonly name: string;
  /** Path of the graph; on the remote machine for remote models. */
  readonly graph: string;
  /** Empty if the file is missing. */
  readonly config: Json;
}

export interface TextEncoderComponent extends DiffusionComponent {
  readonly tokenizer: ClipTokenizer;
}

export interface DiffusionFolderOptions {
  readonly dtype?: Dtype | undefined;
  /** False if the graphs are on a remote machine. */
  readonly hasGraphs?: boolean | undefined;
}

export type DiffusionFolder = Awaited<ReturnType<typeof openDiffusionFolder>>;

export async function openDiffusionFolder(path: string, options: DiffusionFolderOptions = {}) {
  const index = await readJson(path, 'model_index.json');
  if (isPresent(index['text_encoder_3'])) {
    const reason =
      'text_encoder_3: T5 text encoders are not supported; the model works without it if model_index.json has [null, null] for it and for tokenizer_3';
    throw sourceError(reason);
  }
  if (index['requires_aesthetics_score'] === true)
    throw sourceError("a refiner works on images of a base model and can't start from a text");
  const denoiserName = diffusionFolders.denoiser.find((name) => isPresent(index[name]));
  if (denoiserName === undefined)
    throw sourceError(`model_index.json in ${path} has no unet and no transformer`);
  const encoderNumbers = ['', '_2'].filter((number) => isPresent(index[`text_encoder${number}`]));
  if (encoderNumbers.length === 0) throw sourceError(`model_index.json in ${path} has no text_encoder`);
  // In sequence, so that a folder that lacks several files always gets the same error.
  const scheduler = await readJson(path, 'scheduler/scheduler_config.json');
  const denoiser = await readComponent(path, denoiserName, [denoiserName], options);
  const decoder = await readComponent(path, 'vae_decoder', diffusionFolders.decoder, options);
  const textEncoders: TextEncoderComponent[] = [];
  for (const number of encoderNumbers) textEncoders.push(await readTextEncoder(path, number, options));
  const created = await readChangeTime(join(path, 'model_index.json'));
  // In the order in which their outputs are joined.
  return { index, textEncoders, denoiser, decoder, scheduler, created };
}

async function readTextEncoder(
  path: string,
  number: string,
  options: DiffusionFolderOptions,
): Promise<TextEncoderComponent> {
  const name = `text_encoder${number}`;
  const component = await readComponent(path, name, [name], options);
  return { ...component, tokenizer: await readClipTokenizer(join(path, `tokenizer${number}`)) };
}

/** @param folders possible folders; a config next to a subfolder of that kind counts as well */
async function readComponent(
  path: string,
  name: string,
  folders: readonly string[],
  { dtype, hasGraphs = true }: DiffusionFolderOptions,
): Promise<DiffusionComponent> {
  const { folder, graph } = hasGraphs
    ? diffusionGraph(localFiles(path), folders, dtype)
    : { folder: name, graph: join(name, 'model.onnx') };
  const outer = folder.split('/')[0]!;
  const config = await readJson(path, join(outer, 'config.json'), {});
  return {
    name,
    graph: join(path, graph),
    config: await readJson(path, join(folder, 'config.json'), config),
  };
}

/** `["diffusers", "UNet2DConditionModel"]`; absent components are missing or `[null, null]`. */
function isPresent(entry: unknown): boolean {
  return Array.isArray(entry) && typeof entry[1] === 'string';
}

export function numberIn(config: Json, name: string, fallback: number): number {
  const value = config[name];
  return typeof value === 'number' ? value : fallback;
}

export function misfit(component: string, reason: string, cause?: unknown): InferenceError {
  return fieldError('source', `${component}: ${reason}`, { cause });
}
