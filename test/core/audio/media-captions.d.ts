/** What the tests use of it: the package's own declarations can't be resolved by Node's rules. */
declare module 'media-captions' {
  export interface VTTCue {
    readonly id: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly text: string;
  }
  export type VTTNode =
    | { readonly type: 'text'; readonly data: string }
    | { readonly type: 'c' | 'i' | 'b' | 'u' | 'v' | 'lang' | 'ruby'; readonly children: readonly VTTNode[] };

  export function parseText(
    text: string,
    options: { readonly type: 'srt' | 'vtt'; readonly strict: boolean; readonly errors: boolean },
  ): Promise<{ readonly cues: readonly VTTCue[]; readonly errors: readonly Error[] }>;
  export function tokenizeVTTCue(cue: VTTCue): readonly VTTNode[];
}
