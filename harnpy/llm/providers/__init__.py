"""Provider rows and the adapters of their wire formats."""
