"""Embeds texts with the reference implementation, with the very weights of tiny-embed's graph.

Usage: python generate.py (with torch, transformers, tokenizers, onnx and numpy installed), which writes vectors.json.
"""

import json
from pathlib import Path

import numpy
import onnx
import torch
import transformers
from transformers import AutoConfig, AutoTokenizer, BertModel

folder = Path(__file__).parent
model_folder = folder.parents[3] / "examples" / "models" / "tiny-embed"
TEXTS = [
    "a red circle", "A circle that is RED.", "a", "there is a blue square above the yellow star on a gray background", "What is 27 + 58?", "what time is it in Zürich?",
    "Hello!", "  two   spaces\tand\na line ", "unheard-of wörds, e.g. quixotic zephyrs & 日本語 🙂", "[MASK] special [SEP] tokens", "it is snowing in Reykjavik today. " * 3,
    "the horse was chased by the baker at the market",
]


def load_reference():
    """`BertModel` with the weights of the graph; those of linear layers lie there transposed and under other names."""
    graph = onnx.load(str(model_folder / "onnx" / "model.onnx")).graph
    tensors = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {name.removeprefix("bert."): tensor for name, tensor in tensors.items() if name.startswith("bert.")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in tensors and node.name.startswith("/bert/"):
            module = ".".join(node.name.split("/")[2:-1])
            weights[f"{module}.weight"] = tensors[node.input[1]].T
    model = BertModel(AutoConfig.from_pretrained(model_folder), add_pooling_layer=False)
    torch_weights = {name: torch.tensor(numpy.array(weight)) for name, weight in weights.items() if name in model.state_dict()}
    assert set(torch_weights) == {name for name, _ in model.named_parameters()}, "a weight is missing"
    model.load_state_dict(torch_weights, strict=False)
    return model.eval()


def main():
    model = load_reference()
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    cases = []
    for text in TEXTS:
        batch = tokenizer(text, return_tensors="pt", truncation=True)
        with torch.no_grad():
            hidden = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        vector = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)[0]
        cases.append({"text": text, "ids": batch["input_ids"][0].tolist(), "vector": [round(value, 7) for value in vector.tolist()]})
    # Nothing is drawn at random, so there is no seed.
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    (folder / "vectors.json").write_text(json.dumps({"versions": versions, "seed": None, "cases": cases}, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
