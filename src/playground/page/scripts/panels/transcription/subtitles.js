/** @typedef {{ start: number, end: number, text: string }} Segment in seconds */

/** @param {readonly Segment[]} segments @returns {string} SubRip */
export function toSrt(segments) {
  const cues = withText(segments).map(
    ({ start, end, text }, index) =>
      `${index + 1}\n${timestamp(start, ',')} --> ${timestamp(end, ',')}\n${text.replaceAll(/-{2,}>/g, '->')}\n\n`,
  );
  return cues.join('');
}

/** @param {readonly Segment[]} segments @returns {string} WebVTT */
export function toVtt(segments) {
  const cues = withText(segments).map(({ start, end, text }) => {
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return `${timestamp(start, '.')} --> ${timestamp(end, '.')}\n${escaped}\n\n`;
  });
  return `WEBVTT\n\n${cues.join('')}`;
}

/** @param {readonly Segment[]} segments */
function withText(segments) {
  return segments
    .map(({ start, end, text }) => ({ start, end, text: text.replaceAll(/\s*[\r\n]+\s*/g, '\n').trim() }))
    .filter(({ text }) => text !== '');
}

/** @param {number} seconds @param {string} separator before the milliseconds */
function timestamp(seconds, separator) {
  const milliseconds = Math.round(seconds * 1000);
  const parts = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60, (milliseconds / 1000) % 60];
  const clock = parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
  return `${clock}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
}
