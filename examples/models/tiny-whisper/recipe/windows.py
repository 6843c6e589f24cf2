"""Windows of ten seconds, as the long-form algorithm cuts them, with the tokens a recogniser should answer."""

import random
from dataclasses import dataclass, field

import numpy as np

from build_tokenizer import CHUNK_SECONDS, END, LANGUAGE, NO_TIMESTAMPS, PREVIOUS, SILENCE, START, TASK, TIMESTAMP_SECONDS, TIMESTAMPS
from features import SAMPLE_RATE

SAMPLES = CHUNK_SECONDS * SAMPLE_RATE
FRAMES = CHUNK_SECONDS * 50
MOST_PROMPT = 90
MOST_TALKS = 40
NOT_TAUGHT = -100


@dataclass
class Window:
    """`targets[i]` is what follows `tokens[i]`; `NOT_TAUGHT` where nothing is. `spans[i]` are the seconds in which that target is heard, or None.
    The samples begin at position `first` of the encoder, where timestamps count from its first."""

    samples: np.ndarray
    tokens: list
    targets: list
    spans: list
    phonemes: np.ndarray
    first: int = 0


@dataclass
class Talk:
    source: object
    manner: object
    clips: list = field(default_factory=list)


class WindowMaker:
    """Cuts windows out of streams of clips; `sources` are (share, maker of clips)."""

    def __init__(self, sources, tokenizer, noise, seed):
        self.sources = sources
        self.random = random.Random(seed)
        self.tokenizer = tokenizer
        self.noise = noise
        self.talks = []
        self.special = {name: tokenizer.token_to_id(name) for name in (END, START, LANGUAGE, TASK, PREVIOUS, SILENCE, NO_TIMESTAMPS)}
        self.first_timestamp = tokenizer.token_to_id(TIMESTAMPS[0])

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def chance(self, probability):
        return self.random.random() < probability

    def timestamp(self, seconds):
        return self.first_timestamp + max(0, min(FRAMES, round(seconds / TIMESTAMP_SECONDS)))

    def source(self):
        return self.random.choices([maker for _, maker in self.sources], [share for share, _ in self.sources])[0]

    def gap(self):
        kind = self.random.random()
        return self.random.uniform(0.05, 0.5) if kind < 0.55 else self.random.uniform(0.3, 1.2) if kind < 0.92 else self.random.uniform(1.0, 4.0)

    def lead(self, longest):
        """The seconds before the first sound. Often none: what begins at once would pass for the middle of a sentence otherwise."""
        return 0.0 if self.chance(0.4) else self.random.uniform(0.0, longest)

    def talk(self):
        """The clips of one speaker, or of several: one of the latest talks in every other case, since speaking costs time."""
        if len(self.talks) == MOST_TALKS and self.chance(0.5):
            talk = self.random.choice(self.talks)
            self.random.shuffle(talk.clips)
            return talk
        source = self.source()
        talk = Talk(source, source.manner()) if self.chance(0.75) else Talk(None, None)
        self.talks = [*self.talks[-MOST_TALKS + 1 :], talk]
        return talk

    def stream(self, seconds, behind_first=False):
        """Clips one after the other as (start, clip); the seconds may count from the first one's end."""
        talk, time, placed = self.talk(), 0.0, []
        while time < seconds + (placed[0][1].seconds if behind_first and placed else 0):
            if len(placed) == len(talk.clips):
                source = talk.source or self.source()
                talk.clips.append(source.clip(talk.manner or source.manner()))
            clip = talk.clips[len(placed)]
            placed.append((time, clip))
            time += clip.seconds + self.gap()
        return placed

    def short(self):
        """One to three clips in a window no longer than needed, which may stand anywhere in the ten seconds: the silence around it need not be computed."""
        count = self.random.choices([1, 2, 3], [60, 28, 12])[0]
        placed = self.stream(6.0 if count > 1 else 0.1)[:count]
        lead = self.lead(0.4)
        placed = [(lead + start, clip) for start, clip in placed]
        seconds = min(CHUNK_SECONDS, placed[-1][0] + placed[-1][1].seconds + self.random.uniform(0.0, 0.4))
        first = self.random.randint(0, int((CHUNK_SECONDS - seconds) * 50)) if self.chance(0.5) else 0
        return self.cut(placed, 0.0, seconds, first)

    def window(self):
        kind = self.random.random()
        if kind < 0.08:
            return self.cut([], 0.0, self.random.choice([self.random.uniform(0.1, CHUNK_SECONDS), CHUNK_SECONDS]))
        if kind < 0.33:
            clip, lead = self.stream(0.1)[0][1], self.lead(0.6) if self.chance(0.7) else self.random.uniform(0, 6)
            return self.cut([(lead, clip)], 0.0, lead + clip.seconds + self.random.choice([0, self.random.uniform(0, 0.5), self.random.uniform(0, 5)]))
        lead = self.lead(0.8) if self.chance(0.8) else self.random.uniform(0, 5)
        if kind < 0.6:
            count = 20 if self.chance(0.6) else self.random.randint(1, 3)
            placed = [(lead + start, clip) for start, clip in self.stream(CHUNK_SECONDS)[:count]]
            end = placed[-1][0] + placed[-1][1].seconds + self.random.uniform(0, 1)
            return self.cut(placed, 0.0, end)
        placed = self.stream(CHUNK_SECONDS, behind_first=True)
        start, clip = placed[0]
        if kind < 0.9 or len(clip.words) < 3:
            # Right after a segment: somewhere between its last sound and the next segment's first one.
            begin = start + clip.words[-1][2] + self.random.uniform(-0.02, 0.1)
            if self.chance(0.4):
                begin = max(begin, placed[1][0] + placed[1][1].words[0][1] - self.random.uniform(0.0, 0.1))
        else:
            word = self.random.randrange(1, len(clip.words))
            begin = start + (clip.words[word][1] if self.chance(0.5) else clip.words[word - 1][2])
        end = begin + CHUNK_SECONDS + (5 if self.chance(0.75) else -self.random.uniform(0, 4))
        return self.cut(placed, begin, end)

    def cut(self, placed, begin, end, first=0):
        """The window from `begin`; the recording ends at `end`, and zeros follow."""
        length = min(CHUNK_SECONDS, end - begin)
        samples = np.zeros(round(length * SAMPLE_RATE), np.float32)
        phonemes = np.zeros(FRAMES, np.int64)
        segments, earlier = [], []
        for start, clip in placed:
            offset = round((start - begin) * SAMPLE_RATE)
            left, right = max(0, -offset), min(len(clip.samples), len(samples) - offset)
            if right > left:
                samples[offset + left : offset + right] += clip.samples[left:right]
            shift = start - begin
            self.label(phonemes, clip, shift, length)
            inside = [(word, shift + a, shift + b) for word, a, b in clip.words if shift + a > -0.06 and shift + b <= length + 0.02]
            earlier += [word for word, a, _ in clip.words if shift + a <= -0.06]
            cut_off = shift + clip.words[-1][2] > length + 0.02
            first_sound = shift + clip.words[0][1]
            if inside or (cut_off and first_sound < length - 0.1):
                segments.append((inside, cut_off, max(0.0, first_sound)))
        samples = self.noise.apply(samples) if len(samples) else samples
        return self.answer(samples, segments, " ".join(earlier), phonemes, first)

    def label(self, phonemes, clip, shift, length):
        for identifier, begin, end in clip.phonemes:
            if shift + end > 0 and shift + begin < length:
                phonemes[max(0, round((shift + begin) * 50)) : max(0, round((shift + end) * 50))] = identifier

    def prompt(self, earlier):
        if not self.chance(0.35 if not earlier else 0.5):
            return []
        sentences = [self.sources[0][1].maker.sentence() for _ in range(self.random.randint(0 if earlier else 1, self.random.choice([2, 10])))]
        text = " ".join(sentences + ([earlier] if earlier else []))
        ids = self.encode(" " + text)
        most = MOST_PROMPT if self.chance(0.7) else self.random.randint(1, 20)
        return [self.special[PREVIOUS]] + ids[-most:]

    def answer(self, samples, segments, earlier, phonemes, first):
        special, timed = self.special, self.chance(0.8)
        tokens, spans = [special[START], special[LANGUAGE], special[TASK]], [None] * 3
        taught = [special[LANGUAGE] if segments else special[SILENCE], special[TASK]]

        def add(ids, span):
            tokens.extend(ids)
            spans.extend([span] * len(ids))

        if not timed:
            add([special[NO_TIMESTAMPS]], None)
        elif not segments:
            add([self.timestamp(0)], None)
        for index, (inside, cut_off, start) in enumerate(segments):
            if timed:
                add([self.timestamp(start + first * TIMESTAMP_SECONDS)], (start - 0.02, start + 0.06))
            if cut_off and index > 0 and timed:
                break
            for word, a, b in inside:
                add(self.encode(f" {word}"), (a, b))
            if timed and inside:
                stop = inside[-1][2]
                add([self.timestamp(stop + first * TIMESTAMP_SECONDS)] * (2 if cut_off else 1), (stop - 0.06, stop + 0.02))
        tokens.append(special[END])
        spans.append(None)
        # What follows the start decides between speech and silence, although the language is what comes next in both cases.
        targets = taught + tokens[3:]
        if len(segments) == 1 and not segments[0][0]:
            targets[0] = NOT_TAUGHT
        prompt = self.prompt(earlier)
        return Window(samples, prompt + tokens[:-1], [NOT_TAUGHT] * len(prompt) + targets, [None] * len(prompt) + spans[1:], phonemes, first)
