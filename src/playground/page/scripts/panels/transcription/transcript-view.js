import { downloadLink } from '../../dom/download.js';
import { element } from '../../dom/element.js';
import { formatTime } from '../../dom/format.js';
import { toSrt, toVtt } from './subtitles.js';

/**
 * @typedef {import('../../../../../categories/transcription/wire/schema.ts').VerboseTranscription} Transcription
 */

/**
 * * A transcript with a player: highlights the current line; a click seeks.
 *
 * @param {File} file
 * @param {Transcription} transcription
 * @returns {HTMLElement}
 */
export function toTranscriptView(file, { text, segments = [], language, duration }) {
  const player = element('audio', { controls: true, src: URL.createObjectURL(file) });
  const subtitle = element('p', { class: 'subtitle' });
  const lines = segments.map((segment) => {
    const button = element(
      'button',
      { type: 'button', class: 'line' },
      element('span', { class: 'line-time' }, formatTime(segment.start)),
      element('span', {}, segment.text.trim()),
    );
    button.addEventListener('click', () => {
      player.currentTime = segment.start;
      void player.play().catch(() => undefined);
    });
    return { segment, button };
  });
  const follow = () => {
    const now = player.currentTime;
    const current = lines.find(({ segment: { start, end } }) => now >= start && now < end);
    subtitle.textContent = current?.segment.text.trim() ?? '';
    for (const line of lines) line.button.toggleAttribute('data-now', line === current);
  };
  for (const event of ['timeupdate', 'seeked', 'ended']) player.addEventListener(event, follow);

  const name = file.name.replace(/\.[^.]*$/, '') || 'transcript';
  const downloads = [
    downloadLink('SRT', new Blob([toSrt(segments)], { type: 'application/x-subrip' }), `${name}.srt`),
    downloadLink('VTT', new Blob([toVtt(segments)], { type: 'text/vtt' }), `${name}.vtt`),
    downloadLink('Text', new Blob([`${text}\n`], { type: 'text/plain' }), `${name}.txt`),
  ];
  return element(
    'div',
    { class: 'transcript' },
    element('p', { class: 'transcript-text' }, text.trim() || '(nothing was said)'),
    element('div', { class: 'player' }, player, subtitle),
    element('ol', { class: 'lines' }, ...lines.map(({ button }) => element('li', {}, button))),
    element(
      'div',
      { class: 'row' },
      ...downloads,
      element('span', { class: 'status spread' }, `${language} · ${duration.toFixed(1)} s`),
    ),
  );
}
