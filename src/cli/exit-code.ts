/** Exit codes of commands. */
export const exitCode = {
  success: 0,
  /** Something outside the command line was not as it should be. */
  failure: 1,
  /** The command line itself, or the config file that it names, is wrong. */
  usage: 2,
  /** Broken off by Ctrl-C: 128 + the number of SIGINT. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
