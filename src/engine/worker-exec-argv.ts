// Debugger ports are taken by the host; modules preloaded for the host (instrumentation, test runners, evaluated
// scripts) are no part of a worker.
const hostOnly =
  /^--(?:inspect|debug-port|import|require|loader|experimental-loader|eval|print|input-type|check|interactive|watch|test)(?:[-=]|$)|^-[a-z]+$/;
const valueFollows =
  /^(?:--(?:import|require|loader|experimental-loader|eval|print|input-type|watch-path|inspect-port|debug-port)|-(?:r|e|p|pe))$/;

/**
 * The flags of a host's Node that its workers are started with: memory limits, module resolution and the like, but
 * nothing that debugs, watches, tests, evaluates or preloads.
 *
 * @example
 * ```ts
 * workerExecArgv(['--inspect=0', '--import', './telemetry.js', '--max-old-space-size=4096']);
 * // ['--max-old-space-size=4096']
 * ```
 */
export function workerExecArgv(execArgv: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < execArgv.length; index++) {
    const flag = execArgv[index]!;
    if (!hostOnly.test(flag)) kept.push(flag);
    else if (valueFollows.test(flag)) index++;
  }
  return kept;
}
