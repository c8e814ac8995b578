"""A campaign as one file to deposit, with or without names; and everything made anew from it, as a reviewer would."""
