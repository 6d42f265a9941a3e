"""Stands between a framework and a server on standard input and output, and writes each message to a file.

    recorder.py FILE COMMAND [ARGUMENT…]
"""

import json
import os
import subprocess
import sys
import threading

record = open(sys.argv[1], "a", buffering=1, encoding="utf-8")
quiet = {**os.environ, "RUST_LOG": "error"}
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=quiet)


def write(sender: str, line: bytes):
    try:
        message = json.loads(line)
    except ValueError:
        return
    record.write(json.dumps({"session": str(os.getpid()), "from": sender, "message": message}) + "\n")


def forward():
    for line in iter(sys.stdin.buffer.readline, b""):
        write("client", line)
        try:
            server.stdin.write(line)
            server.stdin.flush()
        except BrokenPipeError:
            break
    server.stdin.close()


threading.Thread(target=forward, daemon=True).start()
for answer in iter(server.stdout.readline, b""):
    write("server", answer)
    try:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        break
server.terminate()
sys.exit(server.wait())
