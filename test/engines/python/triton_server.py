"""Triton with the graphs of a folder, each behind a Python backend: `triton_server.py FOLDER PORT`."""

import os
import sys
import sysconfig

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
        return [graph.run(dict(request.items())) for request in requests]

    return run


def with_own_library() -> None:
    """Triton starts processes that load Python as a library: it has to be the one of this interpreter."""
    folder = sysconfig.get_config_var("LIBDIR")
    if folder not in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        os.environ["LD_LIBRARY_PATH"] = folder
        os.execv(sys.executable, [sys.executable, *sys.argv])


if __name__ == "__main__":
    with_own_library()
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
