import { InferenceError, sentence } from './errors.ts';

const needed = [20, 9] as const;

/** Reports an outdated Node before an obscure failure does. */
export function assertNodeVersion(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return;
  const reason = `Needs Node ≥ ${needed.join('.')}; this is Node ${version}`;
  throw new InferenceError('unsupported_feature', sentence(reason));
}
