"""`cointoss simulate` on Apache Spark, as docs/cluster.md says: a DataFrame in, a DataFrame out. Works with Spark Connect."""

import json

from pyspark.sql import functions as F

SCHEMA = "kind string, value string"

# Of each section of a summary; see docs/simulate.md.
MOST_REASONS = 100
OTHERS = "(others)"


def simulate(lines, program, seed, partitions, options=(), node="node"):
    """Simulates the users of a log.

    lines: a DataFrame whose column `value` has one line of the log in each row, as `spark.read.text` gives it. Events of a user at the same
        millisecond keep the order of the rows.
    program: cointoss.mjs from the archive of commands: an absolute path, or where `--archives` unpacks it ("cointoss/cointoss.mjs").
    seed: the same seed gives the same reports, whatever the partitions, and however often a task runs.
    partitions: how many parts to divide the users into.
    options: more options of `cointoss simulate`, such as ["--with-users"]. Files that they name must be on each executor.
    node: the program of Node.js on the executors.

    Returns a DataFrame with `kind` and `value`: lines of reports ("report"), of the source log ("source"), and one summary for each partition
    that has users ("summary"). Write it once and read it often, since each action on it simulates again. If the command fails on an executor,
    so does the task, with the command's message.
    """
    command = ["simulate", "--input", "-", "--output", "-", "--threads", "1", "--seed", str(seed), *options]
    return (
        lines.select("value")
        .where(F.trim("value") != "")
        .withColumn("user", F.get_json_object("value", "$.user"))
        .withColumn("time", F.get_json_object("value", "$.timestamp").try_cast("long"))
        .withColumn("row", F.monotonically_increasing_id())
        .repartition(partitions, "user")
        .sortWithinPartitions("user", "time", "row")
        .select("value")
        .mapInArrow(_runner(node, program, command), SCHEMA)
    )


def summary(results):
    """The summary of the whole log, from those of the partitions in `results`: what `simulate --summary` writes."""
    parts = [json.loads(row.value) for row in results.where(F.col("kind") == "summary").select("value").collect()]
    return {name: _sum([part[name] for part in parts]) for name in (parts[0] if parts else {})}


def _sum(values):
    if not isinstance(values[0], dict):
        return sum(values)
    # JavaScript compares texts by their UTF-16 code units.
    names = sorted({name for value in values for name in value}, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    sums = {name: sum(value.get(name, 0) for value in values) for name in names}
    for name in [name for name in names if name != OTHERS][MOST_REASONS:]:
        sums[OTHERS] = sums.get(OTHERS, 0) + sums.pop(name)
    return sums


def _runner(node, program, command):
    # Everything is inside, because executors get this function and not this module.
    def run(batches):
        import itertools
        import os
        import subprocess
        import tempfile
        import threading

        import pyarrow
        from pyspark import SparkFiles

        rows_at_once = 10_000

        def rows(kind, lines):
            for chunk in iter(lambda: [line.rstrip("\n") for line in itertools.islice(lines, rows_at_once)], []):
                yield pyarrow.RecordBatch.from_pydict({"kind": [kind] * len(chunk), "value": chunk})

        def feed(stdin, failures):
            try:
                with stdin:
                    for batch in batches:
                        stdin.writelines(f"{value}\n" for value in batch.column(0).to_pylist())
            except BrokenPipeError:
                pass  # The command has failed, and its exit code says so.
            except BaseException as error:
                failures.append(error)

        batches = (batch for batch in batches if batch.num_rows > 0)
        first = next(batches, None)
        if first is None:
            return
        batches = itertools.chain([first], batches)
        text = {"encoding": "utf-8", "newline": "\n"}
        with tempfile.TemporaryDirectory(prefix="cointoss-") as folder:
            sources, summary, errors = (os.path.join(folder, name) for name in ("sources", "summary", "errors"))
            path = os.path.join(SparkFiles.getRootDirectory(), program)
            files = ["--sources-output", sources, "--summary", summary]
            with open(errors, "w", **text) as stderr:
                process = subprocess.Popen(
                    [node, path, *command, *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, encoding="utf-8"
                )
            failures = []
            feeder = threading.Thread(target=feed, args=(process.stdin, failures), daemon=True)
            try:
                feeder.start()
                yield from rows("report", process.stdout)
                feeder.join()
                if failures:
                    raise failures[0]
                if process.wait() != 0:
                    with open(errors, **text) as messages:
                        raise RuntimeError(f"cointoss simulate: exit code {process.returncode}: {messages.read()[-2000:]}")
            finally:
                # A task that is cancelled leaves no program behind.
                process.kill()
                process.wait()
            for kind, file in (("source", sources), ("summary", summary)):
                with open(file, **text) as written:
                    yield from rows(kind, written)

    return run
