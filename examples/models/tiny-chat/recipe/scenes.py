"""Talk about scenes: requests for free ones, statements of given ones, questions and their answers."""

from world import COLORS, NUMBER_NAMES, RELATIONS, SHAPES, Wish, plural, with_article


def free_scene_request(words, draw=False):
    """A request for an invented scene, what it asks for, and one scene that fits."""
    kind = words.random.random()
    if kind < 0.45:
        wish = Wish(total=words.pick(1, 2, 2, 3, 4))
        number = words.pick(NUMBER_NAMES[wish.total], NUMBER_NAMES[wish.total], str(wish.total))
        asked = f"a scene with {number} shape{'s' if wish.total > 1 else ''}"
        asked = words.pick(asked, asked, asked.replace("scene", "picture"), f"{number} shape{'s' if wish.total > 1 else ''}", asked.replace("with", "of"))
    elif kind < 0.7:
        wish = Wish()
        asked = words.pick("a scene", "a picture", "any scene", "something", "a scene of shapes", "a random scene", "a simple scene", "some shapes", "anything")
    elif kind < 0.78:
        wish = Wish(color=words.pick(*COLORS))
        asked = words.pick(f"a scene with something {wish.color}", f"something {wish.color}", f"a scene with a {wish.color} shape".replace(" a o", " an o"))
    elif kind < 0.86:
        wish = Wish(shapes=(words.pick(*SHAPES),))
        asked = words.pick("a scene with ", "a picture with ", "a scene that has ") + with_article(wish.shapes[0])
    elif kind < 0.93:
        first, second = words.random.sample(SHAPES, 2)
        wish = Wish(total=2, shapes=(first, second))
        asked = words.pick("a scene with ", "a picture of ", "a scene that has ") + f"{with_article(first)} and {with_article(second)}"
    else:
        wish = Wish(background=words.pick("gray", "white"))
        asked = f"a scene on {with_article(wish.background)} background"
    scene = _scene_for(words, wish)
    if draw:
        verb = words.pick("draw", "draw", "draw", "paint", "please draw", "can you draw", "make", "draw me", "create", "show me")
        if not any(wish.__dict__.values()) and words.chance(0.4):
            return words.pick("Surprise me with a picture.", "surprise me with a picture", "Draw me a surprise.", "Surprise me with a drawing", "Draw whatever you like.",
                              "Paint a picture for me.", "I want a picture."), wish, scene
    else:
        verb = words.pick("describe", "describe", "describe", "please describe", "invent", "make up", "give me", "can you describe", "tell me", "think of",
                          "imagine", "write", "I want", "come up with", "could you describe")
    return words.punctuate(f"{verb} {asked}", verb.startswith(("can", "could"))), wish, scene


def _scene_for(words, wish):
    while True:
        scene = words.scene(free=True)
        if wish.background and not scene.background:
            scene = type(scene)(scene.objects, scene.relation, scene.count, wish.background)
        if (wish.background or not scene.background or words.chance(0.3)) and wish.accepts(scene.text):
            return scene.text


def statement(words, scene):
    text = scene.text
    kind = words.random.random()
    if kind < 0.7:
        be = "are" if scene.count > 1 else "is"
        return words.pick(f"There {be} {text}.", f"I see {text}.", f"The picture shows {text}.", f"The scene: {text}.", f"Here is a scene: {text}.",
                          f"We have {text}.", f"Look at this: {text}.", f"In the picture there {be} {text}.", f"Imagine {text}.")
    return text[0].upper() + text[1:] + "." if kind < 0.85 else text + words.pick("", ".", ":")


def question(words, scene):
    """A question about a scene, and its answer."""
    options = [_what_do_you_see, _how_many_shapes, _how_many_of]
    if scene.background:
        options += [_background] * 2
    if scene.relation:
        (color, shape), (other_color, other_shape) = scene.objects
        options += [_turned_around] * 4
        if shape != other_shape:
            options += [_color_of] * 3 + [_where] * 3 + [_what_is_beside] * 5 + [_is_color, _is_beside]
        if color != other_color:
            options += [_which_shape] * 3
    else:
        options += [_color_of, _which_shape, _is_color]
    asked, answer = words.pick(*options)(words, scene)
    return words.punctuate(asked, question=not asked.startswith(("say", "describe", "count", "turn"))), answer


def _named(scene, index):
    color, shape = scene.objects[index]
    return color, plural(shape) if scene.count > 1 else shape, "are" if scene.count > 1 else "is"


def _index(words, scene):
    return words.random.randrange(len(scene.objects))


def _color_of(words, scene):
    color, shape, be = _named(scene, _index(words, scene))
    hue = words.pick("color", "color", "colour")
    return words.pick(f"what {hue} {be} the {shape}", f"what {hue} {be} the {shape}", f"which {hue} {be} the {shape}", f"what is the {hue} of the {shape}",
                      f"what's the {hue} of the {shape}"), f"The {shape} {be} {color}."


def _which_shape(words, scene):
    color, shape, be = _named(scene, _index(words, scene))
    return words.pick(f"which shape is {color}", f"what is {color}", f"what shape is {color}", f"which one is {color}"), f"The {shape} {be} {color}."


def _is_color(words, scene):
    color, shape, be = _named(scene, _index(words, scene))
    asked = color if words.chance(0.5) else words.pick(*[other for other in COLORS if other != color])
    return f"{be} the {shape} {asked}", f"{'Yes' if asked == color else 'No'}, the {shape} {be} {color}."


def _sides(words, scene):
    side = scene if words.chance(0.5) else scene.turned_around()
    (color, shape), (other_color, other_shape) = side.objects
    return side.relation, f"{color} {shape}", f"{other_color} {other_shape}", shape, other_shape


def _where(words, scene):
    relation, first, second, shape, _ = _sides(words, scene)
    return words.pick(f"where is the {shape}", f"where is the {first}", f"where's the {shape}"), f"The {first} is {relation} the {second}."


def _what_is_beside(words, scene):
    relation, first, second, _, other_shape = _sides(words, scene)
    short = relation.replace("to the left of", words.pick("to the left of", "left of", "on the left of"))
    short = short.replace("to the right of", words.pick("to the right of", "right of", "on the right of"))
    return words.pick(f"what is {short} the {other_shape}", f"what is {short} the {second}", f"what's {short} the {other_shape}",
                      f"which shape is {short} the {other_shape}"), f"The {first} is {relation} the {second}."


def _is_beside(words, scene):
    relation, first, second, shape, other_shape = _sides(words, scene)
    asked = relation if words.chance(0.5) else words.pick(*[other for other in RELATIONS if other != relation])
    return f"is the {shape} {asked} the {other_shape}", f"{'Yes' if asked == relation else 'No'}, the {first} is {relation} the {second}."


def _turned_around(words, scene):
    return words.pick("say it the other way around", "say it the other way around", "say that the other way around", "turn it around", "say it the other way round",
                      "describe it the other way around"), scene.turned_around().text


def _how_many_shapes(words, scene):
    told = "There is one shape." if scene.total == 1 else f"There are {NUMBER_NAMES[scene.total]} shapes."
    return words.pick("how many shapes are there", "how many shapes are there", "how many shapes do you see", "count the shapes", "how many shapes are in the picture"), told


def _how_many_of(words, scene):
    shapes = [shape for _, shape in scene.objects]
    shape = words.pick(*shapes) if words.chance(0.8) else words.pick(*SHAPES)
    count = shapes.count(shape) * scene.count
    told = f"There are no {plural(shape)}." if count == 0 else f"There is one {shape}." if count == 1 else f"There are {NUMBER_NAMES[count]} {plural(shape)}."
    return words.pick(f"how many {plural(shape)} are there", f"how many {plural(shape)} do you see", f"count the {plural(shape)}"), told


def _what_do_you_see(words, scene):
    if scene.relation:
        told = " and ".join(f"{with_article(color)} {shape}" for color, shape in scene.objects)
    else:
        told = type(scene)(scene.objects, None, scene.count).text
    return words.pick("what do you see", "what do you see", "which shapes are there", "what is in the picture", "what shapes do you see"), f"I see {told}."


def _background(words, scene):
    hue = words.pick("color", "colour")
    return words.pick(f"what {hue} is the background", f"what is the {hue} of the background", f"which {hue} is the background"), f"The background is {scene.background}."
