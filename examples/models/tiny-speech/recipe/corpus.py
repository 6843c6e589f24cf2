"""What is spoken: sentences of the closed world, words of the dictionary, spelled-out letters, and words that nobody knows."""

import re
import zlib

from phonemes import CONSONANTS, PAUSES, QUOTES, VOWELS

COLORS = "red green blue yellow orange purple pink black white gray".split()
SHAPES = "circle square triangle diamond cross star".split()
RELATIONS = ["above", "below", "to the left of", "to the right of", "next to", "on top of"]
SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NAMES = "anna ben carla david emma frank grace hugo ivan julia karl laura mike nina oscar paula tom sara leo mia alice bob john mary peter maria".split()
CITIES = "paris london berlin madrid rome vienna prague warsaw dublin athens tokyo delhi cairo lima boston chicago denver dallas miami sydney munich".split() + [
    "new york", "san francisco", "los angeles", "mexico city"]
SKIES = "sunny cloudy rainy windy snowy foggy warm cold hot cool dry wet clear stormy".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday today tomorrow".split()
MONTHS = "january february march april may june july august september october november december".split()
SMALLTALK = [
    "hello", "hello there", "hi", "hey", "good morning", "good evening", "good afternoon", "good night", "goodbye", "bye", "see you tomorrow", "thank you",
    "thanks a lot", "you are welcome", "how are you", "i am fine, thank you", "nice to meet you", "please", "yes", "no", "maybe", "what can you do",
    "who are you", "i am a small model", "i only know greetings, scenes of colored shapes, small sums and the tools i am given", "can you help me",
    "please say that again", "i do not know", "that is right", "that is wrong", "have a nice day", "welcome", "what time is it", "how is the weather",
    "the quick brown fox jumps over the lazy dog", "this is a test", "one moment please", "sorry, i did not understand", "please draw a picture",
]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LETTER_NAMES = dict(zip(LETTERS, "EY1,B IY1,S IY1,D IY1,IY1,EH1 F,JH IY1,EY1 CH,AY1,JH EY1,K EY1,EH1 L,EH1 M,EH1 N,OW1,P IY1,K Y UW1,AA1 R,EH1 S,T IY1,Y UW1,V IY1,"
                                 "D AH1 B AH0 L Y UW0,EH1 K S,W AY1,Z IY1".split(",")))
WEAK = "a an the of to and is are in on at for i you it that was with as or by be can do have has what from".split()


def number(value):
    if value < 20:
        return SMALL[value]
    if value == 100:
        return "one hundred"
    return TENS[value // 10 - 2] + (" " + SMALL[value % 10] if value % 10 else "")


def plural(shape):
    return shape + ("es" if shape.endswith("s") else "s")


def thing(rng):
    color = rng.choice(COLORS)
    return f"{'an' if color == 'orange' else 'a'} {color} {rng.choice(SHAPES)}"


def things(rng):
    return f"{number(rng.randint(2, 12))} {rng.choice(COLORS)} {plural(rng.choice(SHAPES))}"


def background(rng):
    return f"on a {rng.choice(COLORS)} background".replace("a orange", "an orange") if rng.random() < 0.2 else ""


def scene(rng):
    kind = rng.random()
    if kind < 0.2:
        return f"{thing(rng)} {background(rng)}"
    if kind < 0.4:
        return f"{things(rng)} {background(rng)}"
    return f"{thing(rng)} {rng.choice(RELATIONS)} {thing(rng)} {background(rng)}"


def scene_sentence(rng):
    return rng.choice([
        "{0}.", "{0}.", "i see {0}.", "there is {0}.", "draw {0}.", "please draw {0}.", "can you see {0}?", "show me {0}.", "the picture shows {0}.",
        "i see {1} and {2}.", "where is the {4} {5}?", "the {4} {5} is {6} the {7} {8}.", "how many {9} are there?", "what color is the {5}?",
        "there are {3}.", "it is {0}.", "is there {1}?", "yes, there is {1}.", "no, there is no {5}.", "what is {6} the {4} {5}?",
    ]).format(scene(rng), thing(rng), thing(rng), things(rng), rng.choice(COLORS), rng.choice(SHAPES), rng.choice(RELATIONS), rng.choice(COLORS), rng.choice(SHAPES),
              plural(rng.choice(SHAPES)))


def sum_sentence(rng):
    left, right = number(rng.randint(0, 100)), number(rng.randint(0, 100))
    return rng.choice([
        "{0} plus {1} is {2}.", "what is {0} plus {1}?", "what is {0} minus {1}?", "{0} minus {1} equals {2}.", "{0} times {1} is {2}.", "{0} and {1} make {2}.",
        "the answer is {2}.", "{0}, {1}, {2}.", "{0}.", "count from {0} to {1}.", "how much is {0} divided by {1}?",
    ]).format(left, right, number(rng.randint(0, 100)))


def weather_sentence(rng):
    return rng.choice([
        "the weather in {0} is {1}.", "what is the weather like in {0}?", "it is {2} degrees in {0}.", "it will be {1} and {3} on {4}.", "what time is it in {0}?",
        "it is {5} o'clock.", "it is half past {5}.", "it is {2} minutes past {5}.", "at {5} in the morning it is {1}.", "will it rain {4}?", "{4} is {1}.",
        "the {6} of {7}.", "wake me up at {5} thirty.", "the temperature is minus {2} degrees.", "my name is {8}.", "hello, {8}.", "{8} lives in {0}.",
    ]).format(rng.choice(CITIES), rng.choice(SKIES), number(rng.randint(2, 40)), rng.choice(SKIES), rng.choice(DAYS), number(rng.randint(1, 12)),
              rng.choice(["first", "second", "third", "fourth", "fifth", "tenth", "twentieth", "last"]), rng.choice(MONTHS), rng.choice(NAMES))


def smalltalk_sentence(rng):
    return rng.choice(SMALLTALK) + rng.choice(".!?.")


def closed_sentence(rng):
    kind = rng.random()
    if kind < 0.55:
        return scene_sentence(rng)
    if kind < 0.75:
        return sum_sentence(rng)
    return weather_sentence(rng) if kind < 0.9 else smalltalk_sentence(rng)


def held_out(text):
    return zlib.crc32(text.encode()) % 10 == 0


def sentence(rng, test=False):
    """A sentence of the closed world; one in ten is kept for the evaluation."""
    while True:
        text = re.sub(r" +", " ", closed_sentence(rng)).replace(" .", ".").replace(" ?", "?")
        if held_out(text) == test:
            return text


def tokens_of(text, dictionary):
    """Words as ARPABET, punctuation and spaces. Words must be in the dictionary."""
    tokens = []
    for part in re.findall(r"[a-z']+| |[^a-z' ]", text.lower().replace("-", " ")):
        if part in dictionary:
            tokens.append(dictionary[part])
        elif part in PAUSES or part in QUOTES or part == " ":
            tokens.append(part)
        else:
            raise KeyError(part)
    return tokens


def weakened(text, dictionary, rng):
    """The same tokens, with the little words without stress."""
    tokens = tokens_of(text, dictionary)
    weak = {dictionary[word] for word in WEAK}
    return [tuple(sound.replace("1", "0") if sound != "AH1" else "AH0" for sound in token) if token in weak and rng.random() < 0.7 else token for token in tokens]


def invented(rng):
    """A word of random sounds."""
    syllables = rng.randint(1, 4)
    stressed = rng.randrange(syllables)
    sounds = []
    for index in range(syllables):
        sounds += rng.choices(CONSONANTS, k=rng.choice((0, 1, 1, 1, 2)))
        sounds.append(rng.choice(VOWELS) + ("1" if index == stressed else rng.choice("002")))
        sounds += rng.choices(CONSONANTS, k=rng.choice((0, 0, 1, 1, 2)))
    return tuple(sounds)


def joined(words, rng, pause=0.15):
    tokens = []
    for index, word in enumerate(words):
        if index:
            if rng.random() < pause:
                tokens.append(rng.choice(",,,;:—….!?"))
            tokens.append(" ")
        tokens.append(word)
    return tokens + ([rng.choice("....?!,")] if rng.random() < 0.9 else [])


def lesson_tokens(rng, dictionary, words):
    """Tokens of one lesson of the training."""
    kind = rng.random()
    if kind < 0.38:
        tokens = weakened(sentence(rng), dictionary, rng)
        if rng.random() < 0.25:
            tokens += [" ", *weakened(sentence(rng), dictionary, rng)]
    elif kind < 0.72:
        tokens = joined([dictionary[rng.choice(words)] for _ in range(rng.randint(1, 10))], rng)
    elif kind < 0.84:
        spelled = rng.choice(words) if rng.random() < 0.5 else rng.choices(LETTERS, k=rng.randint(1, 8))
        names = [tuple(LETTER_NAMES[letter].split()) for letter in spelled if letter in LETTERS][:10] or [("EY1",)]
        tokens = joined(names, rng, rng.choice((0, 0, 0.2, 1)))
    else:
        tokens = joined([invented(rng) for _ in range(rng.randint(1, 7))], rng)
    if rng.random() < 0.03:
        tokens = [rng.choice('"(“'), *tokens, rng.choice('")”')]
    return tokens
