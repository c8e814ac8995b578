"""The scale model as a site states it: its parts and limits, where stripes lie, and what rates follow from that."""
