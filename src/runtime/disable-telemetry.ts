/**
 * Disables the runtime's telemetry and its files, unless the environment variable `ORT_DISABLE_TELEMETRY` overrides it:
 * an empty value is ignored. The runtime reads it once while loading: call this earlier.
 */
export function disableTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] ||= '1';
}
