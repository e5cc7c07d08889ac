package io.stele.objectstore.hadoop;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.FolderLevel;
import io.stele.objectstore.FolderStore;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.PathRule;
import io.stele.objectstore.retrieval.DownloadManager;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalRuntime;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.retrieval.RetryPolicy;
import io.stele.objectstore.retrieval.http.EventLoop;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryNotEmptyException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * An object store in a directory of HDFS, or of another Hadoop file system that renames in one step
 * without overwriting. New objects are written in {@code .tmp}, or in a lake beside their final
 * name, synced to the disks of the data nodes, then renamed, so they appear at once and only once.
 *
 * <p>Safe for use by many threads. Closing it closes its connections.
 */
public final class HadoopObjectStore implements FolderStore {
    private static final String TEMPORARY_DIRECTORY = ".tmp";

    /** Each holds a few kilobytes and, between reads, no connection; few files get most reads. */
    private static final int OPEN_STREAMS = 128;

    /**
     * Hadoop's client has already tried all replicas, and repeated its request to the name node.
     */
    private static final RetryPolicy NO_RETRIES = RetryPolicy.ofAttempts(1);

    private final FileSystem files;
    private final Path root;
    private final PathRule rule;
    private final String name;
    private final HadoopFolders folders;
    private final HadoopPublication publication;
    private final OpenStreams streams;
    private final DownloadManager downloads;
    private final ReadingAhead ahead;
    private final RandomGenerator random;

    private HadoopObjectStore(
            URI location,
            PathRule rule,
            FileSystem files,
            RetrievalConfig retrieval,
            RandomGenerator random,
            LongConsumer sleepMillis,
            RetrievalThreads threads)
            throws IOException {
        this.name = location.toString();
        this.rule = requireNonNull(rule, "rule is null");
        this.files = files;
        this.random = requireNonNull(random, "random is null");
        root = new Path(location);
        publication = new HadoopPublication(files, sleepMillis);
        folders = new HadoopFolders(files, publication);
        streams = new OpenStreams(files, OPEN_STREAMS);
        EventLoop timers = EventLoop.start(threads.loops(), threads.nanoTime(), threads.uncaught());
        downloads =
                new DownloadManager(
                        new HadoopRangeSource(
                                streams, this::file, this::describe, threads::run, timers),
                        retrieval.options(NO_RETRIES).withoutHedges(),
                        new RetrievalRuntime(threads.nanoTime(), random, timers, threads::run));
        ahead = ReadingAhead.of(retrieval.getMaxAhead().toBytes(), threads, downloads::latency);
    }

    /**
     * A store at a location, without any request to it yet; directories are created as objects need
     * them.
     *
     * @param random names temporary files; safe for many threads
     * @param sleepMillis makes the calling thread wait
     * @param threads of reads
     * @throws IOException if there is no file system of this scheme, or its configuration cannot be
     *     read
     */
    public static HadoopObjectStore open(
            HadoopLocation location,
            HadoopConfig config,
            RetrievalConfig retrieval,
            RandomGenerator random,
            LongConsumer sleepMillis,
            RetrievalThreads threads)
            throws IOException {
        return open(location, PathRule.STELE, config, retrieval, random, sleepMillis, threads);
    }

    /**
     * A store over all files of the location's file system, from its root, under any names. Other
     * programs write these files, too, so the store has no folder of its own.
     */
    public static HadoopObjectStore ofLake(
            HadoopLocation location,
            HadoopConfig config,
            RetrievalConfig retrieval,
            RandomGenerator random,
            LongConsumer sleepMillis,
            RetrievalThreads threads)
            throws IOException {
        return open(location, PathRule.ANY, config, retrieval, random, sleepMillis, threads);
    }

    private static HadoopObjectStore open(
            HadoopLocation location,
            PathRule rule,
            HadoopConfig config,
            RetrievalConfig retrieval,
            RandomGenerator random,
            LongConsumer sleepMillis,
            RetrievalThreads threads)
            throws IOException {
        FileSystem files = HadoopFileSystems.open(location, config);
        boolean done = false;
        try {
            URI root =
                    switch (rule) {
                        case STELE -> location.uri();
                        case ANY -> location.uri().resolve("/");
                    };
            HadoopObjectStore store =
                    new HadoopObjectStore(
                            root, rule, files, retrieval, random, sleepMillis, threads);
            done = true;
            return store;
        } finally {
            if (!done) {
                files.close();
            }
        }
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public Optional<RetrievalStatistics> retrieval() {
        return Optional.of(downloads.statistics());
    }

    @Override
    public Optional<ReadingAhead> readingAhead() {
        return Optional.of(ahead);
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        NonBlocking.check();
        if (length == 0) {
            checkEnd(path, offset);
        } else {
            downloads.read(rule.check(path), offset, buffer, bufferOffset, length);
        }
    }

    private void checkEnd(String path, long offset) throws IOException {
        long sizeBytes = size(path);
        if (offset > sizeBytes) {
            throw new EOFException(
                    "Expected 0 bytes at offset %d, found the end of %s at %d"
                            .formatted(offset, describe(path), sizeBytes));
        }
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        NonBlocking.check();
        Path file = file(path);
        // Opened again, so that it is the present object, and read to its end, so that it is whole
        try (FSDataInputStream input = files.open(file)) {
            return input.readAllBytes();
        } catch (IOException e) {
            throw HadoopFailures.ofLooking("read", describe(path), e);
        }
    }

    @Override
    public long size(String path) throws IOException {
        Path file = file(path);
        try {
            FileStatus status = files.getFileStatus(file);
            if (status.isDirectory()) {
                throw new FileNotFoundException("a directory");
            }
            return status.getLen();
        } catch (IOException e) {
            throw HadoopFailures.ofLooking("find", describe(path), e);
        }
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        Path target = file(path);
        try {
            // If it is not published, its end also makes sure that the existing object is in the
            // name node's log: the log is in order, and a deletion returns when it is in the log
            return write(target, content, written -> publication.publish(written, target));
        } catch (IOException e) {
            throw HadoopFailures.ofChange("create", describe(path), e);
        }
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        Path target = file(path);
        try {
            write(
                    target,
                    content,
                    written -> {
                        publication.replace(written, target);
                        return true;
                    });
        } catch (IOException e) {
            throw HadoopFailures.ofChange("write", describe(path), e);
        } finally {
            forget(path);
        }
    }

    /** Publishes a finished file under its final name; false if another file has that name. */
    private interface Publishing {
        boolean publish(HadoopTemporary written) throws IOException;
    }

    /** Writes a temporary file, which is discarded if it is not published. */
    private boolean write(Path target, byte[] content, Publishing publishing) throws IOException {
        HadoopTemporary written = newTemporary(target);
        boolean published = false;
        try {
            written.write(content, 0, content.length);
            written.finish();
            published = publishing.publish(written);
            return published;
        } finally {
            if (!published) {
                written.discard();
            }
        }
    }

    private HadoopTemporary newTemporary(Path target) throws IOException {
        String unique = new UUID(random.nextLong(), random.nextLong()).toString();
        return HadoopTemporary.create(
                files,
                switch (rule) {
                    case STELE -> new Path(temporaries(), unique);
                    case ANY -> new Path(target.getParent(), ".stele-" + unique + ".tmp");
                });
    }

    private Path temporaries() {
        return new Path(root, TEMPORARY_DIRECTORY);
    }

    @Override
    public ObjectWriter create(String path) throws IOException {
        Path target = file(path);
        try {
            return new HadoopObjectWriter(
                    newTemporary(target), publication, target, describe(path));
        } catch (IOException e) {
            throw HadoopFailures.ofChange("create", describe(path), e);
        }
    }

    @Override
    public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
        rule.checkPrefix(prefix);
        String folder = prefix.substring(0, prefix.lastIndexOf('/') + 1);
        try {
            visit(folder(folder), folder, prefix, action);
        } catch (IOException e) {
            throw HadoopFailures.ofChange("list", describe(prefix), e);
        }
    }

    @Override
    public List<String> folders(String folder) throws IOException {
        return listLevel(folder).folders();
    }

    /** Passes on the objects below a directory; files that vanish meanwhile are left out. */
    private void visit(Path directory, String folder, String prefix, Consumer<ObjectEntry> action)
            throws IOException {
        try {
            RemoteIterator<FileStatus> children = files.listStatusIterator(directory);
            while (children.hasNext()) {
                FileStatus child = children.next();
                String path = folder + child.getPath().getName();
                if (!isChild(directory, child)) {
                    continue;
                }
                if (!child.isDirectory()) {
                    if (path.startsWith(prefix)) {
                        action.accept(
                                new ObjectEntry(
                                        path,
                                        child.getLen(),
                                        Instant.ofEpochMilli(child.getModificationTime())));
                    }
                } else if (path.startsWith(prefix) || prefix.startsWith(path + "/")) {
                    visit(child.getPath(), path + "/", prefix, action);
                }
            }
        } catch (IOException e) {
            if (!HadoopFailures.isMissing(e)) {
                throw e;
            }
        }
    }

    /**
     * Whether a listed entry is a child: not one of the store's own folders, and not the listed
     * path itself, which a listing of a file returns.
     */
    private boolean isChild(Path directory, FileStatus child) {
        return (rule == PathRule.ANY || !child.getPath().getName().startsWith("."))
                && child.getPath().depth() > directory.depth();
    }

    @Override
    public void delete(String path) throws IOException {
        Path file = file(path);
        try {
            files.delete(file, false);
        } catch (IOException e) {
            if (!HadoopFailures.isMissing(e)) {
                throw HadoopFailures.ofChange("delete", describe(path), e);
            }
        } finally {
            forget(path);
        }
    }

    @Override
    public int deleteAbandoned(Instant limit) throws IOException {
        int count = 0;
        if (rule == PathRule.ANY) {
            return 0; // others may be writing
        }
        try {
            for (FileStatus status : files.listStatus(temporaries())) {
                if (status.getModificationTime() < limit.toEpochMilli()
                        && isClosed(status.getPath())
                        && files.delete(status.getPath(), false)) {
                    count++;
                }
            }
        } catch (IOException e) {
            if (!HadoopFailures.isMissing(e)) {
                throw HadoopFailures.ofChange("collect", describe(TEMPORARY_DIRECTORY), e);
            }
        }
        return count;
    }

    /**
     * Whether no writer has the file open. In HDFS, a file that is being written has the time of
     * its creation, and HDFS itself closes the file some time after its writer died.
     */
    private boolean isClosed(Path file) throws IOException {
        return !(files instanceof LeaseRecoverable leases) || leases.isFileClosed(file);
    }

    /** Called after an object changed: later readers must get the new object, or none. */
    private void forget(String path) {
        streams.forget(file(path));
        downloads.forget(path);
    }

    private Path file(String path) {
        return below(rule.check(path));
    }

    private Path folder(String folder) {
        String path = folder.endsWith("/") ? folder.substring(0, folder.length() - 1) : folder;
        return path.isEmpty() ? root : file(path);
    }

    /** Avoids relative paths, in which Hadoop would parse text before a colon as a scheme. */
    private Path below(String path) {
        URI uri = root.toUri();
        String start = uri.getPath().endsWith("/") ? uri.getPath() : uri.getPath() + "/";
        return new Path(uri.getScheme(), uri.getAuthority(), start + path);
    }

    @Override
    public Optional<ObjectEntry> find(String path) throws IOException {
        Path file = file(path);
        try {
            return folders.find(path, file);
        } catch (IOException e) {
            throw HadoopFailures.ofChange("find", describe(path), e);
        }
    }

    @Override
    public boolean hasFolder(String folder) throws IOException {
        try {
            return folders.exists(folder(folder));
        } catch (IOException e) {
            throw HadoopFailures.ofChange("find", describe(folder), e);
        }
    }

    @Override
    public FolderLevel listLevel(String folder) throws IOException {
        Path directory = folder(folder);
        try {
            return folders.list(
                    folder.isEmpty() ? "" : folder + "/",
                    directory,
                    child -> isChild(directory, child));
        } catch (IOException e) {
            throw HadoopFailures.ofChange("list", describe(folder), e);
        }
    }

    @Override
    public void createFolder(String folder) throws IOException {
        try {
            folders.create(folder(folder));
        } catch (IOException e) {
            throw HadoopFailures.ofChange("create", describe(folder), e);
        }
    }

    @Override
    public boolean deleteFolder(String folder, boolean recursive) throws IOException {
        Path directory = file(folder);
        try {
            return folders.delete(directory, recursive);
        } catch (DirectoryNotEmptyException e) {
            throw e;
        } catch (IOException e) {
            throw HadoopFailures.ofChange("delete", describe(folder), e);
        }
    }

    @Override
    public boolean rename(String from, String to) throws IOException {
        Path source = file(from);
        Path target = file(to);
        try {
            return folders.rename(source, target);
        } catch (IOException e) {
            throw HadoopFailures.ofChange("rename", describe(from), e);
        } finally {
            forget(from);
        }
    }

    @Override
    public String describe(String path) {
        return name.endsWith("/") ? name + path : name + "/" + path;
    }

    @Override
    public void close() throws IOException {
        downloads.close();
        streams.close();
        files.close();
    }
}
