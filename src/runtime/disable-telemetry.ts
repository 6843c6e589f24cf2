/**
 * Keeps the runtime from reporting to its maker and from writing files for that, unless the environment variable
 * `ORT_DISABLE_TELEMETRY` says otherwise: an empty value counts as none. The runtime reads it once, when it is loaded: call this before.
 */
export function disableTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] ||= '1';
}
