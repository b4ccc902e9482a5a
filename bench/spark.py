"""What Spark adds: four shards in parallel on Spark's local mode, against one process on the same log.

Usage, after `npm run build` and `npm test -- --only spark`, which installs PySpark: .data/spark/*/bin/python bench/spark.py [USERS]
"""

import os
import subprocess
import sys
import tempfile
import time

from pyspark.sql import SparkSession

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
sys.path.insert(0, os.path.join(ROOT, "integrations/spark"))
import cointoss_spark  # noqa: E402

SHARDS = 4
PROGRAM = os.path.join(ROOT, "cli/cointoss.mjs")
os.environ["PYSPARK_PYTHON"] = sys.executable


def seconds(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


def cointoss(*arguments):
    subprocess.run(["node", PROGRAM, *arguments], check=True, stderr=subprocess.DEVNULL)


def main(users="8000"):
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.ndjson")
        cointoss("generate", "--users", users, "--output", log)
        outputs = [("--output", "reports"), ("--sources-output", "sources"), ("--summary", "summary")]
        named = [word for option, name in outputs for word in (option, os.path.join(folder, f"{name}.ndjson"))]
        one = seconds(lambda: cointoss("simulate", "--input", log, "--seed", "1", *named))
        builder = SparkSession.builder.master(f"local[{SHARDS}]").config("spark.log.level", "ERROR")
        begun = time.monotonic()
        spark = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()
        started = time.monotonic() - begun
        results = cointoss_spark.simulate(spark.read.text(log), PROGRAM, 1, SHARDS)
        run = seconds(lambda: results.write.parquet(os.path.join(folder, "results")))
        spark.stop()
    print(f"simulate the logs of {users} users, with all processors")
    print(f"  one process                       {one:.1f} s")
    print(f"  Spark local, {SHARDS} shards             {run:.1f} s, {run / one:.2f} times as long")
    print(f"  the start of Spark before that    {started:.1f} s")


main(*sys.argv[1:])
