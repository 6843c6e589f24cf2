/** The import rules of CONTRIBUTING.md. @type {import('dependency-cruiser').IConfiguration} */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { pathNot: allowed },
});

/** The ground floor of the upper house: how categories, backends, models, runs and requests look. */
const contracts = '^src/contracts/';
/** The files that say how the requests, events and files of any category look. */
const sharedByCategories = [
  '^src/(core|contracts|validation|concurrency)/',
  '^src/errors\\.ts$',
  '^src/categories/[a-z-]+\\.ts$',
  '^src/folder/(graph|model)-files\\.ts$',
];
/** The files that say what pipelines need of opened models. */
const openedModels = '^src/categories/[a-z]+/(detector|encoder|painter|recognizer|scorer|synthesizer)\\.ts$';
/** Rooms of one architecture each, and their pipelines; they load native code when they are asked to. */
const pipelineSees = [
  '^src/(core|runtime|folder|concurrency)/',
  '^src/errors\\.ts$',
  contracts,
  '^(node:)?(fs|path|crypto|os|timers|url|zlib)(/promises)?$',
];
const http = '^src/http/';

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only(
      'core-is-pure',
      '^src/core/',
      ['^src/core/'],
      'core imports core alone: no package, nothing of Node',
    ),
    only(
      'concurrency',
      '^src/concurrency/',
      ['^src/concurrency/'],
      'promises and streams of plain JavaScript',
    ),
    only(
      'validation',
      '^src/validation/',
      ['^src/(core|validation)/', '^src/errors\\.ts$', '^node_modules/zod/'],
      'checks of options and bodies, whatever they are about',
    ),
    only(
      'runtime',
      '^src/runtime/',
      [
        '^src/(core|runtime)/',
        '^src/contracts/(decoder|graph|text-model)\\.ts$',
        '^src/errors\\.ts$',
        '^node_modules/(koffi|onnxruntime|sharp|wavefile)',
        '^node_modules/(@evan/opus|@wasm-audio-decoders|mpg123-decoder|node-webcodecs|opus-decoder)/',
        '^(node:)?(async_hooks|os|fs|path|module|worker_threads|buffer|http|https|net|dns|child_process|events|stream|stream/web|string_decoder|timers|crypto|zlib)(/promises)?$',
      ],
      'runtime sees core and errors',
    ),
    only(
      'http',
      '^src/http/',
      [
        '^src/(core|http|concurrency)/',
        '^src/errors\\.ts$',
        contracts,
        '^node_modules/@fastify/busboy/',
        '^(node:)?(buffer|crypto|events|stream|timers|worker_threads)(/promises)?$',
      ],
      'bodies, forms, headers and event streams know no route and no category',
    ),
    only(
      'folder',
      '^src/folder/',
      [
        '^src/(core|folder)/',
        '^src/runtime/unpacked-path\\.ts$',
        '^src/errors\\.ts$',
        contracts,
        '^node_modules/@huggingface/',
        '^(node:)?(fs|path|url|module|crypto|os)(/promises)?$',
      ],
      'the files of a model see core, contracts and errors, and where native code finds files',
    ),
    only(
      'hub',
      '^src/hub/',
      [
        '^src/(core|concurrency|folder|hub)/',
        '^src/runtime/http/(answer-body|answer-clock|fetch-failures)\\.ts$',
        '^src/errors\\.ts$',
        contracts,
        '^(node:)?(fs|path|url|module|crypto|os|stream|timers)(/promises)?$',
      ],
      'downloads see the files of a model, and how answers of servers are read',
    ),
    only(
      'backends',
      '^src/backends/([a-z]+)/',
      [
        '^src/(core|runtime|hub|folder|validation|concurrency)/',
        '^src/errors\\.ts$',
        '^src/backends/($1/|[a-z-]+\\.ts$)',
        contracts,
        '^src/categories/[a-z]+/(events|request|parameters|settings)\\.ts$',
        openedModels,
        '^node_modules/(zod|eventsource-parser|@huggingface/transformers)/',
        '^(node:)?(crypto|fs|module|os|path|timers|zlib)(/promises)?$',
      ],
      'a backend sees the floors below it, contracts and its own package, no other backend',
    ),
    only(
      'backends-registry',
      '^src/backends/[a-z-]+\\.ts$',
      [
        '^src/backends/',
        '^src/(core|validation|concurrency)/',
        '^src/errors\\.ts$',
        contracts,
        '^src/runtime/(encoder/token-inputs|http/[a-z-]+)\\.ts$',
        '^src/folder/(model-files|model-folder|tokenizer|gguf/gguf-source)\\.ts$',
        '^node_modules/zod/',
      ],
      'the contract and the list of backends',
    ),
    only(
      'categories-wire',
      '^src/categories/([a-z]+)/(?!(pipeline|architectures)/)',
      [
        ...sharedByCategories,
        '^src/categories/$1/(?!(pipeline|architectures)/)',
        '^src/categories/$1/architectures/[a-z-]+/architecture\\.ts$',
        '^src/(folder/tokenizer|runtime/encoder/[a-z-]+)\\.ts$',
        http,
        '^node_modules/zod/',
        '^(node:)?(buffer|timers)(/promises)?$',
      ],
      'what the host knows of a category: no pipeline, no native code, no other category',
    ),
    only(
      'categories-pipeline',
      '^src/categories/([a-z]+)/pipeline/',
      [
        ...pipelineSees,
        '^node_modules/(piper-phonemize|cmu-pronouncing-dictionary)/',
        '^src/categories/serve-pipeline\\.ts$',
        '^src/categories/$1/(pipeline/|(events|request|parameters|settings|files|detector|encoder|painter|recognizer|scorer|synthesizer)\\.ts$)',
      ],
      'pipelines know no HTTP, no engine, no architecture, no other category',
    ),
    only(
      'categories-architectures',
      '^src/categories/([a-z]+)/architectures/([a-z-]+)/',
      [
        ...pipelineSees,
        '^src/categories/$1/(pipeline/|architectures/$2/|(events|request|parameters|settings|detector|encoder|painter|recognizer|scorer|synthesizer)\\.ts$)',
      ],
      'an architecture knows no other one',
    ),
    {
      name: 'architectures-open-late',
      comment:
        'the host reads the lists of architectures, so that they load nothing before a model is opened',
      severity: 'error',
      from: { path: '/architectures/[a-z-]+/architecture\\.ts$' },
      to: {
        path: '^src/(runtime|categories/[a-z]+/(pipeline|architectures))/',
        pathNot: '/files\\.ts$',
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    only(
      'contracts',
      '^src/contracts/',
      ['^src/(contracts|core|validation)/', '^src/errors\\.ts$', '^node_modules/zod/'],
      'the floors above meet here alone',
    ),
    {
      name: 'contracts-are-types',
      comment: 'contracts load nothing',
      severity: 'error',
      from: { path: '^src/contracts/' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'chat-decodes-by-its-backend',
      comment: 'decoders and caches are those of a backend, which also opens the graphs of pictures',
      severity: 'error',
      from: { path: '^src/categories/chat/' },
      to: { path: '^src/runtime/(?!(cache-full|all-aborted|image|image-source)\\.ts$)' },
    },
    only(
      'categories-registry',
      '^src/categories/[a-z-]+\\.ts$',
      [
        '^src/categories/[a-z-]+\\.ts$',
        '^src/categories/[a-z]+/(category|models|events|request|result|settings|wire/[a-z/-]+|pipeline/[a-z-]+-pipeline)\\.ts$',
        ...sharedByCategories,
        '^node_modules/zod/',
      ],
      'the contract and the lists of categories',
    ),
    only(
      'engine',
      '^src/engine/',
      [
        '^src/(engine|validation|concurrency)/',
        '^src/core/(device|text/quote)\\.ts$',
        '^src/(errors|observers)\\.ts$',
        contracts,
        '^node_modules/zod/',
        '^(node:)?(child_process|fs|os|path|url|util|events|timers|process|async_hooks|net|readline|v8|worker_threads)(/promises)?$',
      ],
      'the engine knows categories by their contract',
    ),
    only(
      'server',
      '^src/server/',
      [
        '^src/(core|http|server|validation|concurrency)/',
        '^src/(errors|observers)\\.ts$',
        '^src/observability/(log-observer|logger)\\.ts$',
        contracts,
        '^node_modules/(zod|rate-limiter-flexible)/',
        '^(node:)?(crypto|buffer|events|fs|os|path|stream|util|timers|worker_threads)(/promises)?$',
      ],
      'the server knows categories by their contract',
    ),
    only(
      'realtime',
      '^src/realtime/',
      [
        '^src/(realtime|core|contracts|validation|concurrency|http)/',
        '^src/errors\\.ts$',
        '^src/categories/[a-z]+/(events|request|parameters)\\.ts$',
        '^src/categories/transcription/wire/(schema|to-response)\\.ts$',
        '^node_modules/zod/',
        '^(node:)?buffer$',
      ],
      'a session is composed of runs: it sees what categories are asked and answer',
    ),
    only(
      'observability',
      '^src/observability/',
      [
        '^src/(core|observability)/',
        '^src/(errors|observers)\\.ts$',
        contracts,
        '^src/categories/registry\\.ts$',
        '^node_modules/(prom-client|@opentelemetry/api)/',
        '^(node:)?module$',
      ],
      'observability knows contracts and errors',
    ),
    {
      name: 'one-door-to-optional-telemetry',
      comment: 'they may be absent, so they are required when they are asked for',
      severity: 'error',
      from: {},
      to: { path: '^node_modules/(prom-client|@opentelemetry)/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'ai-sdk',
      '^src/ai-sdk/',
      [
        '^src/(ai-sdk|core|contracts)/',
        '^src/(create-handler|errors)\\.ts$',
        '^src/categories/[a-z]+/(parameters|wire/(?:chat/schema|schema|bodies))\\.ts$',
        '^adapters/fetch\\.ts$',
        '^node_modules/(@ai-sdk/(provider|openai-compatible)|zod)/',
        '^(node:)?(async_hooks|buffer)$',
      ],
      'the API of a handler as a provider of the SDK',
    ),
    {
      name: 'ai-sdk-is-given-an-inference',
      comment: 'the caller has made it',
      severity: 'error',
      from: { path: '^src/ai-sdk/' },
      to: { path: '^src/inference\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-door-to-the-ai-sdk',
      comment: 'an optional peer',
      severity: 'error',
      from: { pathNot: '^src/ai-sdk/' },
      to: { path: '^node_modules/(@ai-sdk|ai)/' },
    },
    only(
      'playground',
      '^src/playground/(?!page/)',
      [
        '^src/playground/(?!page/)',
        '^src/core/assert-names\\.ts$',
        contracts,
        '^(node:)?(crypto|fs|module|path)$',
      ],
      'the playground is a handler of files',
    ),
    only(
      'playground-page',
      '^src/playground/page/',
      ['^src/playground/page/', '^node_modules/(?:marked|lowlight|highlight\\.js)/'],
      'what runs in browsers imports itself and the packages that are bundled with it; types of the wire are its only tie to the server',
    ),
    {
      name: 'adapters-types-only',
      comment: 'adapters know the types of the public contract, Node and their framework',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^src/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'adapters',
      '^adapters/',
      [
        '^adapters/',
        contracts,
        '^node_modules/(@types/)?(express|fastify|node|ws)',
        '^(node:)?(http|http2|module|stream|events|net|buffer|timers)(/promises)?$',
      ],
      'adapters import nothing but contracts and their framework',
    ),
    {
      name: 'one-door-to-onnxruntime',
      severity: 'error',
      from: { pathNot: '^src/runtime/onnxruntime-node\\.ts$' },
      to: { path: '^node_modules/onnxruntime' },
    },
    {
      name: 'one-door-to-foreign-functions',
      comment: 'koffi may be absent, so it is imported when it is asked for',
      severity: 'error',
      from: { pathNot: '^src/runtime/native/load-koffi\\.ts$' },
      to: { path: '^node_modules/(@koromix|koffi)/' },
    },
    {
      name: 'one-door-to-sharp',
      severity: 'error',
      from: { pathNot: '^src/runtime/image\\.ts$' },
      to: { path: '^node_modules/sharp' },
    },
    {
      name: 'one-door-to-busboy',
      severity: 'error',
      from: { pathNot: '^src/http/multipart\\.ts$' },
      to: { path: '^node_modules/@fastify/busboy' },
    },
    {
      name: 'one-door-to-pronunciations',
      comment: 'piper-phonemize is an optional peer with a licence of its own',
      severity: 'error',
      from: { pathNot: '^src/categories/speech/pipeline/pronunciation\\.ts$' },
      to: { path: '^node_modules/(piper-phonemize|cmu-pronouncing-dictionary)/' },
    },
    {
      name: 'one-door-to-audio-decoders',
      severity: 'error',
      from: { pathNot: '^src/runtime/audio/' },
      to: {
        path: '^node_modules/(@wasm-audio-decoders/|mpg123-decoder/|node-webcodecs/|opus-decoder/)',
      },
    },
    {
      name: 'one-door-to-audio-encoders',
      severity: 'error',
      from: { pathNot: '^src/runtime/audio-encode/' },
      to: { path: '^node_modules/@evan/opus/' },
    },
    {
      name: 'one-door-to-the-hub',
      severity: 'error',
      from: { pathNot: '^src/(folder|backends/transformers)/' },
      to: { path: '^node_modules/@huggingface/' },
    },
    only(
      'command-line',
      '^src/cli/',
      [
        '^src/(?!entries/|testing/)',
        '^adapters/node\\.ts$',
        '^node_modules/zod/',
        '^(node:)?(child_process|crypto|events|fs|http|module|net|os|path|readline|stream|timers|tty|url|util)(/(promises|consumers))?$',
      ],
      'the command line puts everything together, with nothing of its own but Node',
    ),
    {
      name: 'nobody-imports-the-command-line',
      severity: 'error',
      from: { pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'entries-only-re-export',
      severity: 'error',
      from: { path: '^src/(?!entries/)' },
      to: { path: '^src/entries/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
