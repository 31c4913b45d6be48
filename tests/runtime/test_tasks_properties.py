"""Properties of channels, locks and the scheduler under random programs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.runtime.channels import Channel
from harnpy.runtime.clock import Clock
from harnpy.runtime.context import Context
from harnpy.runtime.iterators import END
from harnpy.runtime.limits import Limits
from harnpy.runtime.locks import Lock
from harnpy.runtime.tasks import Scheduler

naps = st.lists(st.integers(0, 5), max_size=6)


def make_scheduler():
    ctx = Context()
    ctx.clock = Clock()
    ctx.clock.mock(0)
    ctx.limits = Limits()
    ctx.scheduler = Scheduler(ctx)
    return ctx.scheduler


def exchange(producers, consumers, capacity):
    """Let producers send (who, number) between naps, consumers receive between naps; give the log."""
    scheduler = make_scheduler()
    channel = Channel(scheduler, "c", capacity)
    log = []

    def produce(who):
        for number, nap in enumerate(producers[who]):
            scheduler.sleep(nap)
            channel.send((who, number))

    def consume(who):
        for nap in consumers[who] * 100:
            value = channel.receive()
            if value is END:
                return
            log.append((who, value))
            scheduler.sleep(nap)

    def main():
        tasks = [scheduler.spawn(consume, who) for who in range(len(consumers))]
        senders = [scheduler.spawn(produce, who) for who in range(len(producers))]
        for task in senders:
            scheduler.join(task)
        channel.close()
        for task in tasks:
            scheduler.join(task)

    scheduler.run(main)
    return log


@settings(max_examples=100, deadline=None)
@given(st.lists(naps, max_size=4), st.lists(naps.filter(bool), min_size=1, max_size=3), st.integers(1, 3))
def test_every_value_arrives_once_in_the_order_of_its_sender_and_always_the_same_way(producers, consumers, capacity):
    log = exchange(producers, consumers, capacity)
    sent = [(who, number) for who, plan in enumerate(producers) for number in range(len(plan))]
    assert sorted(value for _, value in log) == sent
    for who in range(len(producers)):
        numbers = [number for _, (sender, number) in log if sender == who]
        assert numbers == sorted(numbers) or len(consumers) > 1
    assert exchange(producers, consumers, capacity) == log


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 5), st.integers(0, 9)), max_size=8))
def test_a_lock_never_gives_more_than_it_has_and_serves_in_order(requests):
    scheduler = make_scheduler()
    lock = Lock(scheduler, "lock", 3)
    held = 0
    order = []

    def use(index):
        nonlocal held
        count, nap, start = requests[index]
        scheduler.sleep(start)
        asked.append(index)
        assert lock.acquire(count)
        order.append(index)
        held += count
        assert held <= 3
        scheduler.sleep(nap)
        held -= count
        lock.release(count)

    asked = []

    def main():
        for task in [scheduler.spawn(use, index) for index in range(len(requests))]:
            scheduler.join(task)

    scheduler.run(main)
    assert order == asked
    assert lock.free == 3


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=6))
def test_virtual_time_ends_at_the_longest_chain_of_naps(plans):
    scheduler = make_scheduler()

    def nap(first, second):
        scheduler.sleep(first)
        scheduler.sleep(second)

    def main():
        for task in [scheduler.spawn(nap, *plan) for plan in plans]:
            scheduler.join(task)
        return scheduler.clock.monotonic_ms()

    assert scheduler.run(main) == max(first + second for first, second in plans)


@settings(max_examples=60, deadline=None)
@given(naps, st.integers(0, 12))
def test_a_deadline_holds_whatever_is_waited_for(plan, limit):
    scheduler = make_scheduler()
    start = 0
    reached = []

    def main():
        outer = scheduler.begin_deadline(limit)
        try:
            scheduler.check_deadline()
            for nap in plan:
                scheduler.sleep(nap)
                reached.append(nap)
            scheduler.check_deadline()
        except Exception:
            return False
        finally:
            scheduler.end_deadline(outer)
        return True

    in_time = scheduler.run(main)
    assert in_time == (start + sum(plan) < limit)
    assert scheduler.clock.monotonic_ms() == min(sum(plan), limit)
