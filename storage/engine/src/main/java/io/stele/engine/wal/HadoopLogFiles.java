package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.hadoop.HadoopConfig;
import io.stele.objectstore.hadoop.HadoopFileSystems;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * The segment files of a log in a directory of HDFS, {@code <epoch>/<number>.wal}; hsync writes
 * each group to the disks of the data nodes. See docs/decisions/write-ahead-log.md.
 *
 * <p>Safe for use by many threads, except that one writer belongs to one thread.
 */
public final class HadoopLogFiles implements LogFiles {
    /*
     * The segments are in one directory, whose name is the epoch of the owner. An engine that takes
     * the log over renames it. So the previous owner, which never creates directories, finds no
     * place for another segment. Then it closes the files that the owner still writes
     * (recoverLease), so that the owner's next sync fails. Only then is the log read, to the end
     * that HDFS reports.
     */
    private static final String SEALING = ".sealing";

    /** Each is a step of another engine that takes the log over at the same time. */
    private static final int OWNERSHIP_ATTEMPTS = 100;

    private static final int BUFFER_BYTES = 64 << 10;
    private static final int COPY_BYTES = 1 << 20;

    private static final long LEASE_PAUSE_MILLIS = 200;

    /** Lease recovery is requested again after 10 s, and given up after 5 min. */
    private static final int LEASE_PAUSES_A_REQUEST = 50;

    private static final int LEASE_REQUESTS = 30;

    private final DistributedFileSystem files;
    private final Path root;
    private final LongConsumer sleepMillis;
    private volatile @Nullable Path directory; // once the log was taken over

    private HadoopLogFiles(DistributedFileSystem files, Path root, LongConsumer sleepMillis) {
        this.files = files;
        this.root = root;
        this.sleepMillis = requireNonNull(sleepMillis, "sleepMillis is null");
    }

    /**
     * The log in a directory, without any request to it yet.
     *
     * @param sleepMillis makes the calling thread wait between attempts
     * @throws IOException if that is no HDFS, or its configuration cannot be read
     */
    public static HadoopLogFiles open(
            HadoopLocation location, HadoopConfig config, LongConsumer sleepMillis)
            throws IOException {
        FileSystem files = HadoopFileSystems.open(location, config);
        if (files instanceof DistributedFileSystem hdfs) {
            return new HadoopLogFiles(hdfs, new Path(location.uri()), sleepMillis);
        }
        files.close();
        throw new IOException(
                "Expected HDFS, whose files have leases, found %s: %s"
                        .formatted(files.getClass().getSimpleName(), location));
    }

    @Override
    public void takeOver(long epoch, LogId logId) throws IOException {
        LogEpochs.check(epoch);
        for (int attempt = 0; attempt < OWNERSHIP_ATTEMPTS; attempt++) {
            try {
                if (owns(epoch)) {
                    return;
                }
            } catch (FileNotFoundException e) {
                // Another engine has renamed the directory meanwhile: list again
            }
        }
        throw new IOException(
                String.format(
                        Locale.ROOT,
                        "Expected to own the log after %d attempts, found others taking it over and over: %s",
                        OWNERSHIP_ATTEMPTS,
                        root));
    }

    /** Makes a step, or finds that none is left and that no other engine can write. */
    private boolean owns(long epoch) throws IOException {
        List<Long> epochs = epochs();
        if (epochs.equals(List.of(epoch))) {
            Path owned = directory(epoch);
            recoverLeases(owned);
            directory = owned;
            return true;
        }
        if (!epochs.isEmpty() && epochs.getLast() > epoch) {
            throw LogEpochs.takenLater(epoch, epochs.getLast(), root);
        }
        step(epochs, epoch);
        return false;
    }

    /**
     * One step towards a single directory of this epoch, from any state that other engines left.
     */
    private void step(List<Long> epochs, long epoch) throws IOException {
        if (epochs.isEmpty()) {
            files.mkdirs(directory(0));
        } else if (epochs.size() > 1) {
            // Another engine took the log over, or began it, at the same time; one has segments
            removeEmpty(epochs);
        } else {
            files.rename(directory(epochs.getFirst()), directory(epoch), Options.Rename.NONE);
        }
    }

    private void removeEmpty(List<Long> epochs) throws IOException {
        for (long epoch : epochs) {
            if (files.listStatus(directory(epoch)).length == 0) {
                try {
                    files.delete(directory(epoch), false);
                } catch (PathIsNotEmptyDirectoryException e) {
                    // Its owner has begun a segment meanwhile: the next step looks again
                }
                return;
            }
        }
        throw new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected segments of one epoch, found them of %s in %s".formatted(epochs, root));
    }

    private List<Long> epochs() throws IOException {
        List<Long> epochs = new ArrayList<>();
        try {
            for (FileStatus status : files.listStatus(root)) {
                if (status.isDirectory()) {
                    LogNames.number(status.getPath().getName()).ifPresent(epochs::add);
                }
            }
        } catch (FileNotFoundException e) {
            return List.of();
        }
        Collections.sort(epochs);
        return epochs;
    }

    private Path directory(long epoch) {
        return new Path(root, LogNames.of(epoch));
    }

    private Path owned() {
        Path owned = directory;
        if (owned == null) {
            throw new IllegalStateException("Expected a log that was taken over, found another's");
        }
        return owned;
    }

    /**
     * Closes the files that their writers left open, so that no writer continues and all readers
     * see the same end.
     */
    private void recoverLeases(Path owned) throws IOException {
        for (FileStatus status : files.listStatus(owned)) {
            Path file = status.getPath();
            if (file.getName().endsWith(SEALING)) {
                files.delete(file, false); // of an engine that died while it sealed a segment
            } else {
                recoverLease(file);
            }
        }
    }

    private void recoverLease(Path file) throws IOException {
        for (int request = 0; request < LEASE_REQUESTS; request++) {
            if (files.isFileClosed(file) || files.recoverLease(file)) {
                return;
            }
            for (int pause = 0; pause < LEASE_PAUSES_A_REQUEST; pause++) {
                sleepMillis.accept(LEASE_PAUSE_MILLIS);
                if (files.isFileClosed(file)) {
                    return;
                }
            }
        }
        throw new IOException(
                "Expected HDFS to close a file of a writer that is gone, found it still open: "
                        + file);
    }

    @Override
    public List<Long> segments() throws IOException {
        Path present = directory;
        if (present == null) {
            List<Long> epochs = epochs();
            if (epochs.isEmpty()) {
                return List.of();
            }
            present = directory(epochs.getLast());
        }
        List<Long> segments = new ArrayList<>();
        for (FileStatus status : files.listStatus(present)) {
            LogNames.segment(status.getPath().getName()).ifPresent(segments::add);
        }
        Collections.sort(segments);
        return List.copyOf(segments);
    }

    @Override
    public Writer create(long segment) throws IOException {
        Path present = owned();
        try {
            return new HadoopWriter(
                    createFile(path(segment), EnumSet.of(CreateFlag.CREATE)), present);
        } catch (IOException failed) {
            throw explained(failed, present);
        }
    }

    /**
     * Never creates a directory: the directory of our epoch exists as long as no other engine has
     * taken the log over.
     */
    private FSDataOutputStream createFile(Path file, EnumSet<CreateFlag> flags) throws IOException {
        flags.add(CreateFlag.SYNC_BLOCK);
        return files.createNonRecursive(
                file,
                FsPermission.getFileDefault(),
                flags,
                BUFFER_BYTES,
                files.getDefaultReplication(file),
                files.getDefaultBlockSize(file),
                null);
    }

    /** The failure of a writer, as lost ownership if the log was taken over. */
    private IOException explained(IOException failed, Path present) {
        boolean isOwned;
        try {
            isOwned = files.exists(present);
        } catch (IOException unknown) {
            isOwned = true;
        }
        return isOwned
                ? failed
                : new LostOwnershipException(
                        "Expected to own the log in %s, found it taken over by another engine: %s"
                                .formatted(present, failed.getMessage()),
                        failed);
    }

    @Override
    public Reader open(long segment) throws IOException {
        Path present = directory;
        Path file =
                new Path(
                        present == null ? directory(epochs().getLast()) : present,
                        LogNames.ofSegment(segment));
        return new HadoopReader(files.open(file), files.getFileStatus(file).getLen());
    }

    /**
     * Rewrites the segment: bytes that were never synced may be only in the memory of data nodes.
     */
    @Override
    public void seal(long segment, long sizeBytes, long rewriteFrom) throws IOException {
        Path file = path(segment);
        Path copy = new Path(owned(), file.getName() + SEALING);
        try (FSDataInputStream input = files.open(file);
                FSDataOutputStream output =
                        createFile(copy, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE))) {
            byte[] chunk = new byte[COPY_BYTES];
            for (long position = 0; position < sizeBytes; ) {
                int count = (int) Math.min(chunk.length, sizeBytes - position);
                input.readFully(position, chunk, 0, count);
                output.write(chunk, 0, count);
                position += count;
            }
            output.hsync();
        }
        files.rename(copy, file, Options.Rename.OVERWRITE);
    }

    @Override
    public void delete(long segment) throws IOException {
        if (!files.delete(path(segment), false)) {
            throw new FileNotFoundException("Expected a segment, found none: " + path(segment));
        }
    }

    @Override
    public String describe(long segment) {
        Path known = directory;
        return (known == null ? root : known) + "/" + LogNames.ofSegment(segment);
    }

    private Path path(long segment) {
        return new Path(owned(), LogNames.ofSegment(segment));
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    private final class HadoopWriter implements Writer {
        private final FSDataOutputStream stream;
        private final Path ofDirectory;

        HadoopWriter(FSDataOutputStream stream, Path ofDirectory) {
            this.stream = stream;
            this.ofDirectory = ofDirectory;
        }

        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            try {
                write(buffers);
            } catch (IOException failed) {
                throw explained(failed, ofDirectory);
            }
        }

        private void write(List<ByteBuffer> buffers) throws IOException {
            for (ByteBuffer buffer : buffers) {
                if (buffer.hasArray()) {
                    stream.write(
                            buffer.array(),
                            buffer.arrayOffset() + buffer.position(),
                            buffer.remaining());
                    buffer.position(buffer.limit());
                } else {
                    byte[] bytes = new byte[buffer.remaining()];
                    buffer.get(bytes);
                    stream.write(bytes);
                }
            }
        }

        @Override
        public void sync() throws IOException {
            try {
                stream.hsync();
            } catch (IOException failed) {
                throw explained(failed, ofDirectory);
            }
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    private record HadoopReader(FSDataInputStream stream, long sizeBytes) implements Reader {
        @Override
        public void read(long position, ByteBuffer target) throws IOException {
            byte[] bytes = new byte[target.remaining()];
            stream.readFully(position, bytes);
            target.put(bytes);
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
