package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.objectstore.ConditionalCreate;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;

/**
 * A log in an object store: every group is a segment, and every segment an object with a dense id
 * that is created once. See docs/decisions/write-ahead-log.md.
 *
 * <p>Safe for use by many threads, except that one writer belongs to one thread.
 */
public final class ObjectLogFiles implements LogFiles {
    /*
     * An engine that takes the log over creates a fence, a group without records, at the first free
     * id. The previous owner writes one id after the other, so the first one that it lacks is that
     * of the fence, or of a fence after it: it finds another engine's object there and stops. Its
     * earlier objects have lower ids than the fence, so the new owner reads them.
     *
     * A creation with an unknown outcome is repeated with the same bytes until the outcome is
     * known. No two engines have the same epoch, so equal bytes are ours. Nothing else is written
     * meanwhile, so there is no hole.
     *
     * An id that was deleted could be created again. For groups that does not matter: an owner
     * never writes below its last id, and a late first attempt of one that was read and trimmed
     * since is below the lowest segment. But a stalled owner must always find the fence, however
     * late it comes. So fences stay for ever when the segments around them are deleted. They are a
     * hundred bytes for each start of an engine.
     */

    /** More collisions than this mean that the owner before is faster than we are. */
    private static final int FENCE_ATTEMPTS = 1_000;

    private static final int UNKNOWN_ATTEMPTS = 5;

    /** 0.1 s and twice as much each time up to 5 s: about a minute and a half in all. */
    private static final int PUT_ATTEMPTS = 22;

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long MAX_PAUSE_MILLIS = 5_000;

    /** Requests in flight during replay: objects are small, and each costs a round trip. */
    private static final int READ_AHEAD = 16;

    private final ObjectStore store;
    private final String folder;
    private final Executor requests;
    private final LongConsumer sleepMillis;

    @GuardedBy("this")
    private final NavigableSet<Long> known = new TreeSet<>();

    @GuardedBy("this")
    private final NavigableSet<Long> fences = new TreeSet<>();

    @GuardedBy("this")
    private final Map<Long, CompletableFuture<LogObject>> fetched = new HashMap<>();

    @GuardedBy("this")
    private long epoch;

    /**
     * The log in a folder of a store.
     *
     * @param folder with a slash at its end
     * @param requests runs reads ahead while the log is replayed, and deletions in parallel
     * @param sleepMillis makes the calling thread wait between attempts
     */
    public ObjectLogFiles(
            ObjectStore store, String folder, Executor requests, LongConsumer sleepMillis) {
        this.store = requireNonNull(store, "store is null");
        this.folder = requireNonNull(folder, "folder is null");
        this.requests = requireNonNull(requests, "requests is null");
        this.sleepMillis = requireNonNull(sleepMillis, "sleepMillis is null");
    }

    @Override
    public boolean isSegmentPerGroup() {
        return true;
    }

    @Override
    public void takeOver(long newEpoch, LogId logId) throws IOException {
        LogEpochs.check(newEpoch);
        NavigableSet<Long> ids = list();
        long id = ids.isEmpty() ? 1 : ids.last();
        long sequence = 1;
        long lowestSegment = 1;
        for (int attempt = 0; attempt < FENCE_ATTEMPTS; attempt++) {
            if (ids.contains(id)) {
                LogObject last = read(id);
                checkOlder(last, newEpoch);
                GroupHeader group = last.group(describe(id));
                id++;
                sequence = group.sequence() + 1;
                lowestSegment = group.lowestSegment();
            }
            byte[] fence = LogObject.fence(logId, id, newEpoch, sequence, lowestSegment).encode();
            if (ConditionalCreate.create(store, path(id), fence, UNKNOWN_ATTEMPTS)
                    == ConditionalCreate.Outcome.CREATED) {
                own(newEpoch, id);
                return;
            }
            ids.add(id); // what the owner before has written meanwhile, or another new one
        }
        throw new IOException(
                String.format(
                        Locale.ROOT,
                        "Expected a free id within %d attempts, found others' objects up to %s",
                        FENCE_ATTEMPTS,
                        describe(id)));
    }

    private void checkOlder(LogObject found, long newEpoch) {
        if (found.epoch() >= newEpoch) {
            throw LogEpochs.takenLater(newEpoch, found.epoch(), describe(found.id()));
        }
    }

    private void own(long newEpoch, long fence) throws IOException {
        synchronized (this) {
            epoch = newEpoch;
            fences.add(fence);
        }
        List<Long> live = segments();
        synchronized (this) {
            fences.addAll(known.headSet(live.getFirst()));
        }
    }

    /** The existing ids without a gap up to the last one; before them are old fences only. */
    @Override
    public List<Long> segments() throws IOException {
        NavigableSet<Long> ids = list();
        List<Long> dense = new ArrayList<>();
        for (long id : ids.descendingSet()) {
            if (!dense.isEmpty() && dense.getLast() != id + 1) {
                break;
            }
            dense.add(id);
        }
        synchronized (this) {
            known.clear();
            known.addAll(ids);
        }
        return List.copyOf(dense.reversed());
    }

    private NavigableSet<Long> list() throws IOException {
        NavigableSet<Long> ids = new TreeSet<>();
        for (ObjectEntry entry : store.list(folder)) {
            LogNames.number(entry.path().substring(folder.length())).ifPresent(ids::add);
        }
        return ids;
    }

    private LogObject read(long id) throws IOException {
        return LogObject.decode(store.readFully(path(id)), id, describe(id));
    }

    /** Makes no request to the store yet: the segment exists, whole and durable, after its sync. */
    @Override
    public synchronized Writer create(long segment) {
        if (epoch == 0) {
            throw new IllegalStateException("Expected a log that was taken over, found another's");
        }
        return new ObjectWriter(segment, epoch);
    }

    @Override
    public Reader open(long segment) throws IOException {
        CompletableFuture<LogObject> object;
        synchronized (this) {
            for (long id : known.tailSet(segment)) {
                if (id >= segment + READ_AHEAD) {
                    break;
                }
                fetched.computeIfAbsent(id, this::fetch);
            }
            object = fetched.remove(segment);
        }
        return new ObjectReader(object == null ? noted(read(segment)) : noted(join(object)));
    }

    private CompletableFuture<LogObject> fetch(long id) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return read(id);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                requests);
    }

    private static <T> T join(CompletableFuture<T> request) throws IOException {
        try {
            return request.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException failed) {
                throw failed.getCause();
            }
            throw e.getCause() instanceof RuntimeException failed ? failed : e;
        }
    }

    private synchronized LogObject noted(LogObject object) {
        if (object.fence()) {
            fences.add(object.id());
        }
        return object;
    }

    /** Objects are whole, so there is nothing to cut, and what can be read is durable. */
    @Override
    public void seal(long segment, long sizeBytes, long rewriteFrom) throws IOException {
        long found = read(segment).body().length;
        if (found != sizeBytes) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    String.format(
                            Locale.ROOT,
                            "Expected a group of %d bytes, found %d in %s",
                            sizeBytes,
                            found,
                            describe(segment)));
        }
    }

    @Override
    public void delete(long segment) throws IOException {
        synchronized (this) {
            if (fences.contains(segment)) {
                return;
            }
        }
        store.delete(path(segment));
    }

    /**
     * Deletes segments in parallel. A crash in between may leave segments below a gap, which are
     * never read, and stay as fences do.
     */
    @Override
    public void delete(List<Long> segments) throws IOException {
        List<CompletableFuture<Void>> deletions = new ArrayList<>();
        for (long segment : segments) {
            deletions.add(
                    CompletableFuture.runAsync(
                            () -> {
                                try {
                                    delete(segment);
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            },
                            requests));
        }
        for (CompletableFuture<Void> deletion : deletions) {
            join(deletion);
        }
    }

    @Override
    public String describe(long segment) {
        return store.describe(path(segment));
    }

    private String path(long id) {
        return folder + LogNames.of(id);
    }

    @Override
    public void close() throws IOException {
        store.close();
    }

    private final class ObjectWriter implements Writer {
        private final long id;
        private final long ofEpoch;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();

        ObjectWriter(long id, long ofEpoch) {
            this.id = id;
            this.ofEpoch = ofEpoch;
        }

        @Override
        public void append(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.get(bytes);
                body.writeBytes(bytes);
            }
        }

        @Override
        public void sync() throws IOException {
            byte[] object = new LogObject(false, id, ofEpoch, body.toByteArray()).encode();
            if (put(object) == ConditionalCreate.Outcome.EXISTS) {
                throw new LostOwnershipException(
                        String.format(
                                Locale.ROOT,
                                "Expected to own the log in epoch %d, found it taken over by another engine: %s",
                                ofEpoch,
                                describe(id)));
            }
        }

        /** Repeats the creation until the owner of the object is known. */
        private ConditionalCreate.Outcome put(byte[] object) throws IOException {
            long pauseMillis = FIRST_PAUSE_MILLIS;
            for (int attempt = 1; ; attempt++) {
                try {
                    return ConditionalCreate.create(store, path(id), object, 1);
                } catch (IOException unknown) {
                    if (attempt == PUT_ATTEMPTS) {
                        throw unknown;
                    }
                }
                sleepMillis.accept(pauseMillis);
                pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
            }
        }

        @Override
        public void close() {
            // nothing to release
        }
    }

    private final class ObjectReader implements Reader {
        private final LogObject object;

        ObjectReader(LogObject object) {
            this.object = object;
        }

        @Override
        public long sizeBytes() {
            return object.body().length;
        }

        @Override
        public void read(long position, ByteBuffer target) throws IOException {
            if (position + target.remaining() > object.body().length) {
                throw new EOFException(
                        String.format(
                                Locale.ROOT,
                                "Expected %d bytes at offset %d, found the end of %s at %d",
                                target.remaining(),
                                position,
                                describe(object.id()),
                                object.body().length));
            }
            target.put(object.body(), Math.toIntExact(position), target.remaining());
        }

        @Override
        public void close() {
            // nothing to release
        }
    }
}
