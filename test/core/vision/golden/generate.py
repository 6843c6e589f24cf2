"""Writes nms.json: what `torchvision.ops.nms` and `torchvision.ops.batched_nms` keep of 1,000 random cases.

torchvision has no build for the machine this was made on, so both are written out here as their documentation and CPU
kernel have it: a stable descending sort by score, float32 areas and overlaps, strictly greater than the threshold; the
batched form moves the boxes of each class away from those of every other by class * (largest coordinate + 1).

The cases themselves come from a linear congruential generator that `random-case.ts` repeats, so that only the outcome
is stored. Made with Python 3.11, NumPy 2.4, seeds 0 to 999: `python generate.py > nms.json`
"""

import json

import numpy as np

THRESHOLDS = [0.1, 0.25, 0.3, 0.45, 0.5, 0.62, 0.75, 0.9, 1.0]


class Generator:
    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return (self.state >> 8) % limit


def case(seed):
    generator = Generator(seed)
    count = generator.below(40)
    threshold = THRESHOLDS[generator.below(len(THRESHOLDS))]
    boxes, scores, classes = [], [], []
    for _ in range(count):
        x, y = generator.below(800) / 16, generator.below(800) / 16
        boxes.append([x, y, x + generator.below(640) / 16, y + generator.below(640) / 16])
        scores.append(generator.below(200) / 256)
        classes.append(generator.below(4))
    return (
        np.array(boxes, np.float32).reshape(-1, 4),
        np.array(scores, np.float32),
        np.array(classes, np.int64),
        threshold,
    )


def nms(boxes, scores, threshold):
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    order = np.argsort(-scores, kind="stable")
    suppressed = np.zeros(len(boxes), bool)
    kept = []
    for place, i in enumerate(order):
        if suppressed[i]:
            continue
        kept.append(int(i))
        for j in order[place + 1 :]:
            width = max(np.float32(0), min(boxes[i, 2], boxes[j, 2]) - max(boxes[i, 0], boxes[j, 0]))
            height = max(np.float32(0), min(boxes[i, 3], boxes[j, 3]) - max(boxes[i, 1], boxes[j, 1]))
            shared = width * height
            with np.errstate(invalid="ignore"):
                overlap = shared / (areas[i] + areas[j] - shared)
            if float(overlap) > threshold:
                suppressed[j] = True
    return kept


def batched_nms(boxes, scores, classes, threshold):
    if len(boxes) == 0:
        return []
    offsets = classes.astype(np.float32) * (boxes.max() + np.float32(1))
    return nms(boxes + offsets[:, None], scores, threshold)


if __name__ == "__main__":
    outcomes = []
    for seed in range(1000):
        boxes, scores, classes, threshold = case(seed)
        outcomes.append([nms(boxes, scores, threshold), batched_nms(boxes, scores, classes, threshold)])
    print("[\n" + ",\n".join(json.dumps(o, separators=(",", ":")) for o in outcomes) + "\n]")
