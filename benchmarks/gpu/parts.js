/** What `npm run bench:gpu` does, in order: what stands last is left out first where time runs short. */

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {string} source
 * @property {string} category
 * @property {number | undefined} [contextLength] tokens of a chat model
 *
 * @typedef {object} Part
 * @property {'answers' | 'decode' | 'streams' | 'speed' | 'peers'} kind
 * @property {string} model
 * @property {string} category
 * @property {string} device
 * @property {string[]} command arguments of Node; the last one is the file of its results
 *
 * @typedef {object} PartOptions
 * @property {readonly Model[]} models
 * @property {readonly string[]} devices the first one is `cpu`
 * @property {readonly string[]} shapes of decoders that peers have, too
 * @property {string} modelFolder
 * @property {string} output
 * @property {string} contexts
 * @property {string} streams
 * @property {string} tokens
 * @property {string} seconds for each point of a measurement
 * @property {readonly string[]} peerOptions
 */

export const order = [
  'answers of all devices to the same requests',
  'decoding and reading prompts of several lengths',
  'several streams',
  'the other categories',
  'other engines',
];

/**
 * @param {PartOptions} options
 * @returns {Part[]}
 */
export function listParts({ models, devices, shapes, modelFolder, output, peerOptions, ...load }) {
  const { contexts, streams, tokens, seconds } = load;
  /** @param {Part['kind']} kind @param {readonly Model[]} some @param {(model: Model, device: string) => string[]} commandOf */
  const each = (kind, some, commandOf) =>
    some.flatMap((model) =>
      devices.map((device) => ({
        kind,
        model: model.name,
        category: model.category,
        device,
        command: [...commandOf(model, device), `${output}/parts/${kind}-${model.name}-${device}.json`],
      })),
    );
  /** @param {Model} model @param {string} device @param {string[]} options */
  const bench = ({ source, category }, device, ...options) => [
    'dist/benchmarks/bench/main.js',
    source,
    '--category',
    category,
    '--device',
    device,
    '--duration',
    `${seconds}s`,
    '--offline',
    ...options,
    '--output',
  ];
  const chats = models.filter(({ category }) => category === 'chat');
  const others = models.filter(({ category }) => category !== 'chat');
  const most = ['--max-tokens', tokens];
  /** @param {string} numbers @param {Model} model */
  const fitting = (numbers, { contextLength = Infinity }) => {
    const room = contextLength - Number(tokens);
    const some = numbers.split(',').filter((one) => Number(one) < room);
    return some.length > 0 ? some.join(',') : String(Math.max(1, Math.floor(room / 2)));
  };
  return [
    ...each('answers', models, ({ source, category }, device) => [
      'benchmarks/gpu/answers.js',
      source,
      category,
      device,
    ]),
    ...each('decode', chats, (model, device) =>
      bench(model, device, '--sweep', `context=${fitting(contexts, model)}`, ...most),
    ),
    ...each('streams', chats, (model, device) =>
      bench(model, device, '--sweep', `streams=${streams}`, '--prompt-tokens', fitting('64', model), ...most),
    ),
    ...each('speed', others, (model, device) => bench(model, device)),
    ...each(
      'peers',
      shapes.map((name) => ({ name, source: name, category: 'chat' })),
      ({ name }, device) => [
        'benchmarks/peers/compare.js',
        '--shape',
        name,
        '--models',
        modelFolder,
        '--device',
        device,
        '--rounds',
        '1',
        '--contexts',
        contexts,
        '--streams',
        streams,
        '--tokens',
        tokens,
        '--repetitions',
        '3',
        ...peerOptions,
        '--output',
      ],
    ),
  ];
}
