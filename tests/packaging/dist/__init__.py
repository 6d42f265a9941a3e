"""Installs each artefact of a release as a user would, and drives it as a client would."""
