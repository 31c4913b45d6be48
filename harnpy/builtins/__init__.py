"""Global functions and methods of values, one module per section of the builtins reference."""
