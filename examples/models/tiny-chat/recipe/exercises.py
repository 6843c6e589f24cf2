"""Rows of pure recall: pairs of tokens or of words, then one part of each pair asks for the other.

A question about a scene holds one token that depends on which color belongs to which shape. Here every taught token depends on such a bond, between any tokens, so looking it up is learned early.
"""

import random

from bundles import Bundler, Hint, Row
from world import COLORS, SHAPES

WORD_SHARE, WORLD_SHARE, FORWARD_SHARE, JSON_SHARE = 0.5, 0.4, 0.3, 0.3
# About the longest block.
BLOCK = 60


class Exercises:
    def __init__(self, tokenizer, seed):
        def encode(words):
            return [tokenizer.encode(word).ids[-1] for word in words]

        self.random = random.Random(seed)
        self.any = [token for token in range(tokenizer.get_vocab_size()) if not tokenizer.id_to_token(token).startswith("<|")]
        self.colors, self.shapes = encode(f" {color}" for color in COLORS), encode(f" {shape}" for shape in SHAPES)
        self.articles, self.joints = encode([" a", " an"]), encode([" above", " below", " of", " and"])
        self.the, self.verb, self.stop = encode([" the", " is", "."])
        # Words and letters have a token after a space, and one after a quotation mark.
        spaced = {tokenizer.id_to_token(token): token for token in self.any if tokenizer.id_to_token(token).startswith("Ġ")}
        self.bare = {token: bare for text, token in spaced.items() if (bare := tokenizer.token_to_id(text[1:])) is not None}
        self.spaced = {bare: token for token, bare in self.bare.items()}
        self.letters = [token for token in self.spaced if (text := tokenizer.id_to_token(token)).islower() and len(text) < 3]
        self.comma, self.colon = encode(['", "', '": "'])

    def row(self, most_tokens):
        row, branch = Row(), 0
        while len(row.ids) < most_tokens - BLOCK:
            branch += 1
            ids, taught, hints = self.words() if self.random.random() < WORD_SHARE else self.tokens()
            row.hints += [Hint(kind, len(row.ids) + query, len(row.ids) + target) for kind, query, target in hints]
            Bundler.append(row, 0, ids, [place in taught for place in range(len(ids))], branch, 0)
        return row

    def pairs(self, colors, shapes, count, forward):
        """Pairs whose asked tokens differ: the second ones, or if `forward` the first ones."""
        rng = self.random
        return list(zip(rng.sample(colors, count), rng.choices(shapes, k=count)) if forward else zip(rng.choices(colors, k=count), rng.sample(shapes, count)))

    def tokens(self):
        """A list of pairs with other tokens between them, then each pair asked for in any order, in words or as a value of JSON: ids, the places of the taught ones, hints."""
        rng = self.random
        of_world, forward = rng.random() < WORLD_SHARE, rng.random() < FORWARD_SHARE
        as_json = not of_world and rng.random() < JSON_SHARE
        lead, verb, stop = (self.comma, [self.colon], []) if as_json else (self.the, [self.verb] if rng.random() < 0.7 else [], [self.stop])
        colors, shapes = (self.colors, self.shapes) if of_world else (list(self.bare), list(self.bare)) if as_json else (self.any, self.any)
        pairs = self.pairs(colors, shapes, rng.randint(2, 5 if of_world else 8), forward)
        ids, places, taught, hints = rng.choices(self.any, k=rng.randint(1, 6)), [], [], []
        for pair in pairs:
            places.append(len(ids))
            ids += [*pair, *rng.choices(self.joints if of_world else self.any, k=rng.randint(0, 2)), *([rng.choice(self.articles)] if of_world else [])]
        ids += rng.choices(self.any, k=rng.randint(0, 8))
        for (first, second), place in rng.sample(list(zip(pairs, places)), len(pairs)):
            asked, told = (first, second) if forward else (second, first)
            if as_json:
                asked, told = rng.choice([asked, self.bare[asked]]), self.bare[told]
            ids += [lead, asked, *verb]
            hints += [("value" if forward else "object", len(ids) - 1, place + 1), ("bind", place + 1, place)]
            taught.append(len(ids))
            ids += [told, *stop]
        return ids, taught, hints

    def word(self, letters):
        return tuple(self.random.choices(letters, k=self.random.randint(1, 6)))

    def words(self):
        """The same with words of few letters, which begin alike and repeat each other, so that a letter or two don't tell how one goes on."""
        rng = self.random
        letters, count = rng.sample(self.letters, rng.randint(5, 12)), rng.randint(2, 5)
        keys = {self.word(letters) for _ in range(count)}
        pairs, places = [(key, self.word(letters)) for key in keys], []
        ids, taught, hints = rng.choices(self.any, k=rng.randint(1, 6)), [], []
        for key, value in pairs:
            ids += [self.spaced[key[0]], *key[1:]]
            places.append(len(ids))
            ids += [self.spaced[value[0]], *value[1:]] + ([rng.choice([self.stop, self.the, *self.joints])] if rng.random() < 0.6 else [])
        ids += rng.choices(self.any, k=rng.randint(0, 8))
        for (key, value), place in rng.sample(list(zip(pairs, places)), len(pairs)):
            ids += [self.comma, *key, self.colon]
            hints.append(("bind", place, place - 1))
            hints += [("value", len(ids) - 1 + step, place + step) for step in range(len(value))]
            taught += range(len(ids), len(ids) + len(value))
            ids += value
        return ids, taught, hints
