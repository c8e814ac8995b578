"""The drivers of settings: each module here satisfies `coldcache.measure.settings.registry.Driver`."""
