import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './code-blocks.ts';

// Everything that the package depends on, optional packages included.
interface Entry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

/** The folders of a package's dependencies, of theirs, and so on; those of other systems are not here. */
function installedFor(place: string, found = new Set<string>()): ReadonlySet<string> {
  const { dependencies, optionalDependencies } = packages[place]!;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const candidates = [`${place}/node_modules/${name}`, `node_modules/${name}`];
    const folder = candidates.find((one) => packages[one] && existsSync(join(root, one)));
    if (folder === undefined || found.has(folder)) continue;
    found.add(folder);
    installedFor(folder, found);
  }
  return found;
}

/** Megabytes of a folder without the packages inside it. */
function megabytesOf(folder: string): number {
  const bytes = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : megabytesOf(path) * 1e6;
    return lstatSync(path).size;
  });
  return bytes.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** A bound that only falls; native packages differ between systems. */
const mostMegabytes = 380;

it(`an installation takes less than ${mostMegabytes} MB`, () => {
  const sizes = [...installedFor('')].map((folder) => megabytesOf(join(root, folder)));
  const total = sizes.reduce((sum, one) => sum + one, 0);
  expect(total).toBeLessThan(mostMegabytes);
  // What is measured is the packages, of which the runtime is the largest.
  expect(total).toBeGreaterThan(megabytesOf(join(root, 'node_modules/onnxruntime-node')));
});
