"""Whether a trial counts: the rules, and the proof that a read was cold."""
