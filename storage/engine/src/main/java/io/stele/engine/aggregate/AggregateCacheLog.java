package io.stele.engine.aggregate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.cache.files.Directories;
import io.stele.cache.files.DirectoryLock;
import io.stele.cache.files.Transfers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The persistent log of the aggregate cache on a local disk, so that cached results survive a
 * restart. It consists of segments, which are appended to, and deleted whole, oldest first.
 *
 * <pre>
 * segment: magic "STELEFR1" 8 | entries          (results-NUMBER.log, numbers ascending)
 * entry:   payload length 4 | CRC32C of the payload 4 | payload
 * payload: fragment length 4, bytes | path length 4, bytes | deleted rows 8 | nanoseconds 8
 *          | state, to the end
 * </pre>
 *
 * <p>All numbers are big-endian. Reading ends a segment at the first entry that is cut or whose
 * checksum is wrong: the entries behind it are discarded, and this is reported. Entries are not
 * synced: results that a crash of the machine loses are computed again.
 *
 * <p>Results are valid for one history of a warehouse; the file {@value #HISTORY} names it.
 * Segments of another history are deleted.
 *
 * <p>Invariant: the segments take at most {@code maxBytes} and one entry. Thread-safe: guarded by
 * its own lock, which is held while a result is written, and never by the thread that submits it.
 */
public final class AggregateCacheLog implements Closeable {
    private static final byte[] MAGIC = "STELEFR1".getBytes(UTF_8);
    private static final int HEAD_BYTES = 2 * Integer.BYTES;
    private static final int SEGMENTS = 8; // an eighth of the bytes is deleted at a time
    private static final int MAX_PAYLOAD_BYTES = 128 << 20; // above any result and its key
    private static final String PREFIX = "results-";
    private static final String SUFFIX = ".log";
    private static final String HISTORY = "history";
    private static final int MAX_HISTORY_BYTES = 16 << 10; // a longer one is not reported

    private final Path directory;
    private final DirectoryLock lock;
    private final long maxBytes;
    private final Executor writes;
    private final Consumer<String> damage;
    private final ArrayDeque<Path> segments = new ArrayDeque<>(); // oldest first
    private long segmentBytes; // of all segments
    private long nextNumber;
    private @Nullable FileChannel current;
    private long currentBytes;
    private boolean failed; // closed, or a write failed: nothing more is written
    private volatile boolean isLoading = true;
    private final CompletableFuture<@Nullable Void> loaded = new CompletableFuture<>();

    private AggregateCacheLog(
            Path directory,
            DirectoryLock lock,
            long maxBytes,
            Executor writes,
            Consumer<String> damage) {
        this.directory = directory;
        this.lock = lock;
        this.maxBytes = maxBytes;
        this.writes = writes;
        this.damage = damage;
    }

    /** A consumer of the results that are read back. */
    @FunctionalInterface
    public interface Reader {
        void accept(AggregateCacheKey key, byte[] state, long nanos);
    }

    /**
     * Opens the log and starts to read its entries, oldest first, before anything is written; this
     * call does not wait for that. New entries are appended behind them. Segments of another
     * history are deleted, and this is reported.
     *
     * @param history the identity of the warehouse's history, in one line; in another history, a
     *     {@link AggregateCacheKey#deletedCount} may mean other rows
     * @param writes runs reads and writes, also concurrently; may refuse by throwing
     * @param damage called with a message for entries that cannot be read, and for failures of the
     *     disk
     * @throws IOException if the directory is in use, or its names cannot be read
     */
    public static AggregateCacheLog open(
            Path directory,
            String history,
            long maxBytes,
            Executor writes,
            Consumer<String> damage,
            Reader reader)
            throws IOException {
        requireNonNull(history, "history is null");
        requireNonNull(writes, "writes is null");
        requireNonNull(damage, "damage is null");
        DirectoryLock lock = DirectoryLock.acquire(directory, "aggregate cache");
        AggregateCacheLog log = new AggregateCacheLog(directory, lock, maxBytes, writes, damage);
        boolean opened = false;
        try {
            log.begin(history);
            List<Path> present = log.findSegments();
            writes.execute(() -> log.load(present, reader));
            opened = true;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
        return log;
    }

    /**
     * Deletes the log, if there is one.
     *
     * @return how many segments there were
     * @throws IOException if the directory is in use, or something cannot be deleted
     */
    public static int delete(Path directory) throws IOException {
        if (!Files.isDirectory(directory) || segmentsIn(directory).isEmpty()) {
            return 0;
        }
        try (DirectoryLock _ = DirectoryLock.acquire(directory, "aggregate cache")) {
            return deleteSegments(directory);
        }
    }

    private static int deleteSegments(Path directory) throws IOException {
        List<Path> segments = segmentsIn(directory);
        for (Path segment : segments) {
            Files.delete(segment);
        }
        Directories.sync(directory);
        return segments.size();
    }

    /** Makes sure that all segments belong to a history, also if the machine fails in between. */
    private void begin(String history) throws IOException {
        Path file = directory.resolve(HISTORY);
        String found = readHistory(file);
        if (found.equals(history)) {
            return;
        }
        int deleted = deleteSegments(directory); // before the new history is on disk
        if (deleted > 0) {
            damage.accept(
                    "Deleted %s files of cached results in %s: expected those of %s, found those of %s"
                            .formatted(deleted, directory, history, found));
        }
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            Transfers.writeFully(channel, 0, ByteBuffer.wrap(history.getBytes(UTF_8)));
            channel.force(true);
        }
        Directories.sync(directory);
    }

    private static String readHistory(Path file) {
        try {
            return Files.size(file) <= MAX_HISTORY_BYTES
                    ? new String(Files.readAllBytes(file), UTF_8)
                    : "a longer one";
        } catch (IOException e) {
            return "none that can be read (" + e + ")";
        }
    }

    /**
     * Queues a result to be written. The caller does not learn whether it was: a refused or failed
     * write is ignored.
     */
    void append(AggregateCacheKey key, byte[] state, long nanos) {
        try {
            writes.execute(() -> write(key, state, nanos));
        } catch (RuntimeException busy) {
            // The result stays in memory, and is computed again after a restart
        }
    }

    private synchronized void write(AggregateCacheKey key, byte[] state, long nanos) {
        if (failed) {
            return;
        }
        ByteBuffer entry = entry(key, state, nanos);
        try {
            FileChannel target = current;
            if (target == null || currentBytes >= maxBytes / SEGMENTS) {
                target = nextSegment();
            }
            while (entry.hasRemaining()) {
                int written = target.write(entry);
                currentBytes += written;
                segmentBytes += written;
            }
        } catch (IOException e) {
            failed = true;
            damage.accept("Cannot write cached results to %s: %s".formatted(directory, e));
        }
    }

    private static ByteBuffer entry(AggregateCacheKey key, byte[] state, long nanos) {
        byte[] digest = key.digest().getBytes(UTF_8);
        byte[] path = key.path().getBytes(UTF_8);
        int payload =
                2 * Integer.BYTES + digest.length + path.length + 2 * Long.BYTES + state.length;
        ByteBuffer entry = ByteBuffer.allocate(HEAD_BYTES + payload);
        entry.position(HEAD_BYTES);
        entry.putInt(digest.length).put(digest).putInt(path.length).put(path);
        entry.putLong(key.deletedCount()).putLong(nanos).put(state);
        entry.putInt(0, payload)
                .putInt(Integer.BYTES, checksum(entry.array(), HEAD_BYTES, payload));
        return entry.flip();
    }

    private FileChannel nextSegment() throws IOException {
        closeCurrent();
        while (!segments.isEmpty() && segmentBytes > maxBytes - maxBytes / SEGMENTS) {
            Path oldest = segments.removeFirst();
            segmentBytes -= Files.size(oldest);
            Files.delete(oldest);
        }
        Path path =
                directory.resolve(
                        String.format(Locale.ROOT, PREFIX + "%012d" + SUFFIX, nextNumber++));
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        current = channel;
        segments.addLast(path);
        currentBytes = channel.write(ByteBuffer.wrap(MAGIC));
        segmentBytes += currentBytes;
        return channel;
    }

    private synchronized List<Path> findSegments() throws IOException {
        List<Path> found = segmentsIn(directory);
        for (Path path : found) {
            String name = path.getFileName().toString();
            String number = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
            nextNumber = Math.max(nextNumber, Long.parseLong(number) + 1);
            segmentBytes += Files.size(path);
            segments.addLast(path);
        }
        return found;
    }

    /** Loads one segment at a time, so that at most an eighth of all bytes is in memory. */
    private void load(List<Path> present, Reader reader) {
        try {
            for (Path path : present) {
                load(path, reader);
            }
        } finally {
            loaded.complete(null);
        }
    }

    private void load(Path path, Reader reader) {
        try {
            read(path, reader);
        } catch (NoSuchFileException e) {
            // The segment was deleted meanwhile, to make room
        } catch (IOException e) {
            damage.accept("Cannot read cached results in %s: %s".formatted(path, e));
        }
    }

    /** Completes when the entries of earlier processes are read or given up. */
    public CompletableFuture<@Nullable Void> loaded() {
        return loaded.copy();
    }

    /** Makes the loading of earlier segments end soon, if it is still going on. */
    public void endLoading() {
        isLoading = false;
    }

    private static List<Path> segmentsIn(Path directory) throws IOException {
        return Directories.list(directory).stream()
                .filter(AggregateCacheLog::isSegment)
                .sorted(Comparator.naturalOrder())
                .toList();
    }

    private static boolean isSegment(Path path) {
        return path.getFileName().toString().matches(PREFIX + "\\d{12}" + SUFFIX);
    }

    private void read(Path path, Reader reader) throws IOException {
        if (!isLoading) {
            return;
        }
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(path));
        byte[] magic = new byte[MAGIC.length];
        if (content.remaining() >= magic.length) {
            content.get(magic);
        }
        if (!Arrays.equals(magic, MAGIC)) {
            damage.accept("Expected cached results, found another file: " + path);
            return;
        }
        while (content.hasRemaining() && isLoading) {
            int start = content.position();
            if (!readEntry(content, reader)) {
                damage.accept(
                        "Expected an entry with its checksum, found other bytes in %s at offset %s: what is behind is forgotten"
                                .formatted(path, start));
                return;
            }
        }
    }

    private static boolean readEntry(ByteBuffer content, Reader reader) {
        if (content.remaining() < HEAD_BYTES) {
            return false;
        }
        int length = content.getInt();
        int expected = content.getInt();
        boolean isWhole =
                length >= 0 && length <= MAX_PAYLOAD_BYTES && length <= content.remaining();
        if (!isWhole || checksum(content.array(), content.position(), length) != expected) {
            return false;
        }
        ByteBuffer payload = content.slice(content.position(), length);
        content.position(content.position() + length);
        try {
            String digest = text(payload);
            String path = text(payload);
            AggregateCacheKey key = new AggregateCacheKey(digest, path, payload.getLong());
            long nanos = payload.getLong();
            byte[] state = new byte[payload.remaining()];
            payload.get(state);
            reader.accept(key, state, nanos);
            return true;
        } catch (BufferUnderflowException | NegativeArraySizeException notOurs) {
            return false;
        }
    }

    private static String text(ByteBuffer source) {
        byte[] bytes = new byte[Math.min(source.getInt(), source.remaining() + 1)];
        source.get(bytes);
        return new String(bytes, UTF_8);
    }

    private static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    private void closeCurrent() throws IOException {
        FileChannel open = current;
        current = null;
        if (open != null) {
            open.close();
        }
    }

    /** Closes the log; results that are appended later are not written. */
    @Override
    public synchronized void close() throws IOException {
        failed = true;
        closeCurrent();
        lock.close();
    }
}
