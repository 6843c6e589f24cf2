"""A runtime of MLServer for one graph; its settings name the file as `uri`."""

from pathlib import Path

import numpy as np
from mlserver import MLModel
from mlserver.types import InferenceRequest, InferenceResponse, MetadataTensor, ResponseOutput

from graphs import Graph, numpy_type


class GraphModel(MLModel):
    async def load(self) -> bool:
        self.graph = Graph(Path(self.settings.parameters.uri))
        self.inputs = [MetadataTensor(**one) for one in self.graph.inputs]
        self.outputs = [MetadataTensor(**one) for one in self.graph.outputs]
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        feeds = {
            one.name: np.array(one.data.root, numpy_type(one.datatype)).reshape(one.shape)
            for one in payload.inputs
        }
        results = self.graph.run(feeds, [one.name for one in payload.outputs or []])
        datatypes = {one["name"]: one["datatype"] for one in self.graph.outputs}
        outputs = [
            ResponseOutput(
                name=name,
                datatype=datatypes[name],
                shape=list(value.shape),
                data=value.ravel().tolist(),
            )
            for name, value in results.items()
        ]
        return InferenceResponse(model_name=self.name, outputs=outputs)
