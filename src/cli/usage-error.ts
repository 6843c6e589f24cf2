/** The command line, or the config file that it names, is wrong; the message tells how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
