import { build, type Rolldown } from 'vite';

/** A module with everything that it imports, for browsers. @param entry its path */
export async function bundle(entry: string): Promise<string> {
  const [result] = (await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput[];
  return result!.output[0].code;
}
