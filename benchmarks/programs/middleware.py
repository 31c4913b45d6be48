"""Five layers of callers around a model that answers at once."""


def with_retry(next_caller, opts):
    attempts = opts.get("max_attempts", 3)

    def caller(call):
        attempt = 1
        result = next_caller(call)
        while not result["ok"] and attempt < attempts:
            attempt += 1
            result = next_caller(call)
        return {**result, "retries_attempted": attempt - 1}

    return caller


def with_logging(next_caller, opts):
    sink = opts["sink"]

    def caller(call):
        result = next_caller(call)
        status = result.get("status")
        sink(
            {
                "model": (call.get("opts") or {}).get("model", "default"),
                "status": "ok" if status is None else status,
                "iteration": (call.get("turn") or {}).get("iteration", 0),
            }
        )
        return result

    return caller


def with_budget(next_caller, opts):
    calls = 0

    def caller(call):
        nonlocal calls
        if calls >= opts["max_calls"]:
            return {"ok": False, "status": "budget_exhausted"}
        calls += 1
        return next_caller(call)

    return caller


def with_prompt_rewrite(next_caller, rewriter):
    def caller(call):
        change = rewriter(call["prompt"], call["system"], call["opts"])
        return next_caller(
            {
                **call,
                "prompt": change.get("prompt", call["prompt"]),
                "system": change.get("system", call["system"]),
                "opts": change.get("opts", call["opts"]),
            }
        )

    return caller


def with_timeout(next_caller, opts):
    def caller(call):
        given = call.get("opts") or {}
        return next_caller({**call, "opts": {**given, "timeout_ms": opts["ms"]}})

    return caller


def bench(size):
    logged = 0
    used = 0

    def base(call):
        return {
            "ok": True,
            "status": None,
            "value": {"text": "echo " + call["prompt"], "timeout": call["opts"]["timeout_ms"]},
        }

    def sink(record):
        nonlocal logged
        logged += record["iteration"]

    def rewriter(prompt, system, opts):
        return {"prompt": prompt + "!"}

    rewritten = with_prompt_rewrite(with_timeout(base, {"ms": 500}), rewriter)
    logged_caller = with_logging(with_budget(rewritten, {"max_calls": 1_000_000}), {"sink": sink})
    caller = with_retry(logged_caller, {"max_attempts": 2})
    i = 0
    while i < size:
        r = caller(
            {"prompt": "hello", "system": None, "opts": {"model": "m"}, "turn": {"iteration": i % 3, "session_id": "s"}}
        )
        if r["ok"]:
            used += len(r["value"]["text"])
        i += 1
    return [used, logged]
