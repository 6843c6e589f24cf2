import {
  UnsupportedFunctionalityError,
  type ImageModelV4,
  type ImageModelV4CallOptions,
  type SharedV4Warning,
} from '@ai-sdk/provider';
import { imageParameters } from '../categories/image/parameters.ts';
import { imageRequestSchema, parseSize } from '../categories/image/wire/schema.ts';
import { parseBody } from '../validation/issues.ts';
import { answer, identityOf, start, type Host } from './call.ts';
import { createOptionsReader, toSdkName, type FieldNames } from './provider-options.ts';

const names: FieldNames = {
  own: {
    model: 'modelId',
    prompt: 'prompt',
    n: 'n',
    seed: 'seed',
    size: 'size',
    width: 'size',
    height: 'size',
  },
};
const rename = toSdkName(names);
const readOptions = createOptionsReader(imageParameters, names, {});

const sizeSchema = imageRequestSchema.pick({ size: true });

const noRatio: SharedV4Warning = {
  type: 'unsupported',
  feature: 'aspectRatio',
  details: 'Use `size`.',
};

/** Texts to pictures. */
export function createImageModel(host: Host<'image'>): ImageModelV4 {
  return {
    ...identityOf(host),
    maxImagesPerCall: imageParameters.n.max,
    supportsFileInputs: false,
    supportsMaskInputs: false,
    doGenerate: (call) =>
      answer(host, call, rename, async () => {
        assertNoFiles(call);
        const { size } = parseBody(sizeSchema, { size: call.size });
        const { prompt = '', n, seed, aspectRatio, abortSignal: signal } = call;
        const request = { ...readOptions(call).parameters, ...parseSize(size ?? ''), prompt, n, seed };
        const images: Uint8Array[] = [];
        const seeds: { seed: number }[] = [];
        for await (const event of start(host, request, { signal })) {
          if (event.type !== 'image') continue;
          images[event.image] = event.png;
          seeds[event.image] = { seed: event.seed };
        }
        return {
          images,
          providerMetadata: { slashv1: { images: seeds } },
          response: { timestamp: new Date(), modelId: host.modelId, headers: undefined },
          warnings: aspectRatio === undefined ? [] : [noRatio],
        };
      }),
  };
}

function assertNoFiles({ files, mask }: ImageModelV4CallOptions): void {
  if (mask) throw new UnsupportedFunctionalityError({ functionality: 'mask' });
  if (files?.length) throw new UnsupportedFunctionalityError({ functionality: 'pictures as input' });
}
