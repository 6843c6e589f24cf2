import { InferenceError } from '../../errors.ts';
import type { ModelSpec, Pipeline } from '../contract.ts';

export async function loadTranscriptionPipeline(spec: ModelSpec<'transcription'>): Promise<Pipeline<'transcription'>> {
  throw new InferenceError('internal', `not built yet: ${spec.id}`);
}
