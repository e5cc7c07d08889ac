package io.stele.paimon.write;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.trino.spi.TrinoException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.paimon.AppendOnlyFileStore;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.EndOfScanException;

/**
 * The compaction of tables in this process by Paimon's writers, for procedure {@code compact} and
 * after statements that lost their own compaction. All files of a bucket become one sorted run;
 * small files of a table without primary key become larger files. Thread-safe; waits for the store.
 */
public final class TableCompaction {
    private static final Logger log = Logger.get(TableCompaction.class);

    /** Buckets of one commit, so that finished compactions stay when a later commit fails. */
    private static final int BUCKETS_OF_COMMIT = 32;

    private static final int TASKS_OF_COMMIT = 16;

    private static final int MAX_ATTEMPTS = 3;

    private record Bucket(BinaryRow partition, int bucket) {}

    private final TableCommits commits;
    private final SpillFolder spill;

    @Inject
    public TableCompaction(TableCommits commits, SpillFolder spill) {
        this.commits = requireNonNull(commits, "commits is null");
        this.spill = requireNonNull(spill, "spill is null");
    }

    /**
     * Compacts a table.
     *
     * @return the snapshot of the last commit; empty: there was nothing to compact
     */
    public OptionalLong compact(FileStoreTable table) {
        FileStoreTable writable =
                table.copy(
                        Map.of(
                                CoreOptions.WRITE_ONLY.key(), "false",
                                CoreOptions.COMPACTION_MIN_FILE_NUM.key(), "2"));
        try {
            return writable.bucketMode() == BucketMode.BUCKET_UNAWARE
                    ? compactFiles(writable)
                    : compactBuckets(writable);
        } catch (TrinoException e) {
            throw e;
        } catch (Exception e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot compact %s: %s".formatted(table.location(), e.getMessage()),
                    e);
        }
    }

    /**
     * Compacts the buckets of a statement whose own compaction lost against another one, in a table
     * whose readers leave out rows that are not compacted. After some attempts a failure is only
     * logged.
     *
     * @return the snapshot; empty: there was nothing to compact
     */
    public OptionalLong compactAgain(FileStoreTable table, Collection<Slice> fragments) {
        Set<Bucket> buckets =
                WriteMessages.decode(fragments).stream()
                        .map(message -> new Bucket(message.partition(), message.bucket()))
                        .collect(Collectors.toSet());
        for (int attempt = 1; ; attempt++) {
            try {
                return compactBuckets(table, List.copyOf(buckets), false);
            } catch (Exception e) {
                if (attempt == MAX_ATTEMPTS) {
                    log.warn(
                            e,
                            "Rows are committed to %s, but not seen before the next compaction",
                            table.location());
                    return OptionalLong.empty();
                }
            }
        }
    }

    private OptionalLong compactBuckets(FileStoreTable table) throws Exception {
        return compactBuckets(
                table,
                table.store().newScan().readBucketEntries().stream()
                        .filter(bucket -> bucket.bucket() >= 0 && bucket.fileCount() > 0)
                        .map(bucket -> new Bucket(bucket.partition(), bucket.bucket()))
                        .toList(),
                true);
    }

    /**
     * @param full whether all files of a bucket are rewritten, or only files that readers do not
     *     see
     */
    private OptionalLong compactBuckets(FileStoreTable table, List<Bucket> buckets, boolean full)
            throws Exception {
        OptionalLong last = OptionalLong.empty();
        for (int start = 0; start < buckets.size(); start += BUCKETS_OF_COMMIT) {
            int end = Math.min(buckets.size(), start + BUCKETS_OF_COMMIT);
            String user = newUser();
            List<CommitMessage> messages = new ArrayList<>();
            try (IOManager disk = spill.open();
                    TableWriteImpl<?> write = table.newWrite(user).withIOManager(disk)) {
                for (Bucket bucket : buckets.subList(start, end)) {
                    write.compact(bucket.partition(), bucket.bucket(), full);
                }
                messages.addAll(write.prepareCommit(true, 1));
            }
            last = later(last, commits.commitCompaction(table, user, messages));
        }
        return last;
    }

    private OptionalLong compactFiles(FileStoreTable table) throws Exception {
        OptionalLong last = OptionalLong.empty();
        AppendCompactCoordinator coordinator = new AppendCompactCoordinator(table, false);
        List<AppendCompactTask> tasks = new ArrayList<>();
        try {
            do {
                tasks.addAll(coordinator.run());
            } while (coordinator.batchRemainFiles());
        } catch (EndOfScanException e) {
            // Paimon's word for a table without files
        }
        for (int start = 0; start < tasks.size(); start += TASKS_OF_COMMIT) {
            int end = Math.min(tasks.size(), start + TASKS_OF_COMMIT);
            last = later(last, compactFiles(table, tasks.subList(start, end)));
        }
        return last;
    }

    private OptionalLong compactFiles(FileStoreTable table, List<AppendCompactTask> tasks)
            throws Exception {
        String user = newUser();
        List<CommitMessage> messages = new ArrayList<>();
        BaseAppendFileStoreWrite write = ((AppendOnlyFileStore) table.store()).newWrite(user);
        try {
            for (AppendCompactTask task : tasks) {
                messages.add(task.doCompact(table, write));
            }
        } catch (Exception e) {
            WriteMessages.discard(table, messages);
            throw e;
        } finally {
            write.close();
        }
        return commits.commitCompaction(table, user, messages);
    }

    private static String newUser() {
        return "trino-compact-" + UUID.randomUUID();
    }

    private static OptionalLong later(OptionalLong before, OptionalLong now) {
        return now.isPresent() ? now : before;
    }
}
