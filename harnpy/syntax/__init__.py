"""From the text of a program to its abstract syntax tree, and back."""
