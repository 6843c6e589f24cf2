import { expect, it } from 'vitest';
import { Cli, runCli } from './cli-process.ts';

it('slashv1 run prints the answer, and nothing else', async () => {
  expect(await runCli(['run', 'What is 2 + 3?', '--temperature', '0'])).toEqual({
    code: 0,
    output: '2 + 3 = 5\n',
    messages: '',
  });
});

it('slashv1 serve answers, and ends at a signal', async () => {
  await using cli = new Cli(['serve', '--port', '0', '--model', 'tiny-chat', '--no-auth', '--quiet']);
  const body = JSON.stringify({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: 'What is 2 + 3?' }],
    temperature: 0,
  });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${await cli.origin()}/v1/chat/completions`, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: '2 + 3 = 5' } }] });
  cli.kill('SIGTERM');
  expect((await cli.end()).code).toBe(0);
});
