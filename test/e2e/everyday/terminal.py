"""Runs a program in a terminal, closes that when the program is ready, and prints how the program ends."""

import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
while b"Ctrl-C ends it" not in shown:
    shown += os.read(terminal, 4096)
os.close(terminal)
_, status = os.waitpid(pid, 0)
print(f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}")
