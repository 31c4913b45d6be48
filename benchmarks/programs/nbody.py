"""The n-body simulation with dicts for the bodies."""

from math import sqrt


def planets():
    rows = [
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47841760),
        (4.84143144, -1.16032004, -0.10362204, 0.60632639, 2.81198684, -0.02521836, 0.03769367),
        (8.34336671, 4.12479856, -0.40352341, -1.01077434, 1.82566237, 0.00841576, 0.01128632),
        (12.89436956, -15.11115140, -0.22330757, 1.08279100, 0.86871301, -0.01083263, 0.00172372),
        (15.37969711, -25.91931460, 0.17925877, 0.97909073, 0.59469899, -0.03475595, 0.00203368),
    ]
    return [dict(zip(("x", "y", "z", "vx", "vy", "vz", "mass"), row, strict=True)) for row in rows]


def energy(bodies):
    total = 0.0
    for b in bodies:
        total = total + 0.5 * b["mass"] * (b["vx"] * b["vx"] + b["vy"] * b["vy"] + b["vz"] * b["vz"])
    return total


def bench(size):
    bodies = planets()
    count = len(bodies)
    dt = 0.01
    for _ in range(size):
        i = 0
        while i < count:
            a = bodies[i]
            j = i + 1
            while j < count:
                b = bodies[j]
                dx = a["x"] - b["x"]
                dy = a["y"] - b["y"]
                dz = a["z"] - b["z"]
                square = dx * dx + dy * dy + dz * dz
                mag = dt / (square * sqrt(square))
                am = a["mass"] * mag
                bm = b["mass"] * mag
                a["vx"] -= dx * bm
                a["vy"] -= dy * bm
                a["vz"] -= dz * bm
                b["vx"] += dx * am
                b["vy"] += dy * am
                b["vz"] += dz * am
                j = j + 1
            a["x"] += dt * a["vx"]
            a["y"] += dt * a["vy"]
            a["z"] += dt * a["vz"]
            i = i + 1
    return energy(bodies)
