"""Reads what the researcher's commands wrote, in each format, and prints what was in it."""

import json
import sys
from pathlib import Path

from notebook_numbers import check_credits, check_notebook
from pandas.testing import assert_frame_equal

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder / "site"))
import cointoss  # noqa: E402

reports = [cointoss.read_reports(folder / name) for name in ("run/reports.ndjson.gz", "csv/reports.csv.zst", "parquet/reports.parquet")]
columns = ["report_id", "source_event_id", "trigger_data", "scheduled_report_time", "report_time", "reporting_origin", "attribution_destination", "randomized_trigger_rate"]
for other in reports[1:]:
    assert_frame_equal(reports[0][columns], other[columns])

sources = [cointoss.read_sources(folder / name) for name in ("run/sources.parquet", "csv/sources.csv.gz", "parquet/sources.ndjson.zst")]
columns = ["source_event_id", "reporting_origin", "source_type", "destination", "time", "registration", "epsilon", "mechanism", "campaign"]
for other in sources[1:]:
    assert_frame_equal(sources[0][columns], other[columns])
assert sources[0]["source_event_id"].isin(reports[0]["source_event_id"]).any()

estimates = cointoss.read_estimates(folder / "run/estimates.csv")
columns = ["configuration", "quantity", "sources", "observed", "noise", "estimate", "low", "high", "campaign"]
assert_frame_equal(estimates[columns], cointoss.read_estimates(folder / "estimates.json")[columns], check_dtype=False)

check_notebook(folder / "run/notebook.ipynb", json.loads((folder / "estimates.json").read_text())["totals"])

check_credits(folder / "run/notebook.ipynb", cointoss.read_table(folder / "run/credits.csv"))

manifest = cointoss.read_experiment(folder / "grid").attrs["manifest"]
conversions = estimates[estimates["quantity"] == "conversions"]
print(json.dumps({"sources": len(sources[0]), "groups": conversions["sources"].astype(int).tolist(), "repetitions": len(manifest["repetitions"])}))
