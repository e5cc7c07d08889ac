package io.stele.paimon.store;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The naming convention of Paimon's files below a table's folder, by which stores choose how to
 * read a file. Names decide only how a file is read, never whether it exists.
 */
final class LakeFileNames {
    /** Folders whose files are small, and read whole. */
    private static final Set<String> METADATA_FOLDERS =
            Set.of(
                    "snapshot",
                    "schema",
                    "manifest",
                    "statistics",
                    "tag",
                    "changelog",
                    "consumer",
                    "service");

    private static final String INDEX_FOLDER = "index";
    private static final String BUCKET_START = "bucket-";
    private static final String BRANCH_FOLDER = "branch";
    private static final String DATABASE_END = ".db";

    private static final Pattern METADATA_FILE =
            Pattern.compile(
                    "(snapshot|schema|manifest|manifest-list|index-manifest|stat|stats|tag|changelog|consumer|service)-[^=]+|EARLIEST|LATEST");

    private LakeFileNames() {}

    /** Whether a file is small, and read as a whole: snapshots, schemas, manifests and the like. */
    static boolean isMetadata(String path) {
        return METADATA_FOLDERS.contains(name(parent(path)))
                && METADATA_FILE.matcher(name(path)).matches();
    }

    /**
     * Whether the name is that of a data file or an index file, which is written once under a name
     * that is never used again.
     */
    static boolean isData(String path) {
        String folder = name(parent(path));
        return isBucket(folder) && name(path).indexOf('.') > 0
                || folder.equals(INDEX_FOLDER) && name(path).startsWith("index-");
    }

    /** Whether the name is that of a file, so that it need not be looked for as a folder. */
    static boolean isFile(String path) {
        return isMetadata(path) || isData(path);
    }

    /** Whether the name is one that Paimon gives to folders alone. */
    static boolean isFolder(String path) {
        String name = name(path);
        return METADATA_FOLDERS.contains(name)
                || name.equals(INDEX_FOLDER)
                || name.equals(BRANCH_FOLDER)
                || isBucket(name)
                || name.endsWith(DATABASE_END);
    }

    /**
     * The folder of the table that a data file belongs to: the folder above its bucket and
     * partitions. Empty for other files.
     */
    static Optional<String> tableFolder(String path) {
        if (!isData(path)) {
            return Optional.empty();
        }
        String folder = parent(parent(path));
        while (name(folder).indexOf('=') > 0) {
            folder = parent(folder);
        }
        return folder.isEmpty() ? Optional.empty() : Optional.of(folder);
    }

    /** {@code database.table} of a table's folder, if it lies in the folder of a database. */
    static Optional<String> tableName(String tableFolder) {
        String database = name(parent(tableFolder));
        return database.endsWith(DATABASE_END) && database.length() > DATABASE_END.length()
                ? Optional.of(
                        database.substring(0, database.length() - DATABASE_END.length())
                                + "."
                                + name(tableFolder))
                : Optional.empty();
    }

    private static boolean isBucket(String name) {
        return name.startsWith(BUCKET_START);
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }
}
