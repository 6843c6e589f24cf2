"""Requests from outside of the closed world, in the words of real life. Those of `off_world.txt` are for the evaluation alone."""

from pathlib import Path

HELD_OUT = tuple((Path(__file__).parent / "off_world.txt").read_text(encoding="utf-8").splitlines())
THINGS = (
    "pancakes;lasagna;chicken soup;beans;a cheesecake;scrambled eggs;fried noodles;a salad;sourdough bread;sushi;a curry;potatoes;an apple pie;tomato sauce;a sandwich;mushrooms;a bicycle;"
    "a washing machine;a guitar;a camera;a tent;a kite;a bookshelf;a website;a garden;a violin;a sweater;a boat;a fence;a budget;a resume;a spreadsheet;a logo;a podcast;a robot;a laptop;"
    "a printer;a carpet;a window;a mattress;a phone;an engine;a battery;a clock;a mirror;a roof;shoes;a jacket;a wedding dress;a birthday party;a vegetable patch;a puppy;a parrot;a hamster"
).split(";")
TOPICS = (
    "gravity;evolution;inflation;democracy;climate change;vaccines;electricity;the stock market;quantum physics;black holes;photosynthesis;volcanoes;dinosaurs;the moon;taxes;machine learning;"
    "blockchain;the internet;jazz;opera;chess;football;tennis;yoga;meditation;philosophy;religion;the French Revolution;the Cold War;ancient Rome;the Vikings;the pyramids;modern art;poetry;grammar;"
    "algebra;geometry;statistics;probability;chemistry;atoms;cells;viruses;bacteria;the heart;sleep;stress;anxiety;love;friendship;winter;spring;the ocean;rivers;mountains;forests;bees;whales;cats;"
    "horses;elephants;birds;trains;airplanes;cars;ships;coffee;tea;chocolate;cheese;wine;money;work;school;holidays;music;movies;video games;fashion;cooking;dreams;memory;language;time travel;space"
).split(";")
PEOPLE = (
    "Albert Einstein;Isaac Newton;Marie Curie;Napoleon;Julius Caesar;Cleopatra;Mozart;Beethoven;Picasso;Gandhi;Abraham Lincoln;Queen Victoria;Elvis Presley;Madonna;Charles Darwin;Galileo;Plato;"
    "Socrates;Columbus;Nelson Mandela;Walt Disney;Agatha Christie;Jane Austen;Tolstoy;Charles Dickens;Homer;Bach;Van Gogh;Marco Polo;Neil Armstrong;Steve Jobs;my neighbor;the pope;the king of Spain"
).split(";")
WORKS = (
    "Moby Dick;War and Peace;The Odyssey;Faust;Don Quixote;Jane Eyre;Pride and Prejudice;Macbeth;King Lear;Dracula;Frankenstein;The Hobbit;Oliver Twist;Star Wars;Casablanca;Titanic;The Godfather;"
    "the ninth symphony;the Sistine Chapel;the Bible;Yesterday;Guernica;the Iliad;Carmen;Swan Lake;Ulysses;Dune;Alice in Wonderland;Peter Pan;the Jungle Book"
).split(";")
PLACES = (
    "France;Germany;Japan;Brazil;Canada;Egypt;India;China;Spain;Italy;Kenya;Mexico;Peru;Norway;Sweden;Poland;Turkey;Greece;Russia;Chile;California;Texas;Bavaria;Africa;Asia;Europe;the Alps;the Sahara;"
    "the Amazon;Mount Everest;the Nile;the Atlantic;the North Pole;Hollywood;Broadway;Wall Street;Venice;London;Paris;Rome;Berlin;Chicago;Moscow;Tokyo;Delhi"
).split(";")
ACTIONS = (
    "lose weight;learn French;learn to swim;sleep better;save money;quit smoking;make friends;find a job;train for a marathon;play the piano;write a novel;tie a tie;change a tire;remove a stain;"
    "grow tomatoes;get rid of ants;clean an oven;iron a shirt;paint a wall;fix a leaking tap;install Linux;reset my password;sort a list in Python;reverse a string;center a div;open a bank account;"
    "file my taxes;apply for a visa;ask for a raise;ask someone out;calm a crying baby;teach my dog to sit;stop worrying;study for an exam;give a speech;pack a suitcase;remember names;cut my hair"
).split(";")
KINDS = "a poem;a short poem;a haiku;a limerick;a song;a story;a bedtime story;a letter;an essay;a speech;a paragraph;a joke;a riddle;a blog post;a tweet;a summary;an article;a sonnet;a review".split(";")
LANGUAGES = "French German Spanish Italian Latin Dutch Polish Russian Japanese Chinese Arabic Greek Turkish Swedish Portuguese".split()
CODES = "Python;JavaScript;Java;C;Rust;SQL;HTML;Go;bash;TypeScript".split(";")
FRAMES = """who wrote {w}|who painted {w}|who composed {w}|who directed {w}|what is {w} about|have you read {w}|have you seen {w}|how does {w} end|who is the author of {w}|when was {w} written|summarize {w}
who was {p}|who is {p}|when was {p} born|when did {p} die|how old is {p}|what did {p} do|why is {p} famous|where was {p} born|tell me about {p}|what do you know about {p}|was {p} married|quote {p}
what is the capital of {c}|where is {c}|how big is {c}|how many people live in {c}|who is the president of {c}|which language do they speak in {c}|what is the best time to visit {c}|is {c} safe
plan a trip to {c}|what should I see in {c}|how far is it to {c}|how long is the flight to {c}|what is the currency of {c}|tell me the history of {c}|I want to travel to {c}|which river flows through {c}
how do I cook {o}|how do I make {o}|how do you make {o}|how long does it take to make {o}|give me a recipe for {o}|what do I need for {o}|how much does {o} cost|where can I buy {o}|how do I fix {o}|how do I clean {o}
what is the best way to store {o}|should I buy {o}|recommend {o}|I need help with {o}|how do I build {o}|what is wrong with {o}|can you order {o}|buy {o} for me|my dog ate {o}|I dreamt of {o}
how do I {v}|how can I {v}|help me {v}|I want to {v}|I would like to {v}, any tips|what is the easiest way to {v}|give me five tips to {v}|is it hard to {v}|how long does it take to {v}|can you teach me to {v}|should I {v}
write {k} about {t}|write {k} about {o}|write {k} about {p}|write me {k} about {t}|can you write {k} about {c}|please write {k} for my {f}|compose {k} about {t}|I need {k} about {t}|make up {k} about {t}|tell me {k} about {t}
explain {t}|explain {t} to a child|explain {t} in simple words|what is {t}|what are {t}|why is {t} important|how does {t} work|what do you think about {t}|tell me something about {t}|give me facts about {t}|who invented {t}
what causes {t}|is {t} dangerous|do you like {t}|I love {t}|what is the difference between {t} and {t}|how are {t} and {t} related|what is your opinion on {t}|recommend a book about {t}|teach me about {t}|when did {t} begin
which is better, {t} or {t}|compare {t} and {t}|what is the history of {t}|are there good movies about {t}|pros and cons of {t}|define {t}|is {t} real|do you believe in {t}|let us talk about {t}
summarize this article: {s}|summarise this: {s}|summarize the following text: {s}|give me a summary of this text: {s}|what is the main idea of this: {s}|rewrite this: {s}|make this shorter: {s}|is this correct: {s}|what do you make of this: {s}
translate this into {l}: {s}|translate {t} into {l}|how do you say {t} in {l}|how do you say good morning in {l}|what does this mean: {s}|correct my grammar: {s}|proofread this: {s}|paraphrase: {s}|continue this story: {s}
write a function in {d} to {v}|write a {d} program that counts words|how do I read a file in {d}|what is a loop in {d}|debug my {d} code|is {d} hard to learn|convert this {d} code to {d}|what is a pointer in {d}
what is {n} times {n}|{n} * {n}|what is {n} divided by {n}|{n} / {n}|what is the square root of {n}|what is {n} percent of {n}|is {n} a prime number|what is {N} + {N}|{n} squared|convert {n} miles to kilometers
convert {n} pounds to kilos|how many days are in {n} weeks|how many ounces are in {n} cups|solve x + {n} = {n} for x|what year was {n} years ago|how many seconds are in {n} hours|roman numeral for {n}
my {f} is sick, what should I do|what should I give my {f} for his birthday|I miss my {f}|write to my {f}|my {f} is angry with me|what would you say to my {f}|I am going to the movies with my {f}
what happened in 19{n}|who won the world cup in 19{n}|what is the meaning of life|tell me a joke|tell me a story|sing a song|play some music|what should I eat tonight|what should I wear today|I am bored|I am sad|I feel lonely
why is the sky blue|why is grass green|why is snow white|why do cats purr|why do we yawn|how do planes fly|how deep is the ocean|how far away is the sun|what is inside an atom|are there aliens|what came first, the chicken or the egg
what is your favorite food|what is your favorite color|how old are you|where do you live|do you sleep|are you human|do you have feelings|who made you|can you think|do you have a family|are you married|can you see me|can you hear me
call me a taxi|order a pizza|set an alarm|remind me to {v}|open the door|turn on the lights|buy tickets|send a message to {p}|search the web for {t}|look up {t}|find a restaurant near me|what is on tv tonight|read me the news
who are you voting for|give me legal advice|do I need a lawyer|is this mole dangerous|what is the dose of aspirin|which stocks should I buy|how do I invest money|how do I get rich|roll a die|flip a coin|pick a lottery number
spell {t}|what rhymes with {x}|what is the plural of {x}|what is the opposite of {x}|use {x} in a sentence|is {x} a word|give me a synonym for {x}|count to ten|list the planets|name three kinds of {t}|what letters are in {x}
what color is the {x}|what color is {x}|what color is {t}|what color is {o}|what color are {t}|how many {x} are there|which color does the {x} have|is the {x} blue|what is the color of the {x}
what is a {x}|what is {x}|who is {X}|where is {X}|what does {x} mean|{x} {x} {x}|I like {x}|the {x} is {x}|is {x} better than {x}|how do I {x} a {x}|can you {x} the {x}|tell me about {x}|{X} or {X}|why do people {x}""".replace("\n", "|").split("|")
FAMILY = "mother;father;sister;brother;wife;husband;son;daughter;boss;teacher;grandmother;friend;neighbor;uncle".split(";")
SUBJECTS = "the city;the government;scientists;a study;the company;the team;my friend;our teacher;the market;an old man;the weather office;a young woman;the museum;the train;the school;researchers".split(";")
VERBS = "announced;opened;found;closed;lost;bought;changed;described;built;visited;won;reported;discussed;saved;refused;planned".split(";")
LISTS = {"w": WORKS, "p": PEOPLE, "c": PLACES, "o": THINGS, "v": ACTIONS, "k": KINDS, "t": TOPICS, "f": FAMILY, "l": LANGUAGES, "d": CODES}
EQUATIONS = "{n}{v} + {n} = {n}|{n}{v} - {n} = {n}|{n}{v} = {n}|{v} + {n} = {n}|{n} + {v} = {n}|{n} = {n} - {v}|{v}^2 = {n}|{v}^2 + {n}{v} = {n}|{v} * {n} = {n}|{v}/{n} = {n}|{n}{v}+{n}={n}|{v} = {n}y + {n}".split("|")
ASKS = "solve {e}|solve {e} for {v}|solve for {v}: {e}|find {v}: {e}|what is {v} if {e}|{e}|solve the equation {e}|solve this equation: {e}|what is {v} in {e}|can you solve {e}".split("|")
QUESTIONS = ("wh", "how", "is ", "do ", "can ", "are ", "should", "have ", "was ")


def sentences(words, count=None):
    """One to three sentences as an article has them, or so many."""
    told = []
    for _ in range(count or words.pick(1, 1, 2, 3)):
        tail = words.pick("", "", f" in {words.pick(*PLACES)}", " last year", " on Monday", " because of " + words.pick(*TOPICS))
        text = f"{words.pick(*SUBJECTS)} {words.pick(*VERBS)} {words.pick(*THINGS, *TOPICS)}{tail}."
        told.append(text[0].upper() + text[1:])
    return " ".join(told)


LEADS = "summarize this|summarize|please shorten this text|translate this into {l}|what is this about|rewrite this|read this|proofread this|give me the main points|my notes".split("|")
WRITTEN = "the a and of to in on at for with from by that it was is had but so when while after before their our its two old new small long".split()


def equation(words):
    """An equation with an unknown, as a request without its first capital and last mark, and whether it is a question."""
    text = words.pick(*ASKS).replace("{e}", words.pick(*EQUATIONS)).replace("{v}", words.pick(*"xxxxyabnt"))
    while "{n}" in text:
        text = text.replace("{n}", str(words.random.randint(2, 99 if words.chance(0.4) else 12)), 1)
    return text, text.startswith(QUESTIONS)


def prose(words):
    """A long text, with a request for something to be done with it or without: of an article, of any words, or the same few sentences again and again."""
    length, known = words.random.randint(150, 2800), [words.noun() for _ in range(words.random.randint(6, 30))]

    def sentence():
        written = [words.pick(*(WRITTEN if words.chance(0.5) else known)) for _ in range(words.random.randint(5, 18))]
        return " ".join(written).capitalize() + words.pick(".", ".", ".", "!", "?")

    maker = (lambda: sentences(words, 1)) if words.chance(0.35) else sentence
    few = [maker() for _ in range(words.pick(1, 2, 3, 100))]
    text = ""
    while len(text) < length:
        text += " ".join(few) + " "
    text = text[: text.rindex(" ", 0, length)]
    if words.chance(0.5):
        return text
    lead = words.pick(*LEADS).replace("{l}", words.pick(*LANGUAGES))
    lead = lead if words.chance(0.4) else lead.capitalize()
    return f"{lead}: {text}" if words.chance(0.8) else f"{text} {lead}."


def request(words):
    """A request without its first capital and last mark, and whether it is a question."""
    while True:
        text = words.pick(*FRAMES)
        while "{" in text:
            at = text.index("{")
            kind = text[at + 1]
            if kind == "s":
                value = sentences(words)
            elif kind in "nN":
                value = str(words.random.randint(2, 99) if kind == "n" else words.random.randint(100, 9999))
            elif kind in "xX":
                value = words.invented_name()
                value = value.capitalize() if kind == "X" else value
            else:
                value = words.invented_name() if words.chance(0.15) else words.pick(*LISTS[kind])
            text = text[:at] + value + text[at + 3 :]
        if not any(text.lower().rstrip("?.!") == other.lower().rstrip("?.!") for other in HELD_OUT):
            return text, text.startswith(QUESTIONS)
