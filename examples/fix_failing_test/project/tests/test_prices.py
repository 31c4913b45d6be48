import unittest

from src.prices import cheapest, total


class Prices(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([10, 20]), 30)

    def test_discount(self):
        self.assertEqual(total([100, 100], discount_percent=10), 180)

    def test_cheapest(self):
        self.assertIsNone(cheapest([]))
