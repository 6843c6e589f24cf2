"""vLLM's load generator without vLLM's engine: `vllm bench serve` out of its wheel, in 1 MB of packages instead of gigabytes.

Usage: unzip vllm-0.11.0-….whl 'vllm/benchmarks/*' -d FOLDER; pip install aiohttp numpy pandas pillow tqdm transformers
Then: VLLM='PYTHON benchmarks/vllm-load.py FOLDER' node benchmarks/arrivals-peer.js
"""

import argparse
import asyncio
import sys
import types
from unittest.mock import MagicMock

from transformers import AutoTokenizer


def stand_in(name, **content):
    """A module that the load generator imports and, with prompts of a file, doesn't use."""
    module = types.ModuleType(name)
    module.__dict__.update(content)
    module.__path__ = []
    sys.modules[name] = module


folder, bench, serve, *arguments = sys.argv[1:]
if [bench, serve] != ["bench", "serve"]:
    sys.exit(f"expected FOLDER bench serve, got {' '.join(sys.argv[1:4])}")
sys.path.insert(0, folder)
stand_in("vllm.lora")
stand_in("vllm.lora.request", LoRARequest=object)
stand_in("vllm.lora.utils", get_adapter_absolute_path=None)
stand_in("vllm.multimodal", MultiModalDataDict=dict)
stand_in("vllm.multimodal.image", convert_image_mode=None)
load = lambda name, **_: AutoTokenizer.from_pretrained(name)
stand_in("vllm.transformers_utils")
stand_in("vllm.transformers_utils.tokenizer", get_tokenizer=load, AnyTokenizer=object)
stand_in("vllm.utils", FlexibleArgumentParser=argparse.ArgumentParser, PlaceholderModule=lambda name: MagicMock())

from vllm.benchmarks.serve import add_cli_args, main_async  # noqa: E402

parser = argparse.ArgumentParser()
add_cli_args(parser)
asyncio.run(main_async(parser.parse_args(arguments)))
