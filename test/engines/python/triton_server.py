"""Triton with the graphs of a folder, each behind a Python backend: `triton_server.py FOLDER PORT`."""

import sys

from pytriton.model_config import ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig

from graphs import Graph, numpy_type, open_graphs


def tensors(described: list) -> list:
    return [
        Tensor(name=one["name"], dtype=numpy_type(one["datatype"]), shape=tuple(one["shape"]))
        for one in described
    ]


def runner(graph: Graph):
    def run(requests):
        return [graph.run({name: value for name, value in request.items()}) for request in requests]

    return run


if __name__ == "__main__":
    folder, port = sys.argv[1], int(sys.argv[2])
    config = TritonConfig(
        http_address="127.0.0.1",
        http_port=port,
        allow_grpc=False,
        allow_metrics=False,
        exit_on_error=True,
    )
    with Triton(config=config) as triton:
        for name, graph in open_graphs(folder).items():
            triton.bind(
                model_name=name,
                infer_func=runner(graph),
                inputs=tensors(graph.inputs),
                outputs=tensors(graph.outputs),
                config=ModelConfig(batching=False),
            )
        triton.serve()
