#!/usr/bin/env node
import { openTerminal } from './terminal.ts';

try {
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2), openTerminal());
} catch (error) {
  // Node 20 opens all modules at the same time.
  if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
  console.error('slashv1: too many open files: raise their limit, ulimit -n, to 256 at least.');
  process.exitCode = 1;
}
// An open pipe would keep the process alive.
process.stdin.destroy();
