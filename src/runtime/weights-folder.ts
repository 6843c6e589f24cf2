import { mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The file that the runtime takes a model from bytes to be, in the folder of its weights. */
const assumedFile = 'virtual_model.onnx';

/**
 * Lets the runtime read weights through symbolic links, as the hub's cache has them, for a model that is given as bytes. The
 * runtime refuses weights that lie outside of the model's folder, and follows links before it looks. It makes one exception:
 * where the model's own file is a link, weights may lie beside its target.
 */
export async function withWeightsFolder<T>(
  folder: string | undefined,
  load: (folder: string | undefined) => Promise<T>,
): Promise<T> {
  if (folder === undefined) return load(folder);
  const whole = await realpath(folder);
  const targets = new Map<string, string>();
  for (const name of await readdir(folder)) {
    const target = await realpath(join(folder, name)).catch(() => undefined);
    if (target !== undefined) targets.set(name, target);
  }
  const elsewhere = [...targets.values()].find((target) => dirname(target) !== whole);
  if (elsewhere === undefined) return load(folder);
  const linked = await mkdtemp(join(tmpdir(), 'slashv1-weights-'));
  try {
    for (const [name, target] of targets) await symlink(target, join(linked, name));
    await symlink(elsewhere, join(linked, assumedFile));
    return await load(linked);
  } finally {
    await rm(linked, { recursive: true, force: true });
  }
}
