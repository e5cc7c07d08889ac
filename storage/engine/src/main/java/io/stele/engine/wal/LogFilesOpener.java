package io.stele.engine.wal;

import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.warehouse.WarehouseAccess;
import io.stele.objectstore.warehouse.WarehouseLocation;
import java.io.IOException;
import java.util.concurrent.Executor;

/**
 * The opening of the log files at a configured location, which may be a local folder, an S3 bucket
 * or a Hadoop file system.
 */
public final class LogFilesOpener {
    /** The folder of the groups below the location of a log on S3. */
    static final String LOG_FOLDER = "log/";

    private LogFilesOpener() {}

    /** A check whether a remote store has the properties that the log relies on. */
    @FunctionalInterface
    public interface StoreCheck {
        /**
         * Checks a store.
         *
         * @throws IOException when the store lacks the properties
         */
        void check(ObjectStore store) throws IOException;
    }

    /**
     * Opens a write-ahead log at a location. A folder is locked against other processes; a remote
     * store receives no request yet but those of the check.
     *
     * @param check the check of the store of a log on S3
     * @param reads runs reads ahead while the log is replayed
     * @throws IOException if the folder is in use, or the location cannot be used
     */
    public static LogFiles open(
            WarehouseLocation location, WarehouseAccess access, StoreCheck check, Executor reads)
            throws IOException {
        return switch (location) {
            case WarehouseLocation.Folder folder -> LocalLogFiles.open(folder.path());
            case WarehouseLocation.Bucket _ ->
                    new ObjectLogFiles(
                            checked(location.open(access), check),
                            LOG_FOLDER,
                            reads,
                            access.sleepMillis());
            case WarehouseLocation.Hadoop hadoop ->
                    HadoopLogFiles.open(hadoop.location(), access.hadoop(), access.sleepMillis());
        };
    }

    private static ObjectStore checked(ObjectStore store, StoreCheck check) throws IOException {
        try {
            check.check(store);
            return store;
        } catch (IOException e) {
            try (store) {
                throw e;
            }
        }
    }
}
