package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.VersionedObjects;
import io.stele.engine.wal.LogFiles;
import io.stele.engine.wal.LogId;
import io.stele.engine.wal.LogIdentity;
import io.stele.engine.wal.LogMark;
import io.stele.engine.wal.OtherLogException;
import io.stele.engine.wal.RecoveredLog;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;

/**
 * The binding of the log to its warehouse: the warehouse names the log by an id, which is in every
 * segment, and manifests have the position up to which the log is durable. A log of another id, an
 * older copy, or none is refused. See docs/decisions/write-ahead-log.md.
 *
 * <p>The warehouse names a log before it is begun, and marks it as begun after the log has the id
 * on disk. Until then nothing was acknowledged, so that a log that is not begun may be missing.
 *
 * <p>One thread, once: {@link #find}, then the log is taken over and recovered, then {@link
 * #begin}.
 */
public final class WarehouseLog {
    /** Enough to see which logs there were before. */
    private static final int KEPT_VERSIONS = 20;

    private final VersionedObjects<NamedLog> versions;
    private final String warehouse;
    private long version;
    private boolean begun;
    private Optional<LogId> givenUp = Optional.empty();

    public WarehouseLog(ObjectStore store, UUID owner) {
        this.versions =
                VersionedObjects.namedLog(
                        requireNonNull(store, "store is null"),
                        NamedLog.class,
                        owner,
                        KEPT_VERSIONS);
        this.warehouse = store.describe("named-log");
    }

    /**
     * Finds the log to recover, before anything of it is changed.
     *
     * @param epoch that no other engine has, for the id of a new log
     * @param isNew whether the warehouse has never had a table
     * @param toGiveUp the log to continue without
     * @throws SteleException CORRUPT_DATA when it is missing, or another log is found
     */
    public LogMark find(
            LogFiles log,
            Collection<Manifest> manifests,
            long epoch,
            boolean isNew,
            Optional<LogId> toGiveUp)
            throws IOException {
        Optional<VersionedObjects.Versioned<NamedLog>> latest = versions.latest();
        version = latest.map(VersionedObjects.Versioned::version).orElse(0L);
        Optional<NamedLog> named = latest.map(VersionedObjects.Versioned::value);
        Optional<LogIdentity.Newest> there = LogIdentity.find(log);
        if (named.filter(NamedLog::begun).isEmpty()) {
            return findUnbegun(named, there, log, epoch, isNew);
        }
        LogId expected = named.get().logId();
        if (toGiveUp.filter(expected::equals).isPresent()) {
            checkEmpty(log, expected);
            givenUp = toGiveUp;
            return name(epoch);
        }
        begun = true;
        LogMark mark = new LogMark(expected, durable(manifests, expected));
        checkIsThere(mark, there, log);
        return mark;
    }

    /**
     * The reason why transactions from before this start may be unknown, if their log is given up.
     */
    public Optional<SteleException> givenUp() {
        return givenUp.map(
                log ->
                        new SteleException(
                                ErrorCode.CORRUPT_DATA,
                                "Expected the outcome of the transaction in log %s, which is given up: some of its rows may be in files"
                                        .formatted(log)));
    }

    /** Whether the warehouse has a log that must exist; if so, it has had a catalog too. */
    public boolean isBegun() throws IOException {
        try {
            return versions.latest().filter(named -> named.value().begun()).isPresent();
        } catch (SteleException unreadable) {
            return true; // it exists, whatever its content
        }
    }

    private LogMark findUnbegun(
            Optional<NamedLog> named,
            Optional<LogIdentity.Newest> there,
            LogFiles log,
            long epoch,
            boolean isNew)
            throws IOException {
        if (there.isEmpty()) {
            // Under another id than the last attempt, which may have begun a log elsewhere
            return name(epoch);
        }
        LogId found = there.get().logId();
        if (named.filter(attempt -> attempt.logId().equals(found)).isPresent()) {
            return new LogMark(found, 0); // the last attempt came so far
        }
        if (found.equals(LogId.NONE) && !isNew) {
            return name(epoch); // both are of the time before logs had ids
        }
        throw new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected no log yet beside a warehouse that names none, found log %s of another warehouse: %s. Is stele.warehouse.path right, and stele.wal.path?"
                        .formatted(found, log.describe(1)),
                new OtherLogException());
    }

    private static void checkEmpty(LogFiles log, LogId givenUp) throws IOException {
        if (!log.segments().isEmpty()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an empty stele.wal.path to begin a log in the place of %s, which is given up, found segments: %s. Move them away, or name another place"
                            .formatted(givenUp, log.describe(log.segments().getFirst())));
        }
    }

    private static void checkIsThere(
            LogMark expected, Optional<LogIdentity.Newest> there, LogFiles log) throws IOException {
        if (log.segments().isEmpty()) {
            throw LogIdentity.noLog(expected.logId(), log.describe(1));
        }
        if (there.isEmpty()) {
            return; // headers of open files on HDFS are read once their writer is fenced
        }
        String where = log.describe(log.segments().getLast());
        if (!there.get().logId().equals(expected.logId())) {
            throw LogIdentity.otherLog(expected.logId(), there.get().logId(), where);
        }
        if (log.isSegmentPerGroup() && there.get().firstSequence() < expected.sequence()) {
            throw LogIdentity.endMissing(expected, there.get().firstSequence(), where);
        }
    }

    /** The last group of a log that a manifest names; at least 1, which every begun log has. */
    private static long durable(Collection<Manifest> manifests, LogId logId) {
        return manifests.stream()
                .flatMap(manifest -> manifest.log().stream())
                .filter(mark -> mark.logId().equals(logId))
                .mapToLong(LogMark::sequence)
                .reduce(1, Math::max);
    }

    /** Names a new log: from now on, no other log is this warehouse's. */
    private LogMark name(long epoch) throws IOException {
        LogId logId = LogId.of(epoch, warehouse);
        create(new NamedLog(logId, false));
        return new LogMark(logId, 0);
    }

    /** Marks a new log as begun, so that it must exist from now on. */
    public void begin(RecoveredLog log) throws IOException {
        if (begun) {
            return;
        }
        create(new NamedLog(log.begin().logId(), true));
        versions.deleteOld();
        begun = true;
    }

    private void create(NamedLog next) throws IOException {
        if (!versions.createNewest(version + 1, next)) {
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "Expected to name log %s in %s, found that another engine opens this warehouse at this moment; try again"
                            .formatted(next.logId(), versions.path(version + 1)));
        }
        version++;
    }
}
