"""Put settings in force, read them back, and restore them."""
