/** @param {number} bytes @returns {string} `4.2 MB` */
export function formatBytes(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const [divisor, unit] = bytes < 1e6 ? [1e3, 'KB'] : bytes < 1e9 ? [1e6, 'MB'] : [1e9, 'GB'];
  return `${(bytes / divisor).toFixed(bytes / divisor < 10 ? 1 : 0)} ${unit}`;
}

/** @param {number} seconds @returns {string} `1:05` */
export function formatTime(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** @param {number} milliseconds @returns {string} `1.3 s` */
export function formatDuration(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** @param {number} count @param {string} noun @returns {string} `1 token`, `2 tokens` */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
