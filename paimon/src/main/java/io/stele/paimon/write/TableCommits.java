package io.stele.paimon.write;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_COMMIT_UNKNOWN;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;
import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.trino.spi.TrinoException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.Snapshot;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.TableCommitImpl;

/**
 * Commits of statements, each of which takes place once or not at all.
 *
 * <p>A statement has a commit user of its own, and two commits: that of its rows, and that of the
 * compactions which its writers did. An attempt whose answer is lost is looked for by user and
 * identifier before the next one; and as two attempts at one snapshot exclude each other, an
 * attempt that arrives late is no second commit. Stateless; calls block.
 */
public final class TableCommits {
    private static final Logger log = Logger.get(TableCommits.class);

    /** Identifiers of the two commits of a statement. */
    private static final long ROWS = 1;

    private static final long COMPACTIONS = 2;

    /** Beyond, the store is away, and a user should not wait for it. */
    private static final Duration MAX_UNKNOWN = Duration.ofMinutes(1);

    private static final Duration MAX_WAIT = Duration.ofSeconds(2);

    /**
     * What became of a statement.
     *
     * @param snapshotId the last snapshot of it; empty: there was nothing to commit
     * @param lostCompaction whether another commit came before the compactions of the writers
     */
    public record Committed(OptionalLong snapshotId, boolean lostCompaction) {
        public Committed {
            requireNonNull(snapshotId, "snapshotId is null");
        }
    }

    private final LongSupplier nanoTime;
    private final LongConsumer pauseMillis;

    /**
     * @param pauseMillis waits between attempts
     */
    public TableCommits(LongSupplier nanoTime, LongConsumer pauseMillis) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.pauseMillis = requireNonNull(pauseMillis, "pauseMillis is null");
    }

    /**
     * Commits what writers have written. On failure their files are deleted, unless the outcome is
     * unknown.
     *
     * @param table as the catalog has it, with the schema of the statement
     * @param overwrite whether the partitions that were written lose their earlier rows
     * @param readSnapshot since which nobody else may have changed the buckets that were written;
     *     empty: others may
     * @throws TrinoException of a conflict, a failure, or an unknown outcome
     */
    public Committed commit(
            FileStoreTable table,
            String commitUser,
            Collection<Slice> fragments,
            boolean overwrite,
            OptionalLong readSnapshot) {
        return commitMessages(
                table, commitUser, WriteMessages.decode(fragments), overwrite, readSnapshot);
    }

    /** The same, of what writers in this process report. */
    Committed commitMessages(
            FileStoreTable table,
            String commitUser,
            List<CommitMessage> messages,
            boolean overwrite,
            OptionalLong readSnapshot) {
        List<CommitMessage> written = WriteMessages.written(messages);
        boolean dynamicBuckets = table.bucketMode() == BucketMode.HASH_DYNAMIC;
        CommitGuard guard =
                new CommitGuard(table, commitUser, readSnapshot, written, dynamicBuckets);
        OptionalLong rows;
        try {
            rows =
                    once(
                            table,
                            commitUser,
                            ROWS,
                            guard,
                            commit -> {
                                if (overwrite) {
                                    commit.withOverwrite(Map.of());
                                }
                                commit.commit(ROWS, written);
                            });
        } catch (TrinoException e) {
            if (!e.getErrorCode().equals(PAIMON_COMMIT_UNKNOWN.toErrorCode())) {
                WriteMessages.discard(table, messages);
            }
            throw e;
        }
        try {
            OptionalLong compactions = commitCompaction(table, commitUser, messages);
            return new Committed(compactions.isPresent() ? compactions : rows, false);
        } catch (TrinoException e) {
            // What it leaves is what it began with, and the next one does it again
            log.warn(e, "Rows are committed, but not the compaction of %s", table.location());
            return new Committed(rows, true);
        }
    }

    /** Deletes the files of a statement that is not committed. */
    public static void discard(FileStoreTable table, Collection<Slice> fragments) {
        WriteMessages.discard(table, WriteMessages.decode(fragments));
    }

    /**
     * Commits what writers have compacted. On failure their files are deleted, unless the outcome
     * is unknown.
     *
     * @return the snapshot; empty: there was nothing to commit
     */
    OptionalLong commitCompaction(
            FileStoreTable table, String commitUser, List<CommitMessage> messages) {
        List<CommitMessage> compacted = WriteMessages.compacted(messages);
        if (compacted.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return once(
                    table,
                    commitUser,
                    COMPACTIONS,
                    withoutRead(table, commitUser),
                    commit -> commit.commit(COMPACTIONS, compacted));
        } catch (TrinoException e) {
            if (!e.getErrorCode().equals(PAIMON_COMMIT_UNKNOWN.toErrorCode())) {
                WriteMessages.discard(table, compacted);
            }
            throw e;
        }
    }

    /** Deletes all rows, of the whole table. */
    public OptionalLong truncate(FileStoreTable table, String commitUser) {
        return once(
                table, commitUser, withoutRead(table, commitUser), TableCommitImpl::truncateTable);
    }

    /** Deletes all rows of some partitions, by the texts of their values. */
    public OptionalLong truncate(
            FileStoreTable table, String commitUser, List<Map<String, String>> partitions) {
        return once(
                table,
                commitUser,
                withoutRead(table, commitUser),
                commit -> commit.truncatePartitions(partitions));
    }

    private static CommitGuard withoutRead(FileStoreTable table, String commitUser) {
        return new CommitGuard(table, commitUser, OptionalLong.empty(), List.of(), false);
    }

    private OptionalLong once(
            FileStoreTable table,
            String commitUser,
            CommitGuard guard,
            Consumer<TableCommitImpl> attempt) {
        // The identifier that Paimon gives to batches
        return once(table, commitUser, Long.MAX_VALUE, guard, attempt);
    }

    private OptionalLong once(
            FileStoreTable table,
            String commitUser,
            long identifier,
            CommitGuard guard,
            Consumer<TableCommitImpl> attempt) {
        FileStoreTable guarded = guarded(table, guard);
        int maxRetries = table.coreOptions().commitMaxRetries();
        long maxWaitMillis = table.coreOptions().commitTimeout();
        long start = nanoTime.getAsLong();
        OptionalLong before = latestId(table);
        boolean interrupted = false;
        try {
            for (int failures = 0; ; failures++) {
                try {
                    if (failures > 0) {
                        Optional<Snapshot> found = find(table, commitUser, identifier, before);
                        if (found.isPresent()) {
                            return OptionalLong.of(found.get().id());
                        }
                    }
                    try (TableCommitImpl commit = guarded.newCommit(commitUser)) {
                        attempt.accept(commit);
                    }
                    return guard.committed();
                } catch (Exception e) {
                    if (guard.committed().isPresent()) {
                        log.warn(
                                e,
                                "Snapshot %s is committed; what follows failed",
                                guard.committed());
                        return guard.committed();
                    }
                    if (guard.isUnknown()) {
                        // A statement that is cancelled by now is no reason not to find out
                        interrupted |= Thread.interrupted();
                    }
                    long waited = (nanoTime.getAsLong() - start) / 1_000_000;
                    checkHopeful(
                            table,
                            guard,
                            e,
                            waited,
                            failures >= maxRetries || waited > maxWaitMillis,
                            commitUser);
                    pauseMillis.accept(
                            Math.min(MAX_WAIT.toMillis(), 10L << Math.min(failures, 20)));
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void checkHopeful(
            FileStoreTable table,
            CommitGuard guard,
            Exception failure,
            long waitedMillis,
            boolean isLast,
            String commitUser) {
        if (guard.conflict() != null) {
            throw guard.conflict();
        }
        if (isConflict(failure)) {
            throw new TrinoException(
                    TRANSACTION_CONFLICT,
                    "Expected %s as the statement found it, found it changed by another commit: %s"
                            .formatted(table.location(), failure.getMessage()),
                    failure);
        }
        if (guard.isUnknown() && waitedMillis > MAX_UNKNOWN.toMillis()) {
            throw new TrinoException(
                    PAIMON_COMMIT_UNKNOWN,
                    "Cannot find out whether the rows are in %s: if so, a snapshot of commit user %s is there: %s"
                            .formatted(table.location(), commitUser, failure.getMessage()),
                    failure);
        }
        if (isLast && !guard.isUnknown()) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot commit to %s: %s".formatted(table.location(), rootMessage(failure)),
                    failure);
        }
    }

    /** Paimon has no type of exception for it. */
    private static boolean isConflict(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null && cause.getMessage().contains("Give up committing")) {
                return true;
            }
        }
        return false;
    }

    private static String rootMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return failure == cause
                ? String.valueOf(failure.getMessage())
                : failure.getMessage() + " (" + cause.getMessage() + ")";
    }

    private static OptionalLong latestId(FileStoreTable table) {
        try {
            Long latest = table.snapshotManager().latestSnapshotId();
            return latest == null ? OptionalLong.empty() : OptionalLong.of(latest);
        } catch (RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read the latest snapshot of %s: %s"
                            .formatted(table.location(), e.getMessage()),
                    e);
        }
    }

    /** The snapshot of an earlier attempt, among those since the first one. */
    private static Optional<Snapshot> find(
            FileStoreTable table, String commitUser, long identifier, OptionalLong before) {
        Long latest = table.snapshotManager().latestSnapshotId();
        if (latest == null) {
            return Optional.empty();
        }
        for (long id = before.orElse(0) + 1; id <= latest; id++) {
            Snapshot snapshot = table.snapshotManager().snapshot(id);
            if (snapshot.commitUser().equals(commitUser)
                    && snapshot.commitIdentifier() == identifier) {
                return Optional.of(snapshot);
            }
        }
        return Optional.empty();
    }

    private static FileStoreTable guarded(FileStoreTable table, CommitGuard guard) {
        Options options = new Options();
        options.set(CoreOptions.BRANCH, table.coreOptions().branch());
        // Attempts are repeated here, where it is known what became of each
        options.set(CoreOptions.COMMIT_MAX_RETRIES, 0);
        return FileStoreTableFactory.createWithoutFallbackBranch(
                table.fileIO(),
                table.location(),
                table.schema(),
                options,
                new GuardedEnvironment(table.catalogEnvironment(), guard));
    }
}
