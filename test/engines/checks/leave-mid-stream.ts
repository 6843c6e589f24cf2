import type { Inference } from '../../../dist/src/index.js';
import { requestsUntilSpent } from '../../backends/requests-until-spent.ts';

const quota = 2000;
const words = ' the small red circle is above the large blue square and left of it .'.repeat(9);
const messages = [{ role: 'user', content: `Describe a scene.${words}` }];
const spend = { model: 'chat', messages, quota };

/** @returns requests of a quota, each left after three pieces; throws where an engine lets more or fewer pass than this machine */
export async function leaveMidStream(local: Inference, far: Inference): Promise<string> {
  const [here, there] = [
    await requestsUntilSpent(local as never, spend),
    await requestsUntilSpent(far as never, spend),
  ];
  const figures = `${there} requests, ${here} here`;
  if (Math.abs(here - there) > 1) throw new Error(figures);
  return figures;
}
