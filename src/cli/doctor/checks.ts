import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { devices } from '../../core/device.ts';
import { workerEnvironment } from '../../engine/worker-process.ts';
import { makeFolder } from '../../folder/file-system.ts';
import { listCachedModels } from '../../hub/model-cache.ts';
import { resolveHubSettings } from '../../hub/remote-model.ts';
import { chooseRuntime, useLibrary } from '../../runtime/choose-runtime.ts';
import { reasonOfFetch } from '../../runtime/http/fetch-failures.ts';
import { formatBytes } from '../format.ts';
import { messageOf, orElse } from '../../errors.ts';
import { assertNodeVersion } from '../../node-version.ts';

export interface Check {
  readonly name: string;
  /** `fault`: nothing works until it is fixed. `missing`: a part that some features need. */
  readonly state: 'ok' | 'missing' | 'fault';
  readonly detail: string;
}

type Outcome = Omit<Check, 'name'>;
type Environment = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const load = createRequire(import.meta.url);
const deviceTimeoutMs = 60_000;
const hubTimeoutMs = 5000;

interface Manifest {
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

interface ExamineOptions {
  /** Runtime to test, see `resolveLibrary`. */
  readonly library?: string | undefined;
  readonly plugins?: readonly (readonly [provider: string, library: string])[];
}

/** Checks everything that the package needs on a machine, slow checks in parallel. */
export async function examine(
  environment: Environment,
  { library, plugins = [] }: ExamineOptions = {},
): Promise<Check[]> {
  const manifest = load('slashv1/package.json') as Manifest;
  const packages = [...Object.keys(manifest.peerDependencies), ...Object.keys(manifest.optionalDependencies)];
  const runtime = outcomeOf(checkRuntime(library), 'fault');
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const checks: Record<string, Outcome | Promise<Outcome>> = {
    node: checkNode(manifest.engines.node),
    machine: ok(
      `${platform()} ${arch()}, ${processor}, ${availableParallelism()} cores, ${formatBytes(totalmem())}`,
    ),
    runtime,
    ...Object.fromEntries(
      devices.map((device) => [`device ${device}`, checkDevice(runtime, device, library)]),
    ),
    ...Object.fromEntries(plugins.map((plugin) => [`plugin ${plugin[0]}`, tryElsewhere(plugin, library)])),
    ffmpeg: outcomeOf(checkFfmpeg(), 'missing', () => withoutFfmpeg),
    cache: outcomeOf(checkCache(environment), 'fault'),
    hub: checkHub(environment),
    telemetry:
      environment['ORT_DISABLE_TELEMETRY'] === '0' ? ok('on: ORT_DISABLE_TELEMETRY is 0') : ok('off'),
    ...Object.fromEntries(packages.toSorted().map((name) => [`package ${name}`, checkPackage(name)])),
  };
  const outcomes = await Promise.all(Object.values(checks).map(async (outcome) => outcome));
  return Object.keys(checks).map((name, index) => Object.assign({ name }, outcomes[index]!));
}

function ok(detail: string): Outcome {
  return { state: 'ok', detail };
}

/** The outcome of a check; an error sets the given state. */
function outcomeOf(
  check: Promise<string>,
  state: Outcome['state'],
  reasonFor: (error: unknown) => string = messageOf,
): Promise<Outcome> {
  return check.then(ok, (error: unknown) => ({ state, detail: reasonFor(error) }));
}

function checkNode(wanted: string): Outcome {
  const { node } = process.versions;
  const use = (): Outcome => {
    assertNodeVersion();
    return ok(node);
  };
  return orElse(use, { state: 'fault', detail: `${node}, needs ${wanted}` });
}

async function checkRuntime(library: string | undefined): Promise<string> {
  if (library !== undefined) await useLibrary(library, '--library');
  const { name, version, reason } = await chooseRuntime();
  return `${name}, onnxruntime ${version}: ${reason}`;
}

async function checkDevice(
  runtime: Promise<Outcome>,
  device: string,
  library: string | undefined,
): Promise<Outcome> {
  // Otherwise every device would repeat the runtime's error.
  if ((await runtime).state === 'fault') return { state: 'missing', detail: 'not tried: see runtime' };
  const { state, detail } = await tryElsewhere([device], library);
  return { state: state === 'missing' && device === 'cpu' ? 'fault' : state, detail };
}

/** Runs a test in a separate process. */
async function tryElsewhere(args: readonly string[], library: string | undefined): Promise<Outcome> {
  const script = fileURLToPath(new URL('./try-device.js', import.meta.url));
  const env = {
    ...workerEnvironment(process.env),
    ...(library !== undefined && { SLASHV1_ONNXRUNTIME_LIBRARY: library }),
  };
  try {
    const { stdout } = await run(process.execPath, [script, ...args], { timeout: deviceTimeoutMs, env });
    return ok(stdout.trim().replaceAll('\n', ', ') || 'works');
  } catch (error) {
    const { stderr, signal } = error as { stderr?: string; signal?: string | null };
    const reason = signal ? `the trial was ended by ${signal}` : lastLine(stderr || messageOf(error));
    return { state: 'missing', detail: reason.replace(/^device: .* doesn't work here: /, '') };
  }
}

const withoutFfmpeg = 'not found; it reads AAC and writes MP3, AAC and FLAC where node-webcodecs is missing';

async function checkFfmpeg(): Promise<string> {
  const { stdout } = await run('ffmpeg', ['-version']);
  return stdout.trim().split('\n', 1)[0]!.trim();
}

async function checkCache(environment: Environment): Promise<string> {
  const { cacheFolder } = resolveHubSettings({}, environment);
  await makeFolder(cacheFolder);
  await access(cacheFolder, constants.W_OK);
  const { length } = await listCachedModels(cacheFolder);
  return `${cacheFolder}, ${length} ${length === 1 ? 'model' : 'models'}`;
}

async function checkHub(environment: Environment): Promise<Outcome> {
  let server = 'the server of models';
  try {
    const { endpoint, offline } = resolveHubSettings({}, environment);
    server = endpoint;
    if (offline) return { state: 'missing', detail: 'offline by setting: only downloaded models' };
    const signal = AbortSignal.timeout(hubTimeoutMs);
    const { status } = await fetch(endpoint, { method: 'HEAD', redirect: 'manual', signal });
    return status < 500 ? ok(endpoint) : { state: 'missing', detail: `${endpoint} answered ${status}` };
  } catch (error) {
    return { state: 'missing', detail: `${server} can't be reached: ${reasonOfFetch(error)}` };
  }
}

function checkPackage(name: string): Outcome {
  const folders = load.resolve.paths(name) ?? [];
  const manifests = folders.map((folder) =>
    orElse(() => load(`${folder}/${name}/package.json`) as { readonly version: string }, undefined),
  );
  const manifest = manifests.find((found) => found !== undefined);
  return manifest ? ok(manifest.version) : { state: 'missing', detail: 'not installed' };
}

/** Libraries may log before the message. */
function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)!.trim();
}
