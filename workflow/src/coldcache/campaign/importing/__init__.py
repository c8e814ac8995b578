"""Import logs that other people measured: find them by content, arrange them as trials, and copy them."""
