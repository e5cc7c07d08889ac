package io.stele.engine;

import io.stele.engine.manifest.VersionedObjects;
import io.stele.engine.recovery.NamedLog;
import io.stele.engine.wal.LogId;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/** What a warehouse says of its log. */
final class NamedLogs {
    private NamedLogs() {}

    static Optional<NamedLog> find(ObjectStore store) throws IOException {
        return VersionedObjects.namedLog(store, NamedLog.class, new UUID(0, 0), 1)
                .latest()
                .map(VersionedObjects.Versioned::value);
    }

    /** Its id, so that an engine may go on without it; empty if there is none. */
    static Optional<LogId> id(ObjectStore store) throws IOException {
        return find(store).map(NamedLog::logId);
    }
}
