import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

const slowestFiles = 10;

/** After a run: the tests that were skipped, each with its reason, and the files that took longest. A skip without a reason fails. */
export default class Report implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const isWhole = this.vitest?.config.testNamePattern === undefined;
    const skipped = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const reason = reasonOf(test) ?? (isWhole ? '' : undefined);
        if (reason === undefined) continue;
        skipped.set(reason, [...(skipped.get(reason) ?? []), module.relativeModuleId]);
      }
    }
    const write = (line: string): void => void process.stdout.write(`${line}\n`);
    for (const [reason, files] of skipped) {
      const places = [...new Set(files)].join(', ');
      write(`skipped ${files.length}: ${reason === '' ? 'NO REASON IS GIVEN' : reason} (${places})`);
    }
    if (skipped.has('')) process.exitCode = 1;
    const seconds = modules.map((module) => [module.diagnostic().duration / 1000, module] as const);
    const sum = seconds.reduce((total, [duration]) => total + duration, 0);
    write(`files: ${modules.length}, ${sum.toFixed(0)} seconds of tests; the slowest:`);
    for (const [duration, module] of seconds.sort(([a], [b]) => b - a).slice(0, slowestFiles)) {
      write(`${duration.toFixed(1).padStart(7)} s  ${module.relativeModuleId}`);
    }
  }
}

function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  let task: TestCase | TestSuite | TestModule = test;
  while (task.type !== 'module') {
    const { missing } = task.meta();
    if (missing !== undefined) return missing;
    task = task.parent;
  }
  return undefined;
}
