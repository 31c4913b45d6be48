"""From the syntax tree to the resolved tree: names, modules, cache, checks."""
