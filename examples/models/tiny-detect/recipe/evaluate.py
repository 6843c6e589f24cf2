"""Measures the exported model on held-out scenes with pycocotools."""

import argparse
import contextlib
import io
import random
from pathlib import Path

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from classes import COLORS, NAMES, SHAPES
from export import Runner
from scenes import draw_size, letterbox, make_scene

SHORTEST, LONGEST = 256, 2048
CONFIDENCE, OVERLAP, MOST_CANDIDATES, MOST_BOXES = 0.001, 0.45, 3000, 300
# What the API takes when it is asked for nothing else.
USUAL_CONFIDENCE = 0.25


def held_out_scene(index):
    """Training draws its scenes from numbers; these come from words, so that none is met twice."""
    rng = random.Random(f"held-out scene {index}")
    return make_scene(rng, draw_size(rng, SHORTEST, LONGEST))


def suppress(boxes, scores, labels):
    """Indices of the boxes that stay, best first, after suppression within each class."""
    order = np.argsort(-scores, kind="stable")[:MOST_CANDIDATES]
    kept = []
    while len(order) and len(kept) < MOST_BOXES:
        best, rest = order[0], order[1:]
        kept.append(best)
        inner = (np.minimum(boxes[best, 2:], boxes[rest, 2:]) - np.maximum(boxes[best, :2], boxes[rest, :2])).clip(0).prod(-1)
        areas = (boxes[best, 2:] - boxes[best, :2]).prod() + (boxes[rest, 2:] - boxes[rest, :2]).prod(-1)
        order = rest[(inner <= OVERLAP * (areas - inner)) | (labels[rest] != labels[best])]
    return np.array(kept, int)


def detect(runner, scene, side):
    """Boxes [n, 4] in pixels of the scene, scores and labels."""
    pixels, _ = letterbox(scene, side)
    output = runner.run(pixels.transpose(2, 0, 1)[None].astype(np.float32) / 255)[0]
    labels, cells = np.nonzero(output[4:] >= CONFIDENCE)
    scores = output[4 + labels, cells]
    middle, extent = output[:2, cells].T, output[2:4, cells].T
    boxes = np.concatenate((middle - extent / 2, middle + extent / 2), 1)
    kept = suppress(boxes, scores, labels)
    size = np.array(scene.image.size)
    scale, inner = side / size.max(), np.maximum(1, np.round(size * (side / size.max())))
    boxes = (boxes[kept] - np.tile((side - inner) // 2, 2)) / scale
    return boxes.clip(0, np.tile(size, 2)), scores[kept], labels[kept]


def quietly(action, *arguments):
    with contextlib.redirect_stdout(io.StringIO()):
        return action(*arguments)


def in_coco(boxes):
    return [[float(left), float(top), float(right - left), float(bottom - top)] for left, top, right, bottom in boxes]


def hits(truth, found):
    """How many detections, best first, meet a shape of their class that is still free."""
    (boxes, labels), (found_boxes, _, found_labels), free, count = truth, found, np.ones(len(truth[1]), bool), 0
    for box, label in zip(found_boxes, found_labels):
        inner = (np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])).clip(0).prod(-1)
        overlap = inner / ((box[2:] - box[:2]).prod() + (boxes[:, 2:] - boxes[:, :2]).prod(-1) - inner) * free * (labels == label)
        if len(overlap) and overlap.max() >= 0.5:
            free[overlap.argmax()] = False
            count += 1
    return count


def evaluate(folder, side, count, threads=1):
    """mAP50, mAP50-95, AP50 per class [60], precision and recall at the usual confidence, and how many shapes there were."""
    runner, truths, results, right, said = Runner(folder, threads), [], [], 0, 0
    for index in range(count):
        scene = held_out_scene(index)
        boxes, scores, labels = detect(runner, scene, side)
        for box, label in zip(in_coco(scene.boxes), scene.labels):
            truths.append({"id": len(truths) + 1, "image_id": index, "category_id": int(label), "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
        for box, score, label in zip(in_coco(boxes), scores, labels):
            results.append({"image_id": index, "category_id": int(label), "bbox": box, "score": float(score)})
        usual = scores >= USUAL_CONFIDENCE
        right += hits((scene.boxes, scene.labels), (boxes[usual], scores[usual], labels[usual]))
        said += int(usual.sum())
    coco = COCO()
    coco.dataset = {"info": {}, "images": [{"id": index} for index in range(count)], "annotations": truths,
                    "categories": [{"id": index, "name": name} for index, name in enumerate(NAMES)]}
    quietly(coco.createIndex)
    judge = COCOeval(coco, quietly(coco.loadRes, results) if results else COCO(), "bbox")
    for action in (judge.evaluate, judge.accumulate, judge.summarize):
        quietly(action)
    precision = judge.eval["precision"][0, :, :, 0, -1]
    classes = np.where((precision >= 0).all(0), precision.mean(0), np.nan)
    return {"side": side, "map50": judge.stats[1], "map": judge.stats[0], "classes": classes, "precision": right / max(1, said), "recall": right / len(truths),
            "shapes": len(truths)}


def table(results, count):
    first = results[0]
    grid = first["classes"].reshape(len(COLORS), len(SHAPES))
    lines = [f"{count} held-out scenes with {first['shapes']} shapes", "", "| side | mAP50 | mAP50-95 | precision at 0.25 | recall at 0.25 |", "| --- | --- | --- | --- | --- |"]
    lines += [f"| {r['side']} | {r['map50']:.3f} | {r['map']:.3f} | {r['precision']:.3f} | {r['recall']:.3f} |" for r in results]
    lines += ["", f"AP50 at {first['side']}:", "", "| color | " + " | ".join(SHAPES) + " | all |", "| --- " * (len(SHAPES) + 2) + "|"]
    rows = list(zip(COLORS, grid)) + [("all", np.nanmean(grid, 0))]
    lines += [f"| {name} | " + " | ".join(f"{value:.2f}" for value in row) + f" | {np.nanmean(row):.3f} |" for name, row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--sides", type=int, nargs="+", default=[640, 320, 1024], help="sides of the letterboxed square")
    parser.add_argument("--count", type=int, default=500, help="number of scenes")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    print(table([evaluate(options.folder, side, options.count, options.threads) for side in options.sides], options.count))
