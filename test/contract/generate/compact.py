"""Makes graphs small enough to be kept: the exporters' long names are most of a miniature."""

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
