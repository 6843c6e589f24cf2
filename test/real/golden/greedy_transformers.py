"""Greedy answers of transformers in float32: greedy_transformers.py HF_FOLDER > greedy-transformers.json"""
import sys

import torch
import transformers
from greedy import log_softmax, prompts, write
from transformers import AutoModelForCausalLM, AutoTokenizer

folder = sys.argv[1]
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
answers = []
for prompt in prompts(tokenizer):
    ids = torch.tensor([prompt])
    with torch.no_grad():
        out = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=64,
            return_dict_in_generate=True,
            output_logits=True,
        )
    tokens = out.sequences[0, ids.shape[1] :].tolist()
    answers.append((prompt, tokens, [log_softmax(row[0].float().numpy()) for row in out.logits]))
write(answers, transformers=transformers.__version__, torch=torch.__version__)
