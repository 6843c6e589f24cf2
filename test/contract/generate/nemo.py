"""Makes random miniatures in the layout of NeMo's ONNX exports, and what onnx-asr hears with them.

    pip install onnx==1.23.2 onnxruntime==1.32.0 onnx-asr==0.12.0 numpy==2.4.6
    python nemo.py

writes ../models/nemo-ctc, nemo-rnnt, nemo-tdt and nemo-aed: graphs with the inputs and outputs of the exports, vocab.txt, config.json and
golden.json. The recordings are tones over noise, which the tests make in the same way.
"""

import json
from pathlib import Path

import numpy as np
import onnx
import onnx_asr
from onnx import TensorProto, helper, numpy_helper

MODELS = Path(__file__).parent.parent / "models"
PIECES = ["<unk>", *"▁th ▁a ▁the s t e i ▁de ▁on ing ▁ö .  , ▁ ' an ▁in ▁é 日".split()]
VOCABULARY = [*PIECES, "<blk>"]
CONTROL = "endoftext startofcontext startoftranscript emo:undefined en de fr pnc noitn notimestamp nodiarize".split()
PROMPTED = [*(f"<|{name}|>" for name in CONTROL), *PIECES]
WIDTH = 12
LAYERS = 2
DURATIONS = 5
SECONDS = [0.5, 1, 3.7, 7.03]

random = np.random.default_rng(20260123)


def weights(*shape, gain=1.0):
    fan = np.prod(shape[1:]) if len(shape) > 1 else 1
    return (random.standard_normal(shape) * gain / np.sqrt(fan)).astype(np.float32)


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, value, name=None):
        name = name or f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, operator, inputs, outputs=None, **attributes):
        names = [item if isinstance(item, str) else self.constant(item) for item in inputs]
        outputs = outputs or [f"value_{len(self.nodes)}"]
        self.nodes.append(helper.make_node(operator, names, outputs, **attributes))
        return outputs[0]

    def save(self, path, inputs, outputs):
        def values(signatures):
            return [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in signatures]

        graph = helper.make_graph(self.nodes, path.stem, values(inputs), values(outputs), self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)


HEARD = [("audio_signal", TensorProto.FLOAT, ["batch", "features", "time"]), ("length", TensorProto.INT64, ["batch"])]


def encode(graph, bins):
    """Every eighth frame with its neighbours, as the convolutions before a Conformer leave them."""
    strided = graph.add("Conv", ["audio_signal", weights(WIDTH, bins, 9, gain=3), weights(WIDTH)], strides=[8], pads=[4, 4])
    near = graph.add("Conv", [graph.add("Tanh", [strided]), weights(WIDTH, WIDTH, 3, gain=3), weights(WIDTH)], pads=[1, 1])
    return graph.add("Tanh", [near])


def save_ctc(folder, bins):
    graph = Graph()
    heard = graph.add("Transpose", [encode(graph, bins)], perm=[0, 2, 1])
    bias = weights(len(VOCABULARY))
    bias[-1] += 2
    scores = graph.add("Add", [graph.add("MatMul", [heard, weights(len(VOCABULARY), WIDTH, gain=4).T.copy()]), bias])
    graph.add("LogSoftmax", [scores], ["logprobs"], axis=-1)
    graph.save(folder / "model.onnx", HEARD, [("logprobs", TensorProto.FLOAT, ["batch", "time_out", len(VOCABULARY)])])


def save_encoder(folder, bins):
    graph = Graph()
    graph.add("Identity", [encode(graph, bins)], ["outputs"])
    before = graph.add("Sub", ["length", np.array([1], np.int64)])
    graph.add("Add", [graph.add("Div", [before, np.array([8], np.int64)]), np.array([1], np.int64)], ["encoded_lengths"])
    graph.save(folder / "encoder-model.onnx", HEARD, [
        ("outputs", TensorProto.FLOAT, ["batch", WIDTH, "time_out"]),
        ("encoded_lengths", TensorProto.INT64, ["batch"]),
    ])


def save_joint(folder, durations):
    graph = Graph()
    embedding = weights(len(VOCABULARY), WIDTH, gain=WIDTH**0.5)
    embedding[-1] = 0
    x = graph.add("Transpose", [graph.add("Gather", [embedding, "targets"])], perm=[1, 0, 2])
    hidden, cells = [], []
    for layer in range(LAYERS):
        states = [
            graph.add("Slice", [name, np.array([layer]), np.array([layer + 1]), np.array([0])])
            for name in ("input_states_1", "input_states_2")
        ]
        names = [f"{name}_{layer}" for name in ("spoken", "hidden", "cell")]
        graph.add("LSTM", [
            x, weights(1, 4 * WIDTH, WIDTH, gain=6), weights(1, 4 * WIDTH, WIDTH, gain=6), weights(1, 8 * WIDTH), "", *states,
        ], names, hidden_size=WIDTH)
        x = graph.add("Squeeze", [names[0], np.array([1])])
        hidden.append(names[1])
        cells.append(names[2])
    graph.add("Concat", hidden, ["output_states_1"], axis=0)
    graph.add("Concat", cells, ["output_states_2"], axis=0)
    graph.add("Identity", ["target_length"], ["prednet_lengths"])
    said = graph.add("Unsqueeze", [graph.add("Transpose", [x], perm=[1, 0, 2]), np.array([1])])
    heard = graph.add("Unsqueeze", [graph.add("Transpose", ["encoder_outputs"], perm=[0, 2, 1]), np.array([2])])
    size = len(VOCABULARY) + durations
    bias = weights(size)
    bias[len(PIECES)] += 2 if durations else 6
    graph.add("Add", [
        graph.add("MatMul", [graph.add("Tanh", [graph.add("Add", [said, heard])]), weights(size, WIDTH, gain=5).T.copy()]), bias,
    ], ["outputs"])
    state = [LAYERS, "batch", WIDTH]
    graph.save(folder / "decoder_joint-model.onnx", [
        ("encoder_outputs", TensorProto.FLOAT, ["batch", WIDTH, "time"]),
        ("targets", TensorProto.INT32, ["batch", "targets"]),
        ("target_length", TensorProto.INT32, ["batch"]),
        ("input_states_1", TensorProto.FLOAT, state),
        ("input_states_2", TensorProto.FLOAT, state),
    ], [
        ("outputs", TensorProto.FLOAT, ["batch", "time", "targets", size]),
        ("prednet_lengths", TensorProto.INT32, ["batch"]),
        ("output_states_1", TensorProto.FLOAT, state),
        ("output_states_2", TensorProto.FLOAT, state),
    ])


def save_attention_encoder(folder, bins):
    graph = Graph()
    graph.add("Transpose", [encode(graph, bins)], ["encoder_embeddings"], perm=[0, 2, 1])
    before = graph.add("Sub", ["length", np.array([1], np.int64)])
    frames = graph.add("Add", [graph.add("Div", [before, np.array([8], np.int64)]), np.array([1], np.int64)])
    size = graph.add("Squeeze", [graph.add("Slice", [graph.add("Shape", ["encoder_embeddings"]), np.array([1]), np.array([2])])])
    places = graph.add("Unsqueeze", [graph.add("Range", [np.array(0), size, np.array(1)]), np.array([0])])
    present = graph.add("Less", [places, graph.add("Unsqueeze", [frames, np.array([1])])])
    graph.add("Cast", [present], ["encoder_mask"], to=TensorProto.INT64)
    graph.save(folder / "encoder-model.onnx", HEARD, [
        ("encoder_embeddings", TensorProto.FLOAT, ["batch", "time_out", WIDTH]),
        ("encoder_mask", TensorProto.INT64, ["batch", "time_out"]),
    ])


def attend(graph, queries, keys, mask=None):
    """One head."""
    query, key, value = (
        graph.add("MatMul", [states, weights(WIDTH, WIDTH, gain=2)]) for states in (queries, keys, keys)
    )
    scores = graph.add("MatMul", [query, graph.add("Transpose", [key], perm=[0, 2, 1])])
    if mask:
        scores = graph.add("Add", [scores, mask])
    return graph.add("MatMul", [graph.add("Softmax", [scores], axis=-1), value])


def save_attention_decoder(folder):
    """A layer of attention to the tokens so far, which it remembers, and to the audio."""
    graph = Graph()
    embedding = weights(len(PROMPTED), WIDTH, gain=WIDTH**0.5)
    said = graph.add("Gather", [embedding, "input_ids"])
    remembered = graph.add("Squeeze", [graph.add("Slice", ["decoder_mems", np.array([0]), np.array([1]), np.array([0])]), np.array([0])])
    first = graph.add("Squeeze", [graph.add("Slice", [graph.add("Shape", [remembered]), np.array([1]), np.array([2])])])
    count = graph.add("Squeeze", [graph.add("Slice", [graph.add("Shape", ["input_ids"]), np.array([1]), np.array([2])])])
    positions = graph.add("Range", [first, graph.add("Add", [first, count]), np.array(1)])
    said = graph.add("Add", [said, graph.add("Gather", [weights(1024, WIDTH, gain=WIDTH**0.5), positions])])
    known = graph.add("Concat", [remembered, said], axis=1)
    total = graph.add("Add", [first, count])
    later = graph.add("Greater", [
        graph.add("Unsqueeze", [graph.add("Range", [np.array(0), total, np.array(1)]), np.array([0])]),
        graph.add("Unsqueeze", [positions, np.array([1])]),
    ])
    causal = graph.add("Mul", [graph.add("Cast", [later], to=TensorProto.FLOAT), np.float32(-1e4)])
    state = graph.add("Add", [said, attend(graph, said, known, causal)])
    absent = graph.add("Sub", [np.float32(1), graph.add("Cast", ["encoder_mask"], to=TensorProto.FLOAT)])
    silent = graph.add("Mul", [graph.add("Unsqueeze", [absent, np.array([1])]), np.float32(-1e4)])
    state = graph.add("Tanh", [graph.add("Add", [state, attend(graph, state, "encoder_embeddings", silent)])])
    graph.add("Concat", [
        graph.add("Unsqueeze", [known, np.array([0])]),
        graph.add("Unsqueeze", [graph.add("Concat", [graph.add("Mul", [remembered, np.float32(0)]), state], axis=1), np.array([0])]),
    ], ["decoder_hidden_states"], axis=0)
    # Before the text, tokens of the prompt are as good as any.
    bias = weights(len(PROMPTED))
    bias[0] += 5
    bias[1 : len(CONTROL)] -= 2
    last = graph.add("Slice", [state, np.array([-1]), np.array([2**31]), np.array([1])])
    scores = graph.add("Add", [graph.add("MatMul", [last, weights(WIDTH, len(PROMPTED), gain=12)]), bias])
    graph.add("LogSoftmax", [scores], ["logits"], axis=-1)
    graph.save(folder / "decoder-model.onnx", [
        ("input_ids", TensorProto.INT64, ["batch", "tokens"]),
        ("encoder_embeddings", TensorProto.FLOAT, ["batch", "time", WIDTH]),
        ("encoder_mask", TensorProto.INT64, ["batch", "time"]),
        ("decoder_mems", TensorProto.FLOAT, [LAYERS, "batch", "mems", WIDTH]),
    ], [
        ("logits", TensorProto.FLOAT, ["batch", "one", len(PROMPTED)]),
        ("decoder_hidden_states", TensorProto.FLOAT, [LAYERS, "batch", "all", WIDTH]),
    ])


def waveform(seconds):
    time = np.arange(round(16000 * seconds)) / 16000
    tone = 0.3 * np.sin(2 * np.pi * (200 + 300 * time) * time) * (1 + np.sin(2 * np.pi * 3 * time)) / 2
    index = np.arange(len(time), dtype=np.int64)
    noise = (index * index * 7919 + index * 104729) % 1009 / 1009 - 0.5
    return np.round(np.round(tone, 4).astype(np.float32).astype(np.float64) + 0.1 * noise, 4).astype(np.float32)


def rounded(values):
    return [round(float(value), 5) for value in values]


def make_prompted(bins):
    folder = MODELS / "nemo-aed"
    folder.mkdir(exist_ok=True)
    save_attention_encoder(folder, bins)
    save_attention_decoder(folder)
    (folder / "vocab.txt").write_text("".join(f"{piece} {index}\n" for index, piece in enumerate(PROMPTED)))
    config = {"model_type": "nemo-conformer-aed", "features_size": bins, "subsampling_factor": 8, "max_sequence_length": 64}
    (folder / "config.json").write_text(json.dumps(config) + "\n")
    model = onnx_asr.load_model("nemo-conformer-aed", folder).with_timestamps()
    cases = []
    for seconds in SECONDS:
        for wishes in ({}, {"language": "de"}, {"language": "de", "target_language": "en"}):
            heard = model.recognize(waveform(seconds), **wishes)
            ids = [PROMPTED.index(token.replace(" ", "▁")) for token in heard.tokens]
            cases.append({"seconds": seconds, **wishes, "text": heard.text, "tokens": ids})
            print("aed", seconds, wishes, len(ids), heard.text)
    (folder / "golden.json").write_text(json.dumps({"cases": cases}, ensure_ascii=False) + "\n")


def make(kind, bins):
    folder = MODELS / f"nemo-{kind}"
    folder.mkdir(exist_ok=True)
    if kind == "ctc":
        save_ctc(folder, bins)
    else:
        save_encoder(folder, bins)
        save_joint(folder, DURATIONS if kind == "tdt" else 0)
    (folder / "vocab.txt").write_text("".join(f"{piece} {index}\n" for index, piece in enumerate(VOCABULARY)))
    config = {"model_type": f"nemo-conformer-{kind}", "features_size": bins, "subsampling_factor": 8}
    (folder / "config.json").write_text(json.dumps(config) + "\n")
    model = onnx_asr.load_model(f"nemo-conformer-{kind}", folder).with_timestamps()
    cases = []
    for seconds in SECONDS:
        heard = model.recognize(waveform(seconds))
        ids = [VOCABULARY.index(token.replace(" ", "▁")) for token in heard.tokens]
        cases.append({
            "seconds": seconds, "text": heard.text, "tokens": ids, "times": rounded(heard.timestamps), "logprobs": rounded(heard.logprobs),
        })
    samples = waveform(1)[None]
    features, _ = model.asr._preprocessor(samples, np.array([samples.shape[1]]))
    golden = {"cases": cases, "features": {"columns": features.shape[2], "values": rounded(features[0, :, ::10].ravel())}}
    (folder / "golden.json").write_text(json.dumps(golden, ensure_ascii=False) + "\n")
    for case in cases:
        print(kind, case["seconds"], len(case["tokens"]), case["text"])


if __name__ == "__main__":
    make("ctc", 80)
    make("rnnt", 80)
    make("tdt", 128)
    make_prompted(128)
