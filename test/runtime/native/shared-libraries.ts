import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Reason why no library can be compiled here. */
export const withoutCompiler =
  process.platform !== 'linux'
    ? "the loader's messages are Linux's"
    : spawnSync('cc', ['--version']).status === 0
      ? undefined
      : 'there is no C compiler';

/**
 * Compiles a shared library.
 *
 * @param needs names of libraries that it wants to be loaded with it, which don't have to exist
 * @returns its path
 */
export function compile(folder: string, name: string, source: string, needs: readonly string[] = []): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const stubs = join(folder, 'stubs');
  mkdirSync(stubs, { recursive: true });
  // A linker wants a library of the name; the loader then looks elsewhere for it.
  const flags = needs.map((need) => {
    cc(join(stubs, need), '', [`-Wl,-soname,${need}`]);
    return `-l:${need}`;
  });
  cc(path, source, ['-Wl,--no-as-needed', `-L${stubs}`, ...flags]);
  return path;
}

function cc(path: string, source: string, flags: readonly string[]): void {
  const file = `${path}.c`;
  writeFileSync(file, source);
  execFileSync('cc', ['-shared', '-fPIC', '-o', path, file, ...flags]);
}

/** An ONNX Runtime that has no version of its API. */
export const oldRuntime = `
#include <stdint.h>
static const void *get_api(uint32_t version) { return 0; }
static const char *get_version(void) { return "1.9.1"; }
static const struct { const void *(*api)(uint32_t); const char *(*version)(void); } base = { get_api, get_version };
const void *OrtGetApiBase(void) { return &base; }
`;

const pluginHead = `
#include <stddef.h>
#include <stdint.h>
typedef struct { const void *(*get_api)(uint32_t); const char *(*get_version)(void); } Base;
typedef void *(*CreateStatus)(int, const char *);
`;

/** A plugin that wants a version of the API which nobody has. */
export const newerPlugin = `${pluginHead}
void *CreateEpFactories(const char *name, const Base *base, const void *log, void **factories, size_t most, size_t *count) {
  if (base->get_api(999)) return 0;
  return ((CreateStatus)((void **)base->get_api(22))[0])(1, "this plugin needs version 999 of the API");
}
void *ReleaseEpFactory(void *factory) { return 0; }
`;

/** A plugin with one device, the processor. Numbers are positions in the tables of functions, of version 22. */
export const smallPlugin = `${pluginHead}
typedef struct Factory {
  uint32_t version;
  const char *(*name)(const struct Factory *);
  const char *(*vendor)(const struct Factory *);
  void *(*devices)(struct Factory *, const void *const *, size_t, void **, size_t, size_t *);
  void *(*session[2])(void);
  uint32_t (*vendor_id)(void);
  const char *(*provider_version)(void);
  void *(*later[32])(void);
} Factory;
static const Base *runtime;
static const char *provider(const Factory *factory) { return "small"; }
static void *devices(Factory *self, const void *const *all, size_t count, void **found, size_t most, size_t *number) {
  const void *const *api = runtime->get_api(22);
  const void *const *plugins = ((const void *const *(*)(void))api[317])();
  void *(*create_device)(Factory *, const void *, const void *, const void *, void **) = plugins[0];
  *number = 1;
  return create_device(self, all[0], 0, 0, &found[0]);
}
static uint32_t vendor_id(void) { return 0; }
static const char *provider_version(void) { return "1.0.0"; }
static void *nothing(void) { return 0; }
static Factory factory = {
  22, provider, provider, devices, { nothing, nothing }, vendor_id, provider_version, { [0 ... 31] = nothing },
};
void *CreateEpFactories(const char *name, const Base *base, const void *log, void **factories, size_t most, size_t *count) {
  runtime = base;
  factories[0] = &factory;
  *count = 1;
  return 0;
}
void *ReleaseEpFactory(void *unused) { return 0; }
`;
