// The load generator: rates, sweeps, models at an address, comparisons. `node dist/benchmarks/bench/main.js --help`.
import { commandHelp } from '../../src/cli/help.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { UsageError } from '../../src/cli/options.ts';
import { InferenceError } from '../../src/errors.ts';
import { compareCommand } from './compare.ts';
import { loadCommand } from './load-generator.ts';

const terminal = openTerminal();
const [first, ...rest] = process.argv.slice(2);
const command = first === 'compare' ? compareCommand : loadCommand;
const args = first === 'compare' ? rest : process.argv.slice(2);
try {
  if (args.includes('--help')) terminal.output.write(`${commandHelp(command, terminal.output)}\n`);
  else process.exitCode = await command.run(args, terminal);
} catch (error) {
  if (!(error instanceof UsageError || InferenceError.isInstance(error))) throw error;
  terminal.messages.write(`${error.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
