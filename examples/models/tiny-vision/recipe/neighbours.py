"""Lets the recipe import the painter of tiny-image, the words of tiny-chat and the optimizer of tiny-rerank; its own modules come first."""

import sys
from pathlib import Path

MODELS = Path(__file__).resolve().parents[2]
for name in ("tiny-image", "tiny-rerank", "tiny-chat"):
    folder = str(MODELS / name / "recipe")
    if folder not in sys.path:
        sys.path.append(folder)
