import { fieldError } from '../../errors.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import type { ImageEvent } from '../../categories/image/events.ts';
import { imageParameters } from '../../categories/image/parameters.ts';
import { seedOfImage, type ImageRequest } from '../../categories/image/request.ts';
import { toWireName, type ParameterDescriptor } from '../../core/parameters/descriptor.ts';
import { callApi, readJson, unreadable } from './api-client.ts';
import type { RemoteModel } from './remote-model.ts';

const maxPictureBytes = 2 ** 26;
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** Parameters beyond the wire format's own. */
export const foreignImageParameters = [
  'numInferenceSteps',
  'guidanceScale',
  'negativePrompt',
  'seed',
] as const;

/** Runs an image request on a server of the wire format. */
export async function* runImage(
  model: RemoteModel,
  request: ImageRequest & CompleteRequest,
  { signal }: PipelineRunOptions,
): AsyncGenerator<ImageEvent> {
  const { name, dialect, servers, extraBody } = model;
  const { prompt, n, width, height, given = Object.keys(imageParameters) } = request;
  if (request.previews) throw fieldError('partial_images', 'the server that runs this model sends none');
  const extras: Record<string, unknown> = {};
  for (const parameter of foreignImageParameters.filter((one) => given.includes(one))) {
    const value = request[parameter];
    const descriptor: ParameterDescriptor = imageParameters[parameter];
    if (dialect === 'slashv1') extras[toWireName(parameter)] = value;
    else if (value !== undefined && value !== descriptor.default)
      throw fieldError(toWireName(parameter), "the server that runs this model doesn't know it");
  }
  const isSized = given.includes('width') || given.includes('height');
  const body = {
    ...extraBody,
    model: name,
    prompt,
    n,
    response_format: 'b64_json',
    ...(isSized ? { size: `${width}x${height}` } : {}),
    ...extras,
  };
  const subject = { param: 'prompt', model, fields: Object.keys(body) };
  const call = { path: '/images/generations', body, signal, subject };
  const images = await servers.ask(async (server) => {
    const answer = await callApi(server, call);
    return readImages(await readJson(answer, n * maxPictureBytes), n);
  }, signal);
  for (const [image, { png, seed }] of images.entries()) {
    yield { type: 'image', image, png, seed: seed ?? seedOfImage(request.seed ?? 0, image) };
  }
}

interface Picture {
  readonly png: Uint8Array;
  readonly seed: number | undefined;
}

function readImages(body: unknown, count: number): Picture[] {
  const { data } = (body ?? {}) as { readonly data?: unknown };
  if (!Array.isArray(data) || data.length !== count) throw unreadable(`expected ${count} images`);
  return (data as ({ readonly b64_json?: unknown; readonly seed?: unknown } | null)[]).map((image) => {
    const png = Buffer.from(typeof image?.b64_json === 'string' ? image.b64_json : '', 'base64');
    if (!png.subarray(0, pngSignature.length).equals(pngSignature)) throw unreadable('expected PNG images');
    const { seed } = image!;
    return { png: Uint8Array.from(png), seed: Number.isSafeInteger(seed) ? (seed as number) : undefined };
  });
}
