"""Runs a log on a standalone Spark cluster of one master and two workers on loopback, and compares with one process.

Usage: python cluster.py classic|connect LOG ARCHIVE EXPECTED PARTITIONS, with the names of files: the log, the archive of commands, and
EXPECTED.reports, .sources and .summary, what one process made with the seed 1, .experiment, and .results, the folder that one process made of it;
and a large number of partitions. Prints one line for each thing that was compared. `connect` is through Spark Connect.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import pyspark

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../integrations/spark"))
import cointoss_spark  # noqa: E402

HOST = "127.0.0.1"
SPARK = os.path.dirname(pyspark.__file__)
COINTOSS = os.path.join(os.path.dirname(__file__), "../../cli/cointoss.mjs")
PROGRAM = "cointoss/cointoss.mjs"
os.environ["PYSPARK_PYTHON"] = sys.executable
# For programs that live for seconds.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def free_port():
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return listener.getsockname()[1]


def start(folder, name, *arguments):
    """Starts one of Spark's programs in a process group of its own."""
    environment = {
        **os.environ,
        "SPARK_HOME": SPARK,
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "700m",
        "JAVA_TOOL_OPTIONS": QUICK_START,
    }
    with open(os.path.join(folder, f"{name}.log"), "w") as log:
        program = [os.path.join(SPARK, "bin/spark-class"), *arguments]
        return subprocess.Popen(program, stdout=log, stderr=log, env=environment, cwd=folder, start_new_session=True)


def end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextlib.contextmanager
def cluster(folder):
    """Yields the master's address and the two workers."""
    port, web = free_port(), free_port()
    url = f"spark://{HOST}:{port}"
    deploy = "org.apache.spark.deploy"
    master = start(folder, "master", f"{deploy}.master.Master", "--host", HOST, "--port", str(port), "--webui-port", str(web))
    workers = []
    try:
        for number in range(2):
            options = ["--host", HOST, "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", f"{folder}/{number}"]
            workers.append(start(folder, f"worker{number}", f"{deploy}.worker.Worker", *options, url))
        until(lambda: len(json.load(urllib.request.urlopen(f"http://{HOST}:{web}/json/"))["workers"]) == 2)
        yield url, workers
    finally:
        for process in [*workers, master]:
            end(process)


def until(condition, seconds=300):
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            if condition():
                return
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for the cluster")
        time.sleep(0.2)


SETTINGS = {
    "spark.driver.host": HOST,
    "spark.driver.extraJavaOptions": QUICK_START,
    "spark.executor.extraJavaOptions": QUICK_START,
    "spark.executor.memory": "512m",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session(url, archive):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(url).config("spark.archives", f"{archive}#cointoss")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def lines_of(file):
    with open(file, encoding="utf-8", newline="\n") as lines:
        return sorted(lines.read().splitlines(keepends=False))


def compare(what, results, expected):
    rows = results.collect()
    for kind in ("report", "source"):
        found = sorted(row.value for row in rows if row.kind == kind)
        assert found == lines_of(f"{expected}.{kind}s"), f"{what}: other {kind}s"
    with open(f"{expected}.summary", encoding="utf-8") as file:
        # The same fields, in the same order.
        assert json.dumps(summary_of(results, rows)) == json.dumps(json.load(file)), f"{what}: another summary"
    print(f"{what}: the same {len(rows)} lines as one process", flush=True)


def summary_of(results, rows):
    """Without simulating again."""
    return cointoss_spark.summary(results.sparkSession.createDataFrame(rows, cointoss_spark.SCHEMA))


@contextlib.contextmanager
def killed_in_the_middle(spark, worker):
    """Meanwhile kills a worker, with its executor, once a task that simulates is done and others are not. Fails if none was killed."""
    tracker = spark.sparkContext.statusTracker()

    def is_half_done():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return any(stage and 0 < stage.numCompletedTasks < stage.numTasks == KILLED_PARTITIONS for stage in stages)

    killed = threading.Event()
    finished = threading.Event()

    def wait_and_kill():
        until(lambda: finished.is_set() or is_half_done())
        if finished.is_set():
            return
        end(worker)
        killed.set()
        print("killed a worker", flush=True)

    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
    # An exception in the thread ends only the thread.
    assert killed.is_set(), "no worker was killed before the tasks were done"


KILLED_PARTITIONS = 7


def classic(log, archive, expected, many):
    with tempfile.TemporaryDirectory() as folder, cluster(folder) as (url, workers):
        spark = session(url, archive)
        try:
            lines = spark.read.text(log)
            for partitions in (1, int(many)):
                compare(f"{partitions} partitions", cointoss_spark.simulate(lines, PROGRAM, 1, partitions), expected)
            with killed_in_the_middle(spark, workers[0]):
                results = cointoss_spark.simulate(lines, PROGRAM, 1, KILLED_PARTITIONS)
                compare(f"{KILLED_PARTITIONS} partitions and a killed worker", results, expected)
            check_experiment(spark, folder, expected)
            check_failure(spark)
        finally:
            spark.stop()


def connect(log, archive, expected, _many):
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder, cluster(folder) as (url, _):
        port = free_port()
        settings = {**SETTINGS, "spark.connect.grpc.binding.port": str(port), "spark.connect.grpc.binding.address": HOST}
        options = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        server = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", url, *options, "spark-internal"]
        process = start(folder, "connect", "org.apache.spark.deploy.SparkSubmit", *server)
        try:
            until(lambda: socket.create_connection((HOST, port)).close() is None)
            spark = SparkSession.builder.remote(f"sc://{HOST}:{port}").getOrCreate()
            spark.addArtifact(f"{archive}#cointoss", archive=True)
            results = cointoss_spark.simulate(spark.read.text(log), PROGRAM, 1, KILLED_PARTITIONS)
            compare(f"{KILLED_PARTITIONS} partitions through Spark Connect", results, expected)
            check_experiment(spark, folder, expected)
            check_failure(spark)
            spark.stop()
        finally:
            end(process)


def check_experiment(spark, folder, expected):
    """Each shard of cells on an executor, joined here: the files of one process, to the last byte."""
    with open(f"{expected}.experiment", encoding="utf-8") as file:
        cells = cointoss_spark.experiment(spark, file.read(), PROGRAM, 2)
    names = cointoss_spark.write_finished(cells, os.path.join(folder, "finished"))
    output = os.path.join(folder, "joined")
    joining = ["node", COINTOSS, "compare", f"{expected}.experiment", "--output", output, "--join", *names]
    subprocess.run(joining, check=True, capture_output=True)
    for name in sorted(os.listdir(f"{expected}.results")):
        with open(os.path.join(output, name), "rb") as found, open(os.path.join(f"{expected}.results", name), "rb") as wanted:
            assert found.read() == wanted.read(), f"an experiment in two shards: another {name}"
    print("an experiment in two shards of cells: the same files as one process", flush=True)


def check_failure(spark):
    """A line that is none fails the task, with the command's own message."""
    bad = spark.createDataFrame([('{"user":"ada","timestamp":"soon"}',)], "value string")
    try:
        cointoss_spark.simulate(bad, PROGRAM, 1, 1).collect()
    except Exception as error:
        assert "timestamp: must be a string with milliseconds" in str(error), error
        print("a bad line: the task fails and says why", flush=True)
    else:
        raise AssertionError("a bad line passed")


if __name__ == "__main__":
    # As an exception, so that the cluster ends, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    {"classic": classic, "connect": connect}[sys.argv[1]](*sys.argv[2:])
