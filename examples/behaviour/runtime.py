"""Serves a GGUF model by xllamacpp, with OpenAI's chat completions: `python3 runtime.py MODEL PORT`."""

import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "target" / "small-model"))
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.port, params.hostnames = sys.argv[1], int(sys.argv[2]), ["127.0.0.1"]
params.n_ctx, params.n_parallel, params.use_jinja = 8192, 1, True
server = xllamacpp.Server(params)
signal.sigwait([signal.SIGINT, signal.SIGTERM])
