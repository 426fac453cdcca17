"""Two runs read aloud."""

import pandas as pd

from bertattn.readings.lists import listed

COMPARED = ("measure", "relation", "way", "kind", "probe")
MOST = 8


def manifests(differences: pd.DataFrame) -> str:
    """What two runs do not share, hashes left to the table."""
    rows = differences[~differences["what"].str.endswith("sha256")]
    hashed = [w.removesuffix("_sha256") for w in differences["what"] if w.endswith("sha256")]
    if differences.empty:
        return "The two runs were made alike: their manifests are the same."
    named = [f"{row.what} {row.first} / {row.second}" for row in rows.head(MOST).itertuples()]
    named += [f"{len(rows) - MOST} more"] * (len(rows) > MOST)
    text = f"Other in the second run: {'; '.join(named) or 'no name and no option'}."
    return f"{text} Other by their hashes: {listed(hashed)}." if hashed else text


def differences(table: pd.DataFrame, level: float = 0.05) -> str:
    """Where a difference is found, and where it is largest."""
    how = table.attrs["manifest"]["how"]
    known = table[table["p"].notna()]
    if known.empty:
        return "Nothing can be tested: there is one document only."
    keys = [key for key in (*COMPARED, "head") if key in table]
    found = known[known["p"] <= level]
    text = f"Compared {how}: {len(found)} of {len(known)} rows differ (Holm's p up to {level})."
    if found.empty:
        return text
    top = found.loc[found["difference"].abs().idxmax()]
    name = ", ".join(str(top[key]) for key in keys)
    return (
        f"{text} Most: {name}, {top['first']:.3f} and {top['second']:.3f}, a difference of "
        f"{top['difference']:+.3f} [{top['low']:+.3f}, {top['high']:+.3f}]."
    )
