import type { Pronunciation } from './arpabet-sounds.ts';

/** Words that the dictionary lacks, or has only as a name that is said differently. */
export const knownWords: Readonly<Record<string, Pronunciation>> = {
  ai: 'EY1 AY1',
  app: 'AE1 P',
  apps: 'AE1 P S',
  blog: 'B L AA1 G',
  blogs: 'B L AA1 G Z',
  emoji: 'IH0 M OW1 JH IY0',
  ffmpeg: 'EH1 F EH1 F EH1 M P EH2 G',
  gif: 'G IH1 F',
  google: 'G UW1 G AH0 L',
  jpeg: 'JH EY1 P EH2 G',
  json: 'JH EY1 S AH0 N',
  kokoro: 'K OW1 K AH0 R OW2',
  kubernetes: 'K UW2 B ER0 N EH1 T IY0 Z',
  kyiv: 'K IY1 IH0 V',
  latex: 'L EY1 T EH2 K',
  linux: 'L IH1 N AH0 K S',
  nginx: 'EH1 N JH AH0 N EH1 K S',
  ok: 'OW2 K EY1',
  onnx: 'AA1 N IH0 K S',
  png: 'P IY1 EH1 N JH IY1',
  python: 'P AY1 TH AA0 N',
  readme: 'R IY1 D M IY2',
  regex: 'R EH1 JH EH2 K S',
  runtime: 'R AH1 N T AY2 M',
  sudo: 'S UW1 D UW0',
  tuple: 'T AH1 P AH0 L',
  ubuntu: 'UH0 B UH1 N T UW0',
  volodymyr: 'V AA2 L AH0 D IH1 M IH0 R',
  wifi: 'W AY1 F AY2',
  youtube: 'Y UW1 T UW2 B',
};

/** Capitals that are spelled although a dictionary has them as a word. */
export const spelledCapitals: ReadonlySet<string> = new Set(
  (
    'US UK EU UN UAE AI AM PM AD BC PC TV ID OS UI UX IP IO DJ MC CD DVD LED LCD USB GPU CPU TPU API URL PDF SQL CSS ' +
    'HTML XML HTTP HTTPS GPS FBI CIA IRS NBA NFL ATM DNA RNA CEO CTO CFO HR PR QA VIP FAQ DIY ETA AC DC EV VR AR ML ' +
    'SDK CLI IDE LLM TTS STT OCR RGB HD PS'
  ).split(' '),
);
