"""Judge the claims of the source documents by a campaign's records, and find contradictions in the documents."""
