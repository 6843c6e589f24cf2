import { mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';
import { noisySource } from './test/noise/noisy-source.js';

/** All tests with sessions that round differently for every shape, as other processors do; see CONTRIBUTING.md. */
const preload = new URL('./test/noise/register.js', import.meta.url).href;
process.env['TEST_NOISE'] ??= '1e-3';
process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`;

export default mergeConfig(base, {
  plugins: [
    {
      name: 'noisy-sessions',
      enforce: 'pre',
      transform: (code: string, id: string) => noisySource(id.split('?')[0]!, code),
    },
  ],
});
