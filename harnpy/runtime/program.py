"""Runs a program: loads its modules, starts them in order, then its pipeline or ``main`` (language 15.4, 16.1)."""

from __future__ import annotations

from harnpy.analysis import resolved
from harnpy.analysis.linking import link, warnings_of
from harnpy.analysis.modules import load_graph
from harnpy.diagnostics import Diagnostic
from harnpy.errors import HarnError, RejectedProgram, runtime_error
from harnpy.resources import in_stdlib
from harnpy.runtime.calls import call
from harnpy.runtime.instances import ModuleInstance, SharedNames, make_instances, start
from harnpy.runtime.values import RESULT, EnumValue
from harnpy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.analysis.linking import Builtins
    from harnpy.analysis.modules import Graph, LoadedModule
    from harnpy.runtime.context import Context

__all__ = ["Loader", "ModuleInstance", "check_program", "run_program"]


def run_program(ctx: Context, source: Source, task: Any = None) -> int:
    """Run the program whose entry is ``source`` and give its exit code.

    ``task`` is the run input of pipelines. Errors and ends of the run pass through to the caller.

    Raises:
        RejectedProgram: before anything runs, with all findings.
        HarnError: an uncaught error of the program.
    """
    loader = ctx.loader = Loader(ctx)
    value = ctx.services["entry_value"] = loader.run(source, task)
    return exit_code(ctx, value)


def exit_code(ctx: Context, value: Any) -> int:
    """Give the exit code that the value of the entry stands for; the payload of an ``Err`` goes to stderr."""
    if type(value) is int:
        return min(max(value, 0), 255)
    if type(value) is EnumValue and value.type is RESULT and value.variant == "Err":
        from harnpy.render import reported
        from harnpy.runtime.display import display

        ctx.write_err(reported(display(value.fields[0] if value.fields else None)) + "\n")
        return 1
    return 0


def check_program(
    source: Source, builtins: Builtins, lints: Callable[[Graph], list[Diagnostic]] | None = None
) -> list[Diagnostic]:
    """Give all errors and warnings of the program whose entry is ``source``; nothing is run.

    ``lints`` gives what more there is to say of a program that may run.
    """
    try:
        graph = load_graph(source)
    except RejectedProgram as rejected:
        return rejected.diagnostics
    faults = _faults(graph, builtins)
    return [*faults, *warnings_of(graph), *(lints(graph) if lints is not None and not faults else ())]


def _faults(graph: Graph, builtins: Builtins) -> list[Diagnostic]:
    return [*link(graph, builtins), *_check_main(graph.entry)]


def _check_main(entry: LoadedModule) -> list[Diagnostic]:
    """Check the signature of ``fn main``, which a file without pipelines enters."""
    module = entry.module
    params = module.main_params
    if params is None or module.pipelines or params in ((("harness", "Harness"),), (("_harness", "Harness"),)):
        return []
    message = "fn main must take exactly one parameter: `harness: Harness` or `_harness: Harness`"
    hint = "write `fn main(harness: Harness) { ... }`"
    return [Diagnostic(message, code="HARN-NAM-101", source=entry.source, span=module.main_span, hint=hint)]


class Loader:
    """Loads and starts the modules of one run."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self._instances: dict[str, ModuleInstance] = {}

    def instance(self, path: str) -> ModuleInstance | None:
        """Give the module with this canonical path or ``std/...`` name, if the program has it."""
        return self._instances.get(path)

    def own_sources(self) -> list[Source]:
        """Give the texts of the user's own modules, the last loaded first."""
        sources = [instance.source for instance in self._instances.values()]
        return [source for source in reversed(sources) if not in_stdlib(source.path)]

    def forget(self, path: str) -> None:
        """Let a module be loaded again when it is next asked for."""
        self._instances.pop(path, None)

    def run(self, source: Source, task: Any = None) -> Any:
        """Run a whole program and give the value of its entry."""
        return self.enter(self.load_entry(source), task)

    def load_entry(self, source: Source) -> ModuleInstance:
        """Load the program and run the statements of all its modules, the entry's last."""
        ctx = self.ctx
        graph = load_graph(source, use_cache=ctx.services.get("module_cache", True))
        self.check(graph, _faults(graph, ctx.builtins))
        for instance in make_instances(ctx, graph, self._instances):
            start(ctx, instance)
        return self._instances[graph.entry.path]

    def std_export(self, path: str, name: str) -> Any:
        """Give what the std module ``path`` exports as ``name``; it is loaded and started when first asked for."""
        if path not in self._instances:
            source = Source(f"<{path}>", f'import "{path}"\n')
            graph = load_graph(source, use_cache=self.ctx.services.get("module_cache", True))
            self.check(graph, link(graph, self.ctx.builtins))
            for instance in make_instances(self.ctx, graph, self._instances):
                start(self.ctx, instance)
        return self._instances[path].cells[name][0]

    def link_input(self, graph: Graph) -> list[str]:
        """Connect one input of a console; give the names that it imports."""
        self.check(graph, link(graph, self.ctx.builtins))
        return list(graph.entry.scope)

    def run_input(self, graph: Graph, names: SharedNames) -> Any:
        """Run one input of a console, whose names join ``names``; give what its ``return`` gave."""
        started = make_instances(self.ctx, graph, self._instances)
        instance = started[-1]
        instance.share(names)
        for each in started:
            start(self.ctx, each)
        return instance.result

    def check(self, graph: Graph, faults: list[Diagnostic]) -> None:
        """Refuse a program with faults; show the warnings of any other."""
        if faults:
            raise RejectedProgram(faults)
        self._show_warnings(graph)

    def _show_warnings(self, graph: Graph) -> None:
        warnings = warnings_of(graph)
        if warnings:
            from harnpy.render import render

            for warning in warnings:
                self.ctx.write_err(render(warning))

    def enter(self, instance: ModuleInstance, task: Any = None) -> Any:
        """Run the pipeline or ``main`` of a started module; without both, give its top-level result."""
        module = instance.resolved
        entry = self.ctx.services.get("entry")
        if entry is not None:
            return self._enter_named(instance, entry)
        if module.pipelines:
            return self._run_pipeline(instance, _chosen(module.pipelines), task)
        if module.main_params is not None:
            return self._call_entry("main", instance.cells["main"][0], [self.ctx.harness])
        imported = instance.loaded.pipelines
        if imported:
            name = "default" if "default" in imported else next(iter(imported))
            home = self._instances[imported[name].path]
            pipeline = next(each for each in home.resolved.pipelines if each.name == name)
            return self._run_pipeline(home, pipeline, task)
        return instance.result

    def _enter_named(self, instance: ModuleInstance, name: str) -> Any:
        """Run one pipeline or function by its name: a test, whose int is no exit code."""
        for pipeline in instance.resolved.pipelines:
            if pipeline.name == name:
                value = self._run_pipeline(instance, pipeline, None)
                break
        else:
            closure = instance.cells[name][0]
            value = self._call_entry(name, closure, [self.ctx.harness] if closure.code.function.params else [])
        return None if type(value) is int else value

    def _run_pipeline(self, instance: ModuleInstance, pipeline: resolved.Pipeline, task: Any) -> Any:
        if pipeline.extends is not None:
            error = runtime_error(f"pipeline '{pipeline.name}': `extends` is not supported in this version")
            error.locate((instance.source, pipeline.span))
            raise error
        closure = instance.make_closure(pipeline.function)
        args = [self._pipeline_argument(name, kind, task) for name, kind in pipeline.params]
        return self._call_entry(pipeline.name, closure, args)

    def _call_entry(self, name: str, closure: Any, args: list[Any]) -> Any:
        try:
            return call(self.ctx, closure, args)
        except HarnError as error:
            # The outermost caller; it has no call site of its own.
            error.trace.append((name, None))
            raise

    def _pipeline_argument(self, name: str, kind: str | None, task: Any) -> Any:
        harness = self.ctx.harness
        if kind == "Harness" or (kind is None and name in ("harness", "_harness")):
            return harness
        if kind is not None and kind.startswith("Harness"):
            for member in harness.members.values():
                if member.type_name == kind:
                    return member
        return task if name in ("task", "_task") else None


def _chosen(pipelines: tuple[resolved.Pipeline, ...]) -> resolved.Pipeline:
    for pipeline in pipelines:
        if pipeline.name == "default":
            return pipeline
    return pipelines[0]
