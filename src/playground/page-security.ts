/** Only its origin's path matters of this address: where relative ones are tried out. */
const somewhere = 'http://somewhere.invalid/a/b/c/';

/** @throws TypeError when `api` is neither a path nor an http URL */
export function assertApi(api: unknown): asserts api is string {
  const fault = (): never => {
    throw new TypeError(
      `api: expected a path such as "/v1" or an http(s) URL, got ${typeof api === 'string' ? JSON.stringify(api) : String(api)}`,
    );
  };
  if (typeof api !== 'string' || api === '' || !URL.canParse(api, somewhere)) return fault();
  const { origin, username, password, search, hash } = new URL(api, somewhere);
  if ([username, password, search, hash].some((part) => part !== '')) fault();
  // The origin becomes a part of the policy, in which these would begin something else.
  if (origin !== new URL(somewhere).origin && !/^https?:\/\/[^;,']+$/i.test(api)) fault();
}

/** Headers of every answer: what the page may load (itself), reach (the API) and use (the microphone). */
export function securityHeaders(api: string): Record<string, string> {
  const { origin } = new URL(api, somewhere);
  const reached = origin === new URL(somewhere).origin ? "'self'" : `'self' ${origin}`;
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' blob:",
    'media-src': 'blob:',
    'connect-src': reached,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, value]) => `${directive} ${value}`)
      .join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'microphone=(self)',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}
