"""The site that people read, made from executed notebooks and a campaign's evidence."""
