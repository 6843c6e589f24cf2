import { fieldError } from '../../errors.ts';
import type { CompleteRequest, PipelineRunOptions } from '../../contracts/run.ts';
import type { ImageEvent } from '../../categories/image/events.ts';
import { imageParameters } from '../../categories/image/parameters.ts';
import { seedOfImage } from '../../categories/image/parameters.ts';
import type { ImageRequest } from '../../categories/image/request.ts';
import { toWireName, type ParameterDescriptor } from '../../core/parameters/descriptor.ts';
import { callApi, readEvents, readJson, toCall, unreadable } from './api-client.ts';
import { fieldsOf, type Fields } from './fields.ts';
import type { RemoteModel } from './remote-model.ts';
import type { ApiEndpoint } from './server.ts';

const maxPictureBytes = 2 ** 26;
/** Maximum characters per event: base64 has four letters per three bytes. */
const maxEventCharacters = (maxPictureBytes / 3) * 4 + 2 ** 16;
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** Parameters outside the OpenAI API. */
export const foreignImageParameters = [
  'numInferenceSteps',
  'guidanceScale',
  'negativePrompt',
  'seed',
] as const;

/** Runs an image request on an OpenAI-compatible server. */
export async function runImage(
  model: RemoteModel,
  request: ImageRequest & CompleteRequest,
  options: PipelineRunOptions,
  add: (event: ImageEvent) => void,
): Promise<void> {
  const { signal } = options;
  const { dialect, servers } = model;
  const { prompt, n, width, height, given = Object.keys(imageParameters) } = request;
  if (request.previews && dialect !== 'slashv1')
    throw fieldError('partial_images', 'the server that runs this model sends none');
  const extras: Record<string, unknown> = {};
  for (const parameter of foreignImageParameters.filter((one) => given.includes(one))) {
    const value = request[parameter];
    const descriptor: ParameterDescriptor = imageParameters[parameter];
    if (dialect === 'slashv1') extras[toWireName(parameter)] = value;
    else if (value !== undefined && value !== descriptor.default)
      throw fieldError(toWireName(parameter), "the server that runs this model doesn't know it");
  }
  const isSized = given.includes('width') || given.includes('height');
  const fields = {
    prompt,
    n,
    response_format: 'b64_json',
    ...(isSized ? { size: `${width}x${height}` } : {}),
    ...extras,
  };
  const call = toCall(model, { path: '/images/generations', param: 'prompt', fields }, options);
  if (request.previews) {
    const streamed = { ...call.body, stream: true, stream_options: { include_progress: true } };
    const draw = async (server: ApiEndpoint, pass: typeof add): Promise<void> => {
      let left = n;
      const read = (told: Fields): void => {
        const event = toImageEvent(told, request);
        if (event.type === 'image') left -= 1;
        pass(event);
      };
      await readEvents(await callApi(server, { ...call, body: streamed }), read, {
        subject: call.subject,
        maxEventCharacters,
      });
      if (left !== 0) throw unreadable(`expected ${n} images`);
    };
    return servers.relay(draw, add, { signal });
  }
  const images = await servers.ask(async (server) => {
    const answer = await callApi(server, call);
    const { data } = fieldsOf(await readJson(answer, n * maxPictureBytes));
    if (!Array.isArray(data) || data.length !== n) throw unreadable(`expected ${n} images`);
    return data.map(toPicture);
  }, signal);
  for (const [image, { png, seed }] of images.entries())
    add({ type: 'image', image, png, seed: seed ?? seedOfImage(request.seed ?? 0, image) });
}

function toPicture(image: unknown) {
  const { b64_json: base64, seed } = fieldsOf(image);
  const png = Buffer.from(typeof base64 === 'string' ? base64 : '', 'base64');
  if (!png.subarray(0, pngSignature.length).equals(pngSignature)) throw unreadable('expected PNG images');
  return { png: Uint8Array.from(png), seed: Number.isSafeInteger(seed) ? (seed as number) : undefined };
}

/** Converts a server's stream event back to an event. */
function toImageEvent(
  event: Readonly<Record<string, unknown>>,
  { n, seed: first = 0 }: ImageRequest,
): ImageEvent {
  const image = countOf(event, 'image_index', 0, n - 1);
  if (event['type'] === 'image_generation.completed') {
    const { png, seed = seedOfImage(first, image) } = toPicture(event);
    return { type: 'image', image, png, seed };
  }
  const steps = countOf(event, 'steps', 1, Number.MAX_SAFE_INTEGER);
  const step = countOf(event, 'step', 1, steps);
  const preview = event['b64_json'] === undefined ? undefined : toPicture(event).png;
  return { type: 'image-step', image, step, steps, ...(preview ? { preview } : {}) };
}

function countOf(event: Readonly<Record<string, unknown>>, name: string, min: number, max: number): number {
  const value = event[name];
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw unreadable(`${name}: expected a count from ${min} to ${max}`);
}
