import { describe, expect, it } from 'vitest';
import {
  planGuidance,
  seemsDistilled,
} from '../../../../src/categories/image/architectures/stable-diffusion/guidance.ts';

describe('seemsDistilled', () => {
  it.each([
    [{}, './models/sd-turbo', true],
    [{}, 'stabilityai/sdxl-turbo@main', true],
    [{}, 'sdxl_lightning_4step/', true],
    [{}, '/cache/models/hub stabilityai+sd-turbo/snapshots/0a1b', true],
    [{ _name_or_path: 'stabilityai/sd-turbo' }, './painter', true],
    [{ is_distilled: true }, './painter', true],
    [{ is_distilled: false }, './models/sd-turbo', false],
    [{}, './models/stable-diffusion-v1-5', false],
    [{}, '/srv/turbo/models/painter', false],
    [{}, './turbocharged', false],
    [{ _name_or_path: 5 }, '', false],
  ])('%j from %s: %s', (index, source, expected) => expect(seemsDistilled(index, source)).toBe(expected));
});

describe('planGuidance', () => {
  it.each([
    [7.5, { isDistilled: false, takesGuidance: false }, 'classifier-free'],
    [1, { isDistilled: false, takesGuidance: false }, 'none'],
    [7.5, { isDistilled: true, takesGuidance: false }, 'none'],
    [1, { isDistilled: true, takesGuidance: false }, 'none'],
    [3, { isDistilled: false, takesGuidance: true }, 'input'],
    [3, { isDistilled: true, takesGuidance: true }, 'input'],
  ])('%d with %j: %s', (guidanceScale, model, expected) =>
    expect(planGuidance({ guidanceScale, negativePrompt: '' }, model)).toBe(expected),
  );
});
