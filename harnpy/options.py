"""What may be chosen about a run."""

from __future__ import annotations


class Options:
    """The choices of one run; the options of the command line bear the same names.

    ``seed`` of random numbers; ``virtual_time`` starts a virtual clock at that ms; ``time_limit`` in
    seconds; ``max_depth`` of calls; ``limits`` maps ``steps``, ``text`` and ``list`` to numbers
    (``runtime.limits``); ``llm_mock``, ``llm_mock_record`` and ``events`` are files;
    ``harness`` is the file of a mock or null harness; ``allow``, ``deny``, ``write_root``, ``no_sandbox``
    make the policy; ``env`` is the whole environment (default: that of
    the process); ``argv`` what the program sees; ``no_cache``; ``color`` of diagnostics.
    """

    __slots__ = (
        "allow",
        "argv",
        "color",
        "deny",
        "env",
        "events",
        "harness",
        "limits",
        "llm_mock",
        "llm_mock_record",
        "max_depth",
        "no_cache",
        "no_sandbox",
        "seed",
        "time_limit",
        "virtual_time",
        "write_root",
    )

    def __init__(
        self,
        *,
        argv: tuple[str, ...] | list[str] = (),
        llm_mock: str | None = None,
        llm_mock_record: str | None = None,
        seed: int | None = None,
        virtual_time: int | None = None,
        time_limit: float | None = None,
        max_depth: int | None = None,
        limits: dict[str, int] | None = None,
        events: str | None = None,
        harness: str | None = None,
        allow: tuple[str, ...] = (),
        deny: tuple[str, ...] = (),
        write_root: tuple[str, ...] = (),
        no_sandbox: bool = False,
        no_cache: bool = False,
        color: str = "auto",
        env: dict[str, str] | None = None,
    ) -> None:
        self.argv = argv
        self.llm_mock = llm_mock
        self.llm_mock_record = llm_mock_record
        self.seed = seed
        self.virtual_time = virtual_time
        self.time_limit = time_limit
        self.max_depth = max_depth
        self.limits = limits or {}
        self.events = events
        self.harness = harness
        self.allow = allow
        self.deny = deny
        self.write_root = write_root
        self.no_sandbox = no_sandbox
        self.no_cache = no_cache
        self.color = color
        self.env = env
