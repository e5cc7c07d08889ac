package io.stele.objectstore.hadoop;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.jspecify.annotations.Nullable;

/**
 * The atomic publication of a finished temporary file under its final name in a Hadoop file system,
 * on the write path. A file is created only if no file has that name, by a rename without
 * overwriting, which HDFS does atomically.
 *
 * <p>The outcome of a rename may be unknown because its answer was lost. Then the file id of HDFS
 * decides whether the file at the final name is this one.
 *
 * <p>Thread-safe.
 */
final class HadoopPublication {
    /** Pauses of 50, 200 and 800 ms between them; callers that need the outcome repeat the call. */
    private static final int ATTEMPTS = 4;

    private static final long FIRST_PAUSE_MILLIS = 50;

    private final FileSystem files;
    private final Renames renames;
    private final LongConsumer sleepMillis;

    /** A rename with the option not to overwrite. */
    private interface Renames {
        void rename(Path from, Path to, Options.Rename mode) throws IOException;
    }

    HadoopPublication(FileSystem files, LongConsumer sleepMillis) throws IOException {
        this.files = files;
        this.renames = renames(files);
        this.sleepMillis = requireNonNull(sleepMillis, "sleepMillis is null");
    }

    private static Renames renames(FileSystem files) throws IOException {
        if (files instanceof DistributedFileSystem hdfs) {
            return hdfs::rename;
        }
        Configuration configuration = files.getConf();
        FileContext context = FileContext.getFileContext(files.getUri(), configuration);
        return context::rename;
    }

    /**
     * Renames {@code file} to {@code target} unless something is there, creating directories above.
     *
     * @return whether {@code target} is our file; if not, another is there
     * @throws IOException if the outcome is unknown: the file may still appear
     */
    boolean publish(HadoopTemporary file, Path target) throws IOException {
        IOException unknown = null;
        boolean madeParent = false;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            if (unknown != null) {
                sleepMillis.accept(FIRST_PAUSE_MILLIS << 2 * (attempt - 2));
            }
            try {
                renames.rename(file.path(), target, Options.Rename.NONE);
                return true;
            } catch (IOException e) {
                if (HadoopFailures.isThere(e)) {
                    return isOurs(file, target, unknown == null);
                }
                if (HadoopFailures.isMissing(e)) {
                    // The directory of the target is missing, or our file: in the latter case an
                    // attempt succeeded
                    if (isThere(target)) {
                        return isOurs(file, target, false);
                    }
                    if (!madeParent && isThere(file.path())) {
                        files.mkdirs(requireNonNull(target.getParent(), "target has no parent"));
                        madeParent = true;
                        attempt--;
                        continue;
                    }
                }
                if (unknown != null) {
                    e.addSuppressed(unknown);
                }
                unknown = e;
            }
        }
        throw requireNonNull(unknown);
    }

    /** Renames {@code file} to {@code target}, also if that exists. */
    void replace(HadoopTemporary file, Path target) throws IOException {
        files.mkdirs(requireNonNull(target.getParent(), "target has no parent"));
        renames.rename(file.path(), target, Options.Rename.OVERWRITE);
    }

    /**
     * Renames a file or a directory unless something of the other name is there, creating
     * directories above.
     *
     * @return false and no change if {@code to} exists or {@code from} does not
     */
    boolean move(Path from, Path to) throws IOException {
        if (!isThere(from) || isThere(to)) {
            return false;
        }
        files.mkdirs(requireNonNull(to.getParent(), "to has no parent"));
        try {
            renames.rename(from, to, Options.Rename.NONE);
            return true;
        } catch (IOException e) {
            if (HadoopFailures.isThere(e) || HadoopFailures.isMissing(e)) {
                return false;
            }
            throw e;
        }
    }

    private boolean isThere(Path path) throws IOException {
        return find(path) != null;
    }

    private @Nullable FileStatus find(Path path) throws IOException {
        try {
            return files.getFileStatus(path);
        } catch (IOException e) {
            if (HadoopFailures.isMissing(e)) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Whether the file at {@code target}, which exists, is ours.
     *
     * @param first whether no earlier attempt can have succeeded
     */
    private boolean isOurs(HadoopTemporary file, Path target, boolean first) throws IOException {
        OptionalLong ours = file.id();
        if (ours.isEmpty()) {
            // Without file ids: our file cannot be at the target while it has its old name
            if (first || isThere(file.path())) {
                return false;
            }
            throw new IOException("Cannot find out who created " + target);
        }
        if (!(find(target) instanceof HdfsFileStatus found)) {
            throw new IOException(
                    "Expected a file of HDFS, found none or another kind at " + target);
        }
        return found.getFileId() == ours.getAsLong();
    }
}
