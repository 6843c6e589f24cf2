// Makes the models of the tests in test/real, where they are missing; see docs/guides/real-weights.md.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const oldest = [3, 10];
const candidates = [process.env['PYTHON'], 'python3', 'python'].filter((name) => name !== undefined);

/** @param {string} name @returns {boolean} whether it is a Python that is new enough */
function isPython(name) {
  const code = `import sys; sys.exit(sys.version_info < (${oldest.join(', ')}))`;
  return spawnSync(name, ['-c', code], { stdio: 'ignore' }).status === 0;
}

const python = candidates.find(isPython);
if (python === undefined) {
  console.error(
    `Python ${oldest.join('.')} or newer makes the models, and none of ${candidates.join(', ')} is one. Install it, or set PYTHON.`,
  );
  process.exit(1);
}
const script = fileURLToPath(new URL('../../benchmarks/models/real.py', import.meta.url));
const { status } = spawnSync(python, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
