package io.stele.sidecar.statement;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stele.protocol.api.status.StatementStatus;
import io.stele.sidecar.metrics.LabelledHistograms;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The statistics of SQL statements by user and fingerprint, of PostgreSQL's protocol and of Flight
 * SQL: calls, failures, rows and a histogram of times. Bounded; statements that are seldom run are
 * forgotten first. Thread-safe; nothing blocks.
 */
public final class StatementStatistics implements LabelledHistograms {
    /**
     * The statements in metrics, those that took most time, because each has a label of its own.
     */
    private static final int MAX_EXPORTED = 100;

    private static final long MAX_CACHED_CHARACTERS = 4 << 20;
    private static final int MAX_CACHED_LENGTH = 64 << 10;

    private final Cache<Key, Entry> entries;
    private final Cache<String, StatementFingerprint> fingerprints =
            Caffeine.newBuilder()
                    .maximumWeight(MAX_CACHED_CHARACTERS)
                    .executor(Runnable::run)
                    .<String, StatementFingerprint>weigher(
                            (sql, found) -> sql.length() + found.text().length() + 100)
                    .build();
    private final boolean isCounting;
    private final SlowStatementLog slow;

    private record Key(String user, long id) {}

    private record Entry(StatementFingerprint fingerprint, StatementCounters counters) {}

    /**
     * @param maxStatements the statements that are remembered, about one KiB each; 0: none, and
     *     only slow ones cost the time of a fingerprint
     */
    public StatementStatistics(int maxStatements, SlowStatementLog slow) {
        checkArgument(maxStatements >= 0, "Expected maxStatements >= 0, found %s", maxStatements);
        this.entries =
                Caffeine.newBuilder().maximumSize(maxStatements).executor(Runnable::run).build();
        this.isCounting = maxStatements > 0;
        this.slow = requireNonNull(slow, "slow is null");
    }

    /**
     * Counts a statement that has ended.
     *
     * @param sql its text
     * @param runner who ran it
     * @param elapsedNanos from its start to its last row, without the time between fetches
     * @param rowCount of the rows sent, or changed
     */
    public void ended(
            String user,
            String sql,
            StatementRunner runner,
            long elapsedNanos,
            long rowCount,
            boolean isFailed) {
        boolean isLogged = runner == StatementRunner.FIXED_PLAN && slow.isSlow(elapsedNanos);
        if (!isCounting && !isLogged) {
            return;
        }
        StatementFingerprint fingerprint = fingerprint(sql);
        if (isCounting) {
            entries.get(
                            new Key(user, fingerprint.id()),
                            key -> new Entry(fingerprint, new StatementCounters()))
                    .counters()
                    .add(elapsedNanos, rowCount, isFailed);
        }
        if (isLogged) {
            slow.ended(user, fingerprint, elapsedNanos, rowCount, isFailed);
        }
    }

    private StatementFingerprint fingerprint(String sql) {
        return sql.length() > MAX_CACHED_LENGTH
                ? StatementFingerprint.of(sql)
                : fingerprints.get(sql, StatementFingerprint::of);
    }

    /** The statistics of all statements that are remembered, those that took most time first. */
    public List<StatementStatus> statements() {
        return entries.asMap().entrySet().stream()
                .map(entry -> status(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingDouble(StatementStatus::totalSeconds).reversed())
                .toList();
    }

    private static StatementStatus status(Key key, Entry entry) {
        StatementCounters counters = entry.counters();
        return new StatementStatus(
                key.user(),
                key.id(),
                entry.fingerprint().text(),
                counters.calls(),
                counters.failures(),
                counters.rows(),
                seconds(counters.nanos()),
                seconds(counters.minNanos()),
                seconds(counters.maxNanos()),
                bound(counters.time().getP50(), counters),
                bound(counters.time().getP99(), counters));
    }

    /** The upper bound of a bucket of times, of which the slowest statement is a better one. */
    private static double bound(double seconds, StatementCounters counters) {
        return Math.min(seconds, seconds(counters.maxNanos()));
    }

    private static double seconds(long nanos) {
        return nanos * 1e-9;
    }

    @Override
    public String family() {
        return "stele_statement_seconds";
    }

    @Override
    public String description() {
        return "Seconds of statements by PostgreSQL's protocol and Flight SQL, by fingerprint";
    }

    @Override
    public void forEach(HistogramConsumer consumer) {
        entries.asMap().entrySet().stream()
                .sorted(
                        Comparator.comparingLong(
                                        (Map.Entry<Key, Entry> entry) ->
                                                entry.getValue().counters().nanos())
                                .reversed())
                .limit(MAX_EXPORTED)
                .forEach(
                        entry ->
                                consumer.accept(
                                        Map.of(
                                                "user", entry.getKey().user(),
                                                "query_id", Long.toString(entry.getKey().id())),
                                        entry.getValue().counters().time()));
    }
}
