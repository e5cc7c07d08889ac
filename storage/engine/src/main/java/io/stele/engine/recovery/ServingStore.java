package io.stele.engine.recovery;

import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A wrapper of the object store for a running engine, which reports a data file as damaged if it
 * stays unreadable while other objects are returned. The read of such a file ({@link
 * UnreadableFiles}) fails with CORRUPT_DATA, so its table is set aside, and shards do not wait for
 * it forever. Other failed reads pass unchanged, and the engine waits and tries again. Failures of
 * missing and short objects, and of objects that are no data files, pass unchanged too, as do
 * listings, sizes and changes. Thread-safe.
 */
public final class ServingStore extends InterceptedReads {
    private final UnreadableFiles unreadable;
    private final AtomicReference<@Nullable String> returned; // last object that is no data file

    /**
     * @param nowMillis the engine's clock
     */
    public ServingStore(ObjectStore store, LongSupplier nowMillis) {
        super(store);
        this.unreadable = new UnreadableFiles(nowMillis);
        this.returned = new AtomicReference<>();
    }

    /** A wrapper of another view of the same store, with shared state. */
    private ServingStore(ObjectStore store, ServingStore whole) {
        super(store);
        this.unreadable = whole.unreadable;
        this.returned = whole.returned;
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        byte[] content = super.readFully(path);
        if (!isData(path)) {
            returned.set(path);
        }
        return content;
    }

    @Override
    public ObjectReader open(String path, long sizeBytes) throws IOException {
        ObjectReader reader = delegate().open(path, sizeBytes);
        return isData(path) ? intercepted(path, reader) : reader;
    }

    @Override
    public ObjectStore replacing(List<ObjectEntry> replaced) {
        return new ServingStore(delegate().replacing(replaced), this);
    }

    @Override
    public ObjectStore admittingOnSecondAccess() {
        return new ServingStore(delegate().admittingOnSecondAccess(), this);
    }

    private static boolean isData(String path) {
        return path.startsWith(DroppedObjects.DATA);
    }

    @Override
    <T> T intercept(String path, long offset, Read<T> read) throws IOException {
        if (!isData(path)) {
            return read.read();
        }
        try {
            T content = read.read();
            unreadable.succeeded(path, offset);
            return content;
        } catch (NoSuchFileException | EOFException damaged) {
            throw damaged;
        } catch (IOException failed) {
            Optional<String> attempts = unreadable.failed(path, offset, this::readAnother);
            if (attempts.isPresent()) {
                throw damage(path, attempts.get(), failed);
            }
            throw failed;
        }
    }

    private void readAnother() throws IOException {
        String known = returned.get();
        if (known == null) {
            throw new IOException("Expected an object that was read before, found none");
        }
        checkAnswers(known);
    }
}
