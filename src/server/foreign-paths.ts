const chat = 'POST /v1/chat/completions';
const completions = 'POST /v1/completions';

/** Paths of other servers, with what to call here in their place. */
const replacements: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^\/(?:api\/)?chat$/, chat],
  [/^\/(?:api\/)?generate(?:_stream)?$/, chat],
  [/^\/(?:completion|infill|complete)$/, completions],
  [/^\/(?:engines|deployments)(?:\/.*)?\/chat\/completions$/, `${chat}, with the model in the body`],
  [/^\/(?:engines|deployments)(?:\/.*)?\/completions$/, `${completions}, with the model in the body`],
  [/^\/(?:apply-template|extras\/tokenize(?:\/count)?)$/, 'POST /v1/tokenize'],
  [/^\/(?:engines|api\/tags|api\/ps|tags)(?:\/.*)?$/, 'GET /v1/models'],
  [/^\/(?:api\/)?(?:embed|embedding|embeddings)$/, 'POST /v1/embeddings'],
  [/^\/(?:api\/)?(?:show|props)$/, 'GET /v1/models/{id}/parameters'],
  [/^\/(?:reranking|api\/rerank)$/, 'POST /v1/rerank'],
  [/^\/(?:images\/edits|images\/variations|txt2img|sdapi\/.*)$/, 'POST /v1/images/generations'],
  [/^\/(?:inference|asr)$/, 'POST /v1/audio/transcriptions'],
  [/^\/(?:tts|api\/tts)$/, 'POST /v1/audio/speech'],
  [/^\/responses\/compact$/, 'POST /v1/responses, with a summary of your own as `input`,'],
  [
    /^\/(?:assistants|threads|conversations)(?:\/.*)?$/,
    'POST /v1/responses, with `previous_response_id` or the whole conversation',
  ],
];

/** The call that takes the place of one that other servers have; `undefined` where none does. */
export function replacementOf(path: string): string | undefined {
  return replacements.find(([pattern]) => pattern.test(path))?.[1];
}
