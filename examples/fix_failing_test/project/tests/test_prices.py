"""Tests of prices."""

import unittest

from src.prices import cheapest, total


class Prices(unittest.TestCase):
    """What an order costs."""

    def test_total(self):
        """Prices add up."""
        assert total([10, 20]) == 30

    def test_discount(self):
        """Ten percent less."""
        assert total([100, 100], discount_percent=10) == 180

    def test_cheapest(self):
        """No prices, no cheapest one."""
        assert cheapest([]) is None
