"""Miniature cross-encoders with random weights, and the logits that transformers gives to pairs of a query and a document.

    python rerankers.py

writes ../models/{bert-reranker,bert-reranker-two-labels,xlm-roberta-reranker,modernbert-reranker}: a folder in the hub's layout
each, and golden.json. The tokenizers are those of the miniatures that encoders.py writes.
Written with Python 3.11, torch 2.13.0, transformers 5.23.0, tokenizers 0.23.3, onnx 1.23.2, onnxruntime 1.31.1.

golden.json:
    versions, seed
    maxTokens       the longest pair, special tokens included; longer documents are cut at their end, queries never are
    documents       texts; every query is paired with all of them
    cases           one a query:
        query
        tokens      [documents] tokens of each pair after the cut, without padding
        logits      [documents × labels] of all pairs in one padded batch
        scores      [documents] sigmoid of the one logit, or the softmax's share of the second of two
        order       indexes of the documents, best first
"""

import json
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy
import onnxruntime
import tokenizers
import torch
import transformers
from compact import compact, compact_numbers
from stir import stir
from tokenizers import Tokenizer, processors

MODELS = Path(__file__).parent.parent / "models"
SEED = 13
MAX_TOKENS = 64
DOCUMENTS = [
    "Open the settings, choose security and follow the link in the mail.",
    "Paris is the capital of France; Berlin is the capital of Germany.",
    "Zürich   liegt in der\tSchweiz\nund ist schön ﬁn!",
    "今日は良い天気です 🙂 Привет",
    "",
    "a",
    "The quick brown fox jumps over the lazy dog. " * 8,
    "[SEP] </s> and other things that look special",
]
QUERIES = [
    "How do I reset my password?",
    "capital of France",
    "Где находится Zürich? 東京",
    # Little is left for the documents.
    "which document says how to open the settings and to reset the password of the mail",
    "a",
]
PADDING = {"bert": "[PAD]", "xlm-roberta": "<pad>", "modernbert": "[PAD]"}
COMMON = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, initializer_range=0.6)


def bert(labels):
    def make(tokenizer):
        # The models of MS MARCO name the activation of sentence-transformers so.
        activation = {"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}} if labels == 1 else {}
        config = transformers.BertConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=MAX_TOKENS, num_labels=labels, **activation, **COMMON)
        return transformers.BertForSequenceClassification(config)

    return make


def xlm_roberta(tokenizer):
    config = transformers.XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=MAX_TOKENS + 2, pad_token_id=1, bos_token_id=0, eos_token_id=2, type_vocab_size=1, num_labels=1, **COMMON
    )
    return transformers.XLMRobertaForSequenceClassification(config)


def modernbert(tokenizer):
    start, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    config = transformers.ModernBertConfig(
        vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=MAX_TOKENS, local_attention=16, global_attn_every_n_layers=2, pad_token_id=tokenizer.token_to_id("[PAD]"),
        cls_token_id=start, sep_token_id=end, bos_token_id=start, eos_token_id=end, initializer_cutoff_factor=2.0, classifier_pooling="mean", num_labels=1, **COMMON,
    )  # fmt: skip
    return transformers.ModernBertForSequenceClassification(config)


#: folder → the encoder whose tokenizer it has, how the model is made, and its inputs
FAMILIES = {
    "bert-reranker": ("bert", bert(labels=1), ["input_ids", "attention_mask", "token_type_ids"]),
    "bert-reranker-two-labels": ("bert", bert(labels=2), ["input_ids", "attention_mask", "token_type_ids"]),
    "xlm-roberta-reranker": ("xlm-roberta", xlm_roberta, ["input_ids", "attention_mask"]),
    "modernbert-reranker": ("modernbert", modernbert, ["input_ids", "attention_mask"]),
}


class Scorer(torch.nn.Module):
    """Inputs by position, which is all that the exporter takes."""

    def __init__(self, model, names):
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs))).logits


def build(name: str, scratch: Path):
    family, make_model, names = FAMILIES[name]
    folder = MODELS / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "onnx").mkdir(parents=True)
    tokenizer = copy_tokenizer(MODELS / family, folder)
    torch.manual_seed(SEED)
    model = make_model(tokenizer)
    model.set_attn_implementation("eager")
    scorer = Scorer(model, names).eval()
    stir(model)
    spread(scorer, tokenizer)
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(folder)
    export(scorer, scratch / "model.onnx")
    compact(scratch / "model.onnx", folder / "onnx" / "model.onnx")
    write_golden(folder, scorer, tokenizer)


def copy_tokenizer(source: Path, folder: Path) -> Tokenizer:
    for file in ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]:
        shutil.copy(source / file, folder / file)
    path = str(folder / "tokenizer.json")
    tokenizer = Tokenizer.from_file(path)
    if source.name == "modernbert":
        # The encoder's template knows no pairs.
        ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
        tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=ends)
        tokenizer.save(path)
    tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id(PADDING[source.name]))
    return tokenizer


def spread(scorer, tokenizer):
    """Scales and shifts the last layer so that the logits lie around 0 with a deviation of 1.5."""
    with torch.no_grad():
        found = torch.cat([logits_of(scorer, tokenizer, query)[0] for query in QUERIES])
        head = scorer.model.classifier
        head = getattr(head, "out_proj", head)
        scale = 1.5 / found.std(0)
        head.weight.mul_(scale[:, None])
        head.bias.sub_(found.mean(0)).mul_(scale)


def logits_of(scorer, tokenizer, query):
    """`[documents × labels]` in one padded batch, and the counts of tokens."""
    inputs = inputs_of(tokenizer, query, scorer.names)
    with torch.no_grad():
        logits = scorer(*inputs.values())
        for index, alone in enumerate(logits):
            length = int(inputs["attention_mask"][index].sum())
            single = scorer(*(values[index : index + 1, :length] for values in inputs.values()))
            assert (single[0] - alone).abs().max() < 2e-5, "padding changes a logit"
    return logits, inputs["attention_mask"].sum(1).tolist()


def inputs_of(tokenizer, query, names):
    encodings = tokenizer.encode_batch([(query, document) for document in DOCUMENTS])
    columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    return {name: torch.tensor([getattr(encoding, columns[name]) for encoding in encodings]) for name in names}


def export(scorer, path: Path):
    sample = [torch.ones(2, 7, dtype=torch.int64) for _ in scorer.names]
    axes = {name: {0: "batch_size", 1: "sequence_length"} for name in scorer.names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            scorer, tuple(sample), str(path), input_names=scorer.names, output_names=["logits"], dynamic_axes={**axes, "logits": {0: "batch_size"}}, opset_version=17, dynamo=False
        )


def write_golden(folder: Path, scorer, tokenizer):
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), providers=["CPUExecutionProvider"])
    cases = []
    for query in QUERIES:
        logits, tokens = logits_of(scorer, tokenizer, query)
        inputs = {name: values.numpy() for name, values in inputs_of(tokenizer, query, scorer.names).items()}
        assert numpy.abs(session.run(None, inputs)[0] - logits.numpy()).max() < 2e-5, "the graph gives other logits"
        scores = logits.sigmoid()[:, 0] if logits.shape[1] == 1 else logits.softmax(1)[:, 1]
        order = scores.argsort(descending=True).tolist()
        gap = (scores[order][:-1] - scores[order][1:]).min().item()
        assert gap > 5e-4, f"{folder.name}: two documents are told apart by {gap} only"
        assert max(tokens) == MAX_TOKENS, "no document is cut"
        cases.append(dict(query=query, tokens=tokens, logits=logits.tolist(), scores=scores.tolist(), order=order))
    versions = {"torch": torch.__version__, "transformers": transformers.__version__, "tokenizers": tokenizers.__version__}
    golden = dict(versions=versions, seed=SEED, maxTokens=MAX_TOKENS, documents=DOCUMENTS, cases=cases)
    (folder / "golden.json").write_text(compact_numbers(json.dumps(golden, ensure_ascii=False, indent=1)) + "\n")


def main():
    for name in FAMILIES:
        with tempfile.TemporaryDirectory() as scratch:
            build(name, Path(scratch))
        print(name)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
