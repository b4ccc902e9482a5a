"""Compares every number that an executed notebook shows of groups with the totals of the JSON."""

import html
import json
import re
from pathlib import Path

NUMBERS = ["estimate", "low", "high", "sources", "all_sources", "rank_best", "rank_worst"]


def check_notebook(path, totals):
    """The last table of the notebook has conversions by group."""
    tables = _tables_with(path, "rank_best")
    assert len(tables) == 2, "one table of rows without an estimate, and one of conversions"
    head, *rows = _rows(tables[-1])
    # Of many rows, pandas shows the first five and the last five.
    whole = [row for row in rows if row[0] != "..."]
    shown = {row["campaign"]: row for row in (dict(zip(head, cells)) for cells in whole)}
    assert len(shown) == len(whole) == (len(totals) if whole == rows else 10)
    known = {total["group"].get("campaign", "NaN"): total for total in totals}
    for name, row in shown.items():
        total = known[name]
        for column, exact in _numbers_of(total).items():
            own = float(row[column])
            is_right = own != own if exact is None else abs(own - exact) <= 1e-6 * (1 + abs(exact))
            assert is_right, (total["group"], column, own, exact)


def check_credits(path, rows):
    """The table of credits has each number of the rows, and their sums in the last row."""
    (table,) = _tables_with(path, "last-touch")
    (_, *names), _, *all_shown = _rows(table)
    assert all_shown[-1][0] == "all"
    # Of many rows, pandas shows the first five and the last five.
    shown = [row for row in all_shown if row[0] != "..."]
    compared = 0
    for name in names:
        model, _, origin = name.removesuffix(" ±").partition(", ")
        own = rows[(rows["model"] == model) & (rows["from"] == (origin or "log"))]
        numbers = own["standard_error" if name.endswith(" ±") else "credit"].astype(float)
        exact = dict(zip(own["channel"], numbers)) | {"all": float("nan") if name.endswith(" ±") else sum(numbers)}
        assert len(exact) == len(all_shown) or len(shown) == 10 < len(exact)
        for channel, *cells in shown:
            compared += 1
            cell, number = float(cells[names.index(name)]), exact[channel]
            assert cell != cell if number != number else abs(cell - number) <= 1e-5 * (1 + abs(number)), (name, cell, number)
    assert compared == len(shown) * len(names) > 30


def _numbers_of(total):
    found = next((one for one in total["estimates"] if one["quantity"] == "conversions"), None)
    low, high = (None, None) if found is None else found["interval"]
    rank = total["rank"] or {"best": None, "worst": None}
    numbers = [None if found is None else found["estimate"], low, high]
    return dict(zip(NUMBERS, [*numbers, total["covered"], total["sources"], rank["best"], rank["worst"]]))


def _tables_with(path, heading):
    cells = json.loads(Path(path).read_text())["cells"]
    return [table for cell in cells for table in _tables(cell) if heading in table]


def _rows(table):
    return [_cells(row) for row in re.findall("<tr.*?</tr>", table, re.DOTALL)]


def _tables(cell):
    for output in cell.get("outputs", []):
        shown = "".join(output.get("data", {}).get("text/html", []))
        yield from re.findall("<table.*?</table>", shown, re.DOTALL)


def _cells(row):
    return [html.unescape(cell) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
