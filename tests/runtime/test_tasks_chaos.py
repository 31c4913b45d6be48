"""Random trees of tasks that sleep, fail, cancel, limit and wait for each other: they end, and always the same way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.errors import HarnError
from harnpy.runtime import fanout
from harnpy.runtime.channels import Channel
from harnpy.runtime.clock import Clock
from harnpy.runtime.context import Context
from harnpy.runtime.limits import Limits
from harnpy.runtime.locks import Mutex
from harnpy.runtime.nursery import Nursery
from harnpy.runtime.tasks import Scheduler

GROUPS = ["each", "settle", "spawn", "scope", "all", "race", "lock"]

leaves = st.one_of(
    st.tuples(st.just("sleep"), st.integers(0, 9)),
    st.tuples(st.just("fail"), st.integers(0, 3)),
    st.tuples(st.just("send"), st.integers(0, 1)),
    st.tuples(st.just("receive"), st.integers(0, 1)),
    st.tuples(st.just("cancel"), st.integers(0, 5)),
    st.tuples(st.just("join"), st.integers(0, 5)),
    st.tuples(st.just("turn"), st.just(0)),
)
programs = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(GROUPS), st.lists(inner, max_size=4)),
        st.tuples(st.just("limit"), st.lists(inner, max_size=3), st.integers(0, 9)),
        st.tuples(st.just("catch"), st.lists(inner, max_size=3)),
    ),
    max_leaves=25,
)


class World:
    def __init__(self):
        ctx = Context()
        ctx.clock = Clock()
        ctx.clock.mock(0)
        ctx.limits = Limits()
        self.scheduler = ctx.scheduler = Scheduler(ctx)
        self.channels = [Channel(self.scheduler, name, 1) for name in "ab"]
        self.mutex = Mutex(self.scheduler, "mutex")
        self.tasks = []
        self.log = []

    def note(self, what):
        self.log.append((self.scheduler.clock.monotonic_ms(), self.scheduler.current.id, what))

    def do(self, step):
        word, argument = step[0], step[1]
        self.note(word)
        getattr(self, "do_" + word)(argument, *step[2:])

    def do_all(self, steps):
        for step in steps:
            self.do(step)

    def do_sleep(self, ms):
        self.scheduler.sleep(ms)

    def do_turn(self, _):
        self.scheduler.yield_now()

    def do_fail(self, number):
        raise HarnError(f"fail {number}")

    def do_send(self, which):
        self.channels[which].send(self.scheduler.current.id)

    def do_receive(self, which):
        self.note(self.channels[which].receive())

    def do_cancel(self, which):
        if which < len(self.tasks):
            self.scheduler.cancel(self.tasks[which])

    def do_join(self, which):
        if which < len(self.tasks):
            self.scheduler.join(self.tasks[which])

    def do_each(self, steps):
        fanout.run_all(self.scheduler, self.do, steps, 2)

    def do_settle(self, steps):
        self.note(fanout.settle(self.scheduler, self.do, steps)["failed"])

    def do_race(self, steps):
        fanout.race(self.scheduler, self.do, steps)

    def do_spawn(self, steps):
        self.tasks.append(self.scheduler.spawn(self.do_all, steps))

    def do_lock(self, steps):
        self.mutex.enter()
        try:
            self.do_all(steps)
        finally:
            self.mutex.leave()

    def do_scope(self, steps):
        nursery = Nursery(self.scheduler)

        def body(_frame):
            for step in steps:
                nursery.adopt(self.scheduler.spawn(self.do, step))
            self.scheduler.sleep(1)

        nursery.run(body, [])

    def do_limit(self, steps, ms):
        outer = self.scheduler.begin_deadline(ms)
        try:
            self.scheduler.check_deadline()
            self.do_all(steps)
            self.scheduler.check_deadline()
        finally:
            self.scheduler.end_deadline(outer)

    def do_catch(self, steps):
        try:
            self.do_all(steps)
        except HarnError as error:
            self.note(error.value)


def run(program):
    world = World()
    try:
        world.scheduler.run(lambda: world.do(program))
        outcome = None
    except HarnError as error:
        outcome = error.value
    assert not world.scheduler.live
    return outcome, world.log


@settings(max_examples=300, deadline=None)
@given(programs)
def test_every_program_ends_and_ends_the_same_way_again(program):
    assert run(program) == run(program)
