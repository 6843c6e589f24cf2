"""Makes graphs and golden files small enough to be kept: the exporters' long names are most of a miniature."""

import re
from pathlib import Path

import onnx


def compact(source: Path, target: Path):
    """Copies a graph; the same operators on the same weights, under short names. Those of inputs and outputs stay."""
    model = onnx.load(source)
    keep = {value.name for value in [*model.graph.input, *model.graph.output]}
    short = {}

    def rename(name: str) -> str:
        return name if name == "" or name in keep else short.setdefault(name, f"t{len(short)}")

    def visit(graph):
        for tensor in graph.initializer:
            tensor.name = rename(tensor.name)
        for node in graph.node:
            node.name = ""
            node.doc_string = ""
            del node.metadata_props[:]
            node.input[:] = [rename(name) for name in node.input]
            node.output[:] = [rename(name) for name in node.output]
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    visit(attribute.g)
        for value in [*graph.input, *graph.output]:
            value.name = rename(value.name)
        del graph.value_info[:]

    visit(model.graph)
    onnx.save(model, target)


def compact_numbers(text: str) -> str:
    """Vectors on one line each, seven digits."""
    number = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
    lists = re.compile(rf"\[\s*{number}(?:,\s*{number})*\s*\]")
    return lists.sub(lambda found: "[" + ",".join(f"{float(value):.7g}" for value in re.findall(number, found[0])) + "]", text)
