package io.stele.paimon.write;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_COMMIT_UNKNOWN;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static io.trino.spi.StandardErrorCode.TRANSACTION_CONFLICT;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.trino.spi.TrinoException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
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
import org.apache.paimon.options.Options;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.TableCommitImpl;

/**
 * The committer of statements and compactions to Paimon's tables, which repeats attempts so that
 * each commit takes place once or not at all.
 *
 * <p>A statement has a commit user of its own, and two commits, one of its rows and one of the
 * compactions of its writers. An attempt whose answer is lost is looked for by user and identifier
 * before the next attempt, and again before the next attempt creates its snapshot. As two attempts
 * at one snapshot exclude each other, an attempt that arrives late is no second commit. Stateless;
 * calls block.
 */
public final class TableCommits {
    private static final Logger log = Logger.get(TableCommits.class);

    /** Identifiers of the two commits of a statement. */
    private static final long ROWS = 1;

    private static final long COMPACTIONS = 2;

    /** The identifier that Paimon gives to truncations. */
    private static final long BATCH = Long.MAX_VALUE;

    /**
     * The longest search for an unknown outcome; beyond it, the store is away, and a user should
     * not wait.
     */
    private static final Duration MAX_UNKNOWN = Duration.ofMinutes(1);

    private static final Duration MAX_WAIT = Duration.ofSeconds(2);

    /**
     * The outcome of a statement.
     *
     * @param snapshotId the statement's last snapshot; empty: there was nothing to commit
     * @param lostCompaction whether the compactions of the writers could not be committed
     */
    public record Committed(OptionalLong snapshotId, boolean lostCompaction) {
        public Committed {
            requireNonNull(snapshotId, "snapshotId is null");
        }
    }

    private final LongSupplier nanoTime;
    private final LongConsumer pauseMillis;

    /**
     * @param pauseMillis waits for a number of milliseconds between attempts
     */
    public TableCommits(LongSupplier nanoTime, LongConsumer pauseMillis) {
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.pauseMillis = requireNonNull(pauseMillis, "pauseMillis is null");
    }

    /**
     * Commits the files that writers have written. On failure their files are deleted, unless the
     * outcome is unknown.
     *
     * @param table as the catalog has it, with the schema of the statement
     * @param overwrite whether the partitions that were written lose their earlier rows
     * @param read the snapshot since which no other commit may have changed the written buckets;
     *     empty: other commits may
     * @throws TrinoException of a conflict, a failure, or an unknown outcome
     */
    public Committed commit(
            FileStoreTable table,
            String commitUser,
            Collection<Slice> fragments,
            boolean overwrite,
            Optional<ReadSnapshot> read) {
        return commitMessages(table, commitUser, WriteMessages.decode(fragments), overwrite, read);
    }

    /** Commits the messages of writers in this process, as {@link #commit} does. */
    Committed commitMessages(
            FileStoreTable table,
            String commitUser,
            List<CommitMessage> messages,
            boolean overwrite,
            Optional<ReadSnapshot> read) {
        List<CommitMessage> written = WriteMessages.written(messages);
        List<CommitMessage> compacted = WriteMessages.compacted(messages);
        boolean dynamicBuckets = table.bucketMode() == BucketMode.HASH_DYNAMIC;
        CommitGuard guard = new CommitGuard(table, commitUser, ROWS, read, written, dynamicBuckets);
        Options options = new Options();
        if (overwrite && !compacted.isEmpty()) {
            // Else the files would move to another level than the compaction expects
            options.set(CoreOptions.OVERWRITE_UPGRADE, false);
        }
        OptionalLong rows;
        try {
            rows =
                    once(
                            table,
                            guard,
                            options,
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
            // The files before the compaction stay, and the next compaction includes them
            log.warn(e, "Rows are committed, but not the compaction of %s", table.location());
            return new Committed(rows, true);
        }
    }

    /** Deletes the files of a statement that is not committed. */
    public static void discard(FileStoreTable table, Collection<Slice> fragments) {
        WriteMessages.discard(table, WriteMessages.decode(fragments));
    }

    /**
     * Commits the compactions of writers. On failure their files are deleted, unless the outcome is
     * unknown.
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
                    withoutRead(table, commitUser, COMPACTIONS),
                    new Options(),
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
                table,
                withoutRead(table, commitUser, BATCH),
                new Options(),
                TableCommitImpl::truncateTable);
    }

    /** Deletes all rows of some partitions, by the texts of their values. */
    public OptionalLong truncate(
            FileStoreTable table, String commitUser, List<Map<String, String>> partitions) {
        return once(
                table,
                withoutRead(table, commitUser, BATCH),
                new Options(),
                commit -> commit.truncatePartitions(partitions));
    }

    private static CommitGuard withoutRead(
            FileStoreTable table, String commitUser, long identifier) {
        return new CommitGuard(table, commitUser, identifier, Optional.empty(), List.of(), false);
    }

    /**
     * Repeats an attempt until its commit took place, or never will, or its outcome stays unknown.
     */
    private OptionalLong once(
            FileStoreTable table,
            CommitGuard guard,
            Options options,
            Consumer<TableCommitImpl> attempt) {
        FileStoreTable guarded = guarded(table, guard, options);
        int maxRetries = table.coreOptions().commitMaxRetries();
        long maxWaitMillis = table.coreOptions().commitTimeout();
        long start = nanoTime.getAsLong();
        guard.start(latestId(table));
        OptionalLong unknownSince = OptionalLong.empty();
        boolean interrupted = false;
        try {
            for (int failures = 0; ; failures++) {
                Exception failure;
                try (TableCommitImpl commit = guarded.newCommit(guard.commitUser())) {
                    attempt.accept(commit);
                    return guard.committed();
                } catch (Exception e) {
                    failure = e;
                }
                if (guard.committed().isPresent()) {
                    log.warn(failure, "%s is committed; what follows failed", guard.committed());
                    return guard.committed();
                }
                if (guard.isUnknown()) {
                    // Also a cancelled statement must find out the outcome
                    interrupted |= Thread.interrupted();
                    if (unknownSince.isEmpty()) {
                        unknownSince = OptionalLong.of(nanoTime.getAsLong());
                    }
                    OptionalLong found = find(guard, failure);
                    if (found.isPresent()) {
                        return found;
                    }
                }
                if (guard.isUnknown()) {
                    checkHopeful(table, guard, failure, millisSince(unknownSince.getAsLong()));
                } else {
                    long waited = millisSince(start);
                    unknownSince = OptionalLong.empty();
                    checkRepeatable(
                            table,
                            guard,
                            failure,
                            failures >= maxRetries || waited > maxWaitMillis);
                }
                pauseMillis.accept(Math.min(MAX_WAIT.toMillis(), 10L << Math.min(failures, 20)));
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private long millisSince(long start) {
        return (nanoTime.getAsLong() - start) / 1_000_000;
    }

    /** Looks for an attempt whose answer was lost; empty also if the store does not answer. */
    private static OptionalLong find(CommitGuard guard, Exception failure) {
        try {
            return guard.find();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
            return OptionalLong.empty();
        }
    }

    private static void checkHopeful(
            FileStoreTable table, CommitGuard guard, Exception failure, long unknownMillis) {
        if (unknownMillis > MAX_UNKNOWN.toMillis()) {
            throw new TrinoException(
                    PAIMON_COMMIT_UNKNOWN,
                    "Cannot find out whether the rows are in %s: if so, a snapshot of commit user %s is there: %s"
                            .formatted(table.location(), guard.commitUser(), failure.getMessage()),
                    failure);
        }
    }

    private static void checkRepeatable(
            FileStoreTable table, CommitGuard guard, Exception failure, boolean isLast) {
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
        if (isLast || isRefused(failure)) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot commit to %s: %s".formatted(table.location(), rootMessage(failure)),
                    failure);
        }
    }

    private static boolean isRefused(Throwable failure) {
        return Throwables.getCausalChain(failure).stream()
                .anyMatch(AccessDeniedException.class::isInstance);
    }

    /** Paimon has no exception type for conflicts. */
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

    private static FileStoreTable guarded(
            FileStoreTable table, CommitGuard guard, Options options) {
        options.set(CoreOptions.BRANCH, table.coreOptions().branch());
        // Attempts are repeated here, where the outcome of each is known
        options.set(CoreOptions.COMMIT_MAX_RETRIES, 0);
        // Else an overwrite would delete all partitions
        options.set(CoreOptions.DYNAMIC_PARTITION_OVERWRITE, true);
        return FileStoreTableFactory.createWithoutFallbackBranch(
                table.fileIO(),
                table.location(),
                table.schema(),
                options,
                new GuardedEnvironment(table.catalogEnvironment(), guard));
    }
}
