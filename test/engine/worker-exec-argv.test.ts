import { expect, it } from 'vitest';
import { workerExecArgv } from '../../src/engine/worker-process.ts';

it.each([
  [
    ['--max-old-space-size=4096', '--conditions=dev', '-C', 'dev'],
    ['--max-old-space-size=4096', '--conditions=dev', '-C', 'dev'],
  ],
  [['--inspect', '--inspect-brk=0.0.0.0:9229', '--inspect-port', '0', '--debug-port=1'], []],
  [['--import', './telemetry.js', '--import=x', '-r', 'dotenv/config', '--require=y', '--loader', 'z'], []],
  [['--test', '--test-only', '--watch', '--watch-path', 'src', '--no-warnings'], ['--no-warnings']],
  [['-e', '-1', '--eval', 'code', '-p', '1', '--input-type=module'], []],
  [['-i', '--enable-source-maps'], ['--enable-source-maps']],
])('%j → %j', (execArgv, kept) => {
  expect(workerExecArgv(execArgv)).toEqual(kept);
});
