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
 * The store of a warehouse as a running engine reads it. Reads that fail pass as they are, and the
 * engine waits and tries again. But a data file that stays unreadable while other objects are
 * returned ({@link UnreadableFiles}) fails with CORRUPT_DATA: its table is set aside, and shards do
 * not wait for it forever. Missing and short objects are what they are, and so are objects that are
 * no data files. Listings, sizes and changes pass. Thread-safe.
 */
public final class ServingStore extends InterceptedReads {
    private final UnreadableFiles unreadable;
    private final AtomicReference<@Nullable String> returned; // the last that is no data file

    /**
     * @param nowMillis the engine's clock
     */
    public ServingStore(ObjectStore store, LongSupplier nowMillis) {
        super(store);
        this.unreadable = new UnreadableFiles(nowMillis);
        this.returned = new AtomicReference<>();
    }

    /** Another access to the objects of a store. */
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
