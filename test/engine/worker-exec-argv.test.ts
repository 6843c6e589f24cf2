import { expect, it } from 'vitest';
import { memorySettings, workerEnvironment, workerExecArgv } from '../../src/engine/worker-process.ts';

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
  [['--env-file=.env', '--env-file', 'a.env', '--env-file-if-exists=b', '--title=host'], ['--title=host']],
  [
    ['--require', '/app/.pnp.cjs', '--loader', './.pnp.loader.mjs', '-r', 'dd-trace/init'],
    ['--require', '/app/.pnp.cjs', '--loader', './.pnp.loader.mjs'],
  ],
])('%j → %j', (execArgv, kept) => {
  expect(workerExecArgv(execArgv)).toEqual(kept);
});

it.each([
  ['--max-old-space-size=4096 --import dd-trace/initialize.mjs', '--max-old-space-size=4096'],
  ['--require "/my tools/trace.cjs" --inspect=9229 --no-warnings', '--no-warnings'],
  [
    String.raw`--import="a \"b\".mjs" --title="two words" --conditions=x`,
    '"--title=two words" --conditions=x',
  ],
  ['-r /app/.pnp.cjs -r dotenv/config', '-r /app/.pnp.cjs'],
  ['--experimental-loader=file:///app/.pnp.loader.mjs', '--experimental-loader=file:///app/.pnp.loader.mjs'],
  ['--import ./only.mjs', ''],
])('NODE_OPTIONS %s → %s', (options, kept) => {
  expect(workerEnvironment({ NODE_OPTIONS: options })['NODE_OPTIONS']).toBe(kept);
});

it('variables by which Node speaks with the host stay there', () => {
  const own = { PATH: '/bin', NODE_ENV: 'production', NODE_EXTRA_CA_CERTS: 'ca.pem', pm_id: '0' };
  const hosts = {
    NODE_INSPECT_RESUME_ON_START: '1',
    NODE_TEST_CONTEXT: 'child-v8',
    NODE_UNIQUE_ID: '1',
    NODE_V8_COVERAGE: 'coverage',
    VSCODE_INSPECTOR_OPTIONS: '{}',
    WATCH_REPORT_DEPENDENCIES: '1',
  };
  const environment = workerEnvironment({ ...own, ...hosts });
  expect(environment).toStrictEqual({
    GLIBC_TUNABLES: memorySettings,
    ...own,
    // Named all the same: what is left out, Node puts back.
    ...Object.fromEntries(Object.keys(hosts).map((name) => [name, undefined])),
  });
});
