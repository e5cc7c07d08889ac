package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/** Objects on the heap. Safe for use by many threads. */
public final class InMemoryObjectStore implements ObjectStore {
    private final ConcurrentSkipListMap<String, Stored> objects = new ConcurrentSkipListMap<>();
    private final InstantSource clock;

    /** A store whose objects are all as old as can be. */
    public InMemoryObjectStore() {
        this(InstantSource.fixed(Instant.EPOCH));
    }

    /**
     * @param clock of the modification times of objects
     */
    public InMemoryObjectStore(InstantSource clock) {
        this.clock = requireNonNull(clock, "clock is null");
    }

    /** No two are equal: arrays equal only themselves. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Stored(byte[] content, Instant modified) {}

    private Stored stored(byte[] content) {
        return new Stored(content, clock.instant());
    }

    /** An independent store with the same objects. */
    public InMemoryObjectStore copy() {
        InMemoryObjectStore result = new InMemoryObjectStore(clock);
        result.objects.putAll(objects);
        return result;
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        ReadAccount.Request request = ReadAccount.request();
        byte[] object = find(path);
        if (offset < 0 || offset + length > object.length) {
            throw new EOFException(
                    String.format(
                            Locale.ROOT,
                            "Expected %d bytes at offset %d, found the end of %s at %d",
                            length,
                            offset,
                            describe(path),
                            object.length));
        }
        System.arraycopy(object, (int) offset, buffer, bufferOffset, length);
        request.ended(length);
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        ReadAccount.Request request = ReadAccount.request();
        byte[] content = find(path).clone();
        request.ended(content.length);
        return content;
    }

    @Override
    public long size(String path) throws IOException {
        return find(path).length;
    }

    private byte[] find(String path) throws IOException {
        Stored object = objects.get(ObjectPath.check(path));
        if (object == null) {
            throw new NoSuchFileException(describe(path));
        }
        return object.content();
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) {
        return objects.putIfAbsent(ObjectPath.check(path), stored(content.clone())) == null;
    }

    @Override
    public void put(String path, byte[] content) {
        objects.put(ObjectPath.check(path), stored(content.clone()));
    }

    @Override
    public boolean supportsCompareAndSwap() {
        return true;
    }

    @Override
    public boolean compareAndSwap(String path, byte[] expected, byte[] content) {
        Stored found = objects.get(ObjectPath.check(path));
        // A value equals only itself, so this one was not replaced meanwhile
        return found != null
                && Arrays.equals(found.content(), expected)
                && objects.replace(path, found, stored(content.clone()));
    }

    @Override
    public ObjectWriter create(String path) {
        return new InMemoryWriter(ObjectPath.check(path));
    }

    @Override
    public void forEach(String prefix, Consumer<ObjectEntry> action) {
        ObjectPath.checkPrefix(prefix);
        for (Map.Entry<String, Stored> object : objects.tailMap(prefix).entrySet()) {
            if (!object.getKey().startsWith(prefix)) {
                break;
            }
            Stored stored = object.getValue();
            action.accept(
                    new ObjectEntry(object.getKey(), stored.content().length, stored.modified()));
        }
    }

    @Override
    public void delete(String path) {
        objects.remove(ObjectPath.check(path));
    }

    @Override
    public String describe(String path) {
        return "memory:" + path;
    }

    private final class InMemoryWriter extends TrackedObjectWriter {
        private final String path;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        InMemoryWriter(String path) {
            super(describe(path));
            this.path = path;
        }

        @Override
        protected void append(byte[] source, int offset, int length) {
            bytes.write(source, offset, length);
        }

        @Override
        public void commit() throws IOException {
            checkOpen();
            end();
            if (objects.putIfAbsent(path, stored(bytes.toByteArray())) != null) {
                throw new FileAlreadyExistsException(where());
            }
        }

        @Override
        public void close() {
            end();
        }
    }
}
