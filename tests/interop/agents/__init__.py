"""The parts of `agents.py`: a scripted model, the endpoint that it answers at, recorders, and what they recorded."""
