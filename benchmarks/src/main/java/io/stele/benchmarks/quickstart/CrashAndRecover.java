package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.SteleClient;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Part 4 of the demonstration: the sidecar is killed in mid-stream and started again; the stream
 * continues by itself.
 */
final class CrashAndRecover {
    private static final long ROWS_BEFORE_KILL = 5_000;
    private static final long ROWS_AFTER_RESTART = 2_000;

    private CrashAndRecover() {}

    static void run(SteleServers servers, TrinoSession trino, SteleClient client, Findings findings)
            throws Exception {
        findings.heading("4. The sidecar is killed (SIGKILL) in mid-stream and restarted");
        long first = 1 + trino.number("SELECT max(orderkey) FROM stele.live.orders");
        OrderStream stream = OrderStream.start(client, first);
        awaitAcknowledged(stream, first + ROWS_BEFORE_KILL);
        long start = System.nanoTime();
        servers.killSidecar();
        long acknowledgedAtKill = stream.acknowledged();
        servers.restartSidecar();
        double seconds = (System.nanoTime() - start) / 1e9;
        findings.say(
                "killed after %,d acknowledged orders; serving again after %.1f s",
                acknowledgedAtKill - first, seconds);
        awaitAcknowledged(stream, acknowledgedAtKill + ROWS_AFTER_RESTART);
        stream.close();
        List<Object> row =
                trino.query(
                                "SELECT count(*), count(DISTINCT orderkey), max(orderkey) FROM stele.live.orders")
                        .getFirst();
        long acknowledged = stream.acknowledged() - 1;
        findings.checkEqual("no acknowledged order is lost", acknowledged, row.get(1));
        findings.checkEqual("none is there twice", row.get(1), row.get(0));
        findings.checkEqual("and the last one is the last acknowledged", acknowledged, row.get(2));
        findings.measured("SIGKILL to serving again", "%.1f s", seconds);
    }

    private static void awaitAcknowledged(OrderStream stream, long orderkey) throws Exception {
        while (stream.acknowledged() < orderkey) {
            stream.checkRunning();
            LockSupport.parkNanos(1_000_000);
        }
    }
}
