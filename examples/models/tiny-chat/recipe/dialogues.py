"""Whole dialogues: exchanges of every skill, put together under a system prompt and a set of tools."""

import json
from dataclasses import dataclass, field

import off_world
import scenes
from tools import Request, ToolMaker
from world import number_in_words, parse_scene, sum_steps

FALLBACK = "I only know greetings, scenes of colored shapes, small sums and the tools I am given."
ABOUT = "I am tiny-chat, a very small assistant."
ABILITIES = "I can greet you, talk about scenes of colored shapes, add and subtract small numbers, and call tools."
SYSTEM_PROMPTS = [
    "You are a helpful assistant.", "You are a helpful assistant.", "You are a helpful assistant.", "You are a friendly assistant.",
    "You are a helpful assistant with access to tools.", "Use the tools when they help.", "Be brief.", "Answer in one sentence.", "You are tiny-chat.",
    "You are a concise assistant.", "You are a weather assistant.", "Be polite and answer shortly.", "You are an AI assistant. Call functions if needed.",
    "You draw pictures.", "Do not make things up.", "Help the user.", "You are a bot.", "Today is a sunny day.", "Answer the question.",
]
OFF_WORLD = [
    "who wrote {A}", "write a poem about {b}", "translate {b} into {A}", "how do I cook {b}", "tell me a joke", "tell me a story about {b}",
    "what is the meaning of life", "who is the president of {A}", "explain {b} to me", "what is the capital of {A}", "write code for {b}",
    "what do you think about {A}", "how old is {A}", "why is the sky blue", "when was {A} born", "what is {b}", "who is {A}", "where is {A}",
    "what is {n} times {n}", "what is the square root of {n}", "{n} * {n}", "{n} x {n}", "multiply {n} by {n}", "what is {n} divided by {n}", "what is {N} plus {N}", "{N} + {n}",
    "what is {N} - {N}", "what is {n} + {n} + {n}", "how many days are in {n} weeks", "can you sing a song", "fix my {b}", "how far is it from {A} to {B}", "summarize this text: {b} {b} {b}",
    "should I buy {b} or {b}", "how do I get to {A}", "is {b} better than {b}", "recommend a book about {b}", "do you like {b}", "what happened in 1969",
    "how many people live in {A}", "give me a recipe for {b}", "write an email to {A}", "what does {b} mean", "{b} {b} {b}", "what is the best {b}",
    "play some music", "are you human", "do you have feelings", "what is love",
]
# How often small talk, free scenes, questions about scenes, drawings without a tool, sums, requests outside of its world and calls without a tool come.
TALK = (14, 16, 34, 4, 26, 5, 3)


@dataclass
class Exchange:
    """Messages of one skill. `accepts` judges a free answer of the last message; without it only the exact text counts."""

    skill: str
    messages: list
    accepts: object = None
    follow_ups: list = field(default_factory=list)


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def call_message(calls, words=None):
    """An assistant turn that calls tools; arguments now and then in the compact JSON that clients send back."""
    entries = []
    for name, arguments in calls:
        entries.append({"type": "function", "function": {"name": name, "arguments": arguments}})
    message = {"role": "assistant", "content": None, "tool_calls": entries}
    if words is not None and words.chance(0.4):
        for entry in entries:
            entry["function"]["arguments"] = json.dumps(entry["function"]["arguments"], ensure_ascii=False, separators=(",", ":"))
        message["compact"] = True
    return message


class DialogueMaker(ToolMaker):
    """Makes exchanges and dialogues; one seed gives one endless stream."""

    talk = TALK

    # ---- exchanges without tools -------------------------------------------------------------------------------------

    def small_talk(self, known_name=None):
        kind = self.random.random()
        if kind < 0.3:
            return self.greeting()
        if kind < 0.42:
            thanks = self.pick("thanks", "thank you", "thanks a lot", "thank you very much", "thank you so much", "many thanks", "great, thanks", "ok thanks")
            return Exchange("smalltalk", [user(self.punctuate_short(thanks)), assistant("You are welcome!")])
        if kind < 0.55:
            asked = self.pick("who are you", "what are you", "what is your name", "what's your name", "are you a bot", "are you a robot", "tell me who you are", "who am I talking to",
                              "introduce yourself")
            return Exchange("smalltalk", [user(self.punctuate(asked, True)), assistant(ABOUT)])
        if kind < 0.68:
            asked = self.pick("what can you do", "help", "what do you know", "how can you help me", "what are you able to do", "what can I ask you", "can you help me", "tell me what you can do")
            return Exchange("smalltalk", [user(self.punctuate(asked, True)), assistant(ABILITIES)])
        if kind < 0.75:
            return Exchange("smalltalk", [user(self.punctuate_short(self.pick("bye", "goodbye", "see you", "see you later", "good night", "bye bye"))), assistant("Goodbye!")])
        if known_name and kind < 0.9:
            return self.name_question(known_name)
        if kind < 0.8:
            return Exchange("smalltalk", [user(self.name_asked()), assistant("You have not told me your name.")]) if not known_name else self.name_question(known_name)
        name = self.name()
        told = self.pick("my name is {}", "my name is {}", "I am {}", "I'm {}", "call me {}", "hi, I am {}", "hello, my name is {}", "hi, I'm {}", "hello! my name is {}").format(name)
        exchange = Exchange("smalltalk", [user(self.punctuate(told)), assistant(f"Nice to meet you, {name}!")])
        exchange.name = name
        return exchange

    def greeting(self):
        hello = self.pick("hello", "hello", "hi", "hi", "hi there", "hello there", "hey", "good morning", "good evening", "good afternoon", "how are you", "hello, how are you",
                          "hi, how are you", "how are you doing", "hey there", "greetings", "what's up", "hey, what's up", "how's it going", "hey there, how's it going",
                          "hi, how is it going", "how are things", "how do you do", "howdy", "hiya", "yo", "nice to meet you", "good to see you", "how is your day")
        if "how" in hello.split(", ")[-1].split("'")[0].split() or "what's up" in hello:
            return Exchange("smalltalk", [user(self.punctuate(hello, True)), assistant("I am fine, thank you. How can I help you?")])
        answer = f"{hello.capitalize()}! How can I help you?" if hello.startswith("good") else "Hello! How can I help you?"
        return Exchange("smalltalk", [user(self.punctuate_short(hello)), assistant(answer)])

    def punctuate_short(self, text):
        text = text if self.chance(0.3) else text[0].upper() + text[1:]
        return text + self.pick("", "!", "!", ".")

    def name_asked(self):
        return self.punctuate(self.pick("what is my name", "what's my name", "who am I", "do you remember my name", "do you know my name", "tell me my name"), True)

    def name_question(self, name):
        return Exchange("memory", [user(self.name_asked()), assistant(f"Your name is {name}.")])

    def off_world(self):
        if not self.held_out and self.chance(0.8):
            text, question = (off_world.equation if self.chance(0.1) else off_world.request)(self)
            return Exchange("fallback", [user(self.punctuate(text, question)), assistant(FALLBACK)])
        if not self.held_out and self.chance(0.3):
            return Exchange("fallback", [user(off_world.prose(self)), assistant(FALLBACK)])
        text = self.pick(*OFF_WORLD)
        for mark in "AB":
            text = text.replace("{" + mark + "}", self.pick(self.city(), self.name()))
        while "{b}" in text:
            text = text.replace("{b}", self.noun(), 1)
        while "{n}" in text:
            text = text.replace("{n}", str(self.random.randint(2, 99)), 1)
        while "{N}" in text:
            text = text.replace("{N}", str(self.random.randint(100, 9999)), 1)
        return Exchange("fallback", [user(self.punctuate(text, text.startswith(("wh", "how", "is", "do", "can", "are", "should")))), assistant(FALLBACK)])

    def tool_without_tools(self):
        return Exchange("fallback", [user(self.request(self.tools_but_draw(1)[0]).text), assistant(FALLBACK)])

    def unmatched_request(self, tools):
        """A request for a tool that is not among the offered ones."""
        if self.chance(0.5):
            exchange = self.off_world()
            asked = exchange.messages[0]["content"].lower()
            return None if any(word in asked for tool in tools for word in tool.noun.split()) else exchange
        other = self.tools_but_draw(1)[0]
        if any(other.noun == tool.noun or other.family == tool.family != "query" for tool in tools):
            return None
        return Exchange("fallback", [user(self.request(other).text), assistant(FALLBACK)])

    def tools_but_draw(self, count):
        while True:
            tools = [tool for tool in self.tools(count + 1) if tool.family != "draw"]
            if len(tools) >= count:
                return tools[:count]

    def free_scene(self):
        text, wish, scene = scenes.free_scene_request(self)
        return Exchange("describe", [user(text), assistant(scene)], wish, [parse_scene(scene)])

    def scene_question(self):
        scene = self.scene()
        asked, answer = scenes.question(self, scene)
        kind = self.random.random()
        stated = scenes.statement(self, scene)
        if kind < 0.7:
            messages = [user(f"{stated} {asked}" if stated.endswith((".", ":")) else f"{stated}. {asked}"), assistant(answer)]
        elif kind < 0.8:
            messages = [user(f"{asked} {stated}"), assistant(answer)]
        else:
            messages = [user(stated), assistant(f"I see {scene.text}."), user(asked), assistant(answer)]
        return Exchange("question", messages, follow_ups=[scene])

    def more_questions(self, scene):
        asked, answer = scenes.question(self, scene)
        return Exchange("question", [user(asked), assistant(answer)], follow_ups=[scene])

    def scene_acknowledgement(self):
        scene = self.scene()
        verb = self.pick("draw", "draw", "paint", "please draw", "can you draw", "make a picture of", "sketch")
        be = "are" if scene.count > 1 else "is"
        return Exchange("question", [user(self.punctuate(f"{verb} {scene.text}")), assistant(f"Here {be} {scene.text}.")], follow_ups=[scene])

    def sum_exchange(self):
        left, operator, right = self.sum()
        steps, result = sum_steps(left, operator, right)
        text = self.sum_question(left, operator, right)
        return Exchange("sum", [user(text), assistant(f"<think>\n{steps}\n</think>\n{left} {operator} {right} = {result}")])

    def sum_question(self, left, operator, right):
        if self.chance(0.2):
            return self.sum_story(left, operator, right)
        word = {"+": "plus", "-": "minus"}[operator]
        a, b = str(left), str(right)
        if self.chance(0.15 if self.held_out else 0.3):
            a, b, operator = number_in_words(left), number_in_words(right), word
        joined = self.pick(f"{a} {operator} {b}", f"{a} {operator} {b}", f"{a} {word} {b}", f"{a} {word} {b}", f"{a}{operator}{b}")
        if a.isalpha() or b.isalpha():
            joined = f"{a} {word} {b}"
        if operator in ("+", "plus"):
            other = self.pick(f"add {a} and {b}", f"the sum of {a} and {b}", f"add {b} to {a}" if self.chance(0.3) else f"{a} and {b} together")
        else:
            other = self.pick(f"subtract {b} from {a}", f"the difference between {a} and {b}", f"take {b} from {a}", f"{a} take away {b}")
        if self.chance(0.2):
            if other.startswith(("add", "sub", "take")):
                return self.punctuate(self.pick("", "", "please ", "can you ") + other)
            return self.punctuate(self.pick("what is ", "calculate ", "what's ", "tell me ") + other, True)
        lead, question = self.pick(("what is ", True), ("what is ", True), ("what's ", True), ("", False), ("", True), ("calculate ", False), ("how much is ", True),
                                   ("compute ", False), ("can you work out ", True), ("tell me ", False), ("solve ", False))
        tail = self.pick("", "", "", "", " =", " = ?") if not lead and not a.isalpha() else ""
        return joined + tail if tail else self.punctuate(lead + joined, question)

    def sum_story(self, left, operator, right):
        name, thing = self.name(), self.thing()
        if operator == "+":
            return self.pick(f"{name} has {left} {thing} and gets {right} more. How many {thing} does {name} have?", f"{name} has {left} {thing} and buys {right} more. How many are there?",
                             f"There are {left} {thing} and {right} {self.thing()}. How many are there together?", f"I have {left} {thing} and find {right} more. How many do I have now?")
        return self.pick(f"{name} has {left} {thing} and gives away {right}. How many are left?", f"{name} has {left} {thing} and loses {right}. How many {thing} are left?",
                         f"I had {left} {thing} and sold {right}. How many do I have now?", f"There are {left} {thing}. {right} are taken away. How many are left?")

    # ---- exchanges with tools ----------------------------------------------------------------------------------------

    def tool_call(self, tools, answered=False):
        if self.chance(0.05) and not self.held_out:
            return self.missing_argument(tools)
        return self.calls(self.request(self.pick(*tools)), tools, answered, "tool")

    def draw_it(self, scene, tools, answered=False):
        """«Draw it»: the scene talked about goes to the drawing tool."""
        tool = next((tool for tool in tools if tool.family == "draw"), None)
        if tool is None:
            return None
        text = self.punctuate(self.pick("draw it", "draw that", "draw it", "paint it", "please draw it", "now draw it", "draw this scene", "can you draw that", "make a picture of it"))
        return self.calls(Request(text, [(tool.name, {tool.main.name: scene.text})], [scene.text]), tools, answered, "tool")

    def parallel_call(self, tools, answered=False):
        request = self.parallel_request(tools)
        return self.calls(request, tools, answered, "parallel") if request else None

    def calls(self, request, tools, answered, skill):
        messages = [user(request.text), call_message(request.calls)]
        if not answered:
            return Exchange(skill, messages, request.accepts)
        messages[-1] = call_message(request.calls, self)
        by_name, told = {tool.name: tool for tool in tools}, []
        for (name, arguments), subject in zip(request.calls, request.subjects):
            result, sentence = self.result(by_name[name], arguments, subject)
            messages.append({"role": "tool", "content": result})
            if sentence not in told:
                told.append(sentence)
        exchange = Exchange("answer", messages + [assistant(" ".join(told))])
        exchange.last_request = request
        return exchange

    def follow_up_call(self, request, tools):
        """«And in Rome?» after an answered call with a single argument."""
        name, arguments = request.calls[-1]
        tool = next(tool for tool in tools if tool.name == name)
        if not tool.takes_lists or len(arguments) != 1:
            return None
        value = self.city()
        preposition = self.pick("in", "for")
        text = self.pick(f"And {preposition} {value}?", f"and {preposition} {value}", f"What about {value}?", f"And {value}?", f"how about {value}", f"Now for {value}.")
        return Exchange("tool", [user(text), call_message([(name, {tool.main.name: value})])])

    def missing_argument(self, tools):
        listed = [tool for tool in tools if tool.takes_lists]
        if not listed:
            return self.tool_call(tools)
        tool = self.pick(*listed)
        text = self.pick(f"what is the {tool.noun}", f"tell me the {tool.noun}", f"I need the {tool.noun}", f"get the {tool.noun}")
        needed = tool.main.name if tool.family in ("weather", "time") else tool.main.words
        exchange = Exchange("missing", [user(self.punctuate(text, text.startswith("what"))), assistant(f"Please tell me the {needed}.")])
        exchange.asked_for = tool
        return exchange

    def no_call(self):
        return self.without_tools(None, exclude_draw=True)

    # ---- dialogues ---------------------------------------------------------------------------------------------------

    def without_tools(self, known_name, exclude_draw=False):
        makers = [lambda: self.small_talk(known_name), self.free_scene, self.scene_question, self.scene_acknowledgement, self.sum_exchange, self.off_world,
                  self.tool_without_tools]
        weights = [0 if exclude_draw and place in (3, 6) else weight for place, weight in enumerate(self.talk)]
        return self.random.choices(makers, weights)[0]()

    def with_tools(self, tools, known_name):
        kind = self.random.random()
        if kind < 0.22:
            return self.parallel_call(tools, self.chance(0.5)) or self.tool_call(tools, self.chance(0.5))
        if kind < (0.84 if self.held_out else 0.76):
            return self.tool_call(tools, self.chance(0.45))
        return self.without_tools(known_name, exclude_draw=True)

    def system_prompt(self):
        if self.chance(0.35):
            return None
        if self.held_out or self.chance(0.6):
            return self.pick(*SYSTEM_PROMPTS)
        if self.chance(0.5):
            return " ".join(self.random.sample(SYSTEM_PROMPTS, self.random.randint(2, 3)))
        return self.pick("You are {A}, an assistant for {b}.", "Your name is {A}. Help with {b}.", "You help people with {b}.", "Never talk about {b}.", "{A} {b} {b} {b}.",
                         "You are a helpful assistant. The user lives in {A}.").replace("{A}", self.name()).replace("{b}", self.noun())

    def conversation(self, tools, exchanges, closing_sums=0.0, recall=0.0, unmatched=0.0):
        """The exchanges of one dialogue under these tools.

        `closing_sums` is the share that ends in a sum: only last turns keep their steps, so elsewhere sums teach nothing.
        `recall` is how often a told name is asked for next, `unmatched` how often something is wanted that no tool offers.
        """
        chosen, name, last = [], None, None
        while len(chosen) < exchanges:
            exchange = None
            request = getattr(last, "last_request", None)
            if request and self.chance(0.3):
                exchange = self.follow_up_call(request, tools)
            elif last and last.follow_ups and self.chance(0.5):
                exchange = self.draw_it(last.follow_ups[0], tools, self.chance(0.5)) or self.more_questions(last.follow_ups[0])
            elif name and self.chance(recall):
                exchange = self.name_question(name)
            elif tools and self.chance(unmatched):
                exchange = self.unmatched_request(tools)
            if exchange is None:
                exchange = self.with_tools(tools, name) if tools else self.without_tools(name)
            if exchange.skill in ("tool", "parallel") and len(chosen) < exchanges - 1:
                continue
            name = getattr(exchange, "name", name)
            chosen.append(exchange)
            last = exchange
        if name and len(chosen) == 1 and self.chance(recall):
            chosen.append(self.name_question(name))
        elif self.chance(closing_sums):
            chosen[-1] = self.sum_exchange()
        return chosen

    def prompt_messages(self):
        prompt = self.system_prompt()
        return [{"role": self.pick("system", "system", "system", "developer"), "content": prompt}] if prompt else []

    def assemble(self, exchanges, tools):
        messages = self.prompt_messages()
        for exchange in exchanges:
            messages += exchange.messages
        return messages, [tool.schema() for tool in tools], exchanges
