"""One text built by appending to it."""


def bench(size):
    text = ""
    for i in range(size):
        text += "item " + f"{i}" + ";"
    return len(text)
