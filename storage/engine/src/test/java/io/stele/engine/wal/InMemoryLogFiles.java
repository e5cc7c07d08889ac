package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.fault.CrashPoint;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * Segments in memory that crash as a disk does: what was not synced may be lost from any byte on,
 * or lose any of its sectors. Creation, sealing and deletion are durable at once, as {@link
 * LogFiles} demands. Calls fail and take time as {@link LogFaults} define.
 *
 * <p>Guarded by itself.
 */
public final class InMemoryLogFiles implements LogFiles {
    private final TreeMap<Long, Segment> segments = new TreeMap<>();
    private final CrashPoint crashPoint;
    private final RandomGenerator random;
    private LogFaults faults = LogFaults.NONE;
    private LongConsumer spend = nanos -> {};
    private int failures;
    private long maxBytes = Long.MAX_VALUE;
    private int overflows;

    private static final class Segment {
        private byte[] bytes = new byte[0];
        private int length;
        private int syncedBytes;

        Segment() {}

        Segment(byte[] bytes) {
            this.bytes = bytes;
            length = bytes.length;
            syncedBytes = bytes.length;
        }

        void append(byte[] appended, int count) {
            if (bytes.length - length < count) {
                bytes = Arrays.copyOf(bytes, Math.max(length + count, bytes.length * 2));
            }
            System.arraycopy(appended, 0, bytes, length, count);
            length += count;
        }

        byte[] content() {
            return Arrays.copyOf(bytes, length);
        }
    }

    /**
     * @param crashPoint when the process dies
     * @param random decides what of an operation and of unsynced bytes survives the crash
     */
    public InMemoryLogFiles(CrashPoint crashPoint, RandomGenerator random) {
        this.crashPoint = requireNonNull(crashPoint, "crashPoint is null");
        this.random = requireNonNull(random, "random is null");
    }

    /**
     * From now on.
     *
     * @param newSpend takes the nanoseconds that a sync lasts
     */
    public synchronized void setFaults(LogFaults newFaults, LongConsumer newSpend) {
        faults = requireNonNull(newFaults, "newFaults is null");
        spend = requireNonNull(newSpend, "newSpend is null");
    }

    /**
     * The disk has this many bytes for segments from now on; an append beyond is written as far as
     * it fits, and fails. Not of the process that starts after a crash.
     */
    public synchronized void setMaxBytes(long newMaxBytes) {
        maxBytes = newMaxBytes;
    }

    /** Bytes of all segments. */
    public synchronized long sizeBytes() {
        return segments.values().stream().mapToLong(segment -> segment.length).sum();
    }

    /** The number of appends for which there was no space. */
    public synchronized int overflows() {
        return overflows;
    }

    @Override
    public synchronized long usableBytes() {
        return maxBytes == Long.MAX_VALUE ? maxBytes : Math.max(0, maxBytes - sizeBytes());
    }

    /** The number of failed appends, creations and syncs, each of which ends a log. */
    public synchronized int failures() {
        return failures;
    }

    /** Whether this call fails, once it has done what it does. */
    private boolean fails(double share) {
        return share > 0 && random.nextDouble() < share;
    }

    private IOException failure(String what) {
        failures++;
        return new IOException("Injected failure: " + what);
    }

    /**
     * The files as a process finds them that starts after a crash at this moment, with its own
     * crash point.
     */
    public synchronized InMemoryLogFiles surviving(CrashPoint nextCrashPoint) {
        InMemoryLogFiles result = new InMemoryLogFiles(nextCrashPoint, random);
        segments.forEach((number, segment) -> result.segments.put(number, survivor(segment)));
        return result;
    }

    private Segment survivor(Segment segment) {
        int length = segment.syncedBytes + random.nextInt(segment.length - segment.syncedBytes + 1);
        byte[] bytes = Arrays.copyOf(segment.bytes, length);
        if (random.nextBoolean()) {
            loseSectors(bytes, segment.syncedBytes);
        }
        return new Segment(bytes);
    }

    /** Zeroes the unsynced part of some sectors; a sector with synced bytes keeps these. */
    private void loseSectors(byte[] bytes, int syncedBytes) {
        int position = syncedBytes;
        while (position < bytes.length) {
            int end =
                    Math.min(
                            bytes.length,
                            (position / WalFormat.SECTOR_BYTES + 1) * WalFormat.SECTOR_BYTES);
            if (random.nextInt(3) == 0) {
                Arrays.fill(bytes, position, end, (byte) 0);
            }
            position = end;
        }
    }

    /** A copy of the bytes of a segment. */
    public synchronized byte[] bytes(long segment) throws IOException {
        return find(segment).content();
    }

    /** Creates or replaces a segment, synced. */
    public synchronized void replace(long segment, byte[] bytes) {
        segments.put(segment, new Segment(bytes.clone()));
    }

    @Override
    public synchronized List<Long> segments() {
        return List.copyOf(segments.keySet());
    }

    @Override
    public synchronized Writer create(long segment) throws IOException {
        boolean dies = crashPoint.step("create " + describe(segment));
        if (segments.containsKey(segment)) {
            throw new FileAlreadyExistsException(describe(segment));
        }
        Segment created = new Segment();
        boolean fails = fails(faults.failedChange());
        if (!(dies || fails) || random.nextBoolean()) {
            segments.put(segment, created);
        }
        if (dies) {
            throw crashPoint.crash("create " + describe(segment));
        }
        if (fails) {
            throw failure("create " + describe(segment));
        }
        return new InMemoryWriter(segment, created);
    }

    @Override
    public synchronized Reader open(long segment) throws IOException {
        crashPoint.checkAlive("open " + describe(segment));
        return new InMemoryReader(describe(segment), find(segment).content());
    }

    @Override
    public synchronized void seal(long segment, long sizeBytes, long rewriteFrom)
            throws IOException {
        boolean dies = crashPoint.step("seal " + describe(segment));
        Segment sealed = find(segment);
        boolean fails = fails(faults.failedChange());
        if (!(dies || fails) || random.nextBoolean()) {
            sealed.length = Math.toIntExact(sizeBytes);
            sealed.syncedBytes = sealed.length;
        }
        if (dies) {
            throw crashPoint.crash("seal " + describe(segment));
        }
        if (fails) {
            throw new IOException("Injected failure: seal " + describe(segment));
        }
    }

    @Override
    public synchronized void delete(long segment) throws IOException {
        boolean dies = crashPoint.step("delete " + describe(segment));
        find(segment);
        boolean fails = fails(faults.failedChange());
        if (!(dies || fails) || random.nextBoolean()) {
            segments.remove(segment);
        }
        if (dies) {
            throw crashPoint.crash("delete " + describe(segment));
        }
        if (fails) {
            throw new IOException("Injected failure: delete " + describe(segment));
        }
    }

    @Override
    public String describe(long segment) {
        return "memory:" + segment;
    }

    private Segment find(long segment) throws IOException {
        Segment found = segments.get(segment);
        if (found == null) {
            throw new NoSuchFileException(describe(segment));
        }
        return found;
    }

    private void append(long number, Segment segment, byte[] appended) throws IOException {
        synchronized (this) {
            boolean dies = crashPoint.step("append to " + describe(number));
            boolean fails = fails(faults.failedChange());
            long usableBytes = usableBytes();
            if (appended.length > usableBytes) {
                overflows++;
                segment.append(appended, (int) usableBytes);
                throw failure("no space left for " + describe(number));
            }
            segment.append(
                    appended,
                    dies || fails ? random.nextInt(appended.length + 1) : appended.length);
            if (dies) {
                throw crashPoint.crash("append to " + describe(number));
            }
            if (fails) {
                throw failure("append to " + describe(number));
            }
        }
    }

    private synchronized void sync(long number, Segment segment) throws IOException {
        boolean dies = crashPoint.step("sync " + describe(number));
        boolean fails = fails(faults.failedSync());
        if (faults.maxSyncNanos() > 0) {
            spend.accept(random.nextLong(faults.maxSyncNanos()));
        }
        if (!(dies || fails) || random.nextBoolean()) {
            segment.syncedBytes = segment.length;
        }
        if (dies) {
            throw crashPoint.crash("sync " + describe(number));
        }
        if (fails) {
            throw failure("sync " + describe(number));
        }
    }

    private final class InMemoryWriter implements Writer {
        private final long number;
        private final Segment segment;

        InMemoryWriter(long number, Segment segment) {
            this.number = number;
            this.segment = segment;
        }

        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            ByteArrayOutputStream appended = new ByteArrayOutputStream();
            for (ByteBuffer buffer : buffers) {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.get(bytes);
                appended.writeBytes(bytes);
            }
            InMemoryLogFiles.this.append(number, segment, appended.toByteArray());
        }

        @Override
        public void sync() throws IOException {
            InMemoryLogFiles.this.sync(number, segment);
        }

        @Override
        public void close() {
            // nothing to release
        }
    }

    private record InMemoryReader(String file, byte[] bytes) implements Reader {
        @Override
        public long sizeBytes() {
            return bytes.length;
        }

        @Override
        public void read(long position, ByteBuffer target) throws IOException {
            if (position + target.remaining() > bytes.length) {
                throw new EOFException(
                        String.format(
                                Locale.ROOT,
                                "Expected %d bytes at offset %d, found the end of %s at %d",
                                target.remaining(),
                                position,
                                file,
                                bytes.length));
            }
            target.put(bytes, (int) position, target.remaining());
        }

        @Override
        public void close() {
            // nothing to release
        }
    }
}
