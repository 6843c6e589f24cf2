"""Makes one miniature after the other; one that fails or takes too long leaves its reason in its folder."""

import signal
import traceback

import torch


def attempt(target, wanted, kind, family, make, seconds):
    """Calls `make(family, folder)`, unless others are wanted."""
    if wanted and f"{kind}/{family}" not in wanted:
        return
    folder = target / kind / family
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(7)
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError(f"{seconds} s")))
    signal.alarm(seconds)
    try:
        make(family, folder)
        print(kind, family, "made", flush=True)
    except BaseException as error:  # noqa: BLE001
        (folder / "error.txt").write_text(traceback.format_exc())
        print(kind, family, "FAILED", type(error).__name__, str(error)[:300].replace("\n", " "), flush=True)
    signal.alarm(0)
