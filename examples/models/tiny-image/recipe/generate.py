"""Draws a prompt with the exported graphs: the loop of an LCM scheduler in NumPy.

    python recipe/generate.py "a red circle above a blue square" picture.png --width 512 --height 512
"""

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image
from tokenizers import Tokenizer

from export import session

STEPS, GUIDANCE = 4, 7.5
DATA_DEVIATION = 0.5


class Generator:
    def __init__(self, folder, threads=1):
        folder = Path(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer" / "tokenizer.json"))
        tokens = json.loads((folder / "tokenizer" / "tokenizer_config.json").read_text())
        self.length, self.end = tokens["model_max_length"], self.tokenizer.token_to_id(tokens["pad_token"])
        self.scheduler = json.loads((folder / "scheduler" / "scheduler_config.json").read_text())
        self.scaling = json.loads((folder / "vae_decoder" / "config.json").read_text())["scaling_factor"]
        self.text_encoder, self.unet, self.decoder = (session(folder / part / "model.onnx", threads) for part in ("text_encoder", "unet", "vae_decoder"))

    def encode(self, texts):
        """States [texts, 77, hidden]."""
        rows = [self.tokenizer.encode(text).ids[: self.length - 1] for text in texts]
        ids = np.array([row + [self.end] * (self.length - len(row)) for row in rows])
        return self.text_encoder.run(None, {"input_ids": ids})[0]

    def latents(self, prompt, width, height, steps=STEPS, guidance=GUIDANCE, seed=0, negative=""):
        """The clean latent image [1, 4, height / 8, width / 8]."""
        config, rng = self.scheduler, np.random.default_rng(seed)
        left = np.cumprod(1 - np.array(config["trained_betas"]))
        most = config["original_inference_steps"]
        timesteps = [(most - step * most // steps) * (config["num_train_timesteps"] // most) - 1 for step in range(steps)]
        states = self.encode([negative, prompt] if guidance > 1 else [prompt])
        noise = lambda: rng.standard_normal((1, 4, height // 8, width // 8)).astype(np.float32)
        sample = noise()
        for step, timestep in enumerate(timesteps):
            output = self.unet.run(None, {"sample": sample.repeat(len(states), 0), "timestep": np.array([timestep]), "encoder_hidden_states": states})[0]
            clean = output[-1:] if guidance <= 1 else output[:1] + guidance * (output[1:] - output[:1])
            clean = clean.clip(-config["clip_sample_range"], config["clip_sample_range"])
            time = timestep * config["timestep_scaling"]
            square = time**2 + DATA_DEVIATION**2
            sample = time / square**0.5 * clean + DATA_DEVIATION**2 / square * sample
            if step < steps - 1:
                share = left[timesteps[step + 1]]
                sample = (share**0.5 * sample + (1 - share) ** 0.5 * noise()).astype(np.float32)
        return sample.astype(np.float32)

    def draw(self, prompt, width, height, **options):
        """Pixels [height, width, 3] as bytes."""
        latents = self.latents(prompt, width, height, **options)
        pixels = self.decoder.run(None, {"latent_sample": latents / np.float32(self.scaling)})[0][0]
        return np.round((pixels.transpose(1, 2, 0) + 1).clip(0, 2) * 127.5).astype(np.uint8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prompt")
    parser.add_argument("output", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--height", type=int, default=512)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--guidance", type=float, default=GUIDANCE)
    parser.add_argument("--negative", default="")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    drawn = Generator(options.folder).draw(options.prompt, options.width, options.height, steps=options.steps, guidance=options.guidance, seed=options.seed, negative=options.negative)
    Image.fromarray(drawn).save(options.output)
