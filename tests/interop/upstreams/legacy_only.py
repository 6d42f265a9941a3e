"""A server over stdio, as one before 2026-07-28: `legacy_only.py COMMAND…`. It does not know `server/discover`; all else is passed on."""

import json
import subprocess
import sys
import threading

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
lock = threading.Lock()


def write(line: str):
    with lock:
        sys.stdout.write(line)
        sys.stdout.flush()


def pass_answers_on():
    for line in child.stdout:
        write(line)


answers = threading.Thread(target=pass_answers_on)
answers.start()
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "server/discover":
        error = {"code": -32601, "message": "no such method: server/discover"}
        write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}) + "\n")
    else:
        child.stdin.write(line)
        child.stdin.flush()
child.stdin.close()
answers.join()
sys.exit(child.wait())
