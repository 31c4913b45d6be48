"""What the reference says of every name: for ``harnpy doc``, the prompt and the pages of ``docs/reference``."""
