"""Greedy answers of onnxruntime-genai: greedy_genai.py GENAI_FOLDER > greedy-genai.json"""
import sys

import numpy as np
import onnxruntime
import onnxruntime_genai as genai
from greedy import log_softmax, prompts, write
from transformers import AutoTokenizer

folder = sys.argv[1]
model = genai.Model(folder)
answers = []
for prompt in prompts(AutoTokenizer.from_pretrained(folder)):
    parameters = genai.GeneratorParams(model)
    parameters.set_search_options(do_sample=False, max_length=len(prompt) + 64, past_present_share_buffer=True)
    generator = genai.Generator(model, parameters)
    generator.append_tokens(prompt)
    tokens, logs = [], []
    while not generator.is_done():
        logs.append(log_softmax(np.array(generator.get_logits()).reshape(-1)))
        generator.generate_next_token()
        tokens.append(int(generator.get_next_tokens()[0]))
    answers.append((prompt, tokens, logs))
write(answers, **{"onnxruntime-genai": genai.__version__, "onnxruntime": onnxruntime.__version__})
