import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import { fieldError } from '../../../errors.ts';
import { localFiles } from '../../../folder/graph-files.ts';
import { singleOrOnlyGraph } from '../../../folder/model-files.ts';
import type { Session } from '../../../contracts/graph.ts';
import type { TranscriptionSettings } from '../settings.ts';
import type { DiarizationTools } from './diarizer.ts';
import { createSegmentationModel, createVoiceEmbedder } from './diarization-models.ts';
import { releaseOnFailure } from '../../../concurrency/release-on-failure.ts';

/** From pyannote's pipeline 3.1, for WeSpeaker's ResNet34. */
const defaultThreshold = 0.7045654963945799;

export async function openDiarization(
  { diarization, device, threads }: ModelSpec<TranscriptionSettings>,
  { openSession }: Pick<SessionBackend, 'openSession'>,
): Promise<DiarizationTools | undefined> {
  if (diarization === undefined) return undefined;
  const { threshold = defaultThreshold } = diarization;
  const open = async <Model>(
    field: 'segmentation' | 'embedding',
    create: (session: Session) => Model | Promise<Model>,
  ): Promise<Model> => {
    const path = resolve(diarization[field]);
    return releaseOnFailure(async (own) =>
      create(own(await openSession({ graph: locateGraph(path) }, { device, threads }))),
    ).catch((error: unknown) => {
      const reason = `${path} is no ${field} model: ${(error as Error).message.replace(/\.$/, '')}`;
      throw fieldError(`diarization.${field}`, reason, { cause: error });
    });
  };
  return releaseOnFailure(async (own) => {
    const segmentation = own(await open('segmentation', createSegmentationModel));
    const embedder = await open('embedding', createVoiceEmbedder);
    return {
      segmentation,
      embedder,
      threshold,
      release: async () => void (await Promise.all([segmentation.release(), embedder.release()])),
    };
  });
}

function locateGraph(path: string): string {
  if (!existsSync(path)) throw new Error('found nothing there');
  return path.endsWith('.onnx') ? path : join(path, singleOrOnlyGraph(localFiles(path)));
}
