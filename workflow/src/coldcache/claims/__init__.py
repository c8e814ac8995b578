"""What a campaign's records say of the claims of its sources, and where the sources contradict themselves."""
