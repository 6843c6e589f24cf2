"""Writes and reads caches with the hub's library for Python (`pip install huggingface_hub==2.4.0`).

    python python-cache.py write ENDPOINT FOLDER   fetches tiny/whole and tiny/single
    python python-cache.py read FOLDER ID          prints what it finds of a model without a network, as JSON

The test beside this folder runs it; see there.
"""

import json
import os
import sys

mode, *arguments = sys.argv[1:]
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
if mode == "write":
    os.environ["HF_ENDPOINT"] = arguments[0]

import huggingface_hub as hub  # noqa: E402 (reads the environment)

wanted = ["config.json", "onnx/model.onnx"]


def write(folder: str) -> None:
    hub.snapshot_download("tiny/whole", cache_dir=folder, allow_patterns=wanted)
    for name in wanted:
        hub.hf_hub_download("tiny/single", name, cache_dir=folder)
    print(json.dumps({"huggingface_hub": hub.__version__}))


def read(folder: str, name: str) -> None:
    scan = hub.scan_cache_dir(folder)
    options = {"cache_dir": folder, "local_files_only": True}
    found = {
        "repos": sorted(
            [repo.repo_id, sorted(file.file_name for file in revision.files), sorted(revision.refs)]
            for repo in scan.repos
            for revision in repo.revisions
        ),
        "warnings": [str(warning) for warning in scan.warnings],
        "files": [hub.hf_hub_download(name, file, **options) for file in wanted],
        "snapshot": hub.snapshot_download(name, allow_patterns=wanted, **options),
    }
    try:
        hub.snapshot_download(name, **options)
    except hub.errors.IncompleteSnapshotError:
        found["whole"] = False
    print(json.dumps(found))


if mode == "write":
    write(arguments[1])
else:
    read(*arguments)
