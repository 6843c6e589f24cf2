"""Miniature embedding models with random weights, exported by optimum, and the vectors that sentence-transformers makes.

    python encoders.py

writes ../models/{bert,mpnet,xlm-roberta,modernbert,qwen3-embedding}: a folder in the hub's layout each, and golden.json.
Written with Python 3.11, torch 2.13.0, transformers 4.57.6, optimum 2.1.0, optimum-onnx 0.1.0, sentence-transformers 5.7.0,
sentencepiece 0.2.3.
"""

import json
import re
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

import onnx
import sentencepiece
import torch
import transformers
from compact import compact, compact_numbers
from optimum.exporters.onnx import onnx_export_from_model
from sentence_transformers import SentenceTransformer
from sentence_transformers import __version__ as sentence_transformers_version
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from stir import stir
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

MODELS = Path(__file__).parent.parent / "models"
SEED = 8
CORPUS = """The quick brown fox jumps over the lazy dog while seven red circles rest above a blue square.
How do I reset my password? Open the settings, choose security and follow the link in the mail.
Paris is the capital of France; Berlin is the capital of Germany, and Zürich lies in Switzerland.
Ein kleiner Vogel sitzt auf dem Dach und singt ein schönes Lied über den Frühling.
Le café est déjà fermé, mais la boulangerie d'à côté vend encore du pain et des croissants.
Embeddings map a text to a vector, so that similar meanings are near to each other in space.
query passage retrieve relevant search instruct document task answer following
今日は良い天気です。東京へ行きます。 Привет, как дела? Всё хорошо, спасибо. ¿Dónde está la biblioteca?
0 1 2 3 4 5 6 7 8 9 10 27 58 1984 2024 e.g. i.e. well-known don't it's can't!"""
TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "a",
    "query: how do I reset my password?",
    "passage: Open the settings, choose security and follow the link in the mail.",
    "Zürich   liegt in der\tSchweiz\nund ist schön ﬁn!",
    "今日は良い天気です 🙂 Привет",
    "Paris is the capital of France; Berlin is the capital of Germany. " * 6,
    "[MASK] <mask> and other things that look special",
]
WORDPIECE_SPECIALS = {"bert": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], "mpnet": ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"]}


def wordpiece_vocabulary(path: Path, family: str) -> str:
    """All characters and the longer words; the library's own trainer breaks ties another way each time."""
    words = sorted({word for word in re.findall(r"\w+", CORPUS.lower()) if len(word) > 3})
    characters = sorted({character for character in normalizers.BertNormalizer().normalize_str(CORPUS) if not character.isspace()})
    tokens = [*WORDPIECE_SPECIALS[family], *characters, *(f"##{character}" for character in characters), *words, "##ing", "##ed", "##er"]
    file = path / f"{family}.txt"
    file.write_text("\n".join(tokens) + "\n")
    return str(file)


def bert_tokenizer(scratch: Path):
    vocabulary = wordpiece_vocabulary(scratch, "bert")
    return transformers.BertTokenizerFast(vocabulary, model_max_length=64)


def mpnet_tokenizer(scratch: Path):
    vocabulary = wordpiece_vocabulary(scratch, "mpnet")
    return transformers.MPNetTokenizerFast(vocabulary, unk_token="[UNK]", model_max_length=64)


def xlm_roberta_tokenizer(scratch: Path):
    """A sentencepiece model whose rules are few, since those of nmt_nfkc alone weigh 240 kB."""
    (scratch / "corpus.txt").write_text("\n".join(CORPUS.splitlines() * 20))
    rules = [(0xFB01, "fi"), (0x3000, " "), (0x9, " "), (0xA, " "), *((0xFF21 + at, chr(0x41 + at)) for at in range(26))]
    lines = [f"{source:X}\t{' '.join(f'{ord(letter):X}' for letter in target)}" for source, target in rules]
    (scratch / "rules.tsv").write_text("\n".join(lines) + "\n")
    sentencepiece.SentencePieceTrainer.train(
        input=str(scratch / "corpus.txt"), model_prefix=str(scratch / "unigram"), vocab_size=200, hard_vocab_limit=False, model_type="unigram",
        normalization_rule_tsv=str(scratch / "rules.tsv"), character_coverage=1.0, minloglevel=2, num_threads=1,
    )  # fmt: skip
    return transformers.XLMRobertaTokenizerFast(str(scratch / "unigram.model"), model_max_length=64)


def byte_level_tokenizer(pattern, specials: list[str], template: str, size=420) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    split = [] if pattern is None else [pre_tokenizers.Split(pattern, "isolated")]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*split, byte_level]) if split else byte_level
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=size - len(specials), initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainer)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in specials])
    tokenizer.decoder = decoders.ByteLevel()
    used = [token for token in specials if token in template.split()]
    pieces = processors.TemplateProcessing(single=template, special_tokens=[(token, tokenizer.token_to_id(token)) for token in used])
    tokenizer.post_processor = pieces if pattern is None else processors.Sequence([processors.ByteLevel(trim_offsets=False), pieces])
    return tokenizer


def modernbert_tokenizer(scratch: Path):
    tokenizer = byte_level_tokenizer(None, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], "[CLS] $A [SEP]")
    names = dict(pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")
    inputs = ["input_ids", "attention_mask"]
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_input_names=inputs, model_max_length=64, **names)


def qwen3_tokenizer(scratch: Path):
    pattern = Regex(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    tokenizer = byte_level_tokenizer(pattern, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], "$A <|endoftext|>")
    return transformers.Qwen2TokenizerFast(
        tokenizer_object=tokenizer, pad_token="<|endoftext|>", eos_token="<|im_end|>", unk_token=None, padding_side="left", model_max_length=64
    )


COMMON = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, initializer_range=0.6)
#: family → how its tokenizer and config are made, how tokens are pooled, and the task and library to export for
FAMILIES = {
    "bert": (
        bert_tokenizer,
        lambda tokenizer: transformers.BertConfig(vocab_size=len(tokenizer), max_position_embeddings=64, **COMMON),
        "mean",
        ("feature-extraction", "transformers"),
    ),
    "mpnet": (
        mpnet_tokenizer,
        lambda tokenizer: transformers.MPNetConfig(
            vocab_size=len(tokenizer), max_position_embeddings=66, pad_token_id=1, bos_token_id=0, eos_token_id=2, **COMMON
        ),
        "mean",
        ("feature-extraction", "sentence_transformers"),
    ),
    "xlm-roberta": (
        xlm_roberta_tokenizer,
        lambda tokenizer: transformers.XLMRobertaConfig(
            vocab_size=len(tokenizer), max_position_embeddings=66, pad_token_id=1, bos_token_id=0, eos_token_id=2, type_vocab_size=1, **COMMON
        ),
        "mean",
        ("feature-extraction", "transformers"),
    ),
    "modernbert": (
        modernbert_tokenizer,
        lambda tokenizer: transformers.ModernBertConfig(
            vocab_size=len(tokenizer), max_position_embeddings=64, local_attention=16, global_attn_every_n_layers=2,
            pad_token_id=tokenizer.pad_token_id, cls_token_id=tokenizer.cls_token_id, sep_token_id=tokenizer.sep_token_id,
            bos_token_id=tokenizer.cls_token_id, eos_token_id=tokenizer.sep_token_id, initializer_cutoff_factor=2.0, **COMMON,
        ),
        "cls",
        ("feature-extraction", "transformers"),
    ),
    "qwen3-embedding": (
        qwen3_tokenizer,
        lambda tokenizer: transformers.Qwen3Config(
            vocab_size=len(tokenizer), max_position_embeddings=64, num_key_value_heads=2, head_dim=12, tie_word_embeddings=True,
            bos_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.pad_token_id, **COMMON,
        ),
        "lasttoken",
        ("text-generation-with-past", "transformers"),
    ),
}  # fmt: skip
PROMPTS = {
    "qwen3-embedding": {
        "query": "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
        "document": "",
    },
}


def build(family: str, scratch: Path):
    make_tokenizer, make_config, pooling, (task, library) = FAMILIES[family]
    torch.manual_seed(SEED)
    tokenizer = make_tokenizer(scratch)
    model = transformers.AutoModel.from_config(make_config(tokenizer)).eval()
    stir(model)
    model.save_pretrained(scratch / "model")
    tokenizer.save_pretrained(scratch / "model")
    transformer = Transformer(str(scratch / "model"), max_seq_length=64)
    sentence_transformer = SentenceTransformer(
        modules=[transformer, Pooling(transformer.get_embedding_dimension(), pooling), Normalize()],
        prompts=PROMPTS.get(family, {}), device="cpu",
    )  # fmt: skip
    folder = MODELS / family
    shutil.rmtree(folder, ignore_errors=True)
    sentence_transformer.save(str(folder), safe_serialization=True, create_model_card=False)
    (folder / "onnx").mkdir()
    if task == "text-generation-with-past":
        headed = transformers.AutoModelForCausalLM.from_config(model.config).eval()
        headed.base_model.load_state_dict(model.state_dict())
        compact(without_head(export(headed, scratch, task, library)), folder / "onnx" / "model.onnx")
    else:
        exported = sentence_transformer if library == "sentence_transformers" else model
        compact(export(exported, scratch, task, library), folder / "onnx" / "model.onnx")
    for needless in ["model.safetensors", "README.md", "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model"]:
        (folder / needless).unlink(missing_ok=True)
    write_golden(folder, sentence_transformer, PROMPTS.get(family, {}))


def export(model, scratch: Path, task: str, library: str) -> Path:
    folder = scratch / "export"
    folder.mkdir()
    onnx_export_from_model(model, output=folder, task=task, library_name=library, opset=18, device="cpu")
    return folder / "model.onnx"


def without_head(path: Path) -> Path:
    """As the hub's graphs of decoders that embed: caches go in and out, and the hidden states come in place of logits."""
    model = onnx.load(path)
    [head] = [node for node in model.graph.node if "logits" in node.output]
    hidden = head.input[0]
    model.graph.node.remove(head)
    for node in model.graph.node:
        node.input[:] = ["last_hidden_state" if name == hidden else name for name in node.input]
        node.output[:] = ["last_hidden_state" if name == hidden else name for name in node.output]
    used = {name for node in model.graph.node for name in node.input}
    for initializer in [one for one in model.graph.initializer if one.name not in used]:
        model.graph.initializer.remove(initializer)
    [logits] = [output for output in model.graph.output if output.name == "logits"]
    logits.name = "last_hidden_state"
    logits.type.tensor_type.shape.dim[2].dim_value = COMMON["hidden_size"]
    onnx.save(model, path)
    return path


def write_golden(folder: Path, reference: SentenceTransformer, prompts: dict):
    cases = []
    for prompt in [None, *prompts]:
        # All at once, so that the reference pads.
        vectors = reference.encode(TEXTS, prompt_name=prompt, batch_size=len(TEXTS))
        cases += [dict(text=text, promptName=prompt, vector=vector.tolist()) for text, vector in zip(TEXTS, vectors)]
    first = torch.tensor([case["vector"] for case in cases[: len(TEXTS)]])
    alike = (first @ first.T - torch.eye(len(TEXTS))).max().item()
    assert alike < 0.995, f"{folder.name}: texts are told apart too little, {alike}"
    classes = []
    if folder.name == "bert":
        size = reference.get_embedding_dimension()
        first_token = SentenceTransformer(modules=[reference[0], Pooling(size, "cls"), Normalize()], device="cpu")
        classes = [vector.tolist() for vector in first_token.encode(TEXTS)]
    golden = dict(versions=versions(), seed=SEED, cases=cases, classTokens=classes)
    text = json.dumps(golden, ensure_ascii=False, indent=1, default=float)
    (folder / "golden.json").write_text(compact_numbers(text) + "\n")


def versions() -> dict:
    return {
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "sentence-transformers": sentence_transformers_version,
        "optimum-onnx": version("optimum-onnx"),
    }


def main():
    for family in FAMILIES:
        with tempfile.TemporaryDirectory() as scratch:
            build(family, Path(scratch))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
