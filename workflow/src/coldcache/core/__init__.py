"""What every room uses: errors, the vocabulary, units, records, YAML models and files."""
