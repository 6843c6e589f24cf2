/** The command line, or the config file that it names, is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
