import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aliasVoices } from '../../../src/core/speech/voices.ts';
import { kokoroVoices } from '../../../src/hub/needed-files.ts';

const table = (voices: readonly string[]) => Object.fromEntries(aliasVoices(voices));
const women = ['alloy', 'coral', 'marin', 'nova', 'sage', 'shimmer'];
const men = ['ash', 'ballad', 'cedar', 'echo', 'fable', 'onyx', 'verse'];

describe('aliasVoices', () => {
  it('finds different voices of Kokoro, those of the same name first', () => {
    const aliases = table(kokoroVoices);
    expect(aliases).toEqual({
      alloy: 'af_alloy',
      ash: 'am_adam',
      ballad: 'am_eric',
      cedar: 'am_fenrir',
      coral: 'af_aoede',
      echo: 'am_echo',
      fable: 'bm_fable',
      marin: 'af_bella',
      nova: 'af_nova',
      onyx: 'am_onyx',
      sage: 'af_heart',
      shimmer: 'af_jessica',
      verse: 'am_liam',
    });
    expect(new Set(Object.values(aliases)).size).toBe(13);
  });

  it.each([
    ['women for women', ['af_bella', 'am_adam', 'bf_emma'], women, ['af_bella', 'bf_emma']],
    ['men for men', ['af_bella', 'am_adam', 'bm_george'], men, ['am_adam', 'bm_george']],
    ['English ones', ['ff_siwis', 'af_bella', 'zf_xiaoyi'], women, ['af_bella']],
    ['others where no voice is English', ['ff_siwis', 'im_nicola'], women, ['ff_siwis']],
    ['women for men where there are no men', ['af_bella'], men, ['af_bella']],
    ['any where names say nothing', ['anna', 'bert'], [...women, ...men], ['anna', 'bert']],
  ])('takes %s', (_title, voices, names, expected) => {
    const aliases = aliasVoices(voices);
    expect([...new Set(names.map((name) => aliases.get(name)))].sort()).toEqual(expected);
  });

  it('leaves a voice its own name', () => {
    expect(table(['alloy', 'af_bella'])).not.toHaveProperty('alloy');
    expect(table([])).toEqual({});
  });

  it('spreads the names evenly', () => {
    const voice = fc.stringMatching(/^[ab]f_[a-z]{3}$/);
    fc.assert(
      fc.property(fc.uniqueArray(voice, { minLength: 1, maxLength: 6 }), (voices) => {
        const aliases = aliasVoices(voices);
        const counts = voices.map((id) => women.filter((name) => aliases.get(name) === id).length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
