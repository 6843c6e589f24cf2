"""Tools of the closed world: schemas, requests for them in words, their arguments, results and the answers to those."""

import json
from dataclasses import dataclass, field

from scenes import free_scene_request
from world import HELD_OUT_NOUNS, NUMBER_NAMES, TOKEN_WORDS, Words, number_in_words

QUERY_VERBS = "get fetch find lookup check show read query search list".split()
HELD_OUT_QUERY_VERBS = "obtain retrieve inspect".split()
ACTION_VERBS = "book set send play turn create order open start add cancel delete update schedule call buy make".split()
HELD_OUT_ACTION_VERBS = "reserve launch dispatch activate submit erase".split()
PLACE_PARAMETERS = "city location place town area region country address".split()
HELD_OUT_PLACE_PARAMETERS = "destination municipality district village".split()
TEXT_PARAMETERS = "name title query topic recipient user id symbol item genre date message text content label key".split()
HELD_OUT_TEXT_PARAMETERS = "author species brand keyword supplier street platform customer".split()
COUNT_PARAMETERS = "days count limit results hours minutes guests nights quantity amount pages level duration".split()
HELD_OUT_COUNT_PARAMETERS = "weeks passengers copies servings seats rows".split()
FLAG_PARAMETERS = "details verbose alerts metric urgent reminders breakfast history images".split()
HELD_OUT_FLAG_PARAMETERS = "insurance subtitles wifi comments parking".split()
CHOICES = [
    ("unit", ["celsius", "fahrenheit"]), ("units", ["metric", "imperial"]), ("format", ["short", "long"]),
    ("mode", ["car", "bus", "train", "bike"]), ("size", ["small", "medium", "large"]), ("priority", ["low", "normal", "high"]),
    ("sort", ["newest", "oldest", "popular"]), ("color", ["red", "green", "blue"]), ("language", ["english", "german", "french"]),
]
HELD_OUT_CHOICES = [
    ("speed", ["slow", "brisk", "rapid"]), ("cuisine", ["italian", "thai", "mexican"]), ("cabin", ["economy", "business", "first"]),
    ("theme", ["dark", "bright", "sepia"]), ("scale", ["hourly", "daily", "weekly"]), ("currency", ["dollars", "euros", "pounds"]),
]
ROUTES = [("origin", "destination"), ("from", "to"), ("source", "target"), ("start", "end"), ("departure", "arrival")]
CONDITIONS = "sunny rainy cloudy windy cold warm snowy foggy clear stormy".split()


@dataclass
class Parameter:
    name: str
    kind: str
    words: str
    role: str = "named"
    choices: list = field(default_factory=list)
    required: bool = True
    description: str | None = None
    description_first: bool = False
    limits: dict = field(default_factory=dict)

    def schema(self):
        schema = {"type": "string" if self.kind == "enum" else self.kind}
        if self.description and self.description_first:
            schema["description"] = self.description
        if self.choices:
            schema["enum"] = self.choices
        if self.description:
            schema["description"] = self.description
        return {**schema, **self.limits}


@dataclass
class Request:
    """Words of a user and the calls they ask for."""

    text: str
    calls: list
    subjects: list
    accepts: object = None


@dataclass
class Tool:
    name: str
    family: str
    noun: str
    parameters: list
    verb: str = ""
    description: str | None = None
    extras: dict = field(default_factory=dict)

    @property
    def main(self):
        return next((parameter for parameter in self.parameters if parameter.role == "main"), None)

    @property
    def takes_lists(self):
        """Whether one request can name several values, one call each."""
        others = [parameter for parameter in self.parameters if parameter.required and parameter.role != "main"]
        return self.family in ("weather", "time", "query") and self.main is not None and not others

    def schema(self):
        function = {"name": self.name}
        if self.description:
            function["description"] = self.description
        properties = {parameter.name: parameter.schema() for parameter in self.parameters}
        parameters = {"type": "object", "properties": properties}
        required = [parameter.name for parameter in self.parameters if parameter.required]
        if required or self.extras.get("empty_required"):
            parameters["required"] = required
        if self.extras.get("closed"):
            parameters["additionalProperties"] = False
        if self.extras.get("required_first") and "required" in parameters:
            parameters = {"type": "object", "required": parameters.pop("required"), **parameters}
        function["parameters"] = parameters
        if self.extras.get("strict"):
            function["strict"] = True
        return {"type": "function", "function": function}

    def ordered(self, arguments):
        """Arguments in the order of the schema, which is the order the model is taught."""
        return {p.name: arguments[p.name] for p in self.parameters if p.name in arguments}


def join_words(words, style):
    if style == "camel":
        return words[0] + "".join(word.capitalize() for word in words[1:])
    return {"snake": "_", "kebab": "-", "plain": ""}[style].join(words)


def join_list(values, comma=False):
    return values[0] if len(values) == 1 else ", ".join(values[:-1]) + (", and " if comma else " and ") + values[-1]


class ToolMaker(Words):
    """Invents tools, requests for them and results."""

    never_named = frozenset(HELD_OUT_NOUNS + HELD_OUT_QUERY_VERBS + HELD_OUT_ACTION_VERBS + HELD_OUT_PLACE_PARAMETERS + HELD_OUT_TEXT_PARAMETERS + HELD_OUT_COUNT_PARAMETERS
                            + HELD_OUT_FLAG_PARAMETERS + [word for name, choices in HELD_OUT_CHOICES for word in [name, *choices]])

    # Those of the parameter before.
    last_words = None
    # How often tools are about weather, time, drawing, a query, an action; how often they have none, one, two parameters more; how often an optional argument is told.
    kinds_of_tools, more_parameters, optional = (8, 6, 5, 26, 16), (55, 30, 15), 0.5

    # ---- tools -------------------------------------------------------------------------------------------------------

    def tools(self, count):
        tools, nouns = [], set()
        while len(tools) < count:
            self.offered = tools
            tool = self.tool()
            clash = tool.noun in nouns or any(tool.name == other.name for other in tools)
            if not clash and not (tool.family != "query" and any(tool.family == other.family != "action" for other in tools)):
                nouns.add(tool.noun)
                tools.append(tool)
        return tools

    def alike(self, words, verb):
        """Now and then a tool that shares a word or its verb with one already offered, as tools of one service do."""
        others = [tool for tool in self.offered if tool.family in ("query", "action")]
        if self.held_out or not others:
            return words, verb
        other = self.pick(*others)
        if self.chance(0.2):
            first, last = other.noun.split()[0], other.noun.split()[-1]
            words = list(dict.fromkeys(self.pick([last, words[0]], [words[0], first], [first])))
        return words, other.verb if self.chance(0.25) else verb

    def tool(self):
        kinds = [self.weather_tool, self.time_tool, self.draw_tool, self.query_tool, self.action_tool]
        return self.random.choices(kinds, self.kinds_of_tools)[0]()

    def style(self):
        return self.random.choices(["snake", "camel", "kebab", "plain"], [55, 20, 10, 15])[0]

    def finish(self, tool):
        if self.chance(0.15):
            tool.extras["closed"] = True
            tool.extras["strict"] = self.chance(0.4)
        tool.extras["empty_required"] = self.chance(0.5)
        tool.extras["required_first"] = self.chance(0.08)
        for parameter in tool.parameters:
            parameter.description_first = self.chance(0.5)
            if parameter.kind == "integer" and self.chance(0.1):
                parameter.limits = {"minimum": 1, "maximum": self.random.randint(1, 999) * 10}
        return tool

    def unit_parameter(self):
        return Parameter("unit", "enum", "unit", "choice", ["celsius", "fahrenheit"], False,
                         self.pick(None, None, "Temperature unit", "The unit."))

    def weather_tool(self):
        name = self.pick("get_weather", "get_weather", "get_current_weather", "weather", "getWeather", "get-weather", "fetch_weather")
        place = Parameter(self.pick("city", "location", "location", "city", "place"), "string", "city", "main", description=self.pick(
            None, None, "The city.", "The city and state, e.g. San Francisco, CA", "City name", "The city to get the weather for"))
        parameters = [place]
        if self.chance(0.4):
            parameters.append(self.unit_parameter())
        if self.chance(0.12):
            parameters.append(Parameter(self.pick("days", "day_count"), "integer", "days", "count", required=False))
        description = self.pick(None, "Get the weather for a city.", "Get the current weather", "Get current weather in a given location",
                                "Returns the weather of a place.", "Current weather")
        return self.finish(Tool(name, "weather", "weather", parameters, "get", description))

    def time_tool(self):
        name = self.pick("get_time", "get_time", "get_current_time", "time", "getTime", "current_time", "get-time")
        place = Parameter(self.pick("city", "timezone", "timezone", "location", "place"), "string", "city", "main", description=self.pick(
            None, None, "The city.", "The timezone, e.g. Europe/Paris", "City name", "The time zone or city"))
        description = self.pick(None, "Get the time in a city.", "Get the current time", "Returns the local time of a place.")
        return self.finish(Tool(name, "time", "time", [place], "get", description))

    def draw_tool(self):
        name = self.pick("draw_scene", "draw_scene", "draw_scene", "draw", "paint_picture", "generate_image", "drawScene", "create_image", "make-picture")
        argument = Parameter(self.pick("scene", "scene", "prompt", "description"), "string", "scene", "main",
                             description=self.pick(None, None, "What to draw", "The scene in words.", "A description of the picture."))
        description = self.pick(None, "Draw a scene.", "Draws a picture of a scene of coloured shapes.", "Generate an image from text",
                                "Paint a picture.")
        return self.finish(Tool(name, "draw", "picture", [argument], "draw", description))

    def query_tool(self):
        words = [self.noun()]
        if self.chance(0.25):
            words.append(self.noun() if self.held_out or self.chance(0.5) else self.pick("info", "level", "price", "list", "status", "data"))
            if len(set(words)) < len(words):
                return self.query_tool()
        verb = self.pick(*(HELD_OUT_QUERY_VERBS if self.held_out and self.chance(0.6) else QUERY_VERBS))
        if not self.held_out and self.chance(0.25):
            verb = self.invented_name()
        words, verb = self.alike(words, verb)
        style, shape = self.style(), self.random.random()
        name_words = [verb] + words if shape < 0.75 else words if shape < 0.87 or style == "plain" else words + [self.pick("api", "tool", "info", "of")]
        noun = " ".join(words)
        main = self.place_parameter(style) if self.chance(0.6) else self.text_parameter(style, "main")
        parameters = [] if self.chance(0.04) else self.with_extras(main, style)
        described = main.words if parameters else "user"
        description = self.pick(None, f"Get the {noun} for a {described}.", f"Returns the {noun} of a {described}.", f"Look up the {noun}.",
                                f"{noun.capitalize()} of a {described}", f"Get {noun}")
        if description and self.chance(0.12):
            name_words = [self.pseudo_word(), self.pseudo_word()][: self.random.randint(1, 2)]
        return self.finish(Tool(join_words(name_words, style), "query", noun, parameters, verb, description))

    def action_tool(self):
        verb = self.pick(*(HELD_OUT_ACTION_VERBS if self.held_out else ACTION_VERBS)) if self.chance(0.6) or self.held_out else self.invented_name()
        words, verb = self.alike([self.noun()], verb)
        noun = " ".join(words)
        style, shape = self.style(), self.random.random()
        if shape < (0.15 if self.held_out else 0.3):
            first, second = self.pick(*ROUTES)
            parameters = [Parameter(first, "string", first, "from"), Parameter(second, "string", second, "to")]
            if not self.held_out and self.chance(0.5):
                parameters.reverse()
            parameters += self.extra_parameters({first, second}, style, self.pick(0, 0, 1))
        elif shape < (0.4 if self.held_out else 0.5):
            lead = self.extra_parameters(set(), style, 1)
            parameters = self.with_extras(lead[0], style)
        else:
            main = self.text_parameter(style, "main") if self.chance(0.6) else self.place_parameter(style)
            parameters = self.with_extras(main, style)
        if not any(parameter.required for parameter in parameters):
            parameters[0].required = True
        description = self.pick(None, f"{verb.capitalize()} a {noun}.", f"Use this to {verb} a {noun}.", f"{verb.capitalize()} {noun}")
        return self.finish(Tool(join_words([verb, *words], style), "action", noun, parameters, verb, description))

    # ---- parameters --------------------------------------------------------------------------------------------------

    def parameter_words(self, known, held_out):
        if self.held_out:
            return [self.pick(*held_out)]
        words = [self.pick(*known)] if self.chance(0.4) else [self.invented_name()]
        if self.last_words and self.chance(0.12):
            # Begins as another parameter does, as `speed` and `species`.
            words = [self.last_words[0][: self.random.randint(1, 3)] + self.pseudo_word()]
        self.last_words = words
        return words + [self.pick("name", "id", "code", self.pseudo_word())] if self.chance(0.15) and words[0] not in ("name", "id") else words

    def place_parameter(self, style):
        words = self.parameter_words(PLACE_PARAMETERS, HELD_OUT_PLACE_PARAMETERS)
        return Parameter(self.parameter_name(words, style), "string", " ".join(words), "main", description=self.describe(words))

    def text_parameter(self, style, role="named"):
        words = self.parameter_words(TEXT_PARAMETERS, HELD_OUT_TEXT_PARAMETERS)
        return Parameter(self.parameter_name(words, style), "string", " ".join(words), role, description=self.describe(words))

    def parameter_name(self, words, style):
        return join_words(words, style if style in ("camel", "snake") or self.chance(0.2) else "snake")

    def describe(self, words):
        text = " ".join(words)
        return self.pick(None, None, None, f"The {text}.", f"The {text} to use", text.capitalize(), f"Name of the {text}")

    def with_extras(self, main, style):
        parameters = [main] + self.extra_parameters({main.name}, style, self.random.choices([0, 1, 2], self.more_parameters)[0])
        if self.chance(0.1):
            self.random.shuffle(parameters)
        return parameters

    def extra_parameters(self, taken, style, count):
        parameters, roles = [], set()
        while len(parameters) < count:
            parameter = self.extra_parameter(style)
            if parameter.name not in taken and parameter.role not in roles:
                taken.add(parameter.name)
                roles.add(parameter.role)
                parameter.required = self.chance(0.35)
                parameters.append(parameter)
        return parameters

    def extra_parameter(self, style):
        kind = self.random.choices(["string", "integer", "number", "boolean", "enum"], [18, 28, 10, 16, 28])[0]
        if kind == "string":
            return self.text_parameter(style)
        if kind == "enum":
            name, choices = self.pick(*(HELD_OUT_CHOICES if self.held_out else CHOICES))
            if not self.held_out and self.chance(0.5):
                name, choices = self.invented_name(), [self.choice_word() for _ in range(self.random.randint(2, 4))]
            words = [name]
        elif kind == "boolean":
            words = self.parameter_words(FLAG_PARAMETERS, HELD_OUT_FLAG_PARAMETERS)
            if self.chance(0.3):
                words = [self.pick("include", "with")] + words
        else:
            words = self.parameter_words(COUNT_PARAMETERS, HELD_OUT_COUNT_PARAMETERS)
            if self.chance(0.2):
                words = [self.pick("max", "num")] + words
        role = {"enum": "choice", "boolean": "flag"}.get(kind, "count" if kind != "string" else "named")
        name = self.parameter_name(words, style)
        shown = words[1:] if words[0] in ("include", "with", "num") else words
        return Parameter(name, kind, " ".join(shown), role, choices if kind == "enum" else [], False, self.describe(words))

    def choice_word(self):
        """A choice may be a word that is kept from names, so that its token gets written now and then."""
        return self.pick(*(word for word in TOKEN_WORDS if word in self.never_named)) if self.chance(0.1) else self.invented_name()

    # ---- values ------------------------------------------------------------------------------------------------------

    def value(self, parameter):
        rng = self.random
        if parameter.kind == "enum":
            return rng.choice(parameter.choices)
        if parameter.kind == "boolean":
            return rng.random() < 0.6
        if parameter.kind == "integer":
            return rng.randint(1, 10) if self.chance(0.5) else rng.randint(11, 99) if self.chance(0.7) else rng.randint(100, 9999)
        if parameter.kind == "number":
            return rng.randint(1, 99) if self.chance(0.4) else rng.randint(1, 999) / 10
        return self.text_value()

    def text_value(self):
        kind = self.random.random()
        if kind < 0.55:
            return self.city()
        if kind < 0.7:
            return self.name()
        if kind < 0.85:
            return self.noun() if self.held_out or self.chance(0.5) else self.pseudo_word()
        if kind < 0.9:
            return f"{self.pseudo_word()} {self.pseudo_word()}"
        return self.pick(
            self.pseudo_word().upper()[:3] + "-" + self.digits(3), f"20{self.digits(2)}-0{self.random.randint(1, 9)}-1{self.digits(1)}", f"1{self.digits(1)}:{self.random.randint(10, 59)}",
            self.digits(5), self.pseudo_word().upper()[: self.random.randint(2, 5)], f"{self.pseudo_word()}@{self.pseudo_word()}.com", f"{self.pick('Europe', 'Asia', 'America')}/{self.pseudo_word(True)}",
        )

    def digits(self, count):
        return "".join(str(self.random.randint(0, 9)) for _ in range(count))

    def spoken(self, value):
        if isinstance(value, int) and 0 < value <= 20 and self.chance(0.15):
            return number_in_words(value)
        return str(value)

    def phrase(self, parameter, value):
        """How a user mentions one argument that is not the main one."""
        words = parameter.words
        if parameter.role == "flag":
            if value:
                return self.pick(f"with {words}", f"with {words}", f"including {words}", f"with {words} on", f"{words} true", f"and {words}: yes")
            return self.pick(f"without {words}", f"without {words}", f"with no {words}", f"with {words} off", f"{words} false", f"and {words}: no")
        if parameter.role == "choice":
            shown = value.capitalize() if self.chance(0.08) else value
            return self.pick(f"in {shown}", f"with {words} {shown}", f"{words} {shown}", f"as {shown}", f"in {shown}", f"{words}: {shown}", f"using {shown}")
        if parameter.role == "count":
            shown = self.spoken(value)
            return self.pick(f"for {shown} {words}", f"with {shown} {words}", f"with {words} {shown}", f"{words} {shown}", f"{words}: {shown}",
                             f"and {words} set to {shown}", f"with a {words} of {shown}", f"{shown} {words}")
        if parameter.role in ("from", "to"):
            return f"{parameter.role} {value}"
        return self.pick(f"with {words} {value}", f"with {words} {value}", f"{words} {value}", f"{words}: {value}", f"with the {words} {value}",
                         f"and {value} as the {words}", f'with {words} "{value}"', f"and the {words} is {value}")

    # ---- requests ----------------------------------------------------------------------------------------------------

    def request(self, tool, values=None):
        """A request for one tool; with several main values, one call each."""
        if tool.family == "draw":
            return self.draw_request(tool)
        arguments, phrases = {}, []
        for parameter in tool.parameters:
            if parameter.role == "main" or not (parameter.required or self.chance(self.optional)):
                continue
            arguments[parameter.name] = self.value(parameter)
            phrases.append(self.phrase(parameter, arguments[parameter.name]))
        if not any(parameter.role == "from" for parameter in tool.parameters):
            self.random.shuffle(phrases)
        if tool.main is None:
            values = [None]
        elif values is None:
            values = [self.city() if tool.family in ("weather", "time") else self.text_value()]
        shown = join_list(values, len(values) > 2 and self.chance(0.4)) if tool.main else None
        text, subject = self.sentence(tool, shown, phrases, len(values))
        calls = [(tool.name, tool.ordered({**arguments, **({tool.main.name: value} if tool.main else {})})) for value in values]
        subjects = [subject.replace("\0", value) if value else subject for value in values]
        return Request(text, calls, subjects)

    def sentence(self, tool, shown, phrases, count):
        """The request's text and the subject of its answer, in which a null character stands for the value."""
        tail = "".join((" " if self.chance(0.8) or phrase.startswith("and") else ", ") + phrase for phrase in phrases)
        if tool.family == "weather":
            return self.weather_sentence(shown, tail)
        if tool.family == "time":
            return self.time_sentence(shown, tail)
        noun = tool.noun
        if shown is None and tool.family == "query":
            return self.query_sentence(noun, "", "", tail, 0), f"The {noun}"
        if tool.family == "query":
            where = self.pick("in", "in", "for", "for", "of", "at") + " "
            return self.query_sentence(noun, where, shown, tail, count), f"The {noun} {where}\0"
        verb = tool.verb
        lead = self.pick(f"{verb} {noun}", f"{verb} the {noun}", f"{verb} a {noun}", f"please {verb} the {noun}", f"can you {verb} the {noun}",
                         f"I want to {verb} a {noun}", f"could you {verb} a {noun}", f"I need to {verb} the {noun}")
        if shown is None:
            return self.punctuate(lead + tail, question=lead.startswith("c")), f"The {noun}"
        middle = self.pick(f" for {shown}", f" for {shown}", f" in {shown}", f" {shown}", f" to {shown}", f" with {tool.main.words} {shown}",
                           f" {tool.main.words} {shown}", f' "{shown}"')
        return self.punctuate(lead + middle + tail, question=lead.startswith("c")), f"The {noun}"

    def query_sentence(self, noun, where, shown, tail, count):
        if self.chance(0.08) and count == 1 and not tail:
            return self.punctuate(f"{shown} {noun}")
        lead, question = self.pick(
            ("what is the ", True), ("what is the ", True), ("what's the ", True), ("tell me the ", False), ("", False), ("I need the ", False),
            ("please get the ", False), ("can you check the ", True), ("show me the ", False), ("give me the ", False), ("look up the ", False),
            ("do you know the ", True), ("find the ", False), ("how is the ", True), ("could you tell me the ", True), ("get ", False))
        if count > 1 and self.chance(0.25):
            lead, question = "compare the ", False
        return self.punctuate(f"{lead}{noun} {where}{shown}".rstrip() + tail, question)

    def weather_sentence(self, shown, tail):
        text, question = self.pick(
            (f"what is the weather in {shown}", True), (f"what's the weather in {shown}", True), (f"what's the weather like in {shown}", True),
            (f"how is the weather in {shown}", True), (f"tell me the weather in {shown}", False), (f"weather in {shown}", False),
            (f"get the weather for {shown}", False), (f"what is the temperature in {shown}", True), (f"is it raining in {shown}", True),
            (f"weather {shown}", False), (f"how warm is it in {shown}", True), (f"check the weather for {shown}", False),
            (f"what is the weather like in {shown} today", True), (f"I want to know the weather in {shown}", False))
        return self.punctuate(text + tail, question), "The weather in \0"

    def time_sentence(self, shown, tail):
        text, question = self.pick(
            (f"what time is it in {shown}", True), (f"what time is it in {shown}", True), (f"what is the time in {shown}", True),
            (f"tell me the time in {shown}", False), (f"what's the time in {shown}", True), (f"time in {shown}", False),
            (f"what is the current time in {shown}", True), (f"what time is it now in {shown}", True), (f"how late is it in {shown}", True))
        return self.punctuate(text + tail, question), "The time in \0"

    def noun_phrase(self, tool, value):
        if tool.family == "time" and self.chance(0.4):
            return f"what time is it in {value}"
        return f"the {tool.noun} {self.pick('in', 'in', 'for', 'of') if tool.family == 'query' else 'in'} {value}"

    def punctuate(self, text, question=False):
        style = self.random.random()
        if style < 0.68:
            text = text[0].upper() + text[1:] + ("?" if question else self.pick(".", "."))
        elif style < 0.8:
            text = text[0].upper() + text[1:]
        elif style < 0.9:
            text = text + ("?" if question else ".")
        if self.chance(0.05):
            text = self.pick("Hi, ", "Hello! ", "Please: ", "Hey, ", "OK, ") + text
        return text

    def draw_request(self, tool):
        if self.chance(0.35):
            text, wish, scene = free_scene_request(self, draw=True)
            accepts = wish
        else:
            scene, accepts = self.scene().text, None
            text = self.punctuate(self.pick("draw", "draw", "draw", "paint", "please draw", "make a picture of", "show me a picture of", "can you draw",
                                            "create an image of", "I want a picture of", "draw me", "please paint", "generate an image of") + f" {scene}")
        return Request(text, [(tool.name, {tool.main.name: scene})], [scene], accepts)

    def parallel_request(self, tools):
        """One request that needs two or three calls, or None when these tools have no such request."""
        listed = [tool for tool in tools if tool.takes_lists]
        if len(tools) > 1 and self.chance(0.3 if listed else 0.6):
            return self.joined_request(*self.random.sample(tools, 2))
        if not listed:
            return None
        if len(listed) < 2 or self.chance(0.5):
            tool, values = self.pick(*listed), []
            while len(values) < self.pick(2, 2, 3):
                value = self.city() if tool.main.words == "city" or self.chance(0.7) else self.text_value()
                if value not in values and ", " not in value:
                    values.append(value)
            return self.request(tool, values)
        first, second = self.random.sample(listed, 2)
        if self.chance(0.35):
            value = self.city()
            text = self.pick(f"what is the {first.noun} and the {second.noun} in {value}", f"the {first.noun} and {second.noun} in {value}",
                             f"tell me the {first.noun} and the {second.noun} for {value}")
            where = "for" if text.startswith("tell") else "in"
            calls = [(tool.name, {tool.main.name: value}) for tool in (first, second)]
            subjects = [f"The {tool.noun} {where if tool.family == 'query' else 'in'} {value}" for tool in (first, second)]
            return Request(self.punctuate(text, text.startswith("what")), calls, subjects)
        left, value = self.request(first), self.city()
        phrase = self.noun_phrase(second, value)
        subject = phrase.replace("what time is it", "the time")
        glue = self.pick(" and ", " and ", ", and ", " and also ", ". And ")
        text = left.text.rstrip("?.") + glue + phrase + ("?" if left.text.endswith("?") else self.pick("", ".", "?"))
        return Request(text, left.calls + [(second.name, {second.main.name: value})], left.subjects + [subject[0].upper() + subject[1:]])

    def joined_request(self, first, second):
        """Two whole requests, one after the other."""
        left, right = self.request(first), self.request(second)
        if left.accepts or right.accepts:
            return None
        glue = self.pick(" and ", " and then ", ", then ", ". Then ", ". Also ", ". ", "? ")
        end = right.text if glue in (". ", "? ") else right.text[0].lower() + right.text[1:]
        return Request(left.text.rstrip("?.") + glue + end, left.calls + right.calls, left.subjects + right.subjects)

    # ---- results -----------------------------------------------------------------------------------------------------

    def result(self, tool, arguments, subject):
        """A tool's result and the sentence that tells it."""
        if self.chance(0.05):
            problem = self.pick("not found", "timeout", "unknown " + tool.noun, "service unavailable", self.pseudo_word() + " " + self.pseudo_word())
            return self.pick(self.dump({"error": problem}), f"Error: {problem}"), f"Sorry, the tool failed: {problem}."
        if tool.family == "draw":
            result = self.pick(self.dump({"status": "ok"}), "ok", "done", self.dump({"url": f"https://{self.pseudo_word()}.com/{self.pseudo_word()}.png"}),
                               self.dump({"ok": True}), self.dump({"image": self.pseudo_word() + ".png"}), "Image created.")
            return result, f"Here {'are' if subject.startswith(tuple(NUMBER_NAMES.values())) else 'is'} {subject}."
        if tool.family == "action":
            return self.action_result(tool)
        kind = self.random.random()
        if tool.family == "time":
            value = f"{self.random.randint(0, 23)}:{self.random.randint(0, 59):02d}"
        elif tool.family == "weather":
            value = self.pick(f"{self.random.choice(CONDITIONS)}", f"{self.random.choice(CONDITIONS)}, {self.random.randint(-9, 39)} degrees",
                              f"{self.random.randint(-9, 39)} degrees", f"{self.random.randint(-9, 39)} degrees and {self.random.choice(CONDITIONS)}")
        else:
            value = self.scalar()
        if kind < 0.25:
            return value, f"{subject} is {value}."
        if kind < 0.5:
            key = self.pick(tool.noun.replace(" ", "_"), "result", "value", tool.noun.replace(" ", "_"))
            number = int(value) if value.isdigit() and self.chance(0.7) and str(int(value)) == value else value
            result, echo = {key: number}, self.echo(arguments)
            return self.dump({**echo, **result} if self.chance(0.5) else {**result, **echo}), f"{subject} is {value}."
        if kind < 0.56:
            values = [self.pseudo_word(self.chance(0.5)) for _ in range(self.random.randint(2, 4))]
            return self.dump(values if self.chance(0.4) else {self.pick("results", "items", tool.noun): values}), f"{subject}: {', '.join(values)}."
        if kind < 0.62:
            sentence = f"{subject} is {value}."
            return sentence, sentence
        fields = self.fields(tool)
        told = ", ".join(f"{key.replace('_', ' ')} {json.dumps(v) if isinstance(v, bool) else v}" for key, v in fields.items())
        return self.dump({**(self.echo(arguments)), **fields}), f"{subject}: {told}."

    def echo(self, arguments):
        texts = {key: value for key, value in arguments.items() if isinstance(value, str)}
        return dict(list(texts.items())[:1]) if self.chance(0.4) else {}

    def scalar(self):
        return self.pick(str(self.random.randint(0, 99)), str(self.random.randint(0, 9999)), self.pseudo_word(), self.pseudo_word(True),
                         f"{self.random.randint(0, 99)} {self.pick('percent', 'dollars', 'euros', 'minutes', self.pseudo_word())}",
                         f"{self.random.randint(0, 99)}.{self.random.randint(1, 9)}", self.random.choice(CONDITIONS), f"{self.pseudo_word()} {self.pseudo_word()}")

    def fields(self, tool):
        if tool.family == "weather":
            options = {self.pick("temperature", "temp", "temperature_c"): self.random.randint(-9, 39), self.pick("condition", "conditions", "sky", "weather"):
                       self.random.choice(CONDITIONS), "humidity": self.random.randint(10, 99), "wind": self.random.randint(0, 60),
                       "unit": self.pick("celsius", "fahrenheit"), "rain": self.chance(0.5)}
            keys = list(options)[: self.random.choice([1, 2, 2, 2])] + self.random.sample(list(options)[2:], self.pick(0, 0, 1, 2))
            return {key: options[key] for key in keys}
        if tool.family == "time":
            return {"time": f"{self.random.randint(0, 23)}:{self.random.randint(0, 59):02d}", self.pick("zone", "date", "day"): self.pseudo_word(True)}
        keys = [self.pick("count", "status", "name", "price", "level", "total", self.pseudo_word(), f"{self.pseudo_word()}_{self.pseudo_word()}")
                for _ in range(self.random.randint(2, 3))]
        return {key: self.pick(self.random.randint(0, 999), self.pseudo_word(), self.pseudo_word(True), self.chance(0.5), self.random.randint(1, 999) / 10) for key in keys}

    def action_result(self, tool):
        if self.chance(0.6):
            good = self.pick("ok", "success", "done", "completed")
            return self.pick(self.dump({"status": good}), good, self.dump({"success": True}), self.dump({"ok": True}), self.dump({"result": good})), "Done."
        key = self.pick("id", f"{tool.noun}_id", "reference", "number", self.pseudo_word())
        value = self.pick(self.random.randint(1, 99999), self.pseudo_word().upper()[:2] + str(self.random.randint(10, 999)), self.pseudo_word())
        status = {"status": "ok"} if self.chance(0.4) else {}
        return self.dump({**status, key: value}), f"Done: {key.replace('_', ' ')} {value}."

    def dump(self, value):
        if self.chance(0.55):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return json.dumps(value, ensure_ascii=False)
