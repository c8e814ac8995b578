"""How a rate grows with threads, nodes or devices: peak, knee, plateau, scalability law."""
