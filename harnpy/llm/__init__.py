"""Model calls: requests, providers, transport, errors, mock. Knows no evaluator."""
