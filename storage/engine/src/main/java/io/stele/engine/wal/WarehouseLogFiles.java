package io.stele.engine.wal;

import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.warehouse.WarehouseAccess;
import io.stele.objectstore.warehouse.WarehouseLocation;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.Executor;

/**
 * The log files at a location of any kind: a local folder, an S3 bucket or a Hadoop file system.
 */
public final class WarehouseLogFiles {
    /** Below the location of a log on S3: its groups. */
    static final String LOG_FOLDER = "log/";

    private WarehouseLogFiles() {}

    /** Finds out whether a store over a network does what all rests on. */
    @FunctionalInterface
    public interface StoreCheck {
        /**
         * Checks it.
         *
         * @throws IOException if it does not
         */
        void check(ObjectStore store) throws IOException;
    }

    /**
     * A write-ahead log at a location; nobody else has it open if it is a folder, and nothing is
     * asked of others yet but by the check.
     *
     * @param check of the store that a log on S3 is kept in
     * @param reads runs reads ahead while the log is replayed
     * @throws IOException if the folder is in use, or the location cannot be used
     */
    public static LogFiles open(
            WarehouseLocation location, WarehouseAccess access, StoreCheck check, Executor reads)
            throws IOException {
        return switch (location) {
            case WarehouseLocation.Folder folder ->
                    LocalLogFiles.open(Files.createDirectories(folder.path()));
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
