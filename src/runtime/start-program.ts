import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program, and resolves when it runs: without free file descriptors the child would have no pipes. */
export async function startProgram(
  path: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const child = spawn(path, args, options);
  await once(child, 'spawn');
  return child;
}
