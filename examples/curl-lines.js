/**
 * A shell command for every endpoint of the bundled models, ordered so that each finds its input files. The key comes from the
 * variable `SLASHV1_API_KEY`.
 *
 * @param {string} base address of the API, such as `http://127.0.0.1:8000/v1`
 * @returns {readonly { readonly title: string, readonly line: string }[]}
 */
export function curlLines(base) {
  const key = '-H "Authorization: Bearer $SLASHV1_API_KEY"';
  const json = `${key} -H 'Content-Type: application/json'`;
  const get = (/** @type {string} */ path) => `curl -sS ${base}/${path} ${key}`;
  const post = (/** @type {string} */ path, /** @type {object} */ body) =>
    `curl -sS ${base}/${path} ${json} -d '${JSON.stringify(body)}'`;
  // Base64 of the picture is too long for an argument: pipe it.
  const withPicture = (
    /** @type {string} */ path,
    /** @type {string} */ before,
    /** @type {string} */ after,
  ) =>
    `{ printf '${before}'; base64 < picture.png | tr -d '\\n'; printf '${after}'; } | curl -sS ${base}/${path} ${json} --data-binary @-`;
  const toPicture = `node -e 'const { readFileSync, writeFileSync } = require("fs"); writeFileSync("picture.png", JSON.parse(readFileSync(0)).data[0].b64_json, "base64")'`;

  const question = 'Describe a scene with two shapes.';
  const scene = 'a red circle above a blue square';
  const documents = ['There is a red circle above a blue square.', 'The weather in Paris is sunny.'];
  return [
    {
      title: 'Chat',
      line: post('chat/completions', { model: 'tiny-chat', messages: [{ role: 'user', content: question }] }),
    },
    { title: 'The same by the newer API', line: post('responses', { model: 'tiny-chat', input: question }) },
    {
      title: "The same in the dialect of Anthropic's Messages",
      line: post('messages', {
        model: 'tiny-chat',
        max_tokens: 64,
        messages: [{ role: 'user', content: question }],
      }),
    },
    {
      title: 'How likely a text is',
      line: post('completions', {
        model: 'tiny-chat',
        prompt: scene,
        echo: true,
        logprobs: 1,
        max_tokens: 0,
      }),
    },
    { title: 'The tokens of a text', line: post('tokenize', { model: 'tiny-chat', prompt: scene }) },
    {
      title: 'The text of tokens',
      line: post('detokenize', { model: 'tiny-chat', tokens: [534, 1007, 227, 24, 350, 25, 37] }),
    },
    {
      title: 'The length of a conversation',
      line: post('messages/count_tokens', {
        model: 'tiny-chat',
        messages: [{ role: 'user', content: question }],
      }),
    },
    {
      title: 'The length of a request to the newer API',
      line: post('responses/input_tokens', { model: 'tiny-chat', input: question }),
    },
    {
      title: 'A picture, saved as picture.png',
      line: `${post('images/generations', { prompt: scene, size: '512x512' })} | ${toPicture}`,
    },
    {
      title: 'A question about it',
      line: withPicture(
        'chat/completions',
        '{"model":"tiny-vision","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,',
        '"}},{"type":"text","text":"What is in this picture?"}]}]}',
      ),
    },
    { title: 'The objects in it', line: withPicture('detect', '{"image":"', '"}') },
    { title: 'Speech, saved as speech.wav', line: `${post('audio/speech', { input: scene })} -o speech.wav` },
    { title: 'The speech as text', line: `${get('audio/transcriptions')} -F file=@speech.wav` },
    { title: 'The voices', line: get('audio/voices') },
    { title: 'Vectors of texts', line: post('embeddings', { model: 'tiny-embed', input: scene }) },
    {
      title: 'Documents in order',
      line: post('rerank', { query: 'what is above the blue square', documents }),
    },
    { title: 'The models', line: get('models') },
    { title: 'One model', line: get('models/tiny-chat') },
    { title: 'Its parameters', line: get('models/tiny-chat/parameters') },
    { title: 'The whole API, for machines', line: get('openapi.json') },
  ];
}
