"""Reads what Cointoss's commands and collector write into pandas.

Every reader takes a file (.csv, .tsv, .parquet, or else NDJSON; text may end in .gz or .zst), or a folder of such
files, as `cointoss estimate` does. 64-bit numbers become UInt64, times become UTC, lists and objects become Python's.
Parquet needs pyarrow or fastparquet, and .zst needs zstandard.
"""

import json
import re
from pathlib import Path

import pandas as pd

__all__ = ["read_credits", "read_estimates", "read_experiment", "read_reports", "read_sources", "read_table"]

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_FORMULA = re.compile("(?:\\A|(?<=[;\t\r\n]))'(?=['\"]*[=+\\-@\t\r\n＝＋－＠])")


def read_table(path):
    """The rows of a file, or of all files in a folder in the order of their names, without any conversion of cells.

    In CSV and TSV every cell is text, an empty one is missing, and the quote that keeps spreadsheets from running a
    formula is taken away.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and _is_data(file.relative_to(path)))
        if not files:
            raise ValueError(f"{path}: must have files in it")
        return pd.concat([_part(file, path) for file in files], ignore_index=True)
    suffix = Path(path.stem).suffix if path.suffix in (".gz", ".zst") else path.suffix
    if suffix == ".parquet":
        return pd.read_parquet(path).astype(object)
    if suffix in _SEPARATORS:
        table = pd.read_csv(path, sep=_SEPARATORS[suffix], dtype=object, keep_default_na=False, na_values=[""])
        return table.rename(columns=_without_quote).map(_without_quote)
    return pd.DataFrame.from_records(list(_lines(path)))


def read_reports(path):
    """A row for each report of a collector's /reports, or of `simulate` or `replay`.

    The payload's fields are columns. `scheduled_report_time` is the time when the report was due; `report_time` is
    when `simulate` sent it, `received_time` when the collector got it.
    """
    table = _flat(read_table(path), "payload")
    if "report_url" in table and "reporting_origin" not in table:
        table["reporting_origin"] = table["report_url"].str.extract(r"^(https?://[^/]+)", expand=False)
    return _converted(
        table,
        whole=["source_event_id", "trigger_data"],
        numbers=["randomized_trigger_rate", "noisy_value"],
        seconds=["scheduled_report_time"],
        times=["report_time", "received_time"],
        values=["attribution_destination", "trigger_summary_bucket", "data"],
    )


def read_sources(path):
    """A row for each source of a source log: what `simulate --sources-output` writes, or a collector's /sources."""
    return _converted(
        read_table(path),
        whole=["source_event_id"],
        numbers=["epsilon", "prior_epsilon"],
        times=["time"],
        values=["destination", "registration", "mechanism"],
    )


def read_estimates(path):
    """A row for each estimate of `estimate`: its JSON (.json), or the rows that `estimate --output` writes.

    Columns: `configuration`, `mechanism`, `epsilon`, `sources` (how many), `level`, `quantity`, `observed`, `noise`,
    `estimate`, `variance`, `low` and `high` (the interval), and one for each feature that was grouped by, whose names
    are `attrs["groups"]`. `observed` and `noise` are missing where sources report no number that could be added up.
    Rows without `configuration` are of all configurations together: `sources` are those whose
    reports count conversions, `all_sources` all of the group, `rank_best` and `rank_worst` the places it can have, and
    `unranked` says why it has none. `problem` says why there is no `estimate`: `mismatch` where outputs cannot come from
    the stated noise, `unjoined` where no report fits a source, `lost-reports` where nothing makes up for lost reports,
    `shortfall` where reports or sources are missing, so that `unbiased` is too low, and `too-few-sources` where
    every possible number is in the interval, or no interval holds.
    """
    if Path(path).suffix == ".json":
        table = pd.DataFrame.from_records(list(_estimates_of(json.loads(Path(path).read_text()))))
    else:
        table = read_table(path)
    numbers = ["epsilon", "sources", "level", "trigger_data", "window_end", "observed", "noise", "noise_share"]
    numbers += ["estimate", "unbiased", "variance", "noise_variance", "low", "high"]
    numbers += ["likeliest", "likeliest_low", "likeliest_high", "all_sources", "rank_best", "rank_worst"]
    about = {*numbers, "configuration", "mechanism", "quantity", "unranked", "bucket", "state", "value", "values"}
    table = _converted(table, numbers=numbers, values=["bucket"])
    table.attrs["groups"] = [name for name in table.columns if name not in about]
    return table


def read_credits(path):
    """A row for each channel and a column for each model, of what `simulate compare` writes; the last row is "all".

    A model whose credits come from noisy reports only has the column `MODEL, reports`, and beside it the standard
    error of the noise as `MODEL, reports ±`. A sum over channels has none: their errors depend on each other.
    """
    table = _converted(read_table(path), numbers=["credit", "standard_error"])
    columns = {}
    for (model, origin), rows in table.groupby(["model", "from"], sort=False):
        by_channel = rows.set_index(rows["channel"].fillna(""))
        name = model if origin == "log" else f"{model}, reports"
        columns[name] = by_channel["credit"]
        if by_channel["standard_error"].notna().any():
            columns[f"{name} ±"] = by_channel["standard_error"]
    channels = pd.DataFrame(columns).rename_axis("channel")
    errors = [name for name in channels if name.endswith(" ±")]
    # The last one, because a channel can have the same name.
    together = channels.sum().drop(errors).to_frame("all").T
    return pd.concat([channels, together]).rename_axis("channel")


def read_experiment(folder):
    """The table of `experiment`: a row for each number, with the settings of its cell. `attrs` has its manifest."""
    folder = Path(folder)
    table = read_table(folder / "results.ndjson")
    table.attrs["manifest"] = json.loads((folder / "manifest.json").read_text())
    return table


def _is_data(file):
    return not any(part[0] in "._" for part in file.parts)


def _part(file, folder):
    """A file of a folder. Folders NAME=VALUE on the way make columns, as in Hive."""
    pairs = [part.split("=", 1) for part in file.relative_to(folder).parts[:-1] if "=" in part]
    return read_table(file).assign(**dict(pairs))


def _lines(path):
    with pd.io.common.get_handle(path, "r", encoding="utf-8", compression="infer") as handles:
        for number, line in enumerate(handles.handle, 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    raise ValueError(f"{path}:{number}: must be JSON: {error}") from error


def _without_quote(cell):
    return _FORMULA.sub("", cell) if isinstance(cell, str) else cell


def _flat(table, column):
    """Puts the fields of a column of objects in its place."""
    if column not in table:
        return table
    fields = pd.DataFrame.from_records([_parsed(cell) for cell in table.pop(column)], index=table.index)
    return table.join(fields)


def _estimates_of(result):
    together = dict.fromkeys(("configuration", "mechanism", "epsilon"), float("nan"))
    together |= {"groups": result["totals"]}
    parts = [(one, [one]) for one in result["configurations"]]
    for configuration, of in [*parts, (together, result["configurations"])]:
        about = {name: configuration[name] for name in ("configuration", "mechanism", "epsilon")}
        problems = ("unjoined", "unjoined") if _none_joins(result["reports"]) else _problems(of)
        for group in configuration["groups"]:
            unknown = {"quantity": "conversions", "estimate": None, "interval": (None, None)}
            values = group.get("values")
            more = [] if values is None else [values["sum"], values["average"]]
            for estimate in [*(group["estimates"] or [unknown]), *more]:
                sources = {"sources": values["sources"]} if any(estimate is one for one in more) else {}
                estimate = dict(estimate)
                low, high = estimate.pop("interval")
                likely = estimate.pop("likelihood", None)
                row = {**about, **_rank(group), **sources, "level": result["level"], **estimate}
                has_group = len(group["estimates"]) > 0 or len(sources) > 0
                row |= {"low": low, "high": high}
                row["problem"] = _problem(row, problems) if has_group else None
                if likely is not None:
                    row |= {"likeliest": likely["estimate"]}
                    row |= dict(zip(("likeliest_low", "likeliest_high"), likely["interval"]))
                yield row | group["group"]


def _rank(group):
    """The sources that estimates are of, and of a total how it compares with others."""
    rank = group.get("rank") or {}
    return {
        "sources": group.get("covered", group["sources"]),
        "all_sources": group["sources"] if "covered" in group else None,
        "rank_best": rank.get("best"),
        "rank_worst": rank.get("worst"),
        "unranked": group.get("unranked"),
    }


def _problems(configurations):
    """Why these configurations have no estimate, if that is so: without an unbiased one, and with it."""
    mismatch = any(one["mismatches"] for one in configurations)
    lost = any(one["lost_reports"] and not one["lost_reports"]["fits"] for one in configurations)
    short = any(one["shortfall"] and not one["lost_reports"] for one in configurations)
    # Without a mismatch, only a number for which nothing makes up for lost reports has no unbiased estimate.
    no_unbiased = "mismatch" if mismatch else "lost-reports"
    return no_unbiased, "lost-reports" if lost else "shortfall" if short else "too-few-sources"


def _none_joins(reports):
    """Whether there are reports, but none fits a source."""
    misfits = reports["unknown_source"] + sum(reports["inconsistent"].values())
    return reports["used"] == 0 and 2 * misfits > reports["read"]


def _problem(row, problems):
    no_unbiased, no_interval = problems
    if row["estimate"] is not None:
        return None
    return no_unbiased if row.get("unbiased") is None else no_interval


def _converted(table, whole=(), numbers=(), seconds=(), times=(), values=()):
    """The table with its columns converted; those that it does not have are left out."""
    to = {_whole: whole, _number: numbers, _seconds: seconds, _time: times, _values: values}
    for convert, names in to.items():
        for name in names:
            if name in table:
                try:
                    table[name] = convert(table[name])
                except (TypeError, ValueError) as error:
                    raise ValueError(f"{name}: {error}") from error
    # One by one, because pandas takes columns of objects together.
    return table.assign(**{name: table[name].infer_objects() for name in table.columns})


def _whole(column):
    return pd.Series([pd.NA if _missing(cell) else int(cell) for cell in column], column.index, dtype="UInt64")


def _number(column):
    return pd.to_numeric(column).astype("float64")


def _seconds(column):
    return pd.to_datetime(_whole(column).astype("Int64"), unit="s", utc=True)


def _time(column):
    """ISO 8601, or milliseconds since 1970."""
    return pd.Series([pd.NaT if _missing(cell) else _moment(cell) for cell in column], column.index)


def _moment(cell):
    if re.fullmatch(r"\d+", str(cell)):
        return pd.Timestamp(int(cell), unit="ms", tz="UTC")
    return pd.Timestamp(cell).tz_convert("UTC")


def _values(column):
    return pd.Series([None if _missing(cell) else _parsed(cell) for cell in column], column.index, dtype=object)


def _parsed(cell):
    """Tables have lists and objects as JSON. Sites are texts, and stay so."""
    if not isinstance(cell, str) or cell[:1] not in ("[", "{"):
        return cell
    return json.loads(cell)


def _missing(cell):
    return cell is None or cell is pd.NA or (isinstance(cell, float) and cell != cell)
