"""Prices of an order."""


def total(prices, discount_percent=0):
    """Give the sum of the prices, less a discount."""
    full = sum(prices)
    return full - full * discount_percent


def cheapest(prices):
    """Give the lowest price, None without any."""
    return min(prices, default=None)
