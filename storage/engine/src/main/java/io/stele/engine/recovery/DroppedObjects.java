package io.stele.engine.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.DeletionVectorFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.transaction.Decision;
import io.stele.objectstore.NumberedName;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.Sha256;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The set of stored objects and log records that were given up because they cannot be used, stored
 * as {@code dropped/<name>}. A start continues without the log records, and without the data files
 * that have one of the objects. For all other objects, {@code dropped/} has their bytes, as far as
 * there were any, and the object itself is deleted.
 *
 * <p>Immutable; {@link #load} and {@link #drop} block on the store.
 */
public final class DroppedObjects {
    public static final String FOLDER = "dropped/";

    public static final String DATA_FOLDER = "data";
    public static final String DATA = DATA_FOLDER + "/";
    static final String MANIFESTS = "manifest/";

    /** The prefix of the id of a table that only catalog versions which are given up knew. */
    static final String TABLES = "table/";

    /** The prefix of {@code <shard>/<LSN>}, the name of a record of the log. */
    static final String LOG = "log/";

    /** The prefix of records that were retained when their segment of the log was deleted. */
    static final String KEPT = RetainedLog.FOLDER;

    static final String DECISIONS = Decision.FOLDER;
    static final String CATALOG = "catalog/";

    private final Set<String> paths;
    private final String digest;

    private DroppedObjects(Set<String> paths, String digest) {
        this.paths = Set.copyOf(requireNonNull(paths, "paths is null"));
        this.digest = requireNonNull(digest, "digest is null");
    }

    public static DroppedObjects load(ObjectStore store) throws IOException {
        Set<String> paths = new HashSet<>();
        List<String> lines = new ArrayList<>();
        for (ObjectEntry entry : store.list(FOLDER)) {
            paths.add(entry.path().substring(FOLDER.length()));
            // A manifest version may be made, and given up, again under the same name
            lines.add(entry.path() + " " + entry.modified() + "\n");
        }
        lines.sort(null);
        return new DroppedObjects(paths, Sha256.hex(String.join("", lines).getBytes(UTF_8)));
    }

    /** The SHA-256 of all names and their times; it changes whenever something is given up. */
    public String digest() {
        return digest;
    }

    /** Gives up an object: from the next start on, it is not needed. */
    static void drop(ObjectStore store, String name, byte[] content) throws IOException {
        store.put(FOLDER + name, content);
    }

    /** Gives up an object that is missing; a copy from an earlier drop stays. */
    static void dropLost(ObjectStore store, String name) throws IOException {
        store.createIfAbsent(FOLDER + name, new byte[0]);
    }

    boolean hasRecord(ShardId shard, Lsn lsn) {
        return !paths.isEmpty() && paths.contains(LOG + shard + "/" + lsn);
    }

    /** The catalog versions that are given up. */
    Set<Long> catalogVersions() {
        Set<Long> versions = new HashSet<>();
        for (String path : paths) {
            if (path.startsWith(CATALOG)) {
                NumberedName.parse(path.substring(CATALOG.length())).ifPresent(versions::add);
            }
        }
        return versions;
    }

    boolean hasObject(String path) {
        return paths.contains(path);
    }

    /** Whether a file has an object that is given up. */
    boolean has(FileEntry file) {
        return !paths.isEmpty()
                && (file.immutablePaths().stream().anyMatch(paths::contains)
                        || file.deletionVector()
                                .map(DeletionVectorFile::path)
                                .filter(paths::contains)
                                .isPresent());
    }
}
