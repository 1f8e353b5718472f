"""A table as newcomers have it."""

import numpy as np
import pandas as pd
import pytest

LABELS = ["calm", "sad", "loud"]
WORDS = {"C": "sea sand waves", "G": "love night dark", "D": "rain cold wind"}


@pytest.fixture(scope="session")
def songs():
    """Return a function that makes a table of words, gaps, dates, texts, tags and names of rows."""

    def drawn(n=90):
        chance = np.random.default_rng(0)
        key, live = chance.choice(list(WORDS), n), chance.choice(["ja", "nein"], n)
        tempo = chance.normal(100, 20, n).round(1)
        table = pd.DataFrame({"song": [f"s{i:03}.mp3" for i in range(n)], "tempo": tempo, "live": live, "key": key})
        table["released"] = (pd.Timestamp("2020-01-01") + pd.to_timedelta(chance.integers(0, 900, n), "D")).astype(str)
        table["lyrics"] = [" ".join(chance.permutation([*WORDS[k].split(), "the", "song"])) for k in key]
        marks = np.column_stack([tempo < 100, key != "C", live == "ja"])
        table["genre"] = ["|".join(name for name, on in zip(LABELS, row, strict=True) if on) for row in marks]
        for name, on in zip(LABELS, marks.T, strict=True):
            table[name] = np.where(on, "ja", "nein")
        table.loc[3, "tempo"] = np.nan
        table.loc[5, "key"] = None
        return table

    return drawn
