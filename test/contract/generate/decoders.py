"""Makes the miniature decoders of ../models and their goldens.

Every model has random weights and the architecture of a real family. The graphs come from the exporters that the
models on the hub come from; the tokens, texts, log probabilities and logits from `transformers` in float32, which
reads the whole sequence anew for each token: no cache, no batch, nothing that could go wrong in the same way.
Weights of fewer bits have no counterpart in PyTorch; there the reference is the exported graph itself, run by
`onnxruntime` on the whole sequence.

Usage:
    pip install -r decoders-requirements.txt
    pip install --no-deps optimum==2.3.0 optimum-onnx==0.1.0
    python decoders.py [family …]
"""

import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Callable

import numpy as np
import onnx
import onnxruntime
import torch
import transformers as hf
from onnx import TensorProto, helper

import decoder_templates as templates
import decoder_tokenizers as tokenizers

MODELS = Path(__file__).parent.parent / "models"
STEPS = 28
# An answer of a golden ends before a token that leads the next best by less, which a machine's arithmetic could turn.
MARGIN = {"fp32": 0.01, "fp16": 0.05, "q4": 0.01, "q4f16": 0.05}
SHORTEST = {"fp32": 10, "fp16": 3, "q4": 3, "q4f16": 3}
VERSIONS = ["transformers", "torch", "tokenizers", "optimum", "optimum-onnx", "onnxruntime-genai", "onnx", "onnxruntime"]

SHORT = [{"role": "user", "content": "Where is the blue ball?"}]
LONG = [
    {"role": "system", "content": "You answer in short sentences, and you never guess: ask when something is unclear."},
    {"role": "user", "content": "There are two boxes, a red one on the left and a green one on the right. Übung macht 3 Meister: 東京!"},
    {"role": "assistant", "content": "I see the red box, and I see the green box next to it. What do you want to know about them?"},
    {"role": "user", "content": "Put the kite into the red box. Then put the 25 shapes into the other one, and say what is in each of them now."},
]


@dataclass
class Family:
    tokenizer: Callable
    template: str
    config: Callable  # vocabulary size → configuration
    end: list[str]  # tokens that end an answer; the last one does in the goldens
    graphs: Callable  # (model, folder) → {dtype: file}
    padding: int = 0  # rows of the embedding that no token has


def common(**more):
    return dict(
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        **more,
    )


# --- exporters -------------------------------------------------------------------------------------------------------


def optimum(model, folder):
    from optimum.exporters.onnx import onnx_export_from_model

    onnx_export_from_model(model, folder / "export", task="text-generation-with-past", do_validation=False)
    save(onnx.load(folder / "export" / "model.onnx"), folder / "onnx" / "model.onnx")
    return {"fp32": "model.onnx"}


def beside(graph_of):
    """With the weights in a file of their own, as of every model that is larger than a protobuf message can be."""

    def build(model, folder):
        files = graph_of(model, folder)
        path = folder / "onnx" / "model.onnx"
        save(onnx.load(path), path, external=True)
        return files

    return build


def optimum_merged(model, folder):
    """The older layout: a graph with and one without a cache, joined by a switch."""
    from optimum.exporters.onnx import export
    from optimum.exporters.tasks import TasksManager
    from optimum.onnx import merge_decoders

    make = TasksManager.get_exporter_config_constructor("onnx", model, task="text-generation", library_name="transformers")
    parts = []
    for with_past in (False, True):
        path = folder / f"part-{with_past}.onnx"
        export(model, make(model.config, use_past=True, use_past_in_inputs=with_past), path, opset=18)
        parts.append(path)
    merged = folder / "merged.onnx"
    merge_decoders(*parts, save_path=merged)
    save(onnx.load(merged), folder / "onnx" / "decoder_model_merged.onnx")
    return {"fp32": "decoder_model_merged.onnx"}


def genai(precision, provider, name, external=False, **options):
    """The builder whose graphs the quantized models on the hub have: GroupQueryAttention, MatMulNBits."""

    def build(model, folder):
        from onnxruntime_genai.models.builder import create_model

        source, target = folder / "source", folder / "built"
        model.save_pretrained(source)
        folder.tokenizer.save_pretrained(source)
        create_model(None, str(source), str(target), precision, provider, str(folder / "cache"), **options)
        graph = onnx.load(target / "model.onnx")
        save(graph, folder / "onnx" / name, external)
        dtype = Path(name).stem.removeprefix("model").removeprefix("_") or "fp32"
        return {dtype: name}

    return build


def half(graph_of):
    """Beside float32 also float16, as the hub's conversion script makes it: cache and logits in float16 too."""

    def build(model, folder):
        from onnxruntime.transformers.float16 import convert_float_to_float16

        files = graph_of(model, folder)
        graph = convert_float_to_float16(onnx.load(folder / "onnx" / "model.onnx"), keep_io_types=False)
        save(graph, folder / "onnx" / "model_fp16.onnx")
        return {**files, "fp16": "model_fp16.onnx"}

    return build


def several(*builders):
    def build(model, folder):
        files = {}
        for one in builders:
            files |= one(model, folder)
        return files

    return build


def counted_logits(graph_of):
    """Adds the input `num_logits_to_keep` of newer exports: that many last positions have logits, all of them for 0."""

    def build(model, folder):
        files = graph_of(model, folder)
        path = folder / "onnx" / "model.onnx"
        model_proto = onnx.load(path)
        graph = model_proto.graph
        head = next(node for node in graph.node if "logits" in node.output)
        hidden = head.input[0]
        nodes = [
            helper.make_node("Neg", ["num_logits_to_keep"], ["first_kept"]),
            helper.make_node("Unsqueeze", ["first_kept", "axis_0"], ["first_kept_1d"]),
            helper.make_node("Slice", [hidden, "first_kept_1d", "end", "axis_1"], ["kept"]),
        ]
        head.input[0] = "kept"
        at = list(graph.node).index(head)
        rest = list(graph.node)
        del graph.node[:]
        graph.node.extend([*rest[:at], *nodes, *rest[at:]])
        graph.input.append(helper.make_tensor_value_info("num_logits_to_keep", TensorProto.INT64, []))
        for name, value in {"axis_0": 0, "axis_1": 1, "end": 2**63 - 1}.items():
            graph.initializer.append(helper.make_tensor(name, TensorProto.INT64, [1], [value]))
        save(model_proto, path)
        return files

    return build


def save(model, path, external=False):
    """Keeps what counts: names inside a graph, comments and shapes of intermediate results take most of the room."""
    model.doc_string = ""
    del model.metadata_props[:]
    shorten(model.graph, {}, iter(range(10**6)), outermost=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = path.with_name(path.name + "_data")
    data.unlink(missing_ok=True)
    if external:
        onnx.save(model, path, save_as_external_data=True, location=data.name, size_threshold=64)
    else:
        onnx.save(model, path)


def shorten(graph, names, numbers, outermost=False):
    kept = {value.name for value in [*graph.input, *graph.output]} if outermost else set()
    names.update({name: name for name in kept})

    def short(name):
        if name and name not in names:
            names[name] = f"v{next(numbers):x}"
        return names.get(name, name)

    graph.doc_string = ""
    del graph.value_info[:]
    del graph.metadata_props[:]
    for tensor in graph.initializer:
        tensor.name, tensor.doc_string = short(tensor.name), ""
    for value in [*graph.input, *graph.output]:
        value.name = short(value.name)
        value.doc_string = ""
    for node in graph.node:
        node.name = node.doc_string = ""
        del node.metadata_props[:]
        node.input[:] = [short(name) for name in node.input]
        node.output[:] = [short(name) for name in node.output]
        for attribute in node.attribute:
            attribute.doc_string = ""
            if attribute.type == onnx.AttributeProto.GRAPH:
                shorten(attribute.g, names, numbers)


# --- weights ---------------------------------------------------------------------------------------------------------


def randomize(model, seed):
    """Weights large enough that every layer, every position and every earlier token matters."""
    generator = torch.Generator().manual_seed(seed)
    gemma = "gemma" in model.config.model_type
    after = gemma or model.config.model_type == "olmo2"  # norms follow a layer and set the size of what it adds
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if "emb" in name or "wte" in name or "wpe" in name:
                weight.copy_(0.6 * noise)
            elif weight.dim() >= 2:
                # What a layer adds has to outweigh the token itself, or else tied weights repeat it.
                adds = any(part in name for part in ("o_proj", "down_proj", "c_proj", "dense", "fc2", "out_proj", "output_linear", ".w2."))
                fan_in = weight.shape[0] if model.config.model_type == "gpt2" and "lm_head" not in name else weight.shape[-1]
                weight.copy_((4.0 if adds else 1.6) / fan_in**0.5 * noise)
            elif "norm" in name or "ln_" in name:
                sharp = any(part in name for part in ("q_norm", "k_norm", "q_layernorm", "k_layernorm"))  # attention that only averages tells no positions apart
                mean = 0.0 if name.endswith("bias") else 8.0 if after and "post_" in name else 2.0 if sharp else 1.0
                shifted = gemma or (model.config.model_type in ("qwen3_5_text", "qwen3_next") and "linear_attn" not in name)
                weight.copy_(mean - (1.0 if shifted else 0.0) + 0.2 * noise)
            elif "A_log" in name:
                weight.copy_(noise - 2.0)  # states that last for some tokens
            else:
                weight.copy_(0.2 * noise)


def mute(model, tokens):
    """Makes tokens unlikely."""
    with torch.no_grad():
        model.get_output_embeddings().weight[tokens] *= 0.25


def swap_rows(model, a, b):
    """What the model would have answered with `a`, it answers with `b`, and the other way round."""
    head = model.get_output_embeddings()
    with torch.no_grad():
        for weight in [head.weight, head.bias]:
            if weight is not None:
                weight[[a, b]] = weight[[b, a]]


# --- references ------------------------------------------------------------------------------------------------------


def torch_logits(model):
    def logits(tokens):
        with torch.no_grad():
            return model(torch.tensor([tokens]), use_cache=False).logits[0, -1].double().numpy()

    return logits


def cached_logits(model):
    """Quicker, for finding weights that fit."""
    seen, cache = [], None

    def logits(tokens):
        nonlocal seen, cache
        fed = tokens[len(seen) :] if seen and tokens[: len(seen)] == seen else tokens
        cache = cache if len(fed) < len(tokens) else hf.DynamicCache(config=model.config)
        seen = list(tokens)
        with torch.no_grad():
            result = model(torch.tensor([fed]), past_key_values=cache, use_cache=True)
        return result.logits[0, -1].double().numpy()

    return logits


def graph_logits(path):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs = {one.name: one for one in session.get_inputs()}
    number = {"tensor(float)": np.float32, "tensor(float16)": np.float16}

    def logits(tokens):
        count = len(tokens)
        feeds = {"input_ids": np.array([tokens], np.int64), "attention_mask": np.ones((1, count), np.int64)}
        feeds["position_ids"] = np.arange(count, dtype=np.int64)[None]
        feeds["num_logits_to_keep"] = np.array(0, np.int64)
        feeds["use_cache_branch"] = np.array([False])
        for name, one in inputs.items():
            if name.startswith("past"):
                # The builder leaves the size of heads open; graphs with its attention have 16 here.
                sizes = [size if isinstance(size, int) else 16 * (axis == 2) for axis, size in enumerate(one.shape[1:])]
                feeds[name] = np.zeros((1, *sizes), number[one.type])
        feeds = {name: value for name, value in feeds.items() if name in inputs}
        return session.run(["logits"], feeds)[0][0, -1].astype(np.float64)

    return logits


class Unfit(Exception):
    """These weights make no good test."""


def answer(logits_of, prompt, ends, dtype):
    tokens, logprobs, steps = [], [], []

    def result(reason):
        if len(tokens) < SHORTEST[dtype] or len(set(tokens)) < min(8, 0.6 * len(tokens)):
            raise Unfit(f"{len(tokens)} tokens, {len(set(tokens))} different ones")
        return tokens, logprobs, steps, reason

    while True:
        logits = logits_of([*prompt, *tokens])
        best, second = np.sort(logits)[[-1, -2]]
        if len(tokens) == STEPS or best - second < MARGIN[dtype]:
            return result("length")
        steps.append(logits)
        token = int(np.argmax(logits))
        if token in ends:
            return result("stop")
        tokens.append(token)
        if len(tokens) == 8 and len(set(tokens)) < 5:
            raise Unfit("repeats itself")
        logprobs.append(float(logits[token] - np.log(np.sum(np.exp(logits - best))) - best))


def decode(tokenizer, tokens):
    return tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def golden(logits_of, tokenizer, ends, dtype):
    conversations = []
    for messages in [SHORT, "next", LONG]:
        if messages == "next":
            reply = {"role": "assistant", "content": conversations[0]["text"]}
            messages = [*SHORT, reply, {"role": "user", "content": "And the red one?"}]
        prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        tokens, logprobs, steps, reason = answer(logits_of, prompt, ends, dtype)
        text = decode(tokenizer, tokens)
        for count in range(1, len(tokens)):
            # Behind a byte that is no character, the decoder of some families takes back the bytes before.
            if not text.startswith(decode(tokenizer, tokens[:count]).rstrip("\ufffd")):
                raise Unfit("no text for a stream")
        conversations.append(
            {
                "messages": messages,
                "promptTokens": prompt,
                "tokens": tokens,
                "text": text,
                "finishReason": reason,
                "logprobs": [round(one, 5) for one in logprobs],
                "firstLogits": [round(float(one), 5) for one in steps[0]],
                "lastLogits": [round(float(one), 5) for one in steps[-1]],
            }
        )
    return conversations


# --- families --------------------------------------------------------------------------------------------------------

LLAMA_SCALING = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    # The builder takes the longest length for it.
    "original_max_position_embeddings": 512,
}
GEMMA = dict(head_dim=16, sliding_window=16, query_pre_attn_scalar=16, hidden_activation="gelu_pytorch_tanh")

# GroupQueryAttention with its own rotation takes heads of 16.
llama_config = lambda size: hf.LlamaConfig(
    vocab_size=size,
    rope_theta=500000.0,
    rope_scaling=LLAMA_SCALING,
    **{**common(), "num_attention_heads": 2, "num_key_value_heads": 1},
)
qwen3_config = lambda size: hf.Qwen3Config(vocab_size=size, head_dim=16, tie_word_embeddings=True, **common())
gemma3_config = lambda size: hf.Gemma3TextConfig(
    vocab_size=size,
    layer_types=["sliding_attention", "sliding_attention", "full_attention"],
    **{**common(), "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 1},
    **GEMMA,
)
gemma2_config = lambda size: hf.Gemma2Config(
    vocab_size=size, layer_types=["sliding_attention", "full_attention"], **common(), **GEMMA
)
mistral_config = lambda size: hf.MistralConfig(
    vocab_size=size,
    head_dim=16,
    sliding_window=16,
    **{**common(), "num_attention_heads": 2, "num_key_value_heads": 1},
)
gpt2_config = lambda size: hf.GPT2Config(vocab_size=size, n_embd=32, n_layer=2, n_head=4, n_positions=384)

LLAMA_END = ["<|end_of_text|>", "<|eom_id|>", "<|eot_id|>"]
QWEN_END = ["<|endoftext|>", "<|im_end|>"]
GEMMA_END = ["<eos>", "<end_of_turn>"]

FAMILIES = {
    "llama": Family(
        tokenizers.llama3,
        templates.HEADERS,
        llama_config,
        LLAMA_END,
        several(
            half(optimum),
            genai("int4", "cpu", "model_q4.onnx", int4_block_size=16, int4_accuracy_level=1),
            # With position_ids, which the other providers' graphs don't have.
            genai("int4", "dml", "model_q4f16.onnx", external=True, int4_block_size=16),
        ),
    ),
    "llama-gqa": Family(tokenizers.llama3, templates.HEADERS, llama_config, LLAMA_END, genai("fp32", "cpu", "model.onnx")),
    "qwen3": Family(tokenizers.qwen3, templates.CHATML_THINKING, qwen3_config, QWEN_END, optimum, padding=13),
    "qwen3-gqa": Family(
        tokenizers.qwen3, templates.CHATML_THINKING, qwen3_config, QWEN_END, genai("fp32", "cpu", "model.onnx"), padding=13
    ),
    "gemma3": Family(tokenizers.gemma, templates.TURNS, gemma3_config, GEMMA_END, optimum),
    "gemma2": Family(tokenizers.gemma, templates.TURNS, gemma2_config, GEMMA_END, optimum),
    "phi": Family(
        tokenizers.gpt2,
        templates.INSTRUCT_OUTPUT,
        lambda size: hf.PhiConfig(vocab_size=size, partial_rotary_factor=0.5, **{**common(), "num_key_value_heads": 4}),
        ["<|endoftext|>"],
        optimum,
    ),
    "phi3": Family(
        tokenizers.phi3,
        templates.PHI3,
        lambda size: hf.Phi3Config(vocab_size=size, sliding_window=24, pad_token_id=None, **common()),
        ["<|endoftext|>", "<|assistant|>", "<|end|>"],
        optimum,
    ),
    "smollm3": Family(
        tokenizers.smollm3,
        templates.CHATML_THINKING,
        lambda size: hf.SmolLM3Config(
            vocab_size=size, no_rope_layers=[1, 0], tie_word_embeddings=True, pad_token_id=None, **common()
        ),
        ["<|im_end|>"],
        counted_logits(optimum),
    ),
    "gpt2": Family(tokenizers.gpt2, templates.PLAIN_TURNS, gpt2_config, ["<|endoftext|>"], optimum),
    "gpt2-merged": Family(tokenizers.gpt2, templates.PLAIN_TURNS, gpt2_config, ["<|endoftext|>"], optimum_merged),
    "qwen2": Family(
        tokenizers.qwen2,
        templates.CHATML,
        lambda size: hf.Qwen2Config(vocab_size=size, **common()),
        QWEN_END,
        beside(optimum),
    ),
    "mistral": Family(tokenizers.mistral, templates.INST, mistral_config, ["</s>"], optimum),
    "mistral-gqa": Family(tokenizers.mistral, templates.INST, mistral_config, ["</s>"], genai("fp32", "cpu", "model.onnx")),
    "olmo2": Family(
        tokenizers.neox,
        templates.NAMED_TURNS,
        lambda size: hf.Olmo2Config(vocab_size=size, pad_token_id=None, **common()),
        ["<|endoftext|>"],
        optimum,
    ),
    "gpt-neox": Family(
        tokenizers.neox,
        templates.NAMED_TURNS,
        lambda size: hf.GPTNeoXConfig(vocab_size=size, rotary_pct=0.25, **common()),
        ["<|endoftext|>"],
        optimum,
    ),
}


class Folder(type(Path())):
    """Where a model is made; knows the model's tokenizer."""

    tokenizer = None


def build(name, family):
    for seed in range(1, 2000):
        try:
            print(name, build_with(seed, name, family), flush=True)
            return
        except Unfit:
            pass
    raise RuntimeError(f"{name}: no seed fits")


def build_with(seed, name, family):
    tokenizer = family.tokenizer()
    tokenizer.chat_template = family.template
    tokenizer.clean_up_tokenization_spaces = False
    ends = [tokenizer.convert_tokens_to_ids(token) for token in family.end]
    model = make_model(family.config(len(tokenizer) + family.padding), tokenizer, ends)
    randomize(model, seed)
    mute(model, [id for token, id in tokenizer.get_vocab().items() if token.startswith("<0x")])
    quick = cached_logits(model)
    first = answer(quick, tokenizer.apply_chat_template(SHORT, add_generation_prompt=True, return_dict=False), ends, "fp32")[0]
    fresh = [token for at, token in enumerate(first) if at >= 10 and token not in first[:at]]
    fresh = [token for token in fresh if token < len(tokenizer) and token not in tokenizer.all_special_ids]
    if not fresh:
        raise Unfit("nothing that could end an answer")
    swap_rows(model, fresh[0], ends[-1])
    golden(quick, tokenizer, ends, "fp32")
    goldens = {"fp32": golden(torch_logits(model), tokenizer, ends, "fp32")}
    if {one["finishReason"] for one in goldens["fp32"]} != {"stop", "length"}:
        raise Unfit("all answers end in one way")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder(temporary)
        Folder.tokenizer = tokenizer
        files = family.graphs(model, folder)
        deviations = {}
        for dtype, file in files.items():
            of_graph = golden(graph_logits(folder / "onnx" / file), tokenizer, ends, dtype)
            deviations[dtype] = deviation(of_graph, goldens["fp32"])
            if dtype == "fp32":
                assert [one["tokens"] for one in of_graph] == [one["tokens"] for one in goldens["fp32"]], deviations
                assert deviations[dtype] < 1e-4, deviations
            else:
                goldens[dtype] = of_graph
        write(name, model, tokenizer, folder)
    record = {
        "generator": {"seed": seed, **{package: version(package) for package in VERSIONS}},
        "goldens": {dtype: goldens[dtype] for dtype in files},
    }
    (MODELS / name / "golden.json").write_text(to_json(record))
    return {
        "seed": seed,
        "kB": sum(file.stat().st_size for file in (MODELS / name).rglob("*") if file.is_file()) // 1000,
        "prompts": [len(one["promptTokens"]) for one in goldens["fp32"]],
        "answers": {dtype: [len(one["tokens"]) for one in goldens[dtype]] for dtype in files},
        "deviations of the first logits": {dtype: float(f"{one:.1e}") for dtype, one in deviations.items()},
    }


def make_model(config, tokenizer, ends):
    # GPT-2's plain attention keeps a table of all pairs of positions.
    config._attn_implementation = "sdpa" if config.model_type == "gpt2" else "eager"
    config.bos_token_id = tokenizer.bos_token_id
    config.eos_token_id = ends[0]
    config.pad_token_id = tokenizer.pad_token_id
    torch.manual_seed(0)
    model = hf.AutoModelForCausalLM.from_config(config).eval()
    model.generation_config = hf.GenerationConfig(
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=ends if len(ends) > 1 else ends[0],
        do_sample=True,
        temperature=0.6,
        top_p=0.9,
    )
    return model


def deviation(a, b):
    return max(np.abs(np.subtract(x["firstLogits"], y["firstLogits"])).max() for x, y in zip(a, b))


def write(name, model, tokenizer, folder):
    target = MODELS / name
    shutil.rmtree(target, ignore_errors=True)
    small = folder / "small"
    tokenizer.save_pretrained(small)
    model.config.save_pretrained(small)
    model.generation_config.save_pretrained(small)
    shutil.copytree(folder / "onnx", target / "onnx")
    for file in ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"]:
        (target / file).write_text(to_json(json.loads((small / file).read_text())))
    shutil.copy(small / "chat_template.jinja", target / "chat_template.jinja")


def to_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in sys.argv[1:] or FAMILIES:
        build(name, FAMILIES[name])
