"""One module for each artefact of a release, and what these modules share."""
