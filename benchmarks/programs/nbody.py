"""The n-body simulation with dicts for the bodies."""

from math import sqrt


def planets():
    rows = [
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47841760435743),
        (4.84143144246472, -1.16032004402742, -0.10362204447112, 0.60632639299583, 2.81198684491626, -0.02521836165988, 0.03769367487038),
        (8.34336671824457, 4.12479856412430, -0.40352341711432, -1.01077434617879, 1.82566237123041, 0.00841576137658, 0.01128632613196),
        (12.8943695621391, -15.1111514016986, -0.22330757889265, 1.08279100644153, 0.86871301816960, -0.01083263740136, 0.00172372405705),
        (15.3796971148509, -25.9193146099879, 0.17925877295037, 0.97909073224389, 0.59469899864767, -0.03475595555078, 0.00203368686992),
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
