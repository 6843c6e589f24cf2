import { imageParameters } from '../../parameters.ts';
import type { ImageRequest } from '../../request.ts';
import { fieldError } from '../../../../errors.ts';

export type Guidance = 'classifier-free' | 'input' | 'none';

/** Names of models distilled to need no guidance; their files rarely declare it. */
const distilledName = /(^|[^a-z])(turbo|lightning)([^a-z]|$)/i;

export function seemsDistilled(index: Readonly<Record<string, unknown>>, source: string): boolean {
  if (typeof index['is_distilled'] === 'boolean') return index['is_distilled'];
  const origin = index['_name_or_path'];
  return [source, origin].some((path) => typeof path === 'string' && distilledName.test(nameOf(path)));
}

/** The last part of a path; for a download, the part before `snapshots/<commit>`. */
function nameOf(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '');
  return parts.at(parts.at(-2) === 'snapshots' ? -3 : -1) ?? '';
}

export function planGuidance(
  { guidanceScale, negativePrompt }: Pick<ImageRequest, 'guidanceScale' | 'negativePrompt'>,
  { isDistilled, takesGuidance }: { isDistilled: boolean; takesGuidance: boolean },
): Guidance {
  const guidance = takesGuidance ? 'input' : isDistilled || guidanceScale === 1 ? 'none' : 'classifier-free';
  const isUsual = guidanceScale === imageParameters.guidanceScale.default;
  if (isDistilled && !takesGuidance && guidanceScale !== 1 && !isUsual)
    throw fieldError('guidance_scale', `the model was distilled to need no guidance, got ${guidanceScale}`);
  if (negativePrompt !== '' && guidance !== 'classifier-free') {
    const reason =
      guidanceScale === 1 ? 'with a guidance_scale of 1 it has no effect' : 'the model takes none';
    throw fieldError('negative_prompt', reason);
  }
  return guidance;
}
