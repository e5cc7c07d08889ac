package io.stele.paimon.procedure;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.paimon.write.TableCompaction;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.paimon.operation.CleanOrphanFilesResult;
import org.apache.paimon.operation.LocalOrphanFilesClean;
import org.jspecify.annotations.Nullable;

/**
 * The procedures {@code compact} and {@code remove_orphan_files}, which rewrite and delete a
 * table's files on the coordinator. Thread-safe.
 */
public final class FileProcedures {
    private static final Logger log = Logger.get(FileProcedures.class);

    /** A younger file may belong to a statement that is not committed yet. */
    private static final Duration LEAST_AGE = Duration.ofHours(1);

    private static final Duration DEFAULT_AGE = Duration.ofDays(1);

    private final ProcedureCalls calls;
    private final TableCompaction compaction;
    private final InstantSource clock = InstantSource.system();

    FileProcedures(ProcedureCalls calls, TableCompaction compaction) {
        this.calls = requireNonNull(calls, "calls is null");
        this.compaction = requireNonNull(compaction, "compaction is null");
    }

    /** Compacts a table and waits for the end. */
    public void compact(String schema, String table) {
        calls.run(
                "compact",
                schema,
                table,
                (name, found) -> calls.committed(found, compaction.compact(found)));
    }

    /**
     * Deletes files that no snapshot has and that are older than an age; without an age, older than
     * a day.
     */
    public void removeOrphans(String schema, String table, @Nullable String retentionThreshold) {
        calls.run(
                "remove_orphan_files",
                schema,
                table,
                (name, found) -> {
                    Duration age = ProcedureCalls.age(retentionThreshold).orElse(DEFAULT_AGE);
                    if (age.compareTo(LEAST_AGE) < 0) {
                        throw ProcedureCalls.bad(
                                "Expected a retention_threshold of an hour or more, since later"
                                        + " files may be those of running statements, found %s",
                                retentionThreshold);
                    }
                    Instant before = clock.instant().minus(age);
                    CleanOrphanFilesResult removed =
                            new LocalOrphanFilesClean(found, before.toEpochMilli()).clean();
                    log.info(
                            "Removed %s files that no snapshot of %s has",
                            removed.getDeletedFileCount(), name);
                });
    }
}
