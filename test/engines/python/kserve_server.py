"""KServe's model server with the graphs of a folder, in its process or on Ray Serve.

`kserve_server.py FOLDER --http_port PORT [--ray] [--socket PATH]`
"""

import argparse
from uuid import uuid4

import uvicorn
from kserve import InferInput, InferOutput, InferRequest, InferResponse, Model, ModelServer, model_server

from graphs import Graph, open_graphs


class LocalConfig(uvicorn.Config):
    """KServe listens on every address of a machine; here one is enough, or a socket of the file system."""

    socket = None

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **{**settings, "host": "127.0.0.1", "uds": self.socket})


class GraphModel(Model):
    def __init__(self, name: str, graph: Graph):
        super().__init__(name)
        self.graph = graph
        self.ready = True

    async def get_input_types(self):
        return self.graph.inputs

    async def get_output_types(self):
        return self.graph.outputs

    async def predict(self, payload: InferRequest, headers=None, response_headers=None) -> InferResponse:
        feeds = {one.name: one.as_numpy() for one in payload.inputs}
        wanted = [one.name for one in payload.request_outputs or []]
        datatypes = {one["name"]: one["datatype"] for one in self.graph.outputs}
        outputs = []
        for name, value in self.graph.run(feeds, wanted).items():
            output = InferOutput(name, list(value.shape), datatypes[name])
            output.set_data_from_numpy(value, binary_data=payload.use_binary_outputs)
            outputs.append(output)
        return InferResponse(payload.id or str(uuid4()), self.name, outputs)


def on_ray(folder: str, models: list) -> list:
    """Each graph as a deployment of Ray Serve, in a process of its own."""
    import ray
    from kserve.ray import RayModel
    from ray import serve

    @serve.deployment(ray_actor_options={"num_cpus": 0.1})
    class Deployment(GraphModel):
        def __init__(self, name: str):
            super().__init__(name, open_graphs(folder)[name])

    ray.init(num_cpus=2, _node_ip_address="127.0.0.1", include_dashboard=False, log_to_driver=False)
    handles = {one.name: serve.run(Deployment.bind(one.name), name=one.name, route_prefix=None) for one in models}
    ray_models = [RayModel(name, handle) for name, handle in handles.items()]
    for model in ray_models:
        model.ready = True
    return ray_models


if __name__ == "__main__":
    uvicorn.Config = LocalConfig
    parser = argparse.ArgumentParser(parents=[model_server.parser])
    parser.add_argument("folder")
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--socket")
    arguments = parser.parse_args()
    LocalConfig.socket = arguments.socket
    models = [GraphModel(name, graph) for name, graph in open_graphs(arguments.folder).items()]
    ModelServer(workers=1).start(on_ray(arguments.folder, models) if arguments.ray else models)
