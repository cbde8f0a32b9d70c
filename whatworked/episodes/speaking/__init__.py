"""Players of the drift that answer with text: a model behind any judge's interface, with or without a note aid."""

from __future__ import annotations

from whatworked.episodes.speaking.aids import AIDS
from whatworked.episodes.speaking.cost import estimate_speaking
from whatworked.episodes.speaking.loop import speak
from whatworked.episodes.speaking.transcript import Transcript, Turn, transcript_bytes

__all__ = ["AIDS", "Transcript", "Turn", "estimate_speaking", "speak", "transcript_bytes"]
