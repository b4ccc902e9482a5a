"""`cointoss simulate` and `cointoss compare` on Apache Spark, as docs/cluster.md says. Works with Spark Connect."""

import json
import os

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


CELLS_SCHEMA = "shard int, finished string"


def experiment(spark, text, program, shards, command="compare", node="node"):
    """Runs the cells of an experiment, divided into so many shards.

    text: the experiment, as JSON. Files that it names (`data.input`, `data.map`) must have absolute paths, and be on each executor.
    program, node: as for `simulate`.
    shards: how many parts to divide the cells into; one for each cell at most.
    command: "compare" or "experiment".

    Returns a DataFrame with a row for each shard. `write_finished` stores it.
    """
    parts = spark.range(0, shards, 1, shards)
    return parts.mapInArrow(_shard_runner(node, program, command, text, shards), CELLS_SCHEMA)


def write_finished(cells, folder):
    """Writes what `experiment` returned into a new folder, and returns the names of the files.

    `cointoss compare FILE --join NAME...` makes the results of them.
    """
    # A new one, in which nobody else can have put a link.
    os.mkdir(folder, 0o700)
    names = []
    for row in cells.collect():
        names.append(os.path.join(folder, f"shard-{row.shard}"))
        with open(names[-1], "w", encoding="utf-8", newline="\n") as file:
            file.write(row.finished)
    return names


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


def _shard_runner(node, program, command, text, shards):
    # As above.
    def run(batches):
        import os
        import subprocess
        import tempfile

        import pyarrow
        from pyspark import SparkFiles

        path = os.path.join(SparkFiles.getRootDirectory(), program)
        for shard in (value for batch in batches for value in batch.column(0).to_pylist()):
            with tempfile.TemporaryDirectory(prefix="cointoss-") as folder:
                file, output = (os.path.join(folder, name) for name in ("experiment.json", "output"))
                with open(file, "w", encoding="utf-8") as written:
                    written.write(text)
                words = [node, path, command, file, "--output", output, "--threads", "1", "--shard", f"{shard}/{shards}"]
                process = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
                if process.returncode != 0:
                    raise RuntimeError(f"cointoss {command}: exit code {process.returncode}: {process.stderr[-2000:]}")
                with open(os.path.join(output, "results.unfinished"), encoding="utf-8", newline="\n") as finished:
                    yield pyarrow.RecordBatch.from_pydict(
                        {"shard": pyarrow.array([shard], pyarrow.int32()), "finished": [finished.read()]}
                    )

    return run
