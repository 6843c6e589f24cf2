import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type RunningService } from '../e2e/serve.ts';
import { residentMiB, workersHere } from '../engine/processes.ts';
import { constrainedChat, longPatterns } from './long-patterns.ts';
import { needs, otherSystem } from '../needs.ts';

const attackers = 20;
/** `SLASHV1_ATTACKS=200` takes a minute or two. */
const attacks = Number(process.env['SLASHV1_ATTACKS'] ?? 40);

describe(
  'attackers who send long patterns',
  { ...needs(otherSystem('linux')), timeout: 120_000 + attacks * 5000 },
  () => {
    let service: RunningService;
    const losses: string[] = [];

    beforeAll(async () => {
      service = await serve({ 'tiny-chat': { source: 'tiny-chat' } }, { auth: 'none' });
      service.inference.observe({ onWorkerLoss: (_, { reason }) => losses.push(reason) });
    }, 120_000);
    afterAll(() => service.close());

    const chat = async (body: object, signal?: AbortSignal): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null };
      const response = await fetch(`${service.origin}/v1/chat/completions`, init);
      await response.arrayBuffer();
      return response.status;
    };

    it('take nothing from others: no request fails, the worker lives and keeps its size', async () => {
      const innocentChat = constrainedChat({ type: 'boolean' }, 20);
      for (let round = 0; round < 4; round++) {
        await Promise.all(Array.from({ length: 16 }, () => chat(innocentChat)));
      }
      const [worker] = workersHere();
      const attackStatuses: Record<string, number> = {};
      const statuses: number[] = [];
      const round = async (numbers: number[]): Promise<number> => {
        const attack = async (): Promise<void> => {
          for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
            const body = constrainedChat(longPatterns[number % longPatterns.length]!(number), 40);
            const leaves = number % 5 === 4;
            const status = await chat(body, leaves ? AbortSignal.timeout(200) : undefined).catch(
              () => 'left',
            );
            attackStatuses[status] = (attackStatuses[status] ?? 0) + 1;
          }
        };
        const live = async (): Promise<void> => {
          do statuses.push(await chat(innocentChat));
          while (numbers.length > 0);
        };
        const innocents = Promise.all([live(), live(), live()]);
        await Promise.all(Array.from({ length: attackers }, attack));
        await innocents;
        return residentMiB(worker!);
      };
      // How much is held at once depends on how busy the machine is: the second half adds little to the first.
      const all = Array.from({ length: attacks }, (_, number) => number);
      const before = await round(all.slice(0, attacks / 2));
      const after = await round(all.slice(attacks / 2));
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      expect(statuses.length).toBeGreaterThan(3);
      expect(losses).toEqual([]);
      expect(
        Object.keys(attackStatuses).filter((status) => !['200', '400', 'left'].includes(status)),
      ).toEqual([]);
      if (process.env['SLASHV1_ATTACKS'] !== undefined) {
        const sizes = `worker ${before.toFixed(0)} MiB, then ${after.toFixed(0)} MiB`;
        console.log(`${attacks} attacks:`, attackStatuses, `${statuses.length} innocents served; ${sizes}`);
      }
      expect(after / before).toBeLessThan(1.5);
    });
  },
);
