"""Serves a GGUF model by xllamacpp, with OpenAI's chat completions: `runtime.py MODEL PORT`."""

import argparse
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "target" / "small-model"))
import xllamacpp

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("model")
parser.add_argument("port", type=int)
parser.add_argument("--context", type=int, default=8192, help="the length of the context, in tokens")
parser.add_argument("--threads", type=int, default=2, help="the threads that compute")
line = parser.parse_args()

params = xllamacpp.CommonParams()
params.model.path, params.port, params.hostnames = line.model, line.port, ["127.0.0.1"]
params.n_ctx, params.n_parallel, params.use_jinja = line.context, 1, True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = line.threads
# Turns and tasks of one setting begin with the same text, of which the model computes each token once.
params.cache_prompt = True
server = xllamacpp.Server(params)
signal.sigwait([signal.SIGINT, signal.SIGTERM])
