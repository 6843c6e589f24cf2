"""Sentences of the closed world, as a reader writes them and as a speaker says them."""

import random
import re

COLORS = "red green blue yellow orange purple pink black".split()
RARE_COLORS = "white gray brown".split()
SHAPES = "circle square triangle diamond cross star".split()
COUNTS = "one two three four five six seven eight nine ten".split()
RELATIONS = ["above", "below", "to the left of", "to the right of", "above", "below", "to the left of", "to the right of", "next to", "on top of"]
CITIES = (
    "Paris London Berlin Madrid Rome Vienna Prague Warsaw Dublin Athens Tokyo Seoul Delhi Cairo Lima Boston Chicago Denver Dallas Miami Toronto Sydney "
    "Munich Geneva Milan Naples Porto Kyoto Osaka Bangkok Manila Nairobi Lagos Havana Lisbon Oslo Helsinki Montreal Vancouver Budapest Hamburg"
).split() + ["New York", "San Francisco", "Los Angeles", "Mexico City", "Cape Town", "Hong Kong"]
NAMES = "Anna Ben Carla David Emma Frank Grace Hugo Ivan Julia Laura Mike Nina Oscar Paula Tom Leo Mia Alice Bob John Peter Maria Zoe Diego Hannah Olga".split()
THINGS = "apples coins books pens cards cakes eggs balls stamps stickers oranges flowers pencils candles tickets".split()
CONDITIONS = "sunny cloudy rainy windy snowy stormy foggy warm cold clear".split()
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SPELLED = "red blue green star cat dog home light door city rain sun moon book song game hello yes paris word".split()

GREETINGS = [
    "Hello!", "Hi!", "Hi there!", "Hello there!", "Hey!", "Good morning!", "Good evening!", "Good afternoon!", "Good night!", "Goodbye!", "Bye!", "See you later!",
    "Hello! How can I help you?", "Good morning! How can I help you?", "Good evening! How can I help you?", "How are you?", "Hello, how are you?", "How are you doing?",
    "I am fine, thank you. How can I help you?", "Thank you!", "Thanks!", "Thank you very much!", "Thanks a lot!", "You are welcome!", "Nice to meet you!", "Hello world!",
    "Welcome!", "How can I help you?", "Have a nice day!", "See you tomorrow!",
]
TALK = [
    "Who are you?", "What are you?", "What is your name?", "Are you a robot?", "Introduce yourself.", "What can you do?", "What do you know?", "Can you help me?",
    "I am tiny-chat, a very small assistant.", "I am a very small assistant.",
    "I can greet you, talk about scenes of colored shapes, add and subtract small numbers, and call tools.",
    "I only know greetings, scenes of colored shapes, small sums and the tools I am given.",
    "What is my name?", "Do you remember my name?", "You have not told me your name.", "Tell me what you can do.", "Please say that again.", "Say it the other way around.",
    "Turn it around.", "Describe it the other way around.", "Describe the picture.", "Please describe the picture.", "Describe a scene.", "Describe a scene with two shapes.",
    "Describe a scene with three shapes.", "Draw it.", "Please draw it.", "Now draw it.", "Draw that.", "Surprise me with a picture.", "Draw me a surprise.",
    "Draw whatever you like.", "Paint a picture for me.", "I want a picture.", "Tell me a joke.", "Tell me a story.", "Yes.", "No.", "Yes, please.", "No, thank you.", "Okay.", "Sorry.",
    "Please wait.", "Done.", "Stop.", "Go on.", "Say it again.", "This is a test.", "Can you hear me?", "I can hear you.", "Please speak up.", "I do not know.",
    "I do not understand.", "That is right.", "That is wrong.", "How many shapes are there?", "How many shapes do you see?", "Count the shapes.", "What do you see?",
    "Which shapes are there?", "What is in the picture?", "What color is the background?", "Do you have a question?", "What time is it?", "What day is it today?",
    "Why is the sky blue?", "Play some music.", "Turn on the light.", "Turn off the light.", "Open the door.", "Close the door.", "The picture is empty.", "There are no shapes.",
    "The quick brown fox jumps over the lazy dog.", "Testing, 1, 2, 3.", "I found nothing.", "Let me think.", "Sorry, I only know small numbers.",
    "Sorry, the tool failed.", "The answer is in the picture.", "Thank you for listening.", "One moment, please.", "I did not understand.", "Maybe.", "Welcome back!",
    "Use the tools when they help.", "You are a helpful assistant.", "Be brief.", "Image created.", "Draw a picture, please.", "There is one shape.", "Is there anything else?",
    "Please tell me the city.", "Please tell me your name.", "It is a simple scene.", "That is a nice picture.", "I can talk about scenes of colored shapes.",
    "This is the first sentence.", "This is the second sentence.", "This is the last sentence.",
]
SALAD = (
    "red right circle square triangle diamond cross star circles squares triangles stars green blue yellow orange purple pink black white gray brown above "
    "below left background picture scene shape color weather time sunny cloudy music light door city today morning evening question answer number name "
    "robot hello please tell draw paint describe count small word sentence help say want think call turn open play the and with what how many is are on "
    "from under of it you that this was at have but they his her she he we or as will been if more when who them these could make like into has look than "
    "first now find long day get come may part over sound take only little work place year live me back give most very after just good man old any same "
    "mean before set end does well also home hand such follow why ask men change went kind off need house try again animal point mother world near self "
    "earth father head stand own page should country found study still learn plant food let keep never last tree since hard start might story far late run "
    "while press close life few north book carry took science eat room friend began idea fish stop once watch face enough girl usual young ready ever list "
    "though feel talk bird soon body dog family leave song state product short class wind happen ship area half order fire south problem told king space "
    "best better during step early west ground interest reach fast table travel less simple several toward against slow center love person money serve "
    "appear map govern pull cold notice voice power town fine certain fly fall cry dark machine wait figure box noun field rest correct able done beauty "
    "drive front teach final gave quick ocean free minute strong special mind behind clear fact street inch nothing stay wheel full force object decide "
    "deep moon island foot system busy test record common gold possible dry wonder laugh ago ran check game hot miss snow yes distant fill east language "
    "among alarm address message meeting reminder temperature humidity forecast schedule price ticket train bus flight hotel lamp timer email file photo "
    "movie recipe playlist population guests currency status percent degrees minutes dollars euros celsius breakfast friendly helpful polite tools "
    "assistant"
).split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()

TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SYMBOLS = {"+": "plus", "-": "minus", "=": "equals"}


def plural(shape):
    return shape + ("es" if shape.endswith(("s", "x")) else "s")


def article(word):
    return ("an " if word[0] in "aeiou" else "a ") + word


def capital(text):
    return text[0].upper() + text[1:]


def number_in_words(number):
    if number < 10:
        return (["zero"] + COUNTS)[number]
    if number < 20:
        return TEENS[number - 10]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{COUNTS[number % 10 - 1]}" if number % 10 else "")
    hundreds = f"{COUNTS[number // 100 - 1]} hundred"
    return hundreds if number % 100 == 0 else f"{hundreds} {number_in_words(number % 100)}"


def spoken_word(written):
    """How one word between two spaces is said: numbers, times and signs in words, everything else as it is."""
    body = written.rstrip(".,!?:;")
    end = written[len(body):]
    if body in SYMBOLS:
        return SYMBOLS[body] + end
    if match := re.fullmatch(r"(\d+):(\d\d)", body):
        hour, minute = int(match[1]), int(match[2])
        minutes = ("o'clock" if 1 <= hour <= 12 else "hundred") if minute == 0 else f"oh {number_in_words(minute)}" if minute < 10 else number_in_words(minute)
        return f"{number_in_words(hour)} {minutes}{end}"
    if match := re.fullmatch(r"(-?)(\d+)", body):
        return ("minus " if match[1] else "") + number_in_words(int(match[2])) + end
    return written


def spoken_words(text):
    """The spoken form of every written word, in order."""
    return [spoken_word(word) for word in text.split(" ")]


def held_out(text):
    """A stable choice of one composed sentence in twenty, which training never hears."""
    if text in GREETINGS or text in TALK:
        return False
    value = 7
    for character in text:
        value = (value * 31 + ord(character)) % 1000003
    return value % 20 == 3


class SentenceMaker:
    """Draws sentences; with `held_out` only those that training never hears, otherwise only the others."""

    KINDS = {"scene": 22, "order": 9, "report": 16, "question": 14, "sums": 15, "talk": 8, "weather": 10, "letters": 8, "numbers": 5, "people": 5, "salad": 3}

    def __init__(self, seed, held_out=False):
        self.random = random.Random(seed)
        self.held_out = held_out

    def sentence(self):
        while True:
            kind = self.random.choices(list(self.KINDS), list(self.KINDS.values()))[0]
            text = getattr(self, kind)()
            if held_out(text) == self.held_out:
                return self.contracted(text)

    def contracted(self, text):
        for long, short in (("What is", "What's"), ("I am", "I'm"), ("It is", "It's"), ("Where is", "Where's"), ("do not", "don't")):
            if long in text and self.chance(0.2):
                text = text.replace(long, short)
        return text

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability):
        return self.random.random() < probability

    def color(self):
        return self.pick(*RARE_COLORS) if self.chance(0.12) else self.pick(*COLORS)

    def thing(self):
        return f"{self.color()} {self.pick(*SHAPES)}"

    def counted(self, most=10):
        number = self.random.randint(1, 4) if self.chance(0.6) else self.random.randint(1, most)
        shape = self.pick(*SHAPES)
        color = f"{self.color()} " if self.chance(0.85) else ""
        return f"{COUNTS[number - 1]} {color}{shape if number == 1 else plural(shape)}", number

    def described(self):
        """A scene in the world's grammar, and whether it is a plural."""
        kind, many = self.random.random(), False
        if kind < 0.2:
            text = article(self.thing())
        elif kind < 0.75:
            text = f"{article(self.thing())} {self.pick(*RELATIONS)} {article(self.thing())}"
        else:
            text, many = f"{self.pick(*COUNTS[1:4])} {self.color()} {plural(self.pick(*SHAPES))}", True
        if self.chance(0.15):
            text += f" on {article(self.pick('white', 'gray', *COLORS))} background"
        return text, many

    def scene(self):
        text, many = self.described()
        be = "are" if many else "is"
        if self.chance(0.35):
            return capital(text) + "."
        return self.pick(f"There {be} {text}.", f"I see {text}.", f"The picture shows {text}.", f"Here {be} {text}.", f"We have {text}.", f"Imagine {text}.",
                         f"In the picture there {be} {text}.", f"Look, there {be} {text}.", f"I can see {text}.")

    def order(self):
        text, _ = self.described()
        lead, end = self.pick(("Draw", "."), ("Draw", "."), ("Please draw", "."), ("Paint", "."), ("Make a picture of", "."), ("Show me", "."), ("Can you draw", "?"),
                              ("Create an image of", "."), ("I want a picture of", "."), ("Draw me", "."), ("Generate an image of", "."), ("Could you draw", "?"))
        return f"{lead} {text}{end}"

    def report(self):
        parts = [self.counted()[0] for _ in range(self.pick(1, 2, 2, 3, 3, 4))]
        joined = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
        kind = self.random.random()
        if kind < 0.75:
            return self.pick("I found", "I found", "I see", "I detected", "The picture shows", "I counted", "There are" if not joined.startswith("one") else "There is") + f" {joined}."
        if kind < 0.85:
            return f"{self.pick('There are no', 'I found no', 'I see no')} {self.pick('', self.color() + ' ')}{plural(self.pick(*SHAPES))}."
        return self.pick(f"There are {self.pick(*COUNTS[1:])} shapes.", "There is one shape.", f"I found {self.pick(*COUNTS[1:])} objects.", "I found one object.",
                         f"The {self.thing()} is {self.pick('in the middle', 'on the left', 'on the right', 'at the top', 'at the bottom')}.",
                         f"{capital(self.pick(*COUNTS[1:]))} shapes are {self.color()}.")

    def question(self):
        color, shape, other = self.color(), self.pick(*SHAPES), self.thing()
        relation = self.pick(*RELATIONS)
        where = relation.replace("to the ", self.pick("to the ", "", "on the ") if "of" in relation else "to the ")
        answer = self.pick("Yes, ", "No, ")
        return self.pick(
            f"What color is the {shape}?", f"Which color is the {shape}?", f"What is the color of the {shape}?", f"The {shape} is {color}.", f"Which shape is {color}?",
            f"What shape is {color}?", f"Is the {shape} {color}?", f"{answer}the {shape} is {color}.", f"Where is the {color} {shape}?", f"Where is the {shape}?",
            f"The {color} {shape} is {relation} the {other}.", f"What is {where} the {other}?", f"Which shape is {where} the {shape}?",
            f"Is the {shape} {relation} the {other}?", f"{answer}the {color} {shape} is {relation} the {other}.", f"How many {plural(shape)} are there?",
            f"How many {color} {plural(shape)} do you see?", f"Count the {plural(shape)}.", f"The background is {color}.", f"I see {article(color)} {shape} and {article(other)}.",
            f"Are there any {color} {plural(shape)}?", f"Find the {color} {shape}.", f"The {plural(shape)} are {color}.")

    def number(self, most=99):
        return self.random.randint(0, 12) if self.chance(0.25) else self.random.randint(0, most)

    def sums(self):
        left, right, plus = self.number(), self.number(), self.chance(0.6)
        sign, result = ("+", left + right) if plus else ("-", left - right)
        formula = f"{left} {sign} {right}"
        kind = self.random.random()
        if kind < 0.35:
            return self.pick(f"What is {formula}?", f"What is {formula}?", f"Calculate {formula}.", f"How much is {formula}?", f"Tell me {formula}.", f"Can you work out {formula}?")
        if kind < 0.65:
            return f"{formula} = {result}."
        if kind < 0.72:
            return f"{left} {sign} {right} = {result}, write {self.number(9)}, carry {self.pick(0, 1)}."
        if kind < 0.8:
            return self.pick(f"Add {left} and {right}.", f"Add {right} to {left}.", f"Subtract {right} from {left}.", f"The answer is {result}.", f"The sum is {result}.",
                             f"What is the sum of {left} and {right}?", f"What is the difference between {left} and {right}?", f"The result is {result}.")
        name, thing = self.pick(*NAMES), self.pick(*THINGS)
        return self.pick(f"{name} has {left} {thing} and gets {right} more.", f"{name} has {left} {thing} and buys {right} more.", f"{name} has {left} {thing} and gives away {right}.",
                         f"How many {thing} does {name} have?", f"How many {thing} are left?", f"I have {left} {thing} and find {right} more.", f"There are {left} {thing}.",
                         f"{name} has {result if result > 1 else 2} {thing}.", f"How many {thing} are there together?", f"I had {left} {thing} and sold {right}.", "How many do I have now?")

    def talk(self):
        return self.pick(*GREETINGS) if self.chance(0.4) else self.pick(*TALK)

    def clock(self):
        minute = 0 if self.chance(0.12) else self.random.randint(1, 59)
        return f"{self.random.randint(0, 23)}:{minute:02d}"

    def weather(self):
        city, sky = self.pick(*CITIES), self.pick(*CONDITIONS)
        degrees = self.random.randint(-9, 39)
        return self.pick(
            f"What is the weather in {city}?", f"What is the weather like in {city} today?", f"How is the weather in {city}?", f"Tell me the weather in {city}.",
            f"The weather in {city} is {sky}.", f"The weather in {city} is {sky}, {degrees} degrees.", f"It is {sky} in {city}.", f"It is {degrees} degrees in {city}.",
            f"What is the temperature in {city}?", f"The temperature in {city} is {degrees} degrees.", f"Is it {sky} in {city}?", f"How warm is it in {city}?",
            f"What time is it in {city}?", f"What is the time in {city}?", f"Tell me the time in {city}.", f"The time in {city} is {self.clock()}.", f"It is {self.clock()} in {city}.",
            f"It is {self.clock()}.", f"And in {city}?", f"What about {city}?", f"The meeting is at {self.clock()}.", f"Is it raining in {city}?", f"Today it is {sky}.",
            f"I want to know the weather in {city}.", f"Today is {self.pick(*DAYS)}.", f"The meeting is on {self.pick(*DAYS)} at {self.clock()}.", f"See you on {self.pick(*DAYS)}!",
            f"How is the weather on {self.pick(*DAYS)}?", f"Set an alarm for {self.clock()}.", f"Remind me at {self.clock()}.")

    def letters(self):
        kind = self.random.random()
        if kind < 0.35:
            return ", ".join(self.random.choice(LETTERS) for _ in range(self.random.randint(2, 7))) + "."
        if kind < 0.6:
            code = ", ".join(self.random.choice(LETTERS) if self.chance(0.7) else str(self.random.randint(0, 9)) for _ in range(self.random.randint(2, 6)))
            return f"{self.pick('The code is', 'The letters are', 'My code is', 'Write down')} {code}."
        if kind < 0.8:
            name = self.pick(*NAMES)
            return f"{self.pick('My name is', 'I am', 'The name is')} {name}, {', '.join(name.upper())}."
        word = self.pick(*SPELLED)
        return self.pick(f"{capital(word)}, {', '.join(word.upper())}.", f"Spell {word}.", f"The letter {self.random.choice(LETTERS)}.", f"Press {self.random.choice(LETTERS)}.")

    def numbers(self):
        number = self.random.randint(0, 100) if self.chance(0.8) else self.random.randint(101, 199)
        if self.chance(0.4):
            if self.chance(0.4):
                start = self.random.randint(0, 60)
                run = range(start, start + self.random.randint(3, 6))
            else:
                run = [self.random.randint(0, 100) for _ in range(self.random.randint(2, 6))]
            return ", ".join(map(str, run)) + "."
        return self.pick(f"The number is {number}.", f"Number {number}.", f"{number}.", f"{number} percent.", f"It takes {number} minutes.", f"Page {number}.", f"Room {number}.",
                         f"I am {number} years old.", f"That is {number} dollars.", f"Is it {number}?")

    def people(self):
        name, city = self.pick(*NAMES), self.pick(*CITIES)
        return self.pick(f"My name is {name}.", f"I am {name}.", f"Hello, my name is {name}.", f"Hi, I am {name}.", f"Nice to meet you, {name}!", f"Your name is {name}.",
                         f"Call me {name}.", f"Hello, {name}!", f"Who is {name}?", f"Where is {city}?", f"{name} lives in {city}.", f"I live in {city}.",
                         f"{name} has {article(self.thing())}.", f"Good morning, {name}!", f"How do I get to {city}?", f"What is the capital of {city}?")

    def salad(self):
        return capital(" ".join(self.random.choice(SALAD) for _ in range(self.random.randint(3, 8)))) + "."


if __name__ == "__main__":
    maker = SentenceMaker(0)
    for _ in range(60):
        text = maker.sentence()
        print(text, "|", " ".join(spoken_words(text)))
