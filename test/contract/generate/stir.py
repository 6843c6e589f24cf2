"""Random weights for every part of a miniature."""

import torch


def stir(model):
    """Random numbers also where a model begins with zeros and ones, so that nothing can be left out unseen."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim == 1:
                start = 1.0 if "norm" in name.lower() and name.endswith("weight") else 0.0
                weight.copy_(start + 0.3 * torch.randn_like(weight))
