"""Two or more campaigns held against each other: what else differs first, then what became better or worse."""
