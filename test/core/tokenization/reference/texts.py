"""Texts that tokenizers go wrong on: many scripts, emoji, marks, controls, code, numbers, white space, look-alikes."""

import glob
import json
import os
import random

SCRIPTS = {
    "latin": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZäöüßéèêñçåøæœğışőűčřžłğİĐđŐſK",
    "greek": "αβγδεζηθικλμνξοπρσςτυφχψωΑΒΓΔΕΣΩάέήίόύώϊϋΐΰ",
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖЙёєіїґўђћ",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةىًٌٍَُِّْ",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשתםןףץךְִֵֶַָֹּׁׂ",
    "devanagari": "अआइईउऊएऐओऔकखगघचछजझटठडढतथदधनपफबभमयरलवशषसहािीुूेैोौं्ँ़",
    "tamil": "அஆஇஈகஙசஞடணதநபமயரலவழளறனாிீுூெேைொோௌ்",
    "thai": "กขคงจฉชซญดตถทธนบปผฝพฟภมยรลวศษสหอฮะาิีึืุูเแโใไำ่้๊๋์",
    "tibetan": "ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚཛཝཞཟའཡརལཤསཧཨཱཱཱིེོིུུ",
    "han": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里",
    "kana": "あいうえおかがきぎくぐけげこごさざしじすずせぜそぞアイウエオカガキギクグーゃゅょっャュョッ",
    "hangul": "가나다라마바사아자차카타파하각간갇갈감값강개객거건걸검것게겨고곡공과관광괴구국군굴궁",
    "jamo": "ᄀᄁᄂᄃ라ᅢᅣᅤᅥᆨᆩᆪᆫᆬ",
    "georgian": "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰᲐᲑᲒ",
    "ethiopic": "ሀሁሂሃሄህሆለሉሊላሌልሎሐመሠረሰሸቀበተ፠፡።",
    "compatibility": "ﬁﬂﬃﬆ①②③½¼⅓™℠℡㎏㎡ＡＢＣａｂｃ１２３ﾊﾟｶﾞﷺﷻ〜～ǅǆᾳᾼΆ豈更車ﾡﾢㅏᆭ",
    "astral": "𝐀𝐁𝐜𝟎𝟏𝒳𝔘𐍈𐌰𐐀𐐨🄰🅱𠀀𠮷𪜀𫝆𝄞𝅘𝅥𝅮\U0001D15F\U000E0041\U000F0000",
    "newer": "\u088f\u0c5c\u1c89\u1ace\u2e52\ua7cb\U00010ec2\U00011f00\U00016ea0\U0001e030\U0001fbf3\U0001fae9\U000323b0",
}
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "❤️", "🇩🇪", "🇯🇵🇫", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👁️‍🗨️", "🧑🏿‍🚀", "☺", "©️", "‼️", "🕵🏼‍♀️"]
MARKS = [chr(c) for c in range(0x300, 0x370)] + list("\u0483\u0591\u05b0\u064b\u0651\u0670\u093c\u094d\u0e38\u0e48\u0f71\u0f72\u0f74\u3099\u309a\u20d0\u20e3\ufe0f\ufe20\u1dce\u0345\u0315\u035c\u0323\u0301\u0308\u1ac7")
SPACES = list(" \t\n\r\u000b\u000c\u0085\u00a0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000") + ["\r\n", "  ", "\n\n", "    "]
CONTROLS = [chr(c) for c in range(32)] + [chr(c) for c in range(0x7F, 0xA0)] + list("\u00ad\u0600\u061c\u06dd\u070f\u0890\u08e2\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\ufeff\ufff9\ufffd\ufffe\U000110bd\U000e0001")
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡¿«»‘’“”„…–—·•§¶†‡‰€£¥₹©®°±×÷≤≥≠∞∑√∂→←↑↓■□▪★☆♥♪✓✗、。「」『』【】（），！？；：・～؟،؛।॥፡\u166d\u2e43")
LOOKALIKES = [
    "<s>", "</s>", "<unk>", "<pad>", "<mask>", " <mask> ", "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<|endoftext|>", "<|im_start|>", "<|im_end|>",
    "<|endoftext", "<|im_end|", "<extra_id_0>", "<extra_id_10>", "<0x0A>", "<0xE2>", "▁", "▁▁", "Ġ", "Ċ", "##ing", "</w>", "<think>", "</think>",
    "<|begin_of_text|>", "<|startoftranscript|>", "<bos>", "<start_of_turn>", "<|endoftext|><|endoftext|>", "mask", "masked", "MASK", "\u00e9t\u00e9x", "Été",
]
CONTRACTIONS = ["I'm", "don't", "we'll", "you've", "they're", "he'd", "IT'S", "WE'LL", "o'clock", "'tis", "dogs'", "'S", "'ſ", "'Re", "''s", "x'll've"]


def real_texts(root):
    """Prose in many languages and code, from what a checkout has anyway."""
    prose, code = [], []
    for path in sorted(glob.glob(os.path.join(root, "node_modules/typescript/lib/*/diagnosticMessages.generated.json"))):
        messages = list(json.load(open(path, encoding="utf-8")).values())
        prose += [" ".join(messages[i : i + 12]) for i in range(0, len(messages), 12)]
    for path in sorted(glob.glob(os.path.join(root, "node_modules/*/README.md")) + glob.glob(os.path.join(root, "docs/**/*.md"), recursive=True)):
        text = open(path, encoding="utf-8").read()
        prose += [text[i : i + 3000] for i in range(0, len(text), 3000)]
    for path in sorted(glob.glob(os.path.join(root, "src/**/*.ts"), recursive=True) + glob.glob(os.path.join(root, "node_modules/typescript/lib/lib.*.d.ts"))):
        text = open(path, encoding="utf-8").read()
        code += [text[i : i + 3000] for i in range(0, len(text), 3000)]
    return prose, code


class Texts:
    def __init__(self, seed, prose=(), code=()):
        self.random = random.Random(seed)
        self.prose, self.code = list(prose), list(code)
        self.kinds = [self.words, self.words, self.mixture, self.emoji, self.marked, self.spaced, self.controlled, self.numbers, self.long_words]
        self.kinds += [self.lookalikes, self.english, self.symbols, self.anything, self.source]
        if self.prose:
            self.kinds += [self.real_prose] * 8 + [self.real_code] * 4

    def one(self):
        return self.random.choice(self.kinds)()

    def many(self, size):
        """Texts of so many bytes of UTF-8 altogether."""
        texts = []
        while size > 0:
            texts.append(self.one())
            size -= len(texts[-1].encode())
        return texts

    def word(self, script=None, most=9):
        letters = SCRIPTS[script or self.random.choice(list(SCRIPTS))]
        return "".join(self.random.choice(letters) for _ in range(self.random.randint(1, most)))

    def words(self):
        script = self.random.choice(list(SCRIPTS))
        glue = self.random.choice([" ", " ", " ", "", ", ", "-", "\n", "。", " . "])
        return glue.join(self.word(script) for _ in range(self.random.randint(1, 60)))

    def mixture(self):
        make = [self.word, lambda: self.random.choice(EMOJI), lambda: self.random.choice(PUNCTUATION), lambda: self.random.choice(SPACES)]
        make += [lambda: str(self.random.randint(0, 99999)), lambda: " ", lambda: self.random.choice(LOOKALIKES), lambda: self.random.choice(CONTRACTIONS)]
        return "".join(self.random.choice(make)() for _ in range(self.random.randint(1, 120)))

    def emoji(self):
        return self.random.choice(["", " ", "\u200d"]).join(self.random.choice(EMOJI) for _ in range(self.random.randint(1, 40)))

    def marked(self):
        text = ""
        for _ in range(self.random.randint(1, 60)):
            text += self.random.choice(["", self.word(most=2), " "])
            text += "".join(self.random.choice(MARKS) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 5, 12])))
        return text

    def spaced(self):
        pick = lambda: self.random.choice(SPACES) * self.random.choice([1, 1, 1, 2, 3, 9])
        return "".join(pick() + self.random.choice(["", "", self.word("latin"), ".", "1"]) for _ in range(self.random.randint(1, 50)))

    def controlled(self):
        return "".join(self.random.choice(CONTROLS) + self.random.choice(["", "a", " ", "é", "\u0301", self.word()]) for _ in range(self.random.randint(1, 50)))

    def numbers(self):
        digits = self.random.choice(["0123456789"] * 4 + ["٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "①②③½²³Ⅷ〇一二"])
        number = lambda: "".join(self.random.choice(digits) for _ in range(self.random.randint(1, 12)))
        return self.random.choice([" ", ", ", "", "-", "\n"]).join(number() + self.random.choice(["", "", "%", " kg", ".5", "e-7", "th"]) for _ in range(self.random.randint(1, 40)))

    def long_words(self):
        piece = self.random.choice([self.word(most=3), "a", "ab", "…", "=", "-", "é", "的", "😀", "\u0301", "1", "▁", "Ġ", " x"])
        return (piece * self.random.randint(1, 400))[:2000] + self.random.choice(["", " end", "\n"])

    def lookalikes(self):
        return self.random.choice(["", " ", "  ", "x", "."]).join(self.random.choice(LOOKALIKES) for _ in range(self.random.randint(1, 30)))

    def english(self):
        common = "the of and to in is that it was for on are as with his they at be this from have or by one had not but what all were when we there can an your which their said if do will each about how up out them then she many some so these would other into has more her two like him see time could no make than first been its who now people my made over did down only way find use may water long little very after words called just where most know".split()
        words = [self.random.choice(common + CONTRACTIONS) for _ in range(self.random.randint(1, 200))]
        words = [self.random.choice([w, w, w, w.capitalize(), w.upper()]) for w in words]
        return "".join(w + self.random.choice([" "] * 8 + [", ", ". ", "\n", "! ", "? ", "; ", " — ", " (", ") ", '" ']) for w in words)

    def symbols(self):
        return "".join(self.random.choice(PUNCTUATION) * self.random.choice([1, 1, 1, 3]) + self.random.choice(["", "", " ", "a", "7"]) for _ in range(self.random.randint(1, 80)))

    def anything(self):
        return "".join(self.character() for _ in range(self.random.randint(1, 60)))

    def character(self):
        code = self.random.choice([0x7F, 0x2FF, 0xFFF, 0xFFFF, 0x1FFFF, 0x10FFFF])
        while True:
            character = chr(self.random.randint(0, code))
            if not 0xD800 <= ord(character) <= 0xDFFF:
                return character

    def source(self):
        lines = ["for (let i = 0; i < n; i++) {", "    return x_{};", "\tif a == b and not c:", "def f(self, *args, **kwargs) -> None:", "# ---- ####", "const { a, b: [c, ...d] } = await f?.(g!);", "SELECT * FROM t WHERE id='1';--", "std::vector<std::map<int,int>> v;", "<div class=\"a b\">&nbsp;</div>", "\\frac{1}{2}\\sum_{i=0}^{n} x_i^2", "http://example.com/a?b=c&d=%20#e", "/* ... */ // TODO: x", "{\"k\": [1, 2.5e-3, null]}"]
        return "\n".join(" " * self.random.choice([0, 2, 4, 8]) + self.random.choice(lines) for _ in range(self.random.randint(1, 25)))

    def real_prose(self):
        return self.random.choice(self.prose)

    def real_code(self):
        return self.random.choice(self.code)
