"""Events of a run: the bus, the topic log, redaction and the JSONL writer."""
