"""The language at run time: values, compiled code, tasks, clock, limits, modules."""
