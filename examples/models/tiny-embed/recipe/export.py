"""Writes the model in the hub's ONNX layout with the config files of sentence-transformers."""

import json
import warnings
from pathlib import Path

import onnx
import torch

from build_tokenizer import MAX_LENGTH
from train import DIMENSIONS, PREFIXES


class Encoder(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state


def export(model, folder: Path):
    path = folder / "onnx" / "model.onnx"
    path.parent.mkdir(exist_ok=True)
    sample = torch.ones(2, 7, dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {0: "batch_size", 1: "sequence_length"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Encoder(model).eval(), (sample, sample, 0 * sample), str(path), input_names=names, output_names=["last_hidden_state"],
            dynamic_axes={name: axes for name in [*names, "last_hidden_state"]}, opset_version=17, dynamo=False,
        )
    onnx.checker.check_model(str(path))
    _write(folder / "config.json", {**model.config.to_diff_dict(), "architectures": ["BertModel"], "matryoshka_dimensions": DIMENSIONS})
    pooling = {"word_embedding_dimension": DIMENSIONS[-1], "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False, "include_prompt": True}
    (folder / "1_Pooling").mkdir(exist_ok=True)
    _write(folder / "1_Pooling" / "config.json", pooling)
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    _write(folder / "modules.json", [{"idx": at, "name": str(at), "path": where, "type": f"sentence_transformers.models.{kind}"} for at, (where, kind) in enumerate(kinds)])
    _write(folder / "sentence_bert_config.json", {"max_seq_length": MAX_LENGTH, "do_lower_case": False})
    prompts = dict(zip(("query", "passage"), PREFIXES))
    _write(folder / "config_sentence_transformers.json", {"prompts": prompts, "default_prompt_name": None, "similarity_fn_name": "cosine"})


def _write(path, content):
    path.write_text(json.dumps(content, indent=2) + "\n")
