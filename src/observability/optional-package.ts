import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function requireOptional(name: string, wantedBy: string): unknown {
  try {
    return require(name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error(`${wantedBy} needs the package ${name}: npm install ${name}`, { cause: error });
  }
}
